//! The solution of one epoch after another.
//!
//! All numbers are non-negative, and the value of an epoch is monotone in those of the epochs before it, and grows by no larger
//! factor than they do. So a relative error is passed on as it is at most, and each epoch adds that of its own arithmetic: one number for each epoch bounds all.

use rustc_hash::FxHashMap;
use volvelle_control::ProgressEvent;
use volvelle_logic::{Optimum, StopReason};
use volvelle_solver::rounding::{TINY, U, relative};
use volvelle_solver::solve::{Repeated, collect_intervals};
use volvelle_solver::{CheckError, Options};
use volvelle_space::{Values, View};

use super::layer::{Layer, ONE, Problem, ZERO};
use super::schedule::Solver;

/// Narrowest relative width of a component of several unknowns.
const FINEST: f64 = 1e-13;

/// The values of the entries of an epoch.
struct Slot {
    values: Vec<f64>,
    error: f64,
}

/// Epochs that were solved, as long as others need them.
pub struct Engine<'a> {
    problem: &'a Problem<'a>,
    layers: &'a FxHashMap<u32, Layer>,
    solvers: FxHashMap<u32, (Repeated<'a>, Vec<Values>)>,
    store: FxHashMap<u64, Slot>,
    unused: Vec<Vec<f64>>,
    /// The values of the unknowns of the epoch that was solved last.
    x: Vec<f64>,
    /// First-order relative error of that epoch.
    error: f64,
    /// Width of components of several unknowns.
    width: f64,
    /// No value is above this.
    highest: f64,
    /// Epochs that were solved.
    pub solved: u64,
    /// Epochs that there will be; 0: not known.
    pub total: u64,
    /// Whether a product may have left the range of doubles.
    underflow: bool,
}

/// Values and probabilities below which a product may leave the range of doubles.
const SMALL_VALUE: f64 = 1e-250;
const SMALL_WEIGHT: f64 = 1e-50;

/// The values of an epoch.
pub struct Solved<'a> {
    layer: &'a Layer,
    x: &'a [f64],
    /// First-order relative error.
    error: f64,
    /// Upper bound of a value that came out as zero.
    zero: f64,
    /// No value is above this.
    highest: f64,
}

impl<'a> Engine<'a> {
    /// An engine; at most `chain` epochs follow one another on a path, and no value is above `highest`.
    pub fn new(
        problem: &'a Problem<'a>,
        layers: &'a FxHashMap<u32, Layer>,
        options: &'a Options,
        chain: u64,
        highest: f64,
    ) -> Self {
        let mut solvers = FxHashMap::default();
        let mut blocks = 1;
        for (&met, layer) in layers {
            if let Some(system) = &layer.system {
                let repeated = Repeated::new(system, highest <= 1.0, options, problem.context);
                let exit = |(k, component): (usize, std::ops::Range<usize>)| match component.len() {
                    1 => Vec::new().into(),
                    _ => repeated.exits(k),
                };
                let exits = layer.components().enumerate().map(exit).collect();
                solvers.insert(met, (repeated, exits));
                blocks = blocks.max(layer.blocks);
            }
        }
        let width = options.precision / (8.0 * blocks as f64 * chain.max(1) as f64);
        Engine {
            problem,
            layers,
            solvers,
            store: FxHashMap::default(),
            unused: Vec::new(),
            x: Vec::new(),
            error: 0.0,
            width: width.max(FINEST),
            highest,
            solved: 0,
            total: 0,
            underflow: layers.values().any(|layer| layer.smallest < SMALL_WEIGHT),
        }
    }

    /// Bytes that are held for an epoch.
    pub fn bytes_per_epoch(&self) -> u64 {
        8 * self.problem.entries.len() as u64
    }

    /// The values of the epoch that was solved last.
    pub fn last(&self, epoch: &[u32]) -> Solved<'_> {
        let layer = &self.layers[&self.problem.costs.met(epoch)];
        let x = layer.fixed.as_ref().map_or(&self.x[..], |(values, _)| values);
        let zero = if self.underflow { TINY } else { 0.0 };
        Solved { layer, x, error: self.error, zero, highest: self.highest }
    }

    /// The method, for users.
    pub fn method(&self) -> String {
        let solved: Vec<String> =
            self.solvers.values().map(|(repeated, _)| repeated.statistics().describe()).collect();
        let epochs = match self.solved {
            1 => "1 epoch".to_string(),
            count => format!("{count} epochs"),
        };
        match solved.first() {
            Some(blocks) => format!("{epochs}, {blocks}"),
            None => epochs,
        }
    }

    /// Whether a component did not become as narrow as it should; for rewards, epochs are not solved from then on.
    pub fn is_stuck(&self) -> bool {
        self.solvers.values().any(|(repeated, _)| repeated.statistics().unfinished > 0)
    }

    /// The reason why the values are final.
    pub fn stop(&self) -> StopReason {
        if self.is_stuck() { StopReason::IterationLimit } else { StopReason::StepsDone }
    }
}

impl Solver for Engine<'_> {
    fn forget(&mut self, key: u64) {
        self.unused.extend(self.store.remove(&key).map(|slot| slot.values));
    }

    fn keep(&mut self, key: u64, epoch: &[u32]) -> Result<(), CheckError> {
        let layer = &self.layers[&self.problem.costs.met(epoch)];
        let mut values = self.unused.pop().unwrap_or_default();
        if values.capacity() == 0 {
            let epochs = self.store.len() as u64 + 1;
            self.problem.context.control.check_memory(epochs * self.bytes_per_epoch())?;
        }
        let x = layer.fixed.as_ref().map_or(&self.x[..], |(values, _)| values);
        values.clear();
        values.extend(layer.entries.iter().map(|&place| at_place(place, x)));
        self.store.insert(key, Slot { values, error: self.error });
        Ok(())
    }

    fn solve(&mut self, epoch: &[u32], key: &dyn Fn(&[u32]) -> u64) -> Result<(), CheckError> {
        let costs = &self.problem.costs;
        let control = self.problem.context.control;
        control.check()?;
        if self.solved.is_multiple_of(64) {
            let (done, total) = (self.solved, self.total);
            control.progress.report(ProgressEvent::Solving { what: "epochs", done, total, error: 0.0 });
        }
        self.solved += 1;
        if self.highest > 1.0 && self.is_stuck() {
            return Ok(());
        }
        let met = costs.met(epoch);
        let layer = &self.layers[&met];
        if let Some((_, error)) = layer.fixed {
            self.error = error;
            return Ok(());
        }
        let mut error = 0.0f64;
        let previous = costs.after_each(epoch, |rest| {
            let slot = self.store.get(&key(rest))?;
            error = error.max(slot.error);
            Some(&slot.values[..])
        });
        self.x.resize(layer.len().max(self.x.len()), 0.0);
        let better = match self.problem.optimum {
            Optimum::Min => |a: f64, b: f64| a < b,
            Optimum::Max => |a: f64, b: f64| a > b,
        };
        let mut solver = self.solvers.get_mut(&met);
        let x = &mut self.x;
        let width = self.width;
        let mut pass = Pass { layer, previous: &previous, x, better, underflow: &mut self.underflow };
        let mut of_blocks = 0.0f64;
        let mut block = |pass: &mut Pass, k: usize, component: std::ops::Range<usize>| {
            if let Some((repeated, exits)) = &mut solver {
                of_blocks = of_blocks.max(pass.block(k, component, repeated, &exits[k], width)?);
            }
            Ok(())
        };
        match layer.values().view() {
            View::Byte(codes, table) => pass.run(&|at| table[codes[at] as usize], &mut block)?,
            View::Short(codes, table) => pass.run(&|at| table[codes[at] as usize], &mut block)?,
            View::Plain(values) => pass.run(&|at| values[at], &mut block)?,
        }
        self.error = error + layer.error + layer.blocks as f64 * of_blocks;
        Ok(())
    }
}

impl Solved<'_> {
    /// Bounds of the value of a state.
    pub fn bounds(&self, state: usize) -> [f64; 2] {
        let value = value_at(self.layer, self.x, state);
        if matches!(self.layer.place[state], ZERO | ONE) {
            return [value; 2];
        }
        if value == 0.0 {
            // A sum of products of zeros, unless there was underflow.
            return [0.0, self.zero];
        }
        let error = relative(self.error);
        [
            (value * (1.0 - error) - TINY).clamp(0.0, self.highest),
            (value * (1.0 + error) + TINY).min(self.highest),
        ]
    }

    /// Bounds for all states.
    pub fn all(&self, states: usize) -> Vec<[f64; 2]> {
        (0..states).map(|s| self.bounds(s)).collect()
    }
}

fn value_at(layer: &Layer, x: &[f64], state: usize) -> f64 {
    at_place(layer.place[state], x)
}

fn at_place(place: u32, x: &[f64]) -> f64 {
    match place {
        ZERO => 0.0,
        ONE => 1.0,
        place => x[place as usize],
    }
}

/// One pass over the rows of a layer.
struct Pass<'p> {
    layer: &'p Layer,
    previous: &'p [Option<&'p [f64]>],
    x: &'p mut Vec<f64>,
    better: fn(f64, f64) -> bool,
    underflow: &'p mut bool,
}

impl Pass<'_> {
    /// Substitutes unknowns in their order; `block` solves components of several.
    fn run(
        &mut self,
        weight: &impl Fn(usize) -> f64,
        block: &mut impl FnMut(&mut Self, usize, std::ops::Range<usize>) -> Result<(), CheckError>,
    ) -> Result<(), CheckError> {
        let layer = self.layer;
        if layer.blocks == 0 {
            for unknown in 0..layer.len() {
                self.substitute(unknown, weight);
            }
            return Ok(());
        }
        for (k, component) in layer.components().enumerate() {
            match component.len() {
                1 => self.substitute(component.start, weight),
                _ => block(self, k, component)?,
            }
        }
        Ok(())
    }

    #[inline]
    fn substitute(&mut self, unknown: usize, weight: &impl Fn(usize) -> f64) {
        let value = self.best(unknown, weight);
        *self.underflow |= value < SMALL_VALUE && value > 0.0;
        self.x[unknown] = value;
    }

    #[inline]
    fn best(&self, unknown: usize, weight: &impl Fn(usize) -> f64) -> f64 {
        let mut choices = self.layer.choices(unknown..unknown + 1);
        let value = |choice| self.layer.value_known(choice, self.x, self.previous, weight);
        let mut best = choices.next().map_or(0.0, value);
        for choice in choices {
            let value = value(choice);
            if (self.better)(value, best) {
                best = value;
            }
        }
        best
    }

    /// Solves a component of several unknowns; its first-order relative error.
    fn block(
        &mut self,
        k: usize,
        component: std::ops::Range<usize>,
        repeated: &mut Repeated,
        exit: &Values,
        width: f64,
    ) -> Result<f64, CheckError> {
        let layer = self.layer;
        let first = component.start;
        let choices = layer.choices(component.clone());
        let weight = |at: usize| layer.values().get(at);
        let constant: Vec<f64> = choices
            .clone()
            .map(|choice| layer.value(choice, first, self.x, self.previous, &weight))
            .collect();
        let hopeful = self.hopeful(component.clone(), &constant);
        let intervals = collect_intervals(choices.len(), constant.iter().map(|&c| [c; 2]));
        let bounds = repeated.solve(k, width, &intervals, exit)?;
        let mut error = 0.0f64;
        for (i, &[lo, hi]) in component.zip(bounds) {
            if !hopeful[i - first] {
                self.x[i] = 0.0;
                continue;
            }
            let middle = lo + 0.5 * (hi - lo);
            self.x[i] = middle;
            *self.underflow |= middle < SMALL_VALUE;
            if lo < hi && hi > TINY {
                let half = (hi - middle).max(middle - lo) / middle + 2.0 * U;
                // From the relative error of a value to the exponent that `relative` takes.
                error = error.max(if half < 0.5 { half * (1.0 + half) } else { f64::INFINITY });
            }
        }
        Ok(error)
    }

    /// The unknowns of a component whose value is positive.
    fn hopeful(&self, component: std::ops::Range<usize>, constant: &[f64]) -> Vec<bool> {
        let (layer, first) = (self.layer, component.start);
        if constant.iter().all(|&c| c > 0.0) {
            return vec![true; component.len()];
        }
        let base = layer.choices(component.clone()).start;
        let mut hopeful = vec![false; component.len()];
        // Passes in the order of the unknowns: few, since they are ordered by the way out.
        loop {
            let mut changed = false;
            for i in component.clone().filter(|&i| !hopeful[i - first]).collect::<Vec<_>>() {
                let mut choices = layer.choices(i..i + 1);
                let positive = |choice: usize| {
                    constant[choice - base] > 0.0 || layer.inner(choice, first).any(|j| hopeful[j - first])
                };
                let hope =
                    if (self.better)(1.0, 0.0) { choices.any(positive) } else { choices.all(positive) };
                if hope {
                    hopeful[i - first] = true;
                    changed = true;
                }
            }
            if !changed {
                return hopeful;
            }
        }
    }
}
