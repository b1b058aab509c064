//! Clocks of which only differences matter.
//!
//! In many timed models nothing depends on the value of the clock, only on how long ago something was:
//! `until = time + 5`, `time >= until`. Module `degrees` decides whether this holds. Then take two states
//! whose times all have the same distances from their clocks. The later state need not be explored: whatever
//! it does, the earlier one does at a smaller cost. Slices are explored in the order of cost, so the earlier
//! state comes first. The search keeps the distances of all expanded states (`keys`, `closed`), like the
//! closed list of uniform-cost search, and leaves out states with the same distances. This is dominance as in
//! branch-and-bound scheduling, and makes searches end even if the clock may tick forever.
//!
//! *Why the least cost is found.* Suppose a least-cost run to the goal has a state that is left out, and take
//! the first one. The state that stands for it costs less and has the same steps before it, to states that
//! cost less by the same amount: a cheaper run to the goal, which is a contradiction. So no state of a
//! least-cost run is left out. Partial-order reduction replaces runs by others of the same cost
//! (`Unfolder::expand_some`). If that leads to a state that is left out, a run of less cost exists, and so
//! on; costs are integers and bounded from below, so this ends with a run of which no state is left out. For
//! that argument, a state that is left out counts as one that is expanded later. Runs that end without the
//! goal, and failing steps, are found in the same way: the run that stands for another ends as it does. Not
//! found are the greatest cost, and whether all runs cost the same.
//!
//! States of the same cost with the same relevant distances (`floors`, and only variables that are still
//! read) have the same future at the same costs, so one of them is enough for everything. For the argument
//! about reductions, the others count as found before.
//!
//! *Why values do not overflow.* A value could be truncated in a run but not in the run that stands for it,
//! since their clocks differ. Therefore a search demands a margin and fails where it is missing (module
//! `bounded`); it is then repeated with nothing left out. Its results hold for costs up to the least first
//! cost of a configuration plus the margin.

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
    /// Limit of the difference between the clocks of a state and of the state that stands for it.
    pub margin: i64,
    /// The site at which steps without the margin fail.
    pub site: Option<Site>,
}

impl Clock {
    /// The clock of a program whose labels cover the question. `None` if the program depends on the clock's
    /// value.
    pub fn new(program: &Program, question: &Question) -> Option<Self> {
        let live = Liveness::new(program);
        let degrees = Degrees::new(program, question, live.as_ref()).ok()?;
        let margin = bounded::margin(program, &degrees);
        let floors = floors(program, &degrees, question.cost, Degrees::roots(program, question));
        Some(Clock { degrees, live, floors, margin, site: None })
    }

    /// Degrees by field, floors by field, and where fields are read.
    pub fn parts(&self) -> (&[i8], &Floors, Option<&Liveness>) {
        (&self.degrees.fields, &self.floors, self.live.as_ref())
    }

    /// Makes steps of the program fail if they do not leave the margin.
    pub fn bound(&mut self, program: &mut Program) {
        self.site = Some(bounded::bound(program, &self.degrees));
    }
}
