//! What several tests use: the golden set, and runs of programs.

use std::io::Write;
use std::path::PathBuf;
use volvelle_control::{Control, Limits};
use volvelle_instructions::Failure;
use volvelle_riscv::{Arguments, Emulator, Hashes, Kept, Program};

/// The folder of the golden set, which `VOLVELLE_MULTICORE_CORPUS` names or which lies beside the repository.
pub fn corpus() -> Option<PathBuf> {
    let named = std::env::var_os("VOLVELLE_MULTICORE_CORPUS").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/multicore");
    let folder = named.unwrap_or(beside);
    if folder.join("programs").is_dir() {
        return Some(folder);
    }
    // Not `eprintln!`: the harness keeps to itself what a test that passes prints.
    let test = std::thread::current();
    let name = test.name().unwrap_or_default();
    let _ = writeln!(std::io::stderr(), "skipped: {name}: VOLVELLE_MULTICORE_CORPUS is not set");
    None
}

/// What a run has come to.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub out: Vec<u8>,
    pub exit: u8,
    pub instructions: u64,
    pub hashes: Hashes,
}

/// Runs a program with hashes.
pub fn run(bytes: &[u8], arguments: &[&str]) -> Result<Ran, Failure> {
    let program = Program::read(bytes).map_err(Failure::Faulty)?;
    let mut world = Kept::default();
    let mut hashes = Hashes::default();
    let control = Control::unlimited();
    let mut emulator = Emulator::new(&program, &Arguments::new(arguments), &mut world, &control)?;
    let exit = emulator.run_hashed(&mut hashes, &control)?;
    let instructions = emulator.executed();
    Ok(Ran { out: world.out, exit, instructions, hashes })
}

/// A table of the golden set: fields of each line but the first.
pub fn table(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|line| line.split('\t').collect()).collect()
}

/// Control with a limit on memory.
pub fn control_with_memory(bytes: u64) -> Control<'static> {
    Control { limits: Limits { memory_bytes: Some(bytes), ..Limits::default() }, ..Control::unlimited() }
}
