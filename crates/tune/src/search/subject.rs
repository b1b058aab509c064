//! A question, evaluated in the states of a system.

use super::clock::{Clock, Closed, Keys};
use super::expression::Expression;
use super::remaining::{Remaining, Statics};
use super::sorting::Sorting;
use super::{Halt, Question};
use volvelle_explore::{Exchange, Processes};
use volvelle_model::{NetworkLayout, Program};

/// The relations by which one state stands for others.
#[derive(Clone, Copy, Default)]
pub(super) struct Alike<'s> {
    /// Permutations of processes.
    pub exchange: Option<&'s Exchange>,
    /// Differences of the clock.
    pub clock: Option<&'s Clock>,
    /// Conditions that must hold before the goal.
    pub statics: Option<&'s Statics>,
}

/// A question about the states of a system.
pub(super) struct Subject<'s> {
    pub system: &'s Processes<'s>,
    pub program: &'s Program,
    layout: &'s NetworkLayout,
    exchange: Option<&'s Exchange>,
    clock: Option<&'s Clock>,
    statics: Option<&'s Statics>,
    goal: Expression,
    cost: Expression,
    parameters: Vec<Expression>,
}

impl<'s> Subject<'s> {
    /// # Errors
    /// An expression reads something that is not in states.
    pub fn new(
        system: &'s Processes<'s>,
        program: &'s Program,
        alike: Alike<'s>,
        question: &Question,
    ) -> Result<Self, Halt> {
        let of =
            |expr, what: &'static str| Expression::new(program, expr).ok_or(Halt::Undefined(what.into()));
        let parameters = question.parameters.iter().map(|&p| of(p, "a parameter"));
        Ok(Subject {
            system,
            program,
            layout: system.layout(),
            exchange: alike.exchange,
            clock: alike.clock,
            statics: alike.statics,
            goal: of(question.goal, "the goal")?,
            cost: of(question.cost, "the cost")?,
            parameters: parameters.collect::<Result<_, _>>()?,
        })
    }

    /// Sorts interchangeable processes, if there are any.
    pub fn sorting(&self) -> Option<Sorting<'s>> {
        self.exchange.map(|exchange| Sorting::new(self.program, self.layout, exchange))
    }

    /// A closed list that compares states without the clock, and its margin ([`Clock::margin`]).
    pub fn closed(&self) -> Option<(Closed<'s>, i64)> {
        let clock = self.clock?;
        let keys = Keys::new(self.program, self.layout, clock);
        Some((Closed::new(keys, self.layout.words()), clock.margin))
    }

    /// Lower bounds on the cost of the goal, from states with costs in a range.
    pub fn remaining(&self, costs: (i64, i64)) -> Option<Remaining<'s>> {
        Some(Remaining::new(self.program, self.layout, self.statics?, costs))
    }

    /// Whether the goal holds in a state.
    pub fn is_goal(&self, state: &[u64]) -> Result<bool, Halt> {
        let value =
            self.goal.value(self.program, self.layout, state).ok_or(Halt::Undefined("the goal".into()))?;
        Ok(value != 0)
    }

    /// The cost of a state.
    pub fn cost(&self, state: &[u64]) -> Result<i64, Halt> {
        self.cost.value(self.program, self.layout, state).ok_or(Halt::Undefined("the cost".into()))
    }

    /// The values of the parameters in a state.
    pub fn parameters(&self, state: &[u64]) -> Result<Vec<i64>, Halt> {
        let value = |p: &Expression| p.value(self.program, self.layout, state);
        self.parameters.iter().map(|p| value(p).ok_or(Halt::Undefined("a parameter".into()))).collect()
    }

    /// The locations of the processes of a state.
    pub fn locations<'t>(&'t self, state: &'t [u64]) -> impl Iterator<Item = u32> + 't {
        let network = &self.program.network;
        let count = network.pools.first().map_or(0, |pool| self.layout.get(state, pool.count, 0, 0));
        let location = network.location;
        (0..count as usize).filter_map(move |slot| Some(self.layout.get(state, location?, slot, 0) as u32))
    }
}
