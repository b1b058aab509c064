//! Runs the kernel crate's `filetests/` through native code, in every configuration.

#[path = "it/support/mod.rs"]
mod support;

use std::path::Path;
use volvelle_kernel::filetest;

fn file(_: &Path, text: String) -> datatest_stable::Result<()> {
    for (configuration, native) in support::configurations() {
        filetest::run_file(&text, &native).map_err(|why| format!("{configuration}: {why}"))?;
    }
    Ok(())
}

datatest_stable::harness! {
    { test = file, root = "../kernel/filetests", pattern = r"\.vk$" },
}
