//! Libraries do no input or output, and read neither clock nor environment: what they need comes in as an argument.

use super::Finding;
use super::rust::code_only;
use super::sources::has_word;
use crate::tree::File;

/// Paths into the standard library, and what they reach for.
const OUTSIDE: &[(&str, &str)] = &[
    ("std::fs", "files"),
    ("File::open", "files"),
    ("File::create", "files"),
    ("std::env", "the environment"),
    ("env::var", "the environment"),
    ("std::process", "processes"),
    ("std::net", "the network"),
    ("SystemTime", "the clock"),
    ("Instant::now", "the clock"),
    ("stdout().lock", "the streams"),
    ("stderr().lock", "the streams"),
];

/// Crates and files that may, and what.
const ALLOWED: &[(&str, &[&str])] = &[
    // The only door to the outside.
    ("crates/console/src/", &["files", "the environment", "processes", "the clock"]),
    // What goes to a terminal passes one place, which makes it harmless.
    ("crates/console/src/output.rs", &["the streams"]),
    // Files are opened by the console, but for those of tests.
    ("crates/volvelle/", &["the environment", "processes", "the clock"]),
    ("crates/volvelle/tests/", &["files"]),
    // Its tests damage files.
    ("crates/tuning/src/ask/measured/kept.rs", &["files", "the environment", "processes"]),
    // Kernels are measured in a process of their own, which they may end.
    ("crates/tuning/src/ask/measured/worker.rs", &["the environment", "processes"]),
    // `Control::check` compares the clock with the deadline that came in.
    ("crates/control/src/", &["the clock"]),
    // A folder may be a storage.
    ("crates/runtime/src/storage/file.rs", &["files"]),
    // Devices are found in files of the system.
    ("crates/runtime/src/architecture/", &["files"]),
    // Its subject is files of bodies.
    ("crates/nbody/src/files/", &["files"]),
    // Reports say how long things took.
    ("crates/session/src/", &["the clock"]),
    ("crates/numbers/src/", &["the clock"]),
    ("crates/paths/src/", &["the clock"]),
    ("crates/searches/src/", &["the clock"]),
    ("crates/systems/src/", &["the clock"]),
    ("crates/weights/src/", &["the clock"]),
    ("crates/rates/src/", &["the clock"]),
    ("crates/studies/src/", &["the clock"]),
    ("crates/tuning/src/", &["the clock"]),
    ("crates/particles/src/", &["the clock"]),
    ("crates/typings/src/", &["the clock"]),
    ("crates/pipelines/src/", &["the clock"]),
    ("crates/processors/src/", &["the clock"]),
    // The example of a question, and of a program.
    ("crates/toy/src/question/", &["the clock"]),
    ("crates/toy/src/main.rs", &["processes"]),
    // It selects code and devices by measured speed, and samples for a given time; values do not depend on that.
    ("crates/estimate/src/", &["the clock"]),
    // Kernels that were built before are kept in a folder that the caller names, the oldest go first.
    ("crates/technologies/src/cache/", &["files", "the clock"]),
    ("crates/technologies/src/cache/tests.rs", &["the environment", "processes"]),
    // Tests ask Python where the compiler of CUDA is.
    ("crates/technologies/src/testing.rs", &["the environment", "processes"]),
    // A kernel says how long its compiler took.
    ("crates/technologies/src/", &["the clock"]),
    // Bodies of fuzzers, which end by themselves.
    ("crates/oracles/", &["the clock"]),
    // Only tests use it: how many random cases they try is told by whoever runs them.
    ("crates/random/src/", &["the environment"]),
    // Test inputs are files.
    ("crates/kernel/src/filetest/", &["files", "the environment"]),
];

/// Libraries that reach outside.
pub fn check(files: &[File]) -> Vec<Finding> {
    let is_library =
        |file: &&File| file.is_rust() && file.path.starts_with("crates/") && file.path.contains("/src/");
    files.iter().filter(is_library).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let allowed: Vec<&str> = ALLOWED
        .iter()
        .filter(|(prefix, _)| file.path.starts_with(prefix))
        .flat_map(|(_, what)| *what)
        .copied()
        .collect();
    let mut findings = Vec::new();
    for (line, text) in code_only(&file.text).lines().enumerate() {
        let reached = OUTSIDE.iter().find(|(path, what)| has_word(text, path) && !allowed.contains(what));
        if let Some((path, what)) = reached {
            let way = match *what {
                "the streams" => "print with `crates/console/src/output.rs`",
                _ => "let the caller pass it in",
            };
            let message = format!("`{path}`: a library does not reach for {what}; {way}");
            findings.push(Finding::new(&file.path, line + 1, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> usize {
        check(&[File::new(path, text)]).len()
    }

    #[test]
    fn who_may_reach_outside() {
        for (word, _) in OUTSIDE {
            let text = format!("let x = {word}();");
            assert_eq!(findings("crates/solver/src/solve.rs", &text), 1, "{word}");
            assert_eq!(findings("crates/solver/tests/solve.rs", &text), 0, "{word} in a test");
            assert_eq!(
                findings("crates/solver/src/solve.rs", &format!("// {word}")),
                0,
                "{word} in a comment"
            );
        }
        assert_eq!(findings("crates/control/src/lib.rs", "Instant::now()"), 0);
        assert_eq!(findings("crates/control/src/lib.rs", "std::fs::read(p)"), 1);
        assert_eq!(findings("crates/console/src/files.rs", "std::fs::read(p)"), 0);
    }
}
