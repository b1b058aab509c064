//! Early path termination: ends a path in a state that decides its measures.
//!
//! A path that can no longer reach its target may continue forever without deciding anything. For models with
//! few states, an [`Oracle`] knows for each state whether this is so. Asking it in every step would cost more
//! than it gains. But an unreachable target stays unreachable, so it suffices to ask now and then: after
//! [`FIRST_LOOK`] steps, then after [`FACTOR`] times as many, and so on. In between, paths run at full speed
//! with any code, and end after at most [`FACTOR`] times the steps that they need.
//!
//! The steps at which a path is examined depend on the path alone, so results do not depend on the code that
//! runs it.

use crate::engine::{Engine, LONG};
use crate::error::Failure;
use crate::measure::is_undecided;
use crate::runner::{Paths, Runner};
use std::ops::Range;

/// Number of steps after which paths are first examined.
pub const FIRST_LOOK: u32 = 64;
/// Factor between the steps of two looks.
pub const FACTOR: u32 = 8;
/// If more than one path in this many is undecided, all paths of a piece are run again together.
const DENSE: usize = 4;

/// Decides measures in states.
pub trait Oracle: Sync {
    /// Sets the values of [undecided](is_undecided) measures that the state of a path decides. `state` has
    /// the values of all fields, then the states of all automata. If a state decides a measure, all states
    /// reachable from it decide it alike.
    fn decide(&self, state: &[i64], values: &mut [f64]);
}

/// Terminates paths early.
pub struct EarlyTermination<'a> {
    oracle: &'a dyn Oracle,
    /// Runs paths up to their final states.
    final_state: &'a Runner,
    first_look: u32,
    factor: u32,
}

impl<'a> EarlyTermination<'a> {
    /// Uses an oracle for the measures of a plan; `final_state` must be [`Runner::final_state`] for that
    /// plan.
    pub fn new(oracle: &'a dyn Oracle, final_state: &'a Runner) -> Self {
        EarlyTermination { oracle, final_state, first_look: FIRST_LOOK, factor: FACTOR }
    }

    /// Steps before the first look.
    pub fn first_look(&self) -> u32 {
        self.first_look
    }

    /// Runs paths. Those decided at an examination have as many steps as they had taken by then. If a path is
    /// given up, later ones may also be cut short.
    ///
    /// # Errors
    /// A path failed before it was decided: the first such.
    pub fn run(
        &self,
        engine: &dyn Engine,
        seed: u64,
        range: Range<u64>,
        max_steps: u32,
        out: &mut Paths,
    ) -> Result<(), Failure> {
        if self.run_together(engine, seed, &range, max_steps, out).is_ok() {
            return Ok(());
        }
        // The first path that fails is found by running paths one by one: together, short paths end before
        // long ones.
        let (mut all, mut one) = (Paths::default(), Paths::default());
        for path in range {
            self.run_single(seed, path, self.first_look.min(max_steps), max_steps, &mut one)?;
            all.append(&one);
        }
        *out = all;
        Ok(())
    }

    fn run_together(
        &self,
        engine: &dyn Engine,
        seed: u64,
        range: &Range<u64>,
        max_steps: u32,
        out: &mut Paths,
    ) -> Result<(), Failure> {
        let mut limit = self.first_look.min(max_steps);
        engine.run(seed, range.clone(), limit, out)?;
        let mut open: Vec<usize> = (0..out.status.len()).filter(|&i| out.is_given_up(i)).collect();
        let (mut again, mut one) = (Paths::default(), Paths::default());
        // Whether it is known what the open paths have decided by this limit.
        let (mut known, mut is_first_long) = (true, true);
        while !open.is_empty() {
            for &i in &open {
                let path = range.start + i as u64;
                self.final_state.run(seed, path..path + 1, limit, &mut one)?;
                if !known {
                    out.take(i, &one, 0);
                }
                self.look(&one.ends, out, i);
            }
            open.retain(|&i| out.is_given_up(i));
            if limit == max_steps || open.is_empty() {
                break;
            }
            limit = limit.saturating_mul(self.factor).min(max_steps);
            if limit > LONG && std::mem::take(&mut is_first_long) {
                // If the first of them remains undecided, the others are not needed.
                let i = open[0];
                self.run_single(seed, range.start + i as u64, limit, max_steps, &mut one)?;
                out.take(i, &one, 0);
                if out.is_given_up(i) {
                    break;
                }
                open.remove(0);
            }
            let dense = open.len() * DENSE >= out.status.len();
            // Failures of paths after their decision do not matter.
            known = dense && engine.run(seed, range.clone(), limit, &mut again).is_ok();
            if known {
                open.iter().for_each(|&i| out.take(i, &again, i));
                open.retain(|&i| out.is_given_up(i));
            }
        }
        Ok(())
    }

    /// Runs a path, with looks from a number of steps on.
    fn run_single(
        &self,
        seed: u64,
        path: u64,
        first: u32,
        max_steps: u32,
        out: &mut Paths,
    ) -> Result<(), Failure> {
        let mut limit = first;
        loop {
            self.final_state.run(seed, path..path + 1, limit, out)?;
            let ends = std::mem::take(&mut out.ends);
            self.look(&ends, out, 0);
            out.ends = ends;
            if !out.is_given_up(0) || limit == max_steps {
                return Ok(());
            }
            limit = limit.saturating_mul(self.factor).min(max_steps);
        }
    }

    /// Sets the measures that the state of an undecided path decides.
    fn look(&self, state: &[i64], paths: &mut Paths, path: usize) {
        if paths.is_given_up(path) {
            let (monitors, row) = (self.final_state.monitors(), paths.row_mut(path));
            let mut values: Vec<f64> = monitors.values(row).collect();
            self.oracle.decide(state, &mut values);
            monitors.decide(row, &values);
            if !monitors.values(row).any(is_undecided) {
                paths.status[path] &= !1;
            }
        }
    }
}
