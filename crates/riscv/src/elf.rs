//! Executable files: bytes in, a program or a diagnostic out.
//!
//! The format is that of the System V ABI (gabi, chapters 4 and 5) with the RISC-V supplement (riscv-elf-psabi). Only static executables
//! of 64 bits are taken. The table of sections is used for symbols alone; a file without one is as good.

use crate::symbols::{Symbol, Symbols};
use std::fmt::Write;
use volvelle_diagnostics::{Code, Diagnostic, codes};

/// Addresses of user mode end here: Sv39 with the upper half for the kernel (privileged specification, 4.4).
pub const ADDRESS_SPACE_END: u64 = 1 << 38;

/// Where a position-independent program is put: where Linux puts it without randomisation.
const POSITION_INDEPENDENT_BASE: u64 = 0x2a_aaaa_a000;

/// What may be done with a part of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permissions(pub u8);

impl Permissions {
    /// It may be executed.
    pub const EXECUTE: u8 = 1;
    /// It may be written.
    pub const WRITE: u8 = 2;
    /// It may be read.
    pub const READ: u8 = 4;

    /// Whether all of these are permitted.
    #[inline]
    pub fn permit(self, wanted: u8) -> bool {
        self.0 & wanted == wanted
    }
}

/// A part of the file that is loaded into memory.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Where it begins in memory.
    pub address: u64,
    /// What it begins with; zeros follow.
    pub content: Vec<u8>,
    /// Its length in memory, at least that of the content.
    pub bytes: u64,
    /// What may be done with it.
    pub permissions: Permissions,
}

impl Segment {
    fn contains(&self, address: u64) -> bool {
        address >= self.address && address - self.address < self.bytes
    }
}

/// A program that is ready to be loaded.
#[derive(Clone, Debug)]
pub struct Program {
    /// Where execution begins.
    pub entry: u64,
    /// What is loaded.
    pub segments: Vec<Segment>,
    /// Names by address.
    pub symbols: Symbols,
    /// Where the program finds its own program headers in memory, how large each is, and how many there are.
    pub headers: Option<Headers>,
    /// By how much all addresses of the file were moved.
    pub base: u64,
}

/// Where program headers are in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// The address of the first.
    pub address: u64,
    /// Bytes of each.
    pub entry_bytes: u64,
    /// How many there are.
    pub count: u64,
}

const HEADER_BYTES: usize = 64;
const PROGRAM_HEADER_BYTES: u64 = 56;
const SECTION_HEADER_BYTES: u64 = 64;
const SYMBOL_BYTES: usize = 24;
const EXECUTABLE: u16 = 2;
const SHARED: u16 = 3;
const RISCV: u16 = 243;
const LOAD: u32 = 1;
const INTERPRETER: u32 = 3;
const PROGRAM_HEADERS: u32 = 6;
const SYMBOL_TABLE: u32 = 2;
/// No file of a compiler has more program headers.
const MOST_HEADERS: u16 = 512;

/// How a program is to be compiled.
const BUILD: &str = "build it for RISC-V Linux, for example with `riscv64-linux-gnu-gcc -O2 -static`";

fn refuse(code: Code, message: impl Into<String>, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message).help(help))
}

fn cut(what: &str, end: u128, length: usize) -> Box<Diagnostic> {
    let message =
        format!("the program is cut short: {what} reaches to byte {end}, the file has {length} bytes");
    refuse(codes::PROGRAM_UNREADABLE, message, "copy or build the file again")
}

/// Bytes of a file, read as little-endian numbers. Whoever reads has checked that they are there.
#[derive(Clone, Copy)]
struct File<'a>(&'a [u8]);

impl<'a> File<'a> {
    fn number<const N: usize>(self, at: usize) -> u64 {
        let mut bytes = [0; 8];
        bytes[..N].copy_from_slice(&self.0[at..at + N]);
        u64::from_le_bytes(bytes)
    }

    fn half(self, at: usize) -> u16 {
        self.number::<2>(at) as u16
    }

    fn word(self, at: usize) -> u32 {
        self.number::<4>(at) as u32
    }

    fn double(self, at: usize) -> u64 {
        self.number::<8>(at)
    }

    /// A part of the file, if all of it is there.
    fn part(self, start: u64, bytes: u64) -> Option<&'a [u8]> {
        let end = start.checked_add(bytes)?;
        self.0.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }
}

impl Program {
    /// Whether bytes begin as an executable file does, of whatever machine.
    pub fn is_likely(bytes: &[u8]) -> bool {
        bytes.starts_with(b"\x7fELF")
    }

    /// Whether bytes begin as a program does that can be read: for RISC-V, of 64 bits, linked.
    pub fn is_readable(bytes: &[u8]) -> bool {
        check_identity(bytes).is_ok()
    }

    /// Reads an executable file.
    ///
    /// # Errors
    /// It is none, is cut short, or is for something else than RISC-V in user mode.
    pub fn read(bytes: &[u8]) -> Result<Program, Box<Diagnostic>> {
        let file = File(bytes);
        check_identity(bytes)?;
        let kind = file.half(16);
        let count = file.half(56);
        let table = program_headers(file, count)?;
        if table.iter().any(|header| header.word(0) == INTERPRETER) {
            let message = "the program needs shared libraries, which are loaded by a program of its own";
            return Err(refuse(codes::PROGRAM_FOREIGN, message, "link it with `-static`"));
        }
        let base = match kind {
            SHARED => POSITION_INDEPENDENT_BASE,
            _ => 0,
        };
        let mut segments = Vec::new();
        for header in table.iter().filter(|header| header.word(0) == LOAD) {
            if let Some(segment) = segment(file, *header, base)? {
                segments.push(segment);
            }
        }
        let entry = file.double(24).wrapping_add(base);
        check_entry(entry, &segments)?;
        let headers = headers(file, &table, &segments, base, u64::from(count));
        let symbols = symbols(file, base).unwrap_or_default();
        Ok(Program { entry, segments, symbols, headers, base })
    }

    /// The first address behind everything that is loaded.
    pub fn end(&self) -> u64 {
        self.segments.iter().map(|segment| segment.address + segment.bytes).max().unwrap_or(0)
    }
}

/// The first bytes: what kind of file it is, and for which machine.
fn check_identity(bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    if !Program::is_likely(bytes) {
        let what = match bytes.len() {
            0 => "the file is empty",
            _ => "the file is no program: it does not begin as ELF files do",
        };
        return Err(refuse(codes::PROGRAM_UNREADABLE, what, BUILD));
    }
    let foreign = |message: String| Err(refuse(codes::PROGRAM_FOREIGN, message, BUILD));
    match bytes.get(4) {
        Some(1) => return foreign("the program is one of 32 bits, not of 64".to_owned()),
        Some(2) | None => {}
        Some(other) => {
            return foreign(format!("the program has the unknown class {other}, not that of 64 bits"));
        }
    }
    if bytes.get(5).is_some_and(|&order| order != 1) {
        return foreign("the program has its most significant bytes first".to_owned());
    }
    if bytes.len() < HEADER_BYTES {
        return Err(cut("its header", HEADER_BYTES as u128, bytes.len()));
    }
    let file = File(bytes);
    let machine = file.half(18);
    if machine != RISCV {
        return foreign(format!("the program is for {}, not for RISC-V", machine_name(machine)));
    }
    match file.half(16) {
        EXECUTABLE | SHARED => Ok(()),
        1 => {
            let message = "the file is an object that is not linked yet, no program";
            Err(refuse(
                codes::PROGRAM_FOREIGN,
                message,
                "link it: give it to the compiler with `-static`, without `-c`",
            ))
        }
        4 => foreign("the file is the memory of a program that has crashed, no program".to_owned()),
        kind => foreign(format!("the file is of the unknown type {kind}, no executable program")),
    }
}

fn machine_name(machine: u16) -> String {
    let known = match machine {
        3 => "x86 (32 bits)",
        8 => "MIPS",
        20 => "PowerPC",
        21 => "PowerPC (64 bits)",
        22 => "z/Architecture",
        40 => "ARM",
        62 => "x86-64",
        183 => "AArch64",
        258 => "LoongArch",
        _ => return format!("machine {machine}"),
    };
    known.to_owned()
}

fn program_headers(file: File<'_>, count: u16) -> Result<Vec<File<'_>>, Box<Diagnostic>> {
    let (start, entry_bytes) = (file.double(32), u64::from(file.half(54)));
    if count == 0 || count > MOST_HEADERS || entry_bytes != PROGRAM_HEADER_BYTES {
        let message =
            format!("the program has {count} program headers of {entry_bytes} bytes: nothing can be loaded");
        return Err(refuse(codes::PROGRAM_UNREADABLE, message, BUILD));
    }
    let bytes = u64::from(count) * entry_bytes;
    let Some(table) = file.part(start, bytes) else {
        return Err(cut("its table of headers", u128::from(start) + u128::from(bytes), file.0.len()));
    };
    Ok(table.chunks_exact(PROGRAM_HEADER_BYTES as usize).map(File).collect())
}

/// A segment, if it is not empty.
fn segment(file: File<'_>, header: File<'_>, base: u64) -> Result<Option<Segment>, Box<Diagnostic>> {
    let [offset, address, _, in_file, bytes] = [8, 16, 24, 32, 40].map(|at| header.double(at));
    let permissions = Permissions((header.word(4) & 7) as u8);
    if bytes == 0 {
        return Ok(None);
    }
    let layout = |message: String| refuse(codes::PROGRAM_LAYOUT, message, BUILD);
    let end = u128::from(address) + u128::from(bytes) + u128::from(base);
    if end > u128::from(ADDRESS_SPACE_END) {
        let message = format!(
            "a segment of {bytes} bytes at {address:#x} reaches beyond the addresses of programs, which end at {ADDRESS_SPACE_END:#x}"
        );
        return Err(layout(message));
    }
    if in_file > bytes {
        let message = format!(
            "the segment at {address:#x} has {in_file} bytes in the file, but only {bytes} in memory"
        );
        return Err(layout(message));
    }
    let Some(content) = file.part(offset, in_file) else {
        let what = format!("its segment at {address:#x}");
        return Err(cut(&what, u128::from(offset) + u128::from(in_file), file.0.len()));
    };
    Ok(Some(Segment { address: address + base, content: content.to_vec(), bytes, permissions }))
}

fn check_entry(entry: u64, segments: &[Segment]) -> Result<(), Box<Diagnostic>> {
    let is_executable =
        |segment: &Segment| segment.permissions.permit(Permissions::EXECUTE) && segment.contains(entry);
    if entry.is_multiple_of(2) && segments.iter().any(is_executable) {
        return Ok(());
    }
    let mut note = "executable are:".to_owned();
    for segment in segments.iter().filter(|segment| segment.permissions.permit(Permissions::EXECUTE)) {
        let _ = write!(note, " {:#x}..{:#x}", segment.address, segment.address + segment.bytes);
    }
    let message = format!("the program would begin at {entry:#x}, where there is nothing to execute");
    Err(Box::new(
        Diagnostic::error(codes::PROGRAM_LAYOUT, message)
            .note(note)
            .help("link it again, with `_start` in a section of code; the option `-e` names where to begin"),
    ))
}

/// Where the program headers are in memory: a header says it, or they lie in a segment.
fn headers(
    file: File<'_>,
    table: &[File<'_>],
    segments: &[Segment],
    base: u64,
    count: u64,
) -> Option<Headers> {
    let said = table.iter().find(|header| header.word(0) == PROGRAM_HEADERS).map(|header| header.double(16));
    let start = file.double(32);
    let address = said.or_else(|| {
        let loads = table.iter().filter(|header| header.word(0) == LOAD);
        let mut holding =
            loads.filter(|header| header.double(8) <= start && start - header.double(8) < header.double(32));
        holding.next().map(|header| header.double(16) + (start - header.double(8)))
    })?;
    let address = address.checked_add(base)?;
    let entry_bytes = PROGRAM_HEADER_BYTES;
    segments.iter().any(|segment| segment.contains(address)).then_some(Headers {
        address,
        entry_bytes,
        count,
    })
}

/// The table of symbols. Whatever is wrong with it, the program runs without.
fn symbols(file: File<'_>, base: u64) -> Option<Symbols> {
    let (start, entry_bytes, count) = (file.double(40), u64::from(file.half(58)), u64::from(file.half(60)));
    if entry_bytes != SECTION_HEADER_BYTES {
        return None;
    }
    let sections = file.part(start, count * entry_bytes)?;
    let sections: Vec<File<'_>> = sections.chunks_exact(SECTION_HEADER_BYTES as usize).map(File).collect();
    let table = sections.iter().find(|section| section.word(4) == SYMBOL_TABLE)?;
    let names = sections.get(table.word(40) as usize)?;
    let entries = file.part(table.double(24), table.double(32))?;
    let names = file.part(names.double(24), names.double(32))?;
    let mut all = Vec::new();
    for entry in entries.chunks_exact(SYMBOL_BYTES).map(File) {
        // Those of functions and variables, and labels that assembler programs define; `$x` and `$d` only mark code and data.
        let kind = entry.0[4] & 15;
        let (section, name_at) = (entry.half(6), entry.word(0) as usize);
        let name = names.get(name_at..).and_then(|rest| rest.split(|&byte| byte == 0).next()).unwrap_or(&[]);
        if kind > 2 || section == 0 || section >= 0xff00 || name.is_empty() || matches!(name[0], b'$' | b'.')
        {
            continue;
        }
        let name = String::from_utf8_lossy(name).into_owned();
        all.push(Symbol { name, start: entry.double(8).wrapping_add(base), bytes: entry.double(16) });
    }
    Some(Symbols::new(all))
}
