//! What programs do wrong, as diagnostics: what, where, and the way out.

use crate::memory::Fault;
use crate::symbols::Symbols;
use volvelle_diagnostics::{Diagnostic, codes};

/// An address with the name of its function.
fn place(pc: u64, symbols: &Symbols) -> String {
    match symbols.name(pc) {
        Some(name) => format!("at {pc:#x} in {name}"),
        None => format!("at {pc:#x}"),
    }
}

/// A word that is no instruction.
pub fn illegal(word: u32, pc: u64, symbols: &Symbols) -> Diagnostic {
    let text = if word & 3 == 3 { format!("{word:#010x}") } else { format!("{word:#06x}") };
    let message = format!("illegal instruction {text} {}", place(pc, symbols));
    let what = match word {
        0 => "zeros are no instruction: the program has run into data, or behind its end",
        _ => "it is in none of the extensions I, M, A, F, D, C, Zicsr and Zifencei",
    };
    Diagnostic::error(codes::ILLEGAL_INSTRUCTION, message)
        .note(what)
        .help("compile for `-march=rv64gc`; with other libraries than the compiler's own, these too")
}

/// An access that is not possible.
pub fn access(fault: Fault, pc: u64, symbols: &Symbols) -> Diagnostic {
    let (what, address) = match fault {
        Fault::Read(address) => ("reads from", address),
        Fault::Write(address) => ("writes to", address),
        Fault::Fetch(address) => ("jumps to", address),
        Fault::Full => ("fills memory at", pc),
    };
    let wrong = match fault {
        Fault::Read(_) => "where nothing is",
        Fault::Write(_) => "where nothing is that may be written",
        _ => "where nothing is to execute",
    };
    let message = match fault {
        Fault::Fetch(_) if address == pc => format!("the program {what} {address:#x}, {wrong}"),
        _ => format!("the program {what} {address:#x}, {wrong}, {}", place(pc, symbols)),
    };
    Diagnostic::error(codes::ACCESS_OUTSIDE, message)
        .help("a native build with `-g -fsanitize=address` shows what went wrong before")
}

/// A breakpoint.
pub fn breakpoint(pc: u64, symbols: &Symbols) -> Diagnostic {
    let message = format!("the program stops itself with a breakpoint {}", place(pc, symbols));
    Diagnostic::error(codes::PROGRAM_ABORTED, message)
        .help("compilers put `ebreak` where execution must not come: look at what the program did before")
}

/// A signal that ends the program.
pub fn killed(signal: u64, pc: u64, symbols: &Symbols) -> Diagnostic {
    let name = match signal {
        2 => " (interrupt)",
        4 => " (illegal instruction)",
        5 => " (trap)",
        6 => " (abort)",
        8 => " (floating point)",
        9 => " (kill)",
        10 | 12 => " (user)",
        11 => " (access)",
        13 => " (pipe)",
        14 => " (alarm)",
        15 => " (termination)",
        _ => "",
    };
    let message = format!("the program ends itself by signal {signal}{name} {}", place(pc, symbols));
    Diagnostic::error(codes::PROGRAM_ABORTED, message).help("its standard error may say why")
}

/// A call that waits for a signal.
pub fn waits(pc: u64, symbols: &Symbols) -> Diagnostic {
    let message = format!("the program waits for a signal that nobody sends {}", place(pc, symbols));
    Diagnostic::error(codes::PROGRAM_ABORTED, message).help(
        "programs get the signals that they send themselves, no others: there is one process, and no timer",
    )
}

/// A call that wants a second thread or process.
pub fn thread(call: &str, pc: u64, symbols: &Symbols) -> Diagnostic {
    let message = format!("the program begins another thread or process: `{call}` {}", place(pc, symbols));
    Diagnostic::error(codes::THREADS_REFUSED, message)
        .help("run it with one thread, for example with `OMP_NUM_THREADS=1`, or build it without threads")
}

/// A call that is not known.
pub fn unknown_call(number: u64, name: Option<&str>, pc: u64, symbols: &Symbols) -> Diagnostic {
    let name = name.map_or_else(String::new, |name| format!(" (`{name}`)"));
    let message = format!("system call {number}{name} is not there {}", place(pc, symbols));
    Diagnostic::warning(codes::UNKNOWN_CALL, message)
        .note("the program is told so (ENOSYS) and goes on; further calls of this number are not reported")
        .help("most programs do without; if this one does not, build it without the feature that needs the call")
}

/// Arguments that the stack has no place for.
pub fn arguments_too_long() -> Diagnostic {
    Diagnostic::error(codes::PROGRAM_ARGUMENTS, "arguments and environment take more than 2 MiB")
        .help("give the program what it needs in a file, or on its standard input")
}
