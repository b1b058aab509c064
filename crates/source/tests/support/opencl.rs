//! Running jobs on the first OpenCL device.

use super::{Job, Ran, compile, folder, pack, talk, unpack};

/// Log and results of all jobs; an error where there is no device or no compiler.
pub fn run(test: &str, jobs: &[Job], options: &str) -> Result<Vec<(String, Vec<Ran>)>, String> {
    let folder = folder(test);
    let program = compile(
        &folder,
        "opencl",
        &include_str!("opencl.cpp").replace("// WIRE", include_str!("wire.h")),
        &["-ldl"],
    )
    .ok_or("there is no C++ compiler")?;
    let output = talk(&program, &[], pack(jobs, true, options))?;
    Ok(unpack(jobs, &output))
}
