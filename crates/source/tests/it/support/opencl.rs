//! Running jobs on the first OpenCL device.
//!
//! Most of the time goes into starting the compiler, so several jobs become one program; their functions get other names for
//! that.

use super::{Job, Results, compile, folder, pack, talk, unpack};
use std::collections::BTreeSet;

/// Jobs of one program.
const TOGETHER: usize = 16;

/// Log and results of all jobs; an error where there is no device or no compiler.
pub fn run(test: &str, jobs: &[Job], options: &str) -> Results {
    let text = include_str!("opencl.cpp").replace("// WIRE", include_str!("wire.h"));
    let program = compile(&folder(test), "opencl", &text, &["-ldl"]).ok_or("there is no C++ compiler")?;
    let mut texts = Vec::new();
    for jobs in jobs.chunks(TOGETHER) {
        let parts: Vec<(String, String)> = jobs.iter().enumerate().map(|(i, job)| renamed(job, i)).collect();
        let mut program = parts.iter().map(|(text, _)| text.as_str()).collect::<String>();
        for (_, entry) in parts {
            // A job without a text is of the program before.
            texts.push((std::mem::take(&mut program), entry));
        }
    }
    let output = talk(&program, &[], pack(jobs, &texts, options))?;
    Ok(unpack(jobs, &output))
}

/// The text with other names for its functions, and that of the kernel.
fn renamed(job: &Job, number: usize) -> (String, String) {
    let text = &job.source.text;
    let names: BTreeSet<&str> = text
        .lines()
        .filter(|line| line.starts_with("static ") || line.starts_with("kernel "))
        .filter_map(|line| line.split('(').next()?.split(' ').next_back())
        .collect();
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find(is_of_a_word) {
        let end = rest[start..].find(|c| !is_of_a_word(c)).map_or(rest.len(), |length| start + length);
        out.push_str(&rest[..end]);
        if names.contains(&rest[start..end]) && rest[end..].starts_with('(') {
            out.push_str(&format!("_of_job_{number}"));
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    (out, format!("{}_of_job_{number}", job.source.entry))
}

fn is_of_a_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
