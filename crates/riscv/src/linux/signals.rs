//! Signals: those that a program sends itself, and those of its faults. Nobody else sends any.
//!
//! Signals are numbers from 1 to 64; of those below 32 one waits at most, of others as many as are sent. They are delivered behind a call of the system, the
//! lowest number first; a fault is delivered at once, and only to a handler: without one the program ends.

use super::answer::Answer;
use super::frame::{self, Content, INFO_BYTES, STACK_BYTES};
use crate::execute::Event;
use crate::hart::{Hart, names};
use crate::memory::{Fault, Memory};
use crate::stack::USER;
use crate::world::Errno;

/// The only process, and its only thread.
pub const PROCESS: u64 = 1000;

const ILLEGAL: u64 = 4;
const TRAP: u64 = 5;
const KILL: u64 = 9;
const ACCESS: u64 = 11;
const CHILD: u64 = 17;
const CONTINUE: u64 = 18;
const STOP: u64 = 19;
const URGENT: u64 = 23;
const WINDOW: u64 = 28;
const LAST: u64 = 64;
/// From here on, all that are sent are kept.
const FIRST_QUEUED: u64 = 32;
/// Signals that wait at most (`RLIMIT_SIGPENDING`).
const MOST_PENDING: usize = 1024;

/// What sent a signal, in facts about it.
pub mod code {
    pub const BY_KILL: i32 = 0;
    pub const BY_THREAD: i32 = -6;
}

/// Handlers that are none.
mod handler {
    pub const DEFAULT: u64 = 0;
    pub const IGNORE: u64 = 1;
}

/// Flags of actions.
mod flag {
    pub const ON_STACK: u64 = 0x0800_0000;
    pub const NO_DEFER: u64 = 0x4000_0000;
    pub const RESET: u64 = 0x8000_0000;
}

/// The mask of a signal.
fn bit(signal: u64) -> u64 {
    1 << (signal - 1)
}

/// What cannot be blocked.
const ALWAYS: u64 = 1 << (KILL - 1) | 1 << (STOP - 1);

/// `struct sigaction` of the kernel.
#[derive(Clone, Copy, Debug, Default)]
struct Action {
    handler: u64,
    flags: u64,
    mask: u64,
}

/// Bytes of it.
pub const ACTION_BYTES: usize = 24;

impl Action {
    fn from_bytes(bytes: [u8; ACTION_BYTES]) -> Self {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        Action { handler: word(0), flags: word(8), mask: word(16) & !ALWAYS }
    }

    fn to_bytes(self) -> [u8; ACTION_BYTES] {
        let mut bytes = [0; ACTION_BYTES];
        for (place, value) in bytes.chunks_exact_mut(8).zip([self.handler, self.flags, self.mask]) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    fn ignores(self, signal: u64) -> bool {
        let is_harmless = matches!(signal, CHILD | CONTINUE | URGENT | WINDOW);
        self.handler == handler::IGNORE || self.handler == handler::DEFAULT && is_harmless
    }

    fn is_handler(self) -> bool {
        self.handler > handler::IGNORE
    }
}

/// A signal that was sent: its number, and facts about it.
#[derive(Clone, Debug)]
pub struct Sent {
    signal: u64,
    info: [u8; INFO_BYTES],
}

impl Sent {
    fn new(signal: u64, code: i32) -> Self {
        let mut info = [0; INFO_BYTES];
        info[..4].copy_from_slice(&(signal as u32).to_le_bytes());
        info[8..12].copy_from_slice(&code.to_le_bytes());
        Sent { signal, info }
    }

    /// By the program.
    pub fn by_itself(signal: u64, code: i32) -> Self {
        let mut sent = Sent::new(signal, code);
        sent.info[16..20].copy_from_slice(&(PROCESS as u32).to_le_bytes());
        sent.info[20..24].copy_from_slice(&(USER as u32).to_le_bytes());
        sent
    }

    /// With facts that the program gives.
    pub fn with(signal: u64, mut info: [u8; INFO_BYTES]) -> Self {
        info[..4].copy_from_slice(&(signal as u32).to_le_bytes());
        Sent { signal, info }
    }

    /// What an event sends, if it is a fault.
    pub fn by(event: Event, pc: u64, memory: &Memory) -> Option<Self> {
        let (signal, code, address) = match event {
            Event::Fault(Fault::Read(address) | Fault::Write(address) | Fault::Fetch(address)) => {
                // Where nothing is, or where it may not be accessed so.
                (ACCESS, if memory.permissions_of(address).is_none() { 1 } else { 2 }, address)
            }
            Event::Illegal(_) => (ILLEGAL, 1, pc),
            Event::Breakpoint => (TRAP, 1, pc),
            Event::Fault(Fault::Full) | Event::Budget | Event::Call => return None,
        };
        let mut sent = Sent::new(signal, code);
        sent.info[16..24].copy_from_slice(&address.to_le_bytes());
        Some(sent)
    }

    /// Its number.
    pub fn signal(&self) -> u64 {
        self.signal
    }

    /// Facts about it.
    pub fn info(&self) -> &[u8; INFO_BYTES] {
        &self.info
    }
}

/// A stack for handlers.
#[derive(Clone, Copy, Debug, Default)]
struct OtherStack {
    start: u64,
    bytes: u64,
}

impl OtherStack {
    const IS_ON: u32 = 1;
    const IS_OFF: u32 = 2;
    const LEAST_BYTES: u64 = 2048;

    fn contains(self, pointer: u64) -> bool {
        pointer > self.start && pointer - self.start <= self.bytes
    }

    /// As `stack_t`, told to who is at `pointer`.
    fn to_bytes(self, pointer: u64) -> [u8; STACK_BYTES] {
        let flags = match () {
            () if self.bytes == 0 => Self::IS_OFF,
            () if self.contains(pointer) => Self::IS_ON,
            () => 0,
        };
        let mut bytes = [0; STACK_BYTES];
        bytes[..8].copy_from_slice(&self.start.to_le_bytes());
        bytes[8..12].copy_from_slice(&flags.to_le_bytes());
        bytes[16..].copy_from_slice(&self.bytes.to_le_bytes());
        bytes
    }
}

/// Signals of a program.
#[derive(Clone, Debug)]
pub struct Signals {
    /// By number.
    actions: [Action; LAST as usize + 1],
    blocked: u64,
    /// What is blocked when the handler has returned that a call waits for.
    blocked_later: Option<u64>,
    /// The program goes on with a handler only.
    waits: bool,
    pending: Vec<Sent>,
    stack: OtherStack,
}

impl Default for Signals {
    fn default() -> Self {
        Signals {
            actions: [Action::default(); LAST as usize + 1],
            blocked: 0,
            blocked_later: None,
            waits: false,
            pending: Vec::new(),
            stack: OtherStack::default(),
        }
    }
}

/// A number that signals have.
pub fn number(signal: u64) -> Result<u64, Errno> {
    (1..=LAST).contains(&signal).then_some(signal).ok_or(Errno::INVAL)
}

impl Signals {
    /// The program sends itself a signal.
    ///
    /// # Errors
    /// Too many wait.
    pub fn send(&mut self, sent: Sent) -> Result<(), Errno> {
        let signal = sent.signal;
        if self.actions[signal as usize].ignores(signal) && self.blocked & bit(signal) == 0 {
            return Ok(());
        }
        if signal < FIRST_QUEUED && self.pending.iter().any(|other| other.signal == signal) {
            return Ok(());
        }
        if self.pending.len() >= MOST_PENDING {
            return Err(Errno::AGAIN);
        }
        self.pending.push(sent);
        Ok(())
    }

    /// `rt_sigaction`: the action up to now.
    pub fn action(&self, signal: u64) -> [u8; ACTION_BYTES] {
        self.actions[signal as usize].to_bytes()
    }

    /// Sets an action.
    ///
    /// # Errors
    /// Nothing else can be done about the signal.
    pub fn set_action(&mut self, signal: u64, action: [u8; ACTION_BYTES]) -> Result<(), Errno> {
        if bit(signal) & ALWAYS != 0 {
            return Err(Errno::INVAL);
        }
        let action = Action::from_bytes(action);
        self.actions[signal as usize] = action;
        if action.ignores(signal) {
            self.pending.retain(|sent| sent.signal != signal);
        }
        Ok(())
    }

    /// What is blocked.
    pub fn blocked(&self) -> u64 {
        self.blocked
    }

    /// `rt_sigprocmask`.
    ///
    /// # Errors
    /// There is no such way to change it.
    pub fn block(&mut self, how: u64, mask: u64) -> Result<(), Errno> {
        let new = match how {
            0 => self.blocked | mask,
            1 => self.blocked & !mask,
            2 => mask,
            _ => return Err(Errno::INVAL),
        };
        self.blocked = new & !ALWAYS;
        Ok(())
    }

    /// Signals that wait, as a mask.
    pub fn pending(&self) -> u64 {
        self.pending.iter().fold(0, |mask, sent| mask | bit(sent.signal))
    }

    /// `rt_sigsuspend`: blocks others until a handler has run.
    pub fn suspend(&mut self, mask: u64) {
        self.blocked_later = Some(self.blocked);
        self.blocked = mask & !ALWAYS;
        self.waits = true;
    }

    /// The program does not go on without a handler.
    pub fn wait(&mut self) {
        self.waits = true;
    }

    /// Takes the signal with the lowest number out of those that wait and are in a mask.
    pub fn take(&mut self, mask: u64) -> Option<Sent> {
        let (at, _) = self
            .pending
            .iter()
            .enumerate()
            .filter(|(_, sent)| bit(sent.signal) & mask != 0)
            .min_by_key(|(_, sent)| sent.signal)?;
        Some(self.pending.remove(at))
    }

    /// `sigaltstack`: the stack for handlers up to now.
    pub fn stack(&self, hart: &Hart) -> [u8; STACK_BYTES] {
        self.stack.to_bytes(hart.registers[names::SP])
    }

    /// Sets it.
    ///
    /// # Errors
    /// It is in use, too small, or its flags are wrong.
    pub fn set_stack(&mut self, bytes: [u8; STACK_BYTES], hart: &Hart) -> Result<(), Errno> {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let (start, flags, size) = (word(0), word(8) as u32, word(16));
        if self.stack.contains(hart.registers[names::SP]) {
            return Err(Errno::PERM);
        }
        self.stack = match flags {
            OtherStack::IS_OFF => OtherStack::default(),
            0 | OtherStack::IS_ON if size < OtherStack::LEAST_BYTES => return Err(Errno::NOMEM),
            0 | OtherStack::IS_ON => OtherStack { start, bytes: size },
            _ => return Err(Errno::INVAL),
        };
        Ok(())
    }

    /// Delivers what waits and is not blocked. Several handlers are entered one from the other, so that the last one runs first.
    pub fn deliver(&mut self, hart: &mut Hart, memory: &mut Memory) -> Answer {
        while let Some(sent) = self.take(!self.blocked) {
            let (signal, action) = (sent.signal, self.actions[sent.signal as usize]);
            if action.ignores(signal) {
                continue;
            }
            if !action.is_handler() {
                return Answer::Killed(signal);
            }
            match self.enter(sent, hart, memory) {
                Ok(()) => {}
                Err(Fault::Full) => return Answer::Full,
                Err(_) => return Answer::Killed(ACCESS),
            }
        }
        if self.waits { Answer::Waits } else { Answer::Done }
    }

    /// Delivers a fault, if there is a handler that is not kept from it.
    ///
    /// # Errors
    /// The stack has no place.
    pub fn deliver_fault(&mut self, sent: Sent, hart: &mut Hart, memory: &mut Memory) -> Result<bool, Fault> {
        if !self.actions[sent.signal as usize].is_handler() || self.blocked & bit(sent.signal) != 0 {
            return Ok(false);
        }
        self.enter(sent, hart, memory).map(|()| true)
    }

    fn enter(&mut self, sent: Sent, hart: &mut Hart, memory: &mut Memory) -> Result<(), Fault> {
        let (signal, action) = (sent.signal, self.actions[sent.signal as usize]);
        let pointer = hart.registers[names::SP];
        let is_on = self.stack.contains(pointer);
        let top = match action.flags & flag::ON_STACK != 0 && self.stack.bytes > 0 && !is_on {
            true => self.stack.start.wrapping_add(self.stack.bytes),
            false => pointer,
        };
        let place = frame::below(top);
        if is_on && !self.stack.contains(place) {
            return Err(Fault::Write(place));
        }
        let mask = self.blocked_later.unwrap_or(self.blocked);
        let content = Content { info: sent.info, stack: self.stack(hart), mask };
        frame::enter((place, action.handler), &content, hart, memory)?;
        (self.blocked_later, self.waits) = (None, false);
        self.blocked |= action.mask;
        if action.flags & flag::NO_DEFER == 0 {
            self.blocked |= bit(signal) & !ALWAYS;
        }
        if action.flags & flag::RESET != 0 {
            self.actions[signal as usize].handler = handler::DEFAULT;
        }
        Ok(())
    }

    /// `rt_sigreturn`.
    pub fn leave(&mut self, hart: &mut Hart, memory: &mut Memory) -> Answer {
        let Some((stack, mask)) = frame::leave(hart, memory) else { return Answer::Killed(ACCESS) };
        self.blocked = mask & !ALWAYS;
        // As on Linux, a stack that cannot be set stays as it is.
        let _ = self.set_stack(stack, hart);
        self.deliver(hart, memory)
    }
}
