//! Files that somebody made to break a reader: each is refused with the code that says why, or read as what it is. What is
//! tried: numbers that are none, counts that lie, archives whose headers lie, damaged and padded compression, files that end
//! anywhere, other line ends, bytes that are no text.

mod archives;
mod bytes;
mod compressed;
mod numbers;

use volvelle_control::{Control, Limits};
use volvelle_diagnostics::Code;
use volvelle_explicit::{Companions, Finding, Input, Model, ReadOptions, read};

const CHAIN: &str = "3 4\n0 1 0.5\n0 2 0.5\n1 1 1\n2 0 1\n";
const DRN: &str = "@type: DTMC\n@parameters\n\n@reward_models\n\n@nr_states\n2\n@model\nstate 0 init\n\taction 0\n\t\t0 : 0.5\n\t\t1 : 0.5\n\
                   state 1\n\taction 0\n\t\t1 : 1\n";
const AUT: &str = "des (0, 3, 2)\n(0, \"a\", 1)\n(0, i, 0)\n(1, \"b c\", 0)\n";

/// Reads a file within 32 MiB.
fn load(name: &str, bytes: &[u8]) -> Result<Model, Finding> {
    let limits = Limits { memory_bytes: Some(32 << 20), ..Limits::default() };
    let control = Control { limits, threads: 2, ..Control::unlimited() };
    read(Input { name, bytes }, &Companions::default(), &ReadOptions::default(), &control)
        .map(|loaded| loaded.model)
}

/// Why a file is refused.
#[track_caller]
fn refusal(name: &str, bytes: &[u8]) -> (Code, String) {
    match load(name, bytes) {
        Ok(model) => panic!("{name} is read as a {}", model.kind()),
        Err(finding) => (finding.code, finding.message),
    }
}
