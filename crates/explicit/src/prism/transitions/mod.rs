//! `.tra`: the transitions.
//!
//! ```text
//! states transitions                       chain: source target value [action]
//! states choices transitions               source choice target value [action], without values an LTS
//! states choices transitions observations  source choice target value observation-of-the-target [action]
//! ```
//!
//! Behind the first line, lines such as `- - 3 -` name initial states.

mod assemble;
mod header;
mod matrix;
mod observations;
mod piece;

pub(super) use matrix::Transitions;

pub(super) use observations::settle_observations;

use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::model::Kind;
use crate::text::{Arithmetic, Halt, Script, cut, each};
use assemble::assemble;
use piece::Piece;
use std::ops::Range;

/// Reads a section with transitions.
pub(super) fn read<'t>(
    script: Script<'t>,
    range: Range<usize>,
    arithmetic: Arithmetic,
    kind: Option<Kind>,
    allowance: &Allowance<'_>,
    remarks: &mut Vec<Finding>,
) -> Result<Transitions, Halt> {
    let header = header::read(script, range.clone(), kind)?;
    script.check(range.start..header.body)?;
    let ranges = cut(script.bytes, header.body..range.end, |_| true);
    let pieces = each(&ranges, allowance, Piece::bytes, |range| {
        script.check(range.clone())?;
        piece::read(script, &header, arithmetic, range)
    })?;
    Ok(assemble(script, &header, pieces, allowance, remarks)?)
}
