//! Trails of SPIN: the files that its verifiers write (`pan`), and that `spin -t` replays.
//!
//! A line is `depth:process:statement`. Statements have the numbers of [`Lowered::statement_numbers`](crate::Lowered). A
//! handshake is two lines: the send, then the receive. Lines with a negative depth are marks: -1 is the begin of the cycle, -2
//! says that the never claim is process 0 and all other processes have a number more, -4 that statements were merged, so
//! that the trail leaves out those that are executed together with the one before (SPIN 6.5.2, `putrail` in `pan.c` and
//! `match_trail` in `guided.c`). -5 to -8 tell in which order a search permuted steps; they do not change what steps are.

use std::fmt::Write;

/// A trail, without the steps of a never claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpinTrail {
    /// Step by step.
    pub steps: Vec<SpinStep>,
    /// The step with which the cycle begins.
    pub cycle_start: Option<usize>,
    /// Whether statements that are executed together with the one before are left out.
    pub is_merged: bool,
}

/// A line of a trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpinStep {
    /// The number of the line in its file, from 1.
    pub line: usize,
    /// The process that moves.
    pub process: usize,
    /// The number of its statement.
    pub statement: u32,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

/// The marks.
const CYCLE: i64 = -1;
const CLAIM: i64 = -2;
const MERGED: i64 = -4;
const PERMUTED: std::ops::RangeInclusive<i64> = -8..=-5;

/// Characters of a line that a message quotes.
const QUOTED: usize = 40;

impl SpinTrail {
    /// Whether a text looks like a trail of SPIN, which begins with a number.
    pub fn is_one(text: &str) -> bool {
        text.trim_start().starts_with(|c: char| c == '-' || c.is_ascii_digit())
    }

    /// Reads the text of a file.
    pub fn read(text: &str) -> Result<SpinTrail, BadLine> {
        let mut trail = SpinTrail::default();
        let mut has_claim = false;
        for (i, text) in text.lines().enumerate() {
            let line = i + 1;
            if text.trim().is_empty() {
                continue;
            }
            let bad = |why: &str| {
                let quoted: String = text.chars().take(QUOTED).collect();
                BadLine { line, why: format!("{why}: `{quoted}`") }
            };
            let [depth, process, statement] =
                numbers(text).ok_or_else(|| bad("it is not `depth:process:statement`"))?;
            match depth {
                0.. => {
                    let process = usize::try_from(process).map_err(|_| bad("no process has this number"))?;
                    let statement =
                        u32::try_from(statement).map_err(|_| bad("no statement has this number"))?;
                    // Steps of the claim follow from those of the other processes.
                    if let Some(process) = process.checked_sub(usize::from(has_claim)) {
                        trail.steps.push(SpinStep { line, process, statement });
                    }
                }
                CYCLE => trail.cycle_start = Some(trail.steps.len()),
                CLAIM => has_claim = true,
                MERGED => trail.is_merged = true,
                _ if PERMUTED.contains(&depth) => {}
                _ => return Err(bad("this marker is unknown")),
            }
        }
        Ok(trail)
    }

    /// As the text of a file. Steps are numbered as they follow each other.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        if self.is_merged {
            text.push_str("-4:-4:-4\n");
        }
        for (i, step) in self.steps.iter().enumerate() {
            if self.cycle_start == Some(i) {
                text.push_str("-1:-1:-1\n");
            }
            // A text takes all that is written to it.
            let _ = writeln!(text, "{}:{}:{}", i + 1, step.process, step.statement);
        }
        if self.cycle_start.is_some_and(|start| start >= self.steps.len()) {
            text.push_str("-1:-1:-1\n");
        }
        text
    }
}

/// The three numbers of a line.
fn numbers(text: &str) -> Option<[i64; 3]> {
    let mut parts = text.split(':').map(|part| part.trim().parse::<i64>().ok());
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}
