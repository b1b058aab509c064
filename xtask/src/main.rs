//! `cargo xtask <task>`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <task>

  ci [--list] [--skip STEP]... [STEP]...
                   what CI runs: all steps, or those named
  tidy             the rules that the files of this repository obey
  attack [--times N] [FILTER]...
                   the random attacks of the test suite, with N times (100) as many cases
  budget [core] [whole]
                   builds the program from nothing: what it costs by crate, and whether that is within the budget
  claims [--list] [NAME]...
                   measures what README.md claims beside other tools (installs stormpy for itself; needs spin, gcc)
  fuzz [--seconds N] [TARGET]...
                   builds the fuzzers and runs each for N seconds (20)
  package [--target TRIPLE] [--program FILE] [--output FOLDER] [--deb]
                   makes the archive of a release, its checksum, with --deb a Debian package, and tries them
  programs [--volvelle FILE] [NAME]...
                   builds bzip2, minigzip, lua and tcc for RISC-V, and compares runs with those of QEMU
  bless [ARGS]...  run the tests and rewrite the expectations that differ; ARGS go to `cargo test`
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (task, rest) = match arguments.split_first() {
        Some((task, rest)) => (task.as_str(), rest),
        None => ("help", &[][..]),
    };
    let result = match task {
        "attack" => xtask::attack::run(rest),
        "budget" => xtask::budget::run(rest),
        "claims" => xtask::claims::run(rest),
        "ci" => xtask::ci::run(rest),
        "fuzz" => xtask::fuzz::run(rest),
        "package" => xtask::package::run(rest),
        "programs" => xtask::programs::run(rest),
        "tidy" => xtask::tidy::run(),
        "bless" => xtask::bless::run(rest),
        // Cargo calls this in place of the compiler where fuzzers are built, and where a build is measured.
        compiler if Path::new(compiler).file_stem().is_some_and(|name| name == "rustc") => {
            let given = |name: &str| std::env::var_os(name).map(PathBuf::from);
            match (given(xtask::budget::NOTES), given(xtask::checked::DOCUMENTATION)) {
                (Some(notes), _) => xtask::budget::measure(compiler, rest, &notes),
                (None, Some(folder)) => xtask::checked::compile(compiler, rest, &folder),
                (None, None) => xtask::fuzz::instrument(compiler, rest),
            }
        }
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        unknown => Err(format!("there is no task `{unknown}`\n\n{USAGE}")),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::from(2)
        }
    }
}
