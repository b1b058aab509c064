//! Ending paths where a state tells what is to come.
//!
//! A path that can no longer reach its target may go on for ever without deciding anything. Where the states of a model are
//! few, somebody can say of each whether that is so ([`Oracle`]). Asking in every step would cost more than it gains; but what
//! is out of reach stays so, and so it is enough to look now and then: after [`FIRST_LOOK`] steps, then after [`FACTOR`] times
//! as many, and so on. Paths go as fast as ever in between, whatever runs them, and end after at most [`FACTOR`] times the
//! steps that they would need.
//!
//! When a path is looked at depends on the path alone, so that results are the same whoever runs it.

use crate::engine::{Engine, LONG};
use crate::error::Failure;
use crate::measure::is_undecided;
use crate::runner::{Paths, Runner};
use std::ops::Range;

/// Steps after which paths are looked at first.
pub const FIRST_LOOK: u32 = 64;
/// By how much more steps the next look is later.
pub const FACTOR: u32 = 8;
/// One in so many undecided paths of a piece make it worth while to run all of them again together.
const DENSE: usize = 4;

/// Knows what states decide.
pub trait Oracle: Sync {
    /// Decides measures that are [undecided](is_undecided), where the state that a path has reached tells their values; the state
    /// is followed by those of the automata.
    /// What it decides once, it decides in all states that can be reached from there, and in the same way.
    fn decide(&self, state: &[i64], values: &mut [f64]);
}

/// Looks ahead for paths.
pub struct EarlyTermination<'a> {
    oracle: &'a dyn Oracle,
    /// Tells where paths are.
    final_state: &'a Runner,
    first_look: u32,
    factor: u32,
}

impl<'a> EarlyTermination<'a> {
    /// By an oracle for the measures of a plan, with [`Runner::final_state`] for that plan.
    pub fn new(oracle: &'a dyn Oracle, final_state: &'a Runner) -> Self {
        EarlyTermination { oracle, final_state, first_look: FIRST_LOOK, factor: FACTOR }
    }

    /// With other times of looking: the first, and by which factor the others are later (at least 2).
    pub fn looking_at(self, first: u32, factor: u32) -> Self {
        EarlyTermination { first_look: first.max(1), factor: factor.max(2), ..self }
    }

    /// Steps after which paths are looked at first.
    pub fn first_look(&self) -> u32 {
        self.first_look
    }

    /// Runs paths; those that are decided at a look have as many steps as they had taken by then. Where one is given up,
    /// those behind it may be cut short as well.
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
        // Which one fails first is found one by one: together, short paths come before long ones.
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
        // Whether what the open paths have decided by this limit is known.
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
                // If the first of them decides nothing in the end, nobody needs the others.
                let i = open[0];
                self.run_single(seed, range.start + i as u64, limit, max_steps, &mut one)?;
                out.take(i, &one, 0);
                if out.is_given_up(i) {
                    break;
                }
                open.remove(0);
            }
            let dense = open.len() * DENSE >= out.status.len();
            // Paths that are decided already may fail later: that does not matter.
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

    /// Decides what the state of a path that is under way tells.
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
