//! Solving systems of fixpoint equations, one strongly connected component at a time, sinks first.
//!
//! | component | solver |
//! |---|---|
//! | one unknown | substitution of known values |
//! | Markov chain | state elimination if it is cheap, else verified iteration; elimination with more patience where that is slow, and at any price where it ends without result |
//! | with choices | verified iteration, else policy iteration with elimination |
//!
//! The requested device makes the sweeps of large components, by Jacobi's iteration instead of Gauss and Seidel's:
//! these only guess, and the guess is verified in the same way. `sweeper` has both.
//!
//! Every solver gives bounds; the bounds of a component enter those above it.

mod acceleration;
mod block;
mod classes;
mod classical;
mod component_order;
mod difference;
mod elimination;
mod induced_chain;
mod iteration;
mod jacobi;
mod policy;
mod proper_policy;
mod repeated;
mod solution;
mod sweeper;
mod system;
mod verification;

pub use classes::{Classes, NONE};
pub use difference::difference;
pub(crate) use elimination::{Elimination, GiveUp, predicts_little_fill_in};
pub use repeated::Repeated;
pub use solution::{Solution, Statistics};
pub use system::{Intervals, Parts, System, collect, collect_intervals};

use std::ops::Range;

use volvelle_control::Stop;
use volvelle_logic::Optimum;
use volvelle_space::Values;

use crate::context::Context;
use crate::options::{Classical, Method, Options};
use crate::rounding::{U, above, below, relative, slack};
use crate::wide::{Number, Wide};
use acceleration::Acceleration;
use block::Block;
use iteration::{Goal, iterate};
use sweeper::Sweeper;
use system::WideRow;
use verification::extract_bounds;

/// Components above this size add to the width of the bounds (see `longest_chain`).
const SMALL: usize = 48;

/// Components of a Markov chain up to this size are eliminated at once.
const DIRECT: usize = 1_000;

/// Work per entry of an elimination that finds little fill-in.
const CHEAP: u64 = 40;

/// Work that is done at once, however small the system: some milliseconds.
const AT_ONCE: u64 = 3_000_000;

/// Components from this size on get a first guess of their least values.
const LARGE: usize = 5_000;

/// Work per entry of an elimination where sweeps converge slowly. A jump by an iterative method may take as long.
const PATIENT: u64 = 2_000;

/// Work of elimination where iteration did not converge (some minutes).
const LAST_RESORT: u64 = 400_000_000_000;

/// Solves a system. `probability`: the values are known to be at most one. Large components are swept on the device that
/// was requested, if there is one.
pub fn solve(
    system: &System,
    probability: bool,
    options: &Options,
    context: &Context,
) -> Result<Solution, Stop> {
    let n = system.unknowns();
    let control = context.control;
    control.check_memory(system.bytes() + 24 * n as u64)?;
    let mut solver = Solver::new(system, probability, options, context);
    let components = system.component_start.len() - 1;
    solver.statistics.components = components;
    let width = options.precision / (2.0 * solver.longest_chain() as f64);
    for k in 0..components {
        let (first, end) = (system.component_start[k] as usize, system.component_start[k + 1] as usize);
        solver.statistics.largest = solver.statistics.largest.max(end - first);
        let interrupted = solver.statistics.interrupted > 0;
        if k % 65536 == 0 && !interrupted {
            control.check()?;
        }
        if interrupted && end - first > 1 {
            solver.bounds[first..end].fill([0.0, if probability { 1.0 } else { f64::INFINITY }]);
            solver.statistics.interrupted += 1;
        } else if end - first == 1 {
            solver.substitute(first);
        } else {
            solver.component(first, end - first, width.max(1e-13))?;
        }
    }
    if let Some(how) = solver.statistics.method_use(options.method) {
        context.note_method(how);
    }
    Ok(Solution { bounds: solver.bounds, statistics: solver.statistics })
}

struct Solver<'a> {
    system: &'a System,
    probability: bool,
    options: &'a Options,
    context: &'a Context<'a>,
    bounds: Vec<[f64; 2]>,
    x: Vec<f64>,
    elimination: Elimination,
    statistics: Statistics,
}

impl<'a> Solver<'a> {
    fn new(system: &'a System, probability: bool, options: &'a Options, context: &'a Context<'a>) -> Self {
        Solver {
            system,
            probability,
            options,
            context,
            bounds: vec![[0.0; 2]; system.unknowns()],
            x: Vec::new(),
            elimination: Elimination::default(),
            statistics: Statistics::default(),
        }
    }

    /// The largest number of components beyond small ones on one path: their widths add up.
    fn longest_chain(&self) -> usize {
        let system = self.system;
        let mut depth = vec![0u32; system.unknowns()];
        let mut longest = 1;
        for window in system.component_start.windows(2) {
            let (first, end) = (window[0] as usize, window[1] as usize);
            let (from, to) = (system.choice_start[first] as usize, system.choice_start[end] as usize);
            let mut here = 0;
            for choice in from..to {
                let outer = system.inner_end[choice] as usize..system.row_start[choice + 1] as usize;
                for &j in &system.columns[outer] {
                    here = here.max(depth[j as usize]);
                }
            }
            let iterated = end - first > SMALL || (end - first > 1 && to - from > end - first);
            here += u32::from(iterated);
            depth[first..end].fill(here);
            longest = longest.max(here);
        }
        longest as usize
    }

    /// Constant part of a choice once everything below the component is known.
    fn constant_of(&self, choice: usize) -> [f64; 2] {
        let system = self.system;
        if system.wide.contains_key(&(choice as u32)) {
            let ([lo, hi], error) = self.wide_constant_of(choice, &system.wide_row(choice));
            let most = if hi > Wide::default() { above(hi.to_f64(), error) } else { 0.0 };
            return [below(lo.to_f64(), error), most];
        }
        let outer = system.inner_end[choice] as usize..system.row_start[choice + 1] as usize;
        let mut sum = system.constant.get(choice);
        // Products of positive numbers may become zero.
        let mut is_positive = sum[1] > 0.0;
        for (&j, v) in system.columns[outer.clone()].iter().zip(system.values.range(outer.clone())) {
            let [lo, hi] = self.bounds[j as usize];
            sum[0] += v * lo;
            sum[1] += v * hi;
            is_positive |= hi > 0.0;
        }
        if outer.is_empty() {
            return sum;
        }
        let error = slack(outer.len() + 14);
        [below(sum[0], error), if is_positive { above(sum[1], error) } else { 0.0 }]
    }

    /// The same with exponents of its own, and the relative error of what was added.
    fn wide_constant_of(&self, choice: usize, row: &WideRow) -> ([Wide; 2], f64) {
        let system = self.system;
        let inner = (system.inner_end[choice] - system.row_start[choice]) as usize;
        let columns = &system.columns[system.inner_end[choice] as usize..];
        let mut sum = row.constant;
        for (&v, &j) in row.values[inner..].iter().zip(columns) {
            let [lo, hi] = self.bounds[j as usize];
            sum[0] += v * Wide::of(lo);
            sum[1] += v * Wide::of(hi);
        }
        (sum, slack(row.values.len() - inner + 14))
    }

    /// Weight with which a choice leaves its component.
    fn exit_of(&self, choice: usize) -> f64 {
        let system = self.system;
        let outer = system.inner_end[choice] as usize..system.row_start[choice + 1] as usize;
        system.exit.get(choice) + system.values.range(outer).sum::<f64>()
    }

    fn finish(&self, [lo, hi]: [f64; 2]) -> [f64; 2] {
        [lo, if self.probability { hi.min(1.0) } else { hi }]
    }

    fn substitute(&mut self, unknown: usize) {
        let system = self.system;
        let choices = system.choice_start[unknown] as usize..system.choice_start[unknown + 1] as usize;
        let pick = |a: f64, b: f64| match system.optimum {
            Optimum::Min => a.min(b),
            Optimum::Max => a.max(b),
        };
        let best = choices.map(|c| self.constant_of(c)).reduce(|a, b| [pick(a[0], b[0]), pick(a[1], b[1])]);
        // A state that no choice leaves does not occur after the qualitative analysis; [0, inf] is sound.
        let best = self.finish(best.unwrap_or([0.0, f64::INFINITY]));
        let excess = 2.0 * self.options.excess();
        self.bounds[unknown] = match best {
            [lo, hi] if excess > 0.0 && hi > 0.0 => {
                let error = relative(excess);
                self.finish([below(lo, error), above(hi, error)])
            }
            best => best,
        };
    }

    /// Solves a component; everything below it has bounds already.
    fn component(&mut self, first: usize, len: usize, width: f64) -> Result<(), Stop> {
        let system = self.system;
        let choices = system.choice_start[first] as usize..system.choice_start[first + len] as usize;
        if system.needs_wide(&choices) {
            return self.widely(first, len, None);
        }
        let constant = collect_intervals(choices.len(), choices.clone().map(|c| self.constant_of(c)));
        let exit = collect(choices.len(), choices.map(|c| self.exit_of(c)));
        self.block(first, len, width, &constant, &exit)
    }

    /// Solves a component whose choices have these constant parts, and are left with these weights.
    fn block(
        &mut self,
        first: usize,
        len: usize,
        width: f64,
        constant: &Intervals,
        exit: &Values,
    ) -> Result<(), Stop> {
        let probability = self.probability;
        let choices =
            self.system.choice_start[first] as usize..self.system.choice_start[first + len] as usize;
        if self.system.needs_wide(&choices) {
            return self.widely(first, len, Some(constant));
        }
        let error = relative(2.0 * len as f64 * (self.options.input + 2.0 * U));
        let highest = if probability { above(1.0, error) } else { f64::INFINITY };
        let block = Block { system: self.system, first, len, constant, exit, probability, highest };
        // A state that no choice leaves, such as one whose probabilities are zero as doubles: nothing is known.
        if self.system.choice_start[first..=first + len].windows(2).any(|ends| ends[0] == ends[1]) {
            self.bounds[block.range()].fill([0.0, if probability { 1.0 } else { f64::INFINITY }]);
            self.statistics.unfinished += 1;
            return Ok(());
        }
        // Without anything to gain values are zero, exactly.
        if constant.iter().all(|c| c[1] == 0.0) {
            self.bounds[block.range()].fill([0.0; 2]);
            return Ok(());
        }
        self.bounds[block.range()].fill([0.0, if probability { 1.0 } else { f64::INFINITY }]);
        match self.options.method {
            Method::Classical(classical) => self.classical(classical, &block),
            _ => self.verified(&block, width),
        }
    }

    /// Solves a component with rows that doubles do not hold: by elimination, which only chains have; else its values may be any. `constant`
    /// has the constant parts where they are not those of the system.
    fn widely(&mut self, first: usize, len: usize, constant: Option<&Intervals>) -> Result<(), Stop> {
        let system = self.system;
        let choices = system.choice_start[first] as usize..system.choice_start[first + len] as usize;
        let range = first..first + len;
        self.bounds[range.clone()].fill([0.0, if self.probability { 1.0 } else { f64::INFINITY }]);
        let has_one = |i: usize| system.choice_start[i] + 1 == system.choice_start[i + 1];
        if !range.clone().all(has_one) {
            self.statistics.unfinished += 1;
            return Ok(());
        }
        let mut elimination = Elimination::<Wide>::default();
        elimination.begin(len);
        let (mut added, mut is_zero, mut entries) = (0.0f64, true, 0);
        for choice in choices.clone() {
            let row = system.wide_row(choice);
            let (sums, error) = self.wide_constant_of(choice, &row);
            let sums = constant.map_or(sums, |constant| constant.get(choice - choices.start).map(Wide::of));
            let inner = system.row_start[choice] as usize..system.inner_end[choice] as usize;
            let exit = row.values[inner.len()..].iter().fold(row.exit, |sum, &v| sum + v);
            added = added.max(error);
            is_zero &= sums[1] == Wide::default();
            entries += row.values.len() as u64;
            let columns = system.columns[inner].iter().map(|&j| j - first as u32);
            elimination.row(columns.zip(row.values.iter().copied()), exit, sums);
        }
        if is_zero {
            self.bounds[range].fill([0.0; 2]);
            return Ok(());
        }
        match elimination.solve(PATIENT * entries + AT_ONCE, self.context.control) {
            Ok((x, error)) => {
                self.bounds[range.clone()].iter_mut().zip(x).for_each(|(to, x)| *to = x.map(Wide::to_f64));
                self.widen(range, error + 2.0 * added);
                self.statistics.eliminated += 1;
            }
            Err(GiveUp::Stopped(stop)) => return Err(stop),
            Err(GiveUp::Work | GiveUp::Closed) => self.statistics.unfinished += 1,
        }
        Ok(())
    }

    /// Bounds of the relative width `width`, by any method.
    fn verified(&mut self, block: &Block, width: f64) -> Result<(), Stop> {
        let (method, len, chain) = (self.options.method, block.len, block.is_chain());
        let allow_elimination = method != Method::Iteration;
        let entries = block.work();
        if chain && allow_elimination {
            let work = match method {
                Method::Elimination => u64::MAX,
                _ if len <= DIRECT => 4_000_000_000,
                _ => CHEAP * entries + AT_ONCE,
            };
            if (method == Method::Elimination || has_little_fill_in(block)) && self.eliminate(block, work)? {
                return Ok(());
            }
        }
        if self.x.is_empty() {
            self.x = vec![0.0; self.system.unknowns()];
        }
        let patience = if !allow_elimination || len > 200_000 {
            self.options.max_iterations
        } else {
            (20_000_000_000 / entries.max(1)).clamp(500, 20_000).min(self.options.max_iterations)
        };
        if !chain && len >= LARGE && self.system.optimum == Optimum::Min && method != Method::Elimination {
            proper_policy::guess(block, &mut self.x);
        }
        let mut done = false;
        // Whether a chain may be eliminated with more patience, once its sweeps are known to converge slowly.
        let mut until_slow = chain && method == Method::Auto && len > DIRECT && has_little_fill_in(block);
        let mut is_open = method != Method::Elimination || chain;
        while is_open {
            let mut acceleration = Acceleration {
                elimination: allow_elimination.then_some(&mut self.elimination),
                // A policy's chain has the entries of one choice of each state.
                work: CHEAP * entries * len as u64 / block.choices_in_all().max(1) + AT_ONCE,
                policy: Vec::new(),
                weight: Vec::new(),
                failed: false,
            };
            let (x, bounds, control) = (&mut self.x, &mut self.bounds, self.context.control);
            let mut sweeper = Sweeper::new(self.context, block, x);
            let goal = Goal { width, limit: patience, until_slow };
            let outcome = match iterate(block, x, bounds, goal, &mut sweeper, &mut acceleration, control) {
                Err(Stop::Timeout | Stop::Cancelled) => {
                    // The bounds that the last iterate gives in a few sweeps, whose time is negligible.
                    extract_bounds(block, &self.x, &mut self.bounds)?;
                    self.statistics.interrupted += 1;
                    self.widen(block.range(), 0.0);
                    return Ok(());
                }
                iterated => iterated?,
            };
            self.statistics.sweeps = self.statistics.sweeps.max(outcome.sweeps);
            if outcome.is_slow {
                if self.eliminate(block, PATIENT * entries)? {
                    return Ok(());
                }
                until_slow = false;
                continue;
            }
            done = outcome.converged;
            self.statistics.iterated += usize::from(done || chain);
            is_open = false;
        }
        if !done && !chain && allow_elimination {
            let (x, bounds) = (&mut self.x, &mut self.bounds);
            done = policy::iterate_policies(
                block,
                x,
                bounds,
                width,
                &mut self.elimination,
                self.context.control,
            )?;
            self.statistics.policies += 1;
        }
        let retry = !done && chain && method == Method::Auto;
        if retry && self.eliminate(block, LAST_RESORT)? {
            return Ok(());
        }
        if !done {
            self.statistics.unfinished += 1;
        }
        self.widen(block.range(), 0.0);
        Ok(())
    }

    /// Iterates until two iterates differ by little.
    fn classical(&mut self, classical: Classical, block: &Block) -> Result<(), Stop> {
        if self.x.is_empty() {
            self.x = vec![0.0; self.system.unknowns()];
        }
        let ended =
            classical::iterate(block, classical, &mut self.x, &mut self.bounds, self.options, self.context)?;
        self.statistics.classical += 1;
        self.statistics.classical_name = classical.name();
        self.statistics.sweeps = self.statistics.sweeps.max(ended.iterations);
        self.statistics.unfinished += usize::from(!ended.small);
        Ok(())
    }

    /// Moves the bounds of a component outwards by the effect of errors in the input.
    fn widen(&mut self, range: Range<usize>, error: f64) {
        let error = relative(error + 2.0 * range.len() as f64 * (self.options.input + 2.0 * U));
        for i in range {
            let [lo, hi] = self.bounds[i];
            self.bounds[i] = self.finish([below(lo, error), above(hi, error)]);
        }
    }

    /// Solves a component of a Markov chain directly; false where that is too much work. Where doubles do not reach, numbers with exponents of
    /// their own do.
    fn eliminate(&mut self, block: &Block, work: u64) -> Result<bool, Stop> {
        let base = block.first_choice();
        let choices = || (base as u32..).take(block.len);
        let right_side = |_, choice: usize| block.constant.get(choice - base);
        block.load_policy(&mut self.elimination, choices(), right_side);
        match self.elimination.solve(work, self.context.control) {
            Ok((x, f64::INFINITY)) => {
                // Only a guess, for the iteration to start from.
                self.x.resize(self.system.unknowns(), 0.0);
                for (to, x) in self.x[block.range()].iter_mut().zip(x) {
                    let middle = 0.5 * (x[0] + x[1]);
                    *to = if middle.is_finite() { middle } else { 0.0 };
                }
            }
            Ok((x, error)) => {
                self.bounds[block.range()].copy_from_slice(x);
                self.widen(block.range(), error);
                self.statistics.eliminated += 1;
                return Ok(true);
            }
            Err(GiveUp::Stopped(stop)) => return Err(stop),
            Err(GiveUp::Work) => return Ok(false),
            // Weights have become zero.
            Err(GiveUp::Closed) => {}
        }
        let mut elimination = Elimination::<Wide>::default();
        block.load_policy(&mut elimination, choices(), right_side);
        match elimination.solve(work, self.context.control) {
            Ok((x, error)) => {
                let bounds = self.bounds[block.range()].iter_mut();
                bounds.zip(x).for_each(|(to, x)| *to = x.map(Wide::to_f64));
                self.widen(block.range(), error);
                self.statistics.eliminated += 1;
                Ok(true)
            }
            Err(GiveUp::Stopped(stop)) => Err(stop),
            Err(GiveUp::Work | GiveUp::Closed) => Ok(false),
        }
    }
}

/// Estimates whether eliminating a component of a chain causes little fill-in, so that a try pays.
fn has_little_fill_in(block: &Block) -> bool {
    let base = block.first_choice();
    let row = |at: usize| block.inner(base + at);
    let entries = (0..block.len).map(|at| row(at).len()).sum();
    let columns = (0..block.len).flat_map(|at| &block.system.columns[row(at)]);
    let columns = columns.map(|&j| j - block.first as u32);
    predicts_little_fill_in(block.len, entries, columns, |at| row(at).len())
}

#[cfg(test)]
mod classical_tests;
#[cfg(test)]
mod grid_tests;
#[cfg(test)]
mod tests;
