//! What a program finds on its stack when it begins: arguments, environment, and facts about the machine.
//!
//! The layout is that of Linux (`binfmt_elf.c` of 6.1, `create_elf_tables`). All of it is fixed, and the texts come after what is aligned, from fixed
//! addresses on: neither the machine nor the path of the program moves an address.

use crate::elf::{Permissions, Program};
use crate::memory::{Memory, PAGE_BYTES};

/// The first address behind the stack.
pub const STACK_END: u64 = 0x3f_ffff_f000;
/// Bytes that it may grow to.
pub const STACK_BYTES: u64 = 8 << 20;
/// Bytes that arguments and environment may take, as on Linux.
pub const MOST_ARGUMENT_BYTES: u64 = STACK_BYTES / 4;

/// Facts about the machine, by their numbers (`auxvec.h`).
mod fact {
    pub const END: u64 = 0;
    pub const HEADERS: u64 = 3;
    pub const HEADER_BYTES: u64 = 4;
    pub const HEADER_COUNT: u64 = 5;
    pub const PAGE_BYTES: u64 = 6;
    pub const BASE: u64 = 7;
    pub const FLAGS: u64 = 8;
    pub const ENTRY: u64 = 9;
    pub const USER: u64 = 11;
    pub const EFFECTIVE_USER: u64 = 12;
    pub const GROUP: u64 = 13;
    pub const EFFECTIVE_GROUP: u64 = 14;
    pub const CAPABILITIES: u64 = 16;
    pub const TICKS: u64 = 17;
    pub const IS_SECURE: u64 = 23;
    pub const RANDOM: u64 = 25;
    pub const PROGRAM_NAME: u64 = 31;
}

/// Letters of the extensions that there are, as bits.
const EXTENSIONS: u64 = 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 8 | 1 << 12;
/// The user that every program runs as.
pub const USER: u64 = 1000;
/// "Random" bytes.
const RANDOM: [u8; 16] = *b"volvelle\x93\x1f\x68\xd2\x47\xb5\x0e\xa9";

/// Lays out the stack; gives the stack pointer. `None`: arguments and environment are too long, or memory is full.
pub fn lay_out(
    memory: &mut Memory,
    program: &Program,
    arguments: &[Vec<u8>],
    environment: &[Vec<u8>],
) -> Option<u64> {
    let text_bytes: usize = arguments.iter().chain(environment).map(|text| text.len() + 1 + 8).sum();
    if text_bytes as u64 > MOST_ARGUMENT_BYTES {
        return None;
    }
    memory.map(STACK_END - STACK_BYTES, STACK_BYTES, Permissions(Permissions::READ | Permissions::WRITE));
    // Texts lie on top, in their order.
    let mut texts = Vec::with_capacity(text_bytes);
    let mut starts = Vec::new();
    for text in arguments.iter().chain(environment) {
        starts.push(texts.len() as u64);
        texts.extend_from_slice(text);
        texts.push(0);
    }
    let random = STACK_END - 8 - 16;
    let text_start = (random - texts.len() as u64) & !15;
    let address = |start: &u64| text_start + start;
    let (argument_starts, environment_starts) = starts.split_at(arguments.len());
    let mut words = vec![arguments.len() as u64];
    words.extend(argument_starts.iter().map(address));
    words.push(0);
    words.extend(environment_starts.iter().map(address));
    words.push(0);
    let name = if arguments.is_empty() { random } else { text_start };
    for (number, value) in facts(program, random, name) {
        words.extend([number, value]);
    }
    // The stack pointer is aligned to 16 bytes (calling convention, 2.1).
    let pointer = (text_start - words.len() as u64 * 8) & !15;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let is_written = memory.copy_in(random, &RANDOM)
        && memory.copy_in(text_start, &texts)
        && memory.copy_in(pointer, &bytes);
    is_written.then_some(pointer)
}

fn facts(program: &Program, random: u64, name: u64) -> Vec<(u64, u64)> {
    let mut all = vec![(fact::CAPABILITIES, EXTENSIONS), (fact::PAGE_BYTES, PAGE_BYTES), (fact::TICKS, 100)];
    if let Some(headers) = program.headers {
        all.push((fact::HEADERS, headers.address));
        all.push((fact::HEADER_BYTES, headers.entry_bytes));
        all.push((fact::HEADER_COUNT, headers.count));
    }
    all.extend([
        (fact::BASE, 0),
        (fact::FLAGS, 0),
        (fact::ENTRY, program.entry),
        (fact::USER, USER),
        (fact::EFFECTIVE_USER, USER),
        (fact::GROUP, USER),
        (fact::EFFECTIVE_GROUP, USER),
        (fact::IS_SECURE, 0),
        (fact::RANDOM, random),
        (fact::PROGRAM_NAME, name),
        (fact::END, 0),
    ]);
    all
}
