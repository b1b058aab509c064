//! Running CUDA text on the processor: what CUDA knows by itself is declared for a C++ compiler, and each work item is a call.

use super::{Job, Results, compile, folder, pack, talk, unpack};
use std::fmt::Write;
use volvelle_kernel::{Access, Type};

/// Sanitizers: a program with undefined behaviour stops. (Signed overflow, shifts beyond the width, floats that no integer holds.)
const SANITIZE: &str = "-fsanitize=undefined,float-cast-overflow";

/// Log and results of all jobs; an error where there is no compiler.
pub fn run(test: &str, jobs: &[Job]) -> Results {
    let mut text = include_str!("host.cpp").replace("// WIRE", include_str!("wire.h"));
    for (number, job) in jobs.iter().enumerate() {
        let kernel = job.source.text.replace("extern \"C\" ", "");
        let _ = write!(text, "namespace job_{number} {{\n{kernel}\n{}}}\n", trampoline(job));
    }
    text.push_str("static const Call *all_calls() {\n    static const Call calls[] = {");
    for number in 0..jobs.len() {
        let _ = write!(text, "job_{number}::call, ");
    }
    text.push_str("0};\n    return calls;\n}\n");
    let options = ["-O1", "-ffp-contract=off", "-fno-strict-aliasing", SANITIZE, "-fno-sanitize-recover=all"];
    let program = compile(&folder(test), "host", &text, &options).ok_or("there is no C++ compiler")?;
    let output = talk(&program, &[], pack(jobs, &[], ""))?;
    Ok(unpack(jobs, &output))
}

/// A function that calls the kernel with what a run says.
fn trampoline(job: &Job) -> String {
    let mut arguments = String::new();
    for (i, param) in job.kernel.locals[1..job.kernel.params].iter().enumerate() {
        let ty = if param.ty == Type::Bool { Type::U8 } else { param.ty };
        let _ = write!(arguments, "param<{ty}>(run, {i}), ");
    }
    for (i, buffer) in job.kernel.buffers.iter().enumerate() {
        let constant = if buffer.access == Access::Read { "const " } else { "" };
        let ty = if buffer.ty == Type::Bool { Type::U8 } else { buffer.ty };
        let _ = write!(arguments, "({constant}{ty} *)run.buffers[{i}].data.data(), run.buffers[{i}].len, ");
    }
    format!(
        "static void call(Run &run, unsigned *code) {{\n    {}(run.first, run.first + run.lanes, {arguments}code);\n}}\n",
        job.source.entry
    )
}
