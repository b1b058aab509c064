//! Converts trails through canonical states to runs of the program.

use super::machine::Machine;
use super::system::Modules;
use volvelle_search::liveness::STUTTER;
use volvelle_search::{Expander, Successors, Trail};

/// Limit of steps of a run from a trail. A cycle of canonical states may have to be repeated until its first
/// state returns, at most as often as components can be permuted.
const LONGEST: usize = 1 << 20;

impl Modules<'_> {
    /// The site that fails in a given state. With symmetry, the end of a run may fail at the site of another
    /// component than its canonical state does.
    pub fn site_at(&self, state: &[u64]) -> Option<u32> {
        let mut found = Successors::default();
        Machine::without_symmetry(self).expand(state, &mut found);
        found.errors.first().map(|error| error.site)
    }

    /// The run of a trail, and where its cycle begins if it has one. Without symmetry, this is the trail
    /// itself. `None` if there is no such run, or if it is too long.
    pub fn run_behind(&self, trail: &Trail, cycle: Option<usize>) -> Option<(Trail, Option<usize>)> {
        let Some(mut canonicalizer) = self.canonicalizer.clone() else { return Some((trail.clone(), cycle)) };
        let mut machine = Machine::without_symmetry(self);
        let mut found = Successors::default();
        let mut run = Trail::starting(trail.states.first()?);
        // Positions where the run passes the state at which the cycle begins.
        let mut returns: Vec<usize> = Vec::new();
        let mut at = 0;
        loop {
            if Some(at) == cycle {
                returns.push(run.steps.len());
            }
            if at == trail.steps.len() {
                let Some(begin) = cycle else { return Some((run, None)) };
                let state = run.states.last()?;
                if let Some(&begin) = returns.iter().find(|&&known| run.states[known] == *state) {
                    return Some((run, Some(begin)));
                }
                at = begin;
                continue;
            }
            let (step, target) = (trail.steps[at], &trail.states[at + 1]);
            at += 1;
            let from = run.states.last()?.clone();
            let taken = match step {
                STUTTER => (STUTTER, from),
                _ => {
                    machine.expand(&from, &mut found);
                    let mut all = found.steps.iter().zip(found.states.chunks_exact(from.len()));
                    let (&step, state) = all.find(|(_, state)| {
                        let mut canonical = state.to_vec();
                        canonicalizer.canonicalize(&mut canonical);
                        canonical == *target
                    })?;
                    (step, state.to_vec())
                }
            };
            run.steps.push(taken.0);
            run.states.push(taken.1);
            if run.steps.len() > LONGEST {
                return None;
            }
        }
    }
}
