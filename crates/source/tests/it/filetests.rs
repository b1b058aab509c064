//! The kernel crate's `filetests/`: every kernel there is printed, compiled and compared with the interpreter, on the inputs of
//! its file.

use crate::support::adapt::adapt;
use crate::support::{Job, Run, compare, host, nvrtc, opencl, skip};
use std::path::{Path, PathBuf};
use volvelle_kernel::Kernel;
use volvelle_kernel::filetest::{self, Given};
use volvelle_source::{Dialect, Jumps};

/// All files, in order.
fn files() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/filetests")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display())) {
            let path = entry.expect("an entry of a folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "vk") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// A job for each kernel, with all runs of its file.
fn jobs(dialect: Dialect) -> Vec<Job> {
    let mut jobs = Vec::new();
    for file in files() {
        let text = std::fs::read_to_string(&file).expect("a file that can be read");
        let runs = filetest::runs(&text).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
        let mut kernels: Vec<(Kernel, Vec<Run>)> = Vec::new();
        for Given { kernel, params, contents } in runs {
            let adapted = adapt(&kernel);
            let (params, contents) = adapted.inputs(&params, &contents);
            let run = Run::new(params, 1, &contents);
            match kernels.iter_mut().find(|(known, _)| known.name == adapted.kernel.name) {
                Some((_, runs)) => runs.push(run),
                None => kernels.push((adapted.kernel, vec![run])),
            }
        }
        for (kernel, runs) in kernels {
            // Control locations both ways.
            if kernel.to_string().contains("machine ") {
                jobs.push(Job::jumping(kernel.clone(), dialect, Jumps::Labels, runs.clone()));
            }
            jobs.push(Job::new(kernel, dialect, runs));
        }
    }
    assert!(jobs.len() > 100, "there are {} kernels", jobs.len());
    jobs
}

#[test]
fn opencl_text_on_a_device() {
    let jobs = jobs(Dialect::OpenCl);
    compare(&jobs, opencl::run("filetests", &jobs, &Dialect::OpenCl.options().join(" ")));
}

#[test]
fn cuda_text_on_the_host() {
    let jobs = jobs(Dialect::Cuda);
    compare(&jobs, host::run("filetests", &jobs));
}

#[test]
fn cuda_text_is_accepted_without_a_word() {
    let texts: Vec<String> = jobs(Dialect::Cuda).into_iter().map(|job| job.source.text).collect();
    let compiled = match nvrtc::run("filetests", &texts) {
        Err(why) => return skip(&why),
        Ok(compiled) => compiled,
    };
    for (compiled, text) in compiled.iter().zip(&texts) {
        assert!(compiled.ptx.is_some() && compiled.log.is_empty(), "{}\n{text}", compiled.log);
    }
}
