//! Devices for tests, from the libraries of this machine. Tests that find no library report that they are
//! skipped.

use crate::cuda::Nvrtc;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use volvelle_runtime::{Executor, Technology};

/// The devices of a technology that compute in double precision, opened one after the other. If the
/// technology serves none, a line states the reason.
///
/// # Panics
/// If an offered device cannot be opened.
pub fn devices(technology: &dyn Technology) -> impl Iterator<Item = Arc<dyn Executor>> {
    let offers = technology.offers().unwrap_or_else(|why| {
        skipped(technology.name(), &why.to_string());
        Vec::new()
    });
    let numbers = offers.into_iter().enumerate().filter(|(_, offer)| offer.has_f64);
    numbers.map(|(number, _)| technology.open(number).expect("an offered device opens"))
}

/// The first of [`devices()`].
///
/// # Panics
/// If it cannot be opened.
pub fn first_device(technology: &dyn Technology) -> Option<Arc<dyn Executor>> {
    devices(technology).next()
}

/// The folder of NVIDIA's compiler: from the variable `VOLVELLE_CUDA_LIBRARIES`, or that of a Python package.
/// The system may have another one.
pub fn cuda_libraries() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("VOLVELLE_CUDA_LIBRARIES") {
        return Some(folder.into());
    }
    let script = "import nvidia.cuda_nvrtc as n; print(list(n.__path__)[0])";
    let output = Command::new("python3").args(["-c", script]).output().ok()?;
    let package = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(package.trim()).join("lib")).filter(|folder| folder.is_dir())
}

/// NVIDIA's compiler, which needs no device.
pub fn nvrtc() -> Option<Nvrtc> {
    Nvrtc::open(cuda_libraries().as_deref()).map_err(|why| skipped("NVRTC", &why.to_string())).ok()
}

/// Reports which test does not run, what it would have tested, and why. `cargo xtask ci` counts these lines.
pub fn skipped(what: &str, why: &str) {
    // Not `eprintln!`: the test harness hides the output of passing tests.
    let test = std::thread::current();
    let _ = writeln!(
        std::io::stderr(),
        "skipped: {}: {what} is not tested: {why}",
        test.name().unwrap_or_default()
    );
}
