//! The way of instructions through a machine, cycle by cycle: signs for a drawing, and numbers for what is too long for one.

use std::ops::Range;
use volvelle_multicore::Times;
use volvelle_reports::screen::columns::{Columns, Keys};

/// What the signs of drawings mean.
pub const SIGNS: [(char, &str); 6] = [
    ('F', "fetched"),
    ('I', "issued"),
    ('=', "at work"),
    ('C', "complete"),
    ('.', "waiting"),
    ('R', "retired"),
];

/// The cycles of all instructions together.
pub fn cycles(all: &[Times]) -> Range<u64> {
    let start = all.iter().map(|times| times.fetch).min().unwrap_or(0);
    let end = all.iter().map(|times| times.retire + 1).max().unwrap_or(0);
    start..end
}

/// Where an instruction is in a cycle.
pub fn sign(times: &Times, cycle: u64) -> char {
    let Times { fetch, issue, complete, retire, .. } = *times;
    match cycle {
        _ if cycle == fetch => 'F',
        _ if cycle == retire => 'R',
        _ if cycle == complete => 'C',
        _ if cycle == issue => 'I',
        _ if cycle > issue && cycle < complete => '=',
        _ if cycle > fetch && cycle < retire => '.',
        _ => ' ',
    }
}

/// The instructions with a drawing of signs.
pub fn drawn(all: &[Times]) -> Columns {
    let start = cycles(all).start;
    let cells = |times: &Times| {
        let drawn: String = (start..=times.retire).map(|cycle| sign(times, cycle)).collect();
        vec![times.instruction.to_string(), times.core.to_string(), drawn]
    };
    let head = vec!["instruction".to_owned(), "core".to_owned(), format!("from cycle {start}")];
    Columns { head, rows: all.iter().map(cells).collect(), keys: Keys::Before(1), group: 1 }
}

/// The instructions with the numbers of their cycles.
pub fn numbers(all: &[Times]) -> Columns {
    let cells = |times: &Times| {
        let Times { instruction, core, fetch, issue, complete, retire } = *times;
        [instruction, u64::from(core), fetch, issue, complete, retire]
            .map(|number| number.to_string())
            .to_vec()
    };
    let head = ["instruction", "core", "fetch", "issue", "complete", "retire"].map(str::to_owned).to_vec();
    Columns { head, rows: all.iter().map(cells).collect(), keys: Keys::Before(1), group: 1 }
}
