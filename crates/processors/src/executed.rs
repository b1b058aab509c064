//! `--only program`: what a program prints, what it executes, and hashes by which two executions are compared.

use super::asked::Run;
use super::meter::Meter;
use super::passes::arguments;
use super::source::{Ended, with_stream};
use super::world::Files;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, has_errors};
use volvelle_instructions::{Batch, Class, Failure, Stream};
use volvelle_media::csv::line;
use volvelle_riscv::Hashes;

/// Instructions at once.
const BATCH: usize = 1 << 14;

/// Classes with their names, in the order of tables.
pub const CLASSES: [(&str, &[Class]); 8] = [
    ("alu", &[Class::Alu]),
    ("mul", &[Class::Mul]),
    ("div", &[Class::Div]),
    ("fp", &[Class::Fp]),
    ("load", &[Class::Load]),
    ("store", &[Class::Store, Class::Atomic]),
    ("branch", &[Class::Branch]),
    ("jump", &[Class::Jump, Class::IndirectJump, Class::Call, Class::IndirectCall, Class::Return]),
];

/// What was executed.
#[derive(Default)]
pub struct Executed {
    pub output: Vec<u8>,
    /// Bytes that were printed; more than those of `output` where that would be too long.
    pub printed: u64,
    pub exit: Option<u8>,
    pub instructions: u64,
    pub hashes: Hashes,
    /// Instructions by class, as [`CLASSES`].
    pub mix: [u64; CLASSES.len()],
    /// Branches that were taken.
    pub taken: u64,
    pub written: Vec<(String, Vec<u8>)>,
}

/// Runs a program, or goes through a trace.
pub fn execute(
    run: &Run,
    may_write: bool,
    (meter, control): (&Meter<'_>, &Control<'_>),
) -> (Executed, Vec<Diagnostic>, Option<Stop>) {
    let mut world = Files::new(run.input.clone());
    (world.is_kept, world.may_write) = (true, may_write);
    let mut executed = Executed::default();
    let (found, Ended { exit, warnings }) =
        with_stream(&run.source, &arguments(run), &mut world, (meter, control), |stream| {
            executed.follow(stream, control)
        });
    let mut diagnostics = warnings;
    let mut stop = None;
    match found {
        Ok(()) => {}
        Err(Failure::Stopped(limit)) => stop = Some(limit),
        Err(Failure::Faulty(found)) => diagnostics.push(*found),
    }
    let is_whole = stop.is_none() && !has_errors(&diagnostics);
    (executed.output, executed.printed, executed.exit) =
        (std::mem::take(&mut world.out), world.printed, exit);
    if is_whole {
        executed.written = world.into_written();
    }
    (executed, diagnostics, stop)
}

impl Executed {
    /// Conditional branches.
    pub fn branches(&self) -> u64 {
        let place = CLASSES.iter().position(|(_, classes)| classes.contains(&Class::Branch));
        place.map_or(0, |place| self.mix[place])
    }

    fn follow(&mut self, stream: &mut dyn Stream, control: &Control<'_>) -> Result<(), Failure> {
        let mut batch = Batch::default();
        // By number of the instruction: how often, and how often it went elsewhere.
        let mut counts: Vec<[u64; 2]> = Vec::new();
        let end = loop {
            let more = stream.next(&mut batch, BATCH, control);
            let listing = stream.listing();
            counts.resize(listing.len(), [0; 2]);
            self.hashes.add(listing, &batch);
            for step in &batch.steps {
                let count = &mut counts[step.instruction() as usize];
                count[0] += 1;
                count[1] += u64::from(step.is_taken());
            }
            self.instructions += batch.steps.len() as u64;
            match more {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(failure) => break Err(failure),
            }
        };
        let listing = stream.listing();
        for (number, &[count, taken]) in counts.iter().enumerate() {
            let class = listing[number as u32].class;
            if let Some(place) = CLASSES.iter().position(|(_, classes)| classes.contains(&class)) {
                self.mix[place] += count;
            }
            self.taken += if class == Class::Branch { taken } else { 0 };
        }
        end
    }
}

/// The table with a line for each program.
pub fn csv(all: &[(String, Executed)]) -> String {
    let mut out = String::new();
    let names = CLASSES.map(|(name, _)| name);
    let behind = ["taken", "loads", "stores", "pc_hash", "memory_hash"];
    line(&mut out, &[&["program", "exit", "instructions"], &names[..], &behind].concat());
    for (name, found) in all {
        let Hashes { pc, memory, loads, stores } = found.hashes;
        let exit = found.exit.map_or_else(String::new, |exit| exit.to_string());
        let mut cells = vec![name.clone(), exit, found.instructions.to_string()];
        cells.extend(found.mix.map(|count| count.to_string()));
        cells.extend([found.taken, loads, stores].map(|count| count.to_string()));
        cells.extend([pc, memory].map(|hash| format!("{hash:016x}")));
        line(&mut out, &cells);
    }
    out
}
