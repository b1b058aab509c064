//! Components of a system that are solved again and again, with other constants each time.

use volvelle_control::Stop;
use volvelle_space::Values;

use super::system::{Intervals, System, collect};
use super::{Solver, Statistics};
use crate::context::Context;
use crate::options::Options;

/// A solver of single components. What was found last is where iterations start.
pub struct Repeated<'a>(Solver<'a>);

impl<'a> Repeated<'a> {
    /// A solver for the components of a system; `probability`: its values are at most one.
    pub fn new(
        system: &'a System,
        probability: bool,
        options: &'a Options,
        context: &'a Context<'a>,
    ) -> Self {
        Repeated(Solver::new(system, probability, options, context))
    }

    /// The weights with which the choices of a component leave it.
    pub fn exits(&self, component: usize) -> Values {
        let system = self.0.system;
        let range = component_range(system, component);
        let choices = system.choice_start[range.start] as usize..system.choice_start[range.end] as usize;
        collect(choices.len(), choices.map(|choice| self.0.exit_of(choice)))
    }

    /// Bounds of the unknowns of a component, of the relative `width` where that can be reached; `constant`: of each of its
    /// choices, what is beyond the component. `exit` is what [`Repeated::exits`] gave.
    ///
    /// # Errors
    /// The work is to stop.
    pub fn solve(
        &mut self,
        component: usize,
        width: f64,
        constant: &Intervals,
        exit: &Values,
    ) -> Result<&[[f64; 2]], Stop> {
        let range = component_range(self.0.system, component);
        self.0.block(range.start, range.len(), width, constant, exit)?;
        if self.0.statistics.interrupted > 0 {
            self.0.context.control.check()?;
        }
        Ok(&self.0.bounds[range])
    }

    /// How components were solved.
    pub fn statistics(&self) -> Statistics {
        self.0.statistics
    }
}

fn component_range(system: &System, component: usize) -> std::ops::Range<usize> {
    system.component_start[component] as usize..system.component_start[component + 1] as usize
}
