//! A program that runs: observed instruction by instruction, or not.

use crate::blocks::{Blocks, MOST_KEPT_BYTES};
use crate::elf::Program;
use crate::execute::{Event, execute};
use crate::hart::{Hart, names};
use crate::linux::{Answer, Linux, Scene, Sent, call_name};
use crate::memory::{Fault, Memory};
use crate::observer::{Hashes, Nobody, Observer};
use crate::stack::{MOST_ARGUMENT_BYTES, lay_out};
use crate::symbols::Symbols;
use crate::troubles;
use crate::world::World;
use crate::wrong::{Following, WrongWay};
use std::collections::BTreeSet;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::Diagnostic;
use volvelle_instructions::{Batch, Failure, Listing, Stream};

/// Instructions between two looks at limits.
const SLICE: u64 = 1 << 20;

/// What a program is given.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// Its name and its arguments.
    pub arguments: Vec<Vec<u8>>,
    /// Its environment, as `NAME=VALUE`.
    pub environment: Vec<Vec<u8>>,
}

impl Arguments {
    /// A name and arguments, no environment.
    pub fn new<T: AsRef<str>>(all: impl IntoIterator<Item = T>) -> Self {
        let arguments = all.into_iter().map(|text| text.as_ref().as_bytes().to_vec()).collect();
        Arguments { arguments, environment: Vec::new() }
    }
}

/// A program that runs.
pub struct Emulator<'w> {
    hart: Hart,
    memory: Memory,
    blocks: Blocks,
    linux: Linux,
    symbols: Symbols,
    world: &'w mut dyn World,
    unknown_calls: BTreeSet<u64>,
    warnings: Vec<Diagnostic>,
    wrong_way: Option<Box<WrongWay>>,
    exit: Option<u8>,
}

impl<'w> Emulator<'w> {
    /// Loads a program. Memory that its file fills is taken within the limits of `control`.
    ///
    /// # Errors
    /// It does not fit, or its arguments are too long.
    pub fn new(
        program: &Program,
        arguments: &Arguments,
        world: &'w mut dyn World,
        control: &Control<'_>,
    ) -> Result<Self, Failure> {
        let mut memory = Memory::default();
        memory.set_limit(control.limits.memory_bytes.unwrap_or(u64::MAX));
        for segment in &program.segments {
            memory.map_also(segment.address, segment.bytes, segment.permissions);
        }
        for segment in &program.segments {
            if !memory.load(segment.address, &segment.content) {
                return Err(Stop::Memory.into());
            }
        }
        let Some(pointer) = lay_out(&mut memory, program, &arguments.arguments, &arguments.environment)
        else {
            if memory.fault() == Fault::Full
                && control.check_memory(memory.bytes() + MOST_ARGUMENT_BYTES).is_err()
            {
                return Err(Stop::Memory.into());
            }
            return Err(Failure::Faulty(Box::new(troubles::arguments_too_long())));
        };
        let mut hart = Hart::new(program.entry);
        hart.registers[names::SP] = pointer;
        Ok(Emulator {
            hart,
            memory,
            blocks: Blocks::default(),
            linux: Linux::new(program.end()),
            symbols: program.symbols.clone(),
            world,
            unknown_calls: BTreeSet::new(),
            warnings: Vec::new(),
            wrong_way: None,
            exit: None,
        })
    }

    /// Instructions executed so far.
    pub fn executed(&self) -> u64 {
        self.hart.executed
    }

    /// The status that the program has ended with, once it has.
    pub fn exit(&self) -> Option<u8> {
        self.exit
    }

    /// What was not as the program may have expected.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Names by address.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Bytes held: the program's memory, and what is kept of its code.
    pub fn bytes(&self) -> u64 {
        self.memory.bytes() + self.blocks.bytes()
    }

    /// Runs the program to its end; gives its status.
    ///
    /// # Errors
    /// A limit was reached, or the program has done what it must not.
    pub fn run(&mut self, control: &Control<'_>) -> Result<u8, Failure> {
        self.run_observed(&mut Nobody, control)
    }

    /// The same, with hashes of what is executed.
    ///
    /// # Errors
    /// As [`Emulator::run`].
    pub fn run_hashed(&mut self, hashes: &mut Hashes, control: &Control<'_>) -> Result<u8, Failure> {
        self.run_observed(hashes, control)
    }

    fn run_observed<O: Observer>(&mut self, observer: &mut O, control: &Control<'_>) -> Result<u8, Failure> {
        loop {
            if let Some(status) = self.exit {
                return Ok(status);
            }
            self.slice(observer, SLICE, control)?;
        }
    }

    /// Executes at least one and at most `budget` instructions.
    fn some<O: Observer>(
        &mut self,
        observer: &mut O,
        budget: u64,
        control: &Control<'_>,
    ) -> Result<(), Failure> {
        let before = self.hart.executed;
        while self.hart.executed == before {
            self.slice(observer, budget, control)?;
        }
        Ok(())
    }

    /// Executes at most `budget` instructions, to the end of the program or a system call at most.
    fn slice<O: Observer>(
        &mut self,
        observer: &mut O,
        budget: u64,
        control: &Control<'_>,
    ) -> Result<(), Failure> {
        control.check()?;
        // Programs that jump into the middle of other blocks all the time have many that overlap.
        if self.blocks.code_bytes() > MOST_KEPT_BYTES {
            self.blocks.forget();
            self.memory.forget_code();
        }
        let own = self.blocks.bytes();
        control.check_memory(self.memory.bytes() + own)?;
        self.memory
            .set_limit(control.limits.memory_bytes.map_or(u64::MAX, |limit| limit.saturating_sub(own)));
        let mut left = budget;
        // Calls are cheap beside what was executed; limits are looked at again after a slice.
        while left > 0 && self.exit.is_none() {
            let before = self.hart.executed;
            let event = execute(&mut self.hart, &mut self.memory, &mut self.blocks, observer, left);
            match event {
                Event::Budget => return Ok(()),
                Event::Call => self.call()?,
                _ => self.fault(event)?,
            }
            // Faults that handlers have are counted, too: a handler that begins with one must not go on forever.
            left = left.saturating_sub((self.hart.executed - before).max(1));
        }
        Ok(())
    }

    /// Gives a fault to the program's handler, if it has one.
    fn fault(&mut self, event: Event) -> Result<(), Failure> {
        let pc = self.hart.pc;
        if let Some(sent) = Sent::by(event, pc, &self.memory) {
            let delivered = self.linux.signals.deliver_fault(sent, &mut self.hart, &mut self.memory);
            self.forget_written_code();
            match delivered {
                Ok(true) => return Ok(()),
                Err(Fault::Full) => return Err(Stop::Memory.into()),
                Ok(false) | Err(_) => {}
            }
        }
        Err(match event {
            Event::Fault(Fault::Full) => Stop::Memory.into(),
            Event::Fault(fault) => self.faulty(troubles::access(fault, pc, &self.symbols)),
            Event::Illegal(word) => self.faulty(troubles::illegal(word, pc, &self.symbols)),
            _ => self.faulty(troubles::breakpoint(pc, &self.symbols)),
        })
    }

    fn forget_written_code(&mut self) {
        if self.memory.is_code_written() {
            self.blocks.forget();
            self.memory.forget_code();
        }
    }

    fn faulty(&self, diagnostic: Diagnostic) -> Failure {
        let count = format!("after {} instructions", self.hart.executed);
        Failure::Faulty(Box::new(diagnostic.note(count)))
    }

    fn call(&mut self) -> Result<(), Failure> {
        let mut scene = Scene { hart: &mut self.hart, memory: &mut self.memory, world: self.world };
        let answer = self.linux.call(&mut scene);
        self.forget_written_code();
        match answer {
            Answer::Done => {}
            Answer::Exit(status) => self.exit = Some(status),
            Answer::Unknown(number) => {
                if self.unknown_calls.insert(number) {
                    let call = self.hart.pc.wrapping_sub(4);
                    self.warnings.push(troubles::unknown_call(
                        number,
                        call_name(number),
                        call,
                        &self.symbols,
                    ));
                }
            }
            Answer::Killed(signal) => {
                return Err(self.faulty(troubles::killed(signal, self.hart.pc, &self.symbols)));
            }
            Answer::Waits => return Err(self.faulty(troubles::waits(self.hart.pc, &self.symbols))),
            Answer::Full => return Err(Stop::Memory.into()),
            Answer::Thread(name) => {
                return Err(self.faulty(troubles::thread(name, self.hart.pc, &self.symbols)));
            }
        }
        Ok(())
    }
}

impl Stream for Emulator<'_> {
    fn listing(&self) -> &Listing {
        self.blocks.listing()
    }

    fn next(&mut self, batch: &mut Batch, most: usize, control: &Control<'_>) -> Result<bool, Failure> {
        batch.clear();
        if self.exit.is_some() {
            return Ok(false);
        }
        let most = most.clamp(1, SLICE as usize);
        match self.wrong_way.take() {
            None => {
                batch.steps.reserve(most);
                self.some(batch, most as u64, control)?;
            }
            Some(mut way) => {
                let most = most.min(way.most_at_once());
                let ended = self.some(&mut Following { batch, way: &mut way }, most as u64, control);
                self.wrong_way = Some(way);
                ended?;
            }
        }
        Ok(true)
    }

    fn follow_wrong_paths(&mut self, length: usize) -> bool {
        self.wrong_way = (length > 0).then(|| Box::new(WrongWay::new(length)));
        true
    }
}
