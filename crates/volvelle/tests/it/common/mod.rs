//! Running the program as a user does.

pub mod markdown;
pub mod schema;
#[cfg(unix)]
pub mod signals;
pub mod suite;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a run printed and how it ended.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    fn of(output: Output) -> Self {
        Run {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("standard output is text"),
            err: String::from_utf8(output.stderr).expect("standard error is text"),
        }
    }

    /// Asserts the exit code; shows everything otherwise.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert!(!self.err.contains("panicked"), "a panic:\n{}", self.err);
        assert_eq!(self.code, code, "\n--- out\n{}\n--- err\n{}", self.out, self.err);
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}:\n{}", self.out))
    }
}

/// Says that the test cannot run here. `cargo xtask ci` counts these lines.
pub fn skipped(why: &str) {
    // Not `eprintln!`: the harness keeps to itself what a test that passes prints.
    let test = std::thread::current();
    let _ = writeln!(std::io::stderr(), "skipped: {}: {why}", test.name().unwrap_or_default());
}

/// The program, with a plain environment.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_volvelle"));
    command.current_dir(folder).stdin(Stdio::null());
    // Kernels for devices are built anew.
    command.env("VOLVELLE_CACHE", "off");
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS"] {
        command.env_remove(variable);
    }
    command
}

/// Runs the program with something to read.
pub fn told(folder: &Folder, arguments: &[&str], input: &str) -> Run {
    told_in(folder.path(), arguments, input)
}

/// The same in a folder.
pub fn told_in(folder: &Path, arguments: &[&str], input: &str) -> Run {
    let mut child = command(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that reads nothing may be gone.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    Run::of(child.wait_with_output().expect("it ends"))
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository has a root")
}

/// The examples.
pub fn examples() -> PathBuf {
    root().join("examples/prism")
}

/// Runs the program in a folder.
pub fn run_in<S: AsRef<std::ffi::OsStr>>(folder: &Path, arguments: &[S]) -> Run {
    Run::of(command(folder).args(arguments).output().expect("the program starts"))
}

/// A folder for the files of one test, removed afterwards.
pub struct Folder(PathBuf);

static NEXT: AtomicUsize = AtomicUsize::new(0);

impl Folder {
    pub fn new() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("volvelle-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).expect("a folder for tests can be made");
        Folder(path)
    }

    /// A folder with `model.prism` in it.
    pub fn with_model(text: &str) -> Self {
        Self::new().file("model.prism", text)
    }

    /// One with copies of the examples and the platforms.
    pub fn with_examples() -> Self {
        let folder = Self::new();
        for shipped in ["examples", "platforms"] {
            copy(&root().join(shipped), &folder.path().join(shipped));
        }
        folder
    }

    pub fn file(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.0.join(name), text).expect("a file for tests can be written");
        self
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        run_in(&self.0, arguments)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Exploration is quick; the numbers take for ever: 10^13 steps for a time of 10^7.
pub const SLOW: &str = "ctmc
module m
  x : [0..1000] init 0;
  [] x<1000 -> 1e6 : (x'=x+1);
  [] x>0 -> 1e6 : (x'=x-1);
endmodule
";

/// A chain 0, 1, …, last: two states each way, half and half.
pub const WALK: &str = "dtmc
const int N;
module walk
  x : [0..N] init 0;
  [] x<N -> 0.5 : (x'=x+1) + 0.5 : (x'=max(x-1,0));
  [] x=N -> true;
endmodule
label \"end\" = x=N;
";

/// Copies a folder with everything that is in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder to copy") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a file to copy");
        }
    }
}
