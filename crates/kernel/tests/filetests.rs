//! Runs `filetests/` through the interpreter. With `BLESS=1` in the environment, rewrites what the files
//! expect to be shown (not what `run` directives expect: those are worked out by hand).

use std::path::Path;
use volvelle_kernel::filetest;
use volvelle_kernel::interp::Interpreter;

fn file(path: &Path, text: String) -> datatest_stable::Result<()> {
    let text = if std::env::var_os("BLESS").is_some() {
        let blessed = filetest::bless(&text)?;
        std::fs::write(path, &blessed)?;
        blessed
    } else {
        text
    };
    Ok(filetest::run_file(&text, &Interpreter)?)
}

datatest_stable::harness! {
    { test = file, root = "filetests", pattern = r"\.vk$" },
}
