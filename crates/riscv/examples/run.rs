//! Runs a program: its output, and what the machine has to say.
//!
//! `cargo run --release -p volvelle-riscv --example run -- app.elf arguments…`

use std::io::Write;
use std::os::unix::fs::FileExt;
use volvelle_control::Control;
use volvelle_instructions::Failure;
use volvelle_riscv::{Access, Arguments, Emulator, Errno, FileId, Output, Program, World};

/// Files are read from where they are; nothing is written.
#[derive(Default)]
struct Outside {
    files: Vec<std::fs::File>,
    out: Vec<u8>,
}

impl World for Outside {
    fn write(&mut self, output: Output, bytes: &[u8]) {
        match output {
            Output::Out => self.out.extend_from_slice(bytes),
            Output::Error => drop(std::io::stderr().write_all(bytes)),
        }
    }

    fn open(&mut self, path: &[u8], access: Access) -> Result<FileId, Errno> {
        let path = std::str::from_utf8(path).map_err(|_| Errno::NOENT)?;
        if access.write {
            return Err(Errno::ROFS);
        }
        self.files.push(std::fs::File::open(path).map_err(|_| Errno::NOENT)?);
        Ok(FileId((self.files.len() - 1) as u32))
    }

    fn size(&mut self, file: FileId) -> u64 {
        self.files[file.0 as usize].metadata().map_or(0, |data| data.len())
    }

    fn read_at(&mut self, file: FileId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        self.files[file.0 as usize].read_at(buffer, offset).map_err(|_| Errno::IO)
    }
}

fn main() {
    let all: Vec<String> = std::env::args().skip(1).collect();
    let bytes = std::fs::read(&all[0]).expect("a program");
    let mut error = std::io::stderr();
    let program = match Program::read(&bytes) {
        Ok(program) => program,
        Err(diagnostic) => {
            let _ = writeln!(error, "{diagnostic:?}");
            return;
        }
    };
    let mut world = Outside::default();
    let control = Control::unlimited();
    let mut emulator = Emulator::new(&program, &Arguments::new(&all), &mut world, &control).expect("loaded");
    let ended = emulator.run(&control);
    for warning in emulator.warnings() {
        let _ = writeln!(error, "{}", warning.message);
    }
    let executed = emulator.executed();
    let _ = std::io::stdout().lock().write_all(&world.out);
    match ended {
        Ok(status) => drop(writeln!(error, "status {status} after {executed} instructions")),
        Err(Failure::Stopped(stop)) => drop(writeln!(error, "stopped: {stop}")),
        Err(Failure::Faulty(diagnostic)) => {
            drop(writeln!(error, "{} {:?}", diagnostic.message, diagnostic.notes))
        }
    }
}
