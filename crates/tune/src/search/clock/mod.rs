//! Clocks of which only differences matter.
//!
//! In many models of time nothing depends on what the clock shows, but only on how long ago something was: `until = time + 5`,
//! `time >= until`. If this is so (module `degrees`), then of two states that differ by how far their clock has come, and are
//! alike in the distances of all other times from it, the later one needs no look: whatever it does, the earlier one does at
//! a smaller cost. Slices are explored in the order of their cost, so that the earlier one comes first: the search keeps the
//! distances of all states that it has expanded (`keys`, `closed`), as uniform-cost search keeps a closed list, and leaves out states whose distances are
//! among them. This is dominance as in branch-and-bound scheduling, and it ends searches whose clock may tick for ever.
//!
//! *Why the least cost is found.* Take the least-cost run to the goal, and the first of its states that is left out. The state that stands for it
//! costs less, and has the same steps before it, to states that cost less by the same amount: a run to the goal that costs less. So no
//! state of a least-cost run is left out. With partial-order reduction, runs are replaced by others of the same cost
//! (`Unfolder::expand_some`); where that leads to a state that is left out, there would be a run of less cost, and so on: costs are
//! integers and bounded from below, so that this ends with a run of which no state is left out. For that argument, a state that is left out counts as one
//! that is expanded later. Runs that end without the goal, and steps that fail, are found in the same way: the run that stands for another one
//! ends in the same way. What is not found is the greatest cost, and whether all runs cost the same.
//!
//! States of the same cost that are alike in all distances that matter (`floors`, and variables that are not read any more) have the same future
//! at the same costs: one of them is enough for everything. For the argument about reductions, the others count as found before.
//!
//! *Why values do not overflow.* Runs are compared with runs in which the clock is ahead. Values could be truncated in one and not in the other
//! (module `bounded`): a search leaves a margin and fails where it is not kept, and then is repeated without leaving out
//! anything. What it says holds up to the least cost at which a configuration begins plus the margin.

mod bounded;
mod closed;
mod degrees;
mod floors;
mod keys;

pub(super) use closed::{Closed, Entered};
pub(super) use degrees::{is_note, wrapped};
pub(super) use keys::Keys;

use super::Question;
use degrees::Degrees;
use floors::{Floors, floors};
use volvelle_kernel::Site;
use volvelle_model::Program;
use volvelle_model::dead::Liveness;

/// How the values of a program move with its clock.
#[derive(Debug)]
pub struct Clock {
    degrees: Degrees,
    live: Option<Liveness>,
    floors: Floors,
    /// By how much the clock of a state may be ahead of that of the state that stands for it.
    pub margin: i64,
    /// The site at which steps fail that do not leave the margin.
    pub site: Option<Site>,
}

impl Clock {
    /// Of a program whose labels ask for all that the question does; `None` if it depends on what the clock shows.
    pub fn new(program: &Program, question: &Question) -> Option<Self> {
        let live = Liveness::new(program);
        let degrees = Degrees::new(program, question, live.as_ref()).ok()?;
        let margin = bounded::margin(program, &degrees);
        let floors = floors(program, &degrees, question.cost, Degrees::roots(program, question));
        Some(Clock { degrees, live, floors, margin, site: None })
    }

    /// Degrees and floors by field, and where fields are read.
    pub fn parts(&self) -> (&[i8], &Floors, Option<&Liveness>) {
        (&self.degrees.fields, &self.floors, self.live.as_ref())
    }

    /// Makes steps of the program fail that do not leave the margin.
    pub fn bound(&mut self, program: &mut Program) {
        self.site = Some(bounded::bound(program, &self.degrees));
    }
}
