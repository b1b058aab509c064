//! One compilation of the workspace for tests, lints and documentation.
//!
//! Clippy is a compiler with more lints, and rustdoc needs of the crates below only what they have compiled to. So cargo calls this
//! program in place of the compiler ([`compile`]) for crates of the workspace, and it calls Clippy, which compiles, and then, for libraries,
//! rustdoc. This costs a twentieth more than compiling, where `cargo clippy` and `cargo doc` would compile everything again, each for
//! itself. Cargo keeps what they say and says it again where nothing has to be compiled, so that no finding is lost between two runs.

use crate::this_program;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable that names the folder of the documentation.
pub const DOCUMENTATION: &str = "VOLVELLE_DOCUMENTATION";

/// Has a command of cargo, or one that calls it, compile like this.
pub fn take_from(command: &mut Command, target: &Path) -> Result<(), String> {
    command.env("RUSTC_WORKSPACE_WRAPPER", this_program::path()?).env(DOCUMENTATION, target.join("doc"));
    // Clippy reads its arguments here; without the variable it only compiles.
    command.env("CLIPPY_ARGS", "");
    Ok(())
}

/// What cargo calls in place of the compiler, with its arguments.
pub fn compile(compiler: &str, arguments: &[String], documentation: &Path) -> Result<bool, String> {
    let beside = |name: &str| {
        let path = PathBuf::from(compiler).with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        // A compiler that is found by its name has the others beside it in the path.
        if path.exists() { path } else { PathBuf::from(name) }
    };
    let run = |program: &Path, arguments: &[String]| {
        let status = Command::new(program).args(arguments).status();
        status.map(|status| status.success()).map_err(|e| format!("{}: {e}", program.display()))
    };
    // Questions that cargo asks the compiler have no crate.
    if !arguments.iter().any(|argument| argument == "--crate-name") {
        return run(Path::new(compiler), arguments);
    }
    if !run(&beside("clippy-driver"), arguments)? {
        return Ok(false);
    }
    match of_rustdoc(arguments, documentation) {
        Some(arguments) => run(&beside("rustdoc"), &arguments),
        None => Ok(true),
    }
}

/// The arguments with which rustdoc documents what a compiler was called for; none where that is no library.
fn of_rustdoc(arguments: &[String], documentation: &Path) -> Option<Vec<String>> {
    let is_test = arguments.iter().any(|argument| argument == "--test");
    let is_library = arguments.windows(2).any(|two| two[0] == "--crate-type" && two[1] == "lib");
    if is_test || !is_library {
        return None;
    }
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            // How code is made, and where it goes.
            "-C" | "--out-dir" => drop(rest.next()),
            other if other.starts_with("--emit") || other.starts_with("--json") => {}
            other => kept.push(other.to_owned()),
        }
    }
    kept.extend(["--json=diagnostic-rendered-ansi", "--out-dir"].map(str::to_owned));
    kept.push(documentation.display().to_string());
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::of_rustdoc;
    use std::path::Path;

    fn rustdoc(line: &str) -> Option<String> {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        of_rustdoc(&arguments, Path::new("doc")).map(|arguments| arguments.join(" "))
    }

    #[test]
    fn libraries_are_documented() {
        let line = "--crate-name a --edition=2024 a.rs --error-format=json --json=artifacts --crate-type lib \
                    --emit=dep-info,metadata,link -C opt-level=1 --cfg f --extern b=b.rmeta -L d -C metadata=1 --out-dir o";
        let expected = "--crate-name a --edition=2024 a.rs --error-format=json --crate-type lib --cfg f \
                        --extern b=b.rmeta -L d --json=diagnostic-rendered-ansi --out-dir doc";
        assert_eq!(rustdoc(line).as_deref(), Some(expected));
        assert_eq!(rustdoc("--crate-name a a.rs --crate-type bin"), None);
        assert_eq!(rustdoc("--crate-name a a.rs --crate-type lib --test"), None);
    }
}
