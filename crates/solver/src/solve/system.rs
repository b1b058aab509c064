//! Systems of fixpoint equations, in the order in which they are solved.
//!
//! In: a space, the states whose value is unknown, a partition of them into classes that share a value
//! (end components; otherwise every state is its own class), the value interval of all other states, and
//! a reward per choice. Out: for every class the equation
//!
//! `x = opt over choices c of ( b_c + sum_j p_cj x_j )`
//!
//! with columns renumbered so that strongly connected components are consecutive, sinks first, and rows
//! normalised: transitions within a class are left out and the rest divided by its sum (see
//! [`crate::rounding`]). This holds for probabilities, for the embedded chain of rates, and for rewards
//! per unit of time alike. Choices that never leave their class are dropped. Weights too small for doubles beside their sum are kept with
//! an exponent of their own.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use volvelle_logic::Optimum;
use volvelle_space::{BitSet, Space, Values, ValuesBuilder};

use super::classes::{Classes, NONE};
use super::component_order::order;
use crate::rounding::{Sum, above, below, slack};
use crate::wide::{Number, Total, Wide, WideTotal};

/// The equations. `n` unknowns, `m` choices.
#[derive(Debug)]
pub struct System {
    /// The optimum that is taken over choices.
    pub optimum: Optimum,
    /// Unknown of a state, or [`NONE`]; length: states of the space.
    pub unknown_of: Vec<u32>,
    /// Choices of unknown `i`: `choice_start[i]..choice_start[i + 1]`.
    pub choice_start: Vec<u32>,
    /// Entries of choice `c`: `row_start[c]..row_start[c + 1]`, first those within the component.
    pub row_start: Vec<u32>,
    /// End of the entries within the component; length m.
    pub inner_end: Vec<u32>,
    /// Unknowns.
    pub columns: Vec<u32>,
    /// Normalised weights.
    pub values: Values,
    /// Constant part (rewards and known states); length m.
    pub constant: Intervals,
    /// Normalised weight of going to known states; length m.
    pub exit: Values,
    /// Component `k` has the unknowns `component_start[k]..component_start[k + 1]`.
    pub component_start: Vec<u32>,
    /// By choice: rows whose normalised weights doubles do not hold.
    pub wide: BTreeMap<u32, WideRow>,
}

/// A row with weights so small beside their sum that doubles lose them: they may decide nevertheless where a run leaves a component.
#[derive(Clone, Debug)]
pub struct WideRow {
    /// Normalised weights, in the order of the row.
    pub values: Vec<Wide>,
    /// Bounds of the constant part.
    pub constant: [Wide; 2],
    /// Normalised weight of going to known states.
    pub exit: Wide,
}

/// Normalised weights below this are lost.
const LOST: f64 = 1e-290;

/// Sums of weights above this are about to overflow.
const LARGEST: f64 = 1e305;

/// Intervals, in few bytes where few ends differ.
#[derive(Clone, Debug)]
pub struct Intervals {
    lo: Values,
    hi: Values,
}

impl Intervals {
    /// The interval at a position.
    #[inline]
    pub fn get(&self, i: usize) -> [f64; 2] {
        [self.lo.get(i), self.hi.get(i)]
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.lo.iter().zip(self.hi.iter()).map(|(lo, hi)| [lo, hi])
    }

    fn bytes(&self) -> u64 {
        self.lo.bytes() + self.hi.bytes()
    }
}

/// Numbers or intervals that are collected here are coded from this many on; below, that costs more than it saves.
const CODED: usize = 20_000;

/// Collects numbers; `count`: how many there are, about.
pub fn collect(count: usize, numbers: impl Iterator<Item = f64>) -> Values {
    if count >= CODED { numbers.collect() } else { numbers.collect::<Vec<f64>>().into() }
}

/// Collects intervals; `count`: how many there are, about.
pub fn collect_intervals(count: usize, intervals: impl Iterator<Item = [f64; 2]>) -> Intervals {
    if count < CODED {
        let (lo, hi): (Vec<f64>, Vec<f64>) = intervals.map(|[lo, hi]| (lo, hi)).unzip();
        return Intervals { lo: lo.into(), hi: hi.into() };
    }
    let mut builder = IntervalsBuilder::default();
    intervals.for_each(|interval| builder.push(interval));
    builder.finish()
}

/// Intervals under construction.
#[derive(Default)]
struct IntervalsBuilder {
    lo: ValuesBuilder,
    hi: ValuesBuilder,
}

impl IntervalsBuilder {
    fn push(&mut self, [lo, hi]: [f64; 2]) {
        self.lo.push(lo);
        self.hi.push(hi);
    }

    fn finish(self) -> Intervals {
        Intervals { lo: self.lo.finish(), hi: self.hi.finish() }
    }
}

/// The ingredients of a [`System`].
pub struct Parts<'a, R, K> {
    /// The space.
    pub space: &'a Space,
    /// The unknowns.
    pub classes: &'a Classes,
    /// The optimum that is taken over choices.
    pub optimum: Optimum,
    /// Choices that may be taken; `None`: all.
    pub allowed: Option<&'a BitSet>,
    /// Reward of a choice, not negative.
    pub reward: R,
    /// Bounds of the value of staying in a class for ever, for the first classes; empty where the equations imply it.
    pub stay: &'a [[f64; 2]],
    /// Bounds of the value of a state that is no unknown.
    pub known: K,
}

impl System {
    /// Puts the equations together.
    pub fn new<R, K>(parts: &Parts<R, K>) -> Self
    where
        R: Fn(usize) -> f64,
        K: Fn(usize) -> [f64; 2],
    {
        Self::build(parts, None).0
    }

    /// The same, with the choice of the space that each choice of the system was made from; that of a value of staying is
    /// the one before it.
    pub fn with_origins<R, K>(parts: &Parts<R, K>) -> (Self, Vec<u32>)
    where
        R: Fn(usize) -> f64,
        K: Fn(usize) -> [f64; 2],
    {
        let (system, origins) = Self::build(parts, Some(Vec::new()));
        (system, origins.unwrap_or_default())
    }

    fn build<R, K>(parts: &Parts<R, K>, origins: Option<Vec<u32>>) -> (Self, Option<Vec<u32>>)
    where
        R: Fn(usize) -> f64,
        K: Fn(usize) -> [f64; 2],
    {
        let Parts { space, classes, .. } = parts;
        let order = order(space, classes);
        let n = classes.count();
        // Class -> unknown.
        let mut place = vec![0u32; n];
        for (i, &class) in order.members.iter().enumerate() {
            place[class as usize] = i as u32;
        }
        let entries: usize = classes
            .members
            .iter()
            .map(|&s| space.choices_of(s as usize).map(|c| space.row(c).len()).sum::<usize>())
            .sum();
        let choices: usize = classes.members.iter().map(|&s| space.choices_of(s as usize).len()).sum();
        let unknown_of: Vec<u32> =
            classes.of.iter().map(|&c| if c == NONE { NONE } else { place[c as usize] }).collect();
        let mut builder = Builder {
            parts,
            unknown_of: &unknown_of,
            row_start: Vec::with_capacity(choices + 1),
            inner_end: Vec::with_capacity(choices),
            columns: Vec::with_capacity(entries),
            values: ValuesBuilder::new(),
            constant: IntervalsBuilder::default(),
            exit: ValuesBuilder::new(),
            wide: BTreeMap::new(),
            row: Vec::new(),
            current: 0,
            origins,
        };
        let mut choice_start = Vec::with_capacity(n + 1);
        choice_start.push(0);
        builder.row_start.push(0);
        for (k, component) in order.iter().enumerate() {
            let first = order.start[k];
            for &class in component {
                for &s in classes.states(class as usize) {
                    for choice in space.choices_of(s as usize) {
                        if parts.allowed.is_none_or(|a| a.contains(choice)) {
                            builder.choice(choice, place[class as usize], first);
                        }
                    }
                }
                if let Some(&value) = parts.stay.get(class as usize) {
                    builder.stay(value);
                }
                choice_start.push(builder.inner_end.len() as u32);
            }
        }
        let Builder {
            mut row_start, mut inner_end, mut columns, values, constant, exit, origins, wide, ..
        } = builder;
        row_start.shrink_to_fit();
        inner_end.shrink_to_fit();
        columns.shrink_to_fit();
        let system = System {
            optimum: parts.optimum,
            unknown_of,
            choice_start,
            row_start,
            inner_end,
            columns,
            values: values.finish(),
            constant: constant.finish(),
            exit: exit.finish(),
            component_start: order.start,
            wide,
        };
        (system, origins)
    }

    /// Whether doubles do not hold some of the rows of these choices.
    #[inline]
    pub fn needs_wide(&self, choices: &Range<usize>) -> bool {
        !self.wide.is_empty() && self.wide.range(choices.start as u32..choices.end as u32).next().is_some()
    }

    /// The row of a choice, whether doubles hold it or not.
    pub fn wide_row(&self, choice: usize) -> Cow<'_, WideRow> {
        if let Some(row) = self.wide.get(&(choice as u32)) {
            return Cow::Borrowed(row);
        }
        let row = self.row_start[choice] as usize..self.row_start[choice + 1] as usize;
        Cow::Owned(WideRow {
            values: self.values.range(row).map(Wide::of).collect(),
            constant: self.constant.get(choice).map(Wide::of),
            exit: Wide::of(self.exit.get(choice)),
        })
    }

    /// Number of unknowns.
    #[inline]
    pub fn unknowns(&self) -> usize {
        self.choice_start.len() - 1
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let places = self.unknown_of.len() + self.choice_start.len() + self.row_start.len();
        4 * (places + self.inner_end.len() + self.columns.len()) as u64
            + self.values.bytes()
            + self.constant.bytes()
            + self.exit.bytes()
    }
}

/// A system under construction, choice by choice.
struct Builder<'a, R, K> {
    parts: &'a Parts<'a, R, K>,
    unknown_of: &'a [u32],
    row_start: Vec<u32>,
    inner_end: Vec<u32>,
    columns: Vec<u32>,
    values: ValuesBuilder,
    constant: IntervalsBuilder,
    exit: ValuesBuilder,
    wide: BTreeMap<u32, WideRow>,
    /// Weights of the current row.
    row: Vec<f64>,
    /// The choice of the space whose row is added.
    current: u32,
    /// That of each row, where it is asked for.
    origins: Option<Vec<u32>>,
}

impl<R, K> Builder<'_, R, K>
where
    R: Fn(usize) -> f64,
    K: Fn(usize) -> [f64; 2],
{
    fn push(&mut self, constant: [f64; 2], exit: f64, inner_end: usize) {
        if let Some(origins) = &mut self.origins {
            origins.push(self.current);
        }
        self.constant.push(constant);
        self.exit.push(exit);
        self.inner_end.push(inner_end as u32);
        self.row_start.push(self.columns.len() as u32);
    }

    /// A choice that ends with a value.
    fn stay(&mut self, value: [f64; 2]) {
        self.push(value, 1.0, self.columns.len());
    }

    fn choice(&mut self, choice: usize, own: u32, first: u32) {
        let parts = self.parts;
        self.current = choice as u32;
        let mut sum = Sum::default();
        let mut exit = Sum::default();
        let mut known = [Sum::default(), Sum::default()];
        let reward = (parts.reward)(choice);
        // Products of positive numbers may become zero.
        let mut is_positive = reward > 0.0;
        let begin = self.columns.len();
        let mut least = f64::INFINITY;
        self.row.clear();
        for (t, v) in parts.space.transitions(choice) {
            let unknown = self.unknown_of[t];
            if unknown == own || v <= 0.0 {
                continue;
            }
            sum.add(v);
            least = least.min(v);
            if unknown == NONE {
                let [lo, hi] = (parts.known)(t);
                exit.add(v);
                known[0].add(v * lo);
                known[1].add(v * hi);
                is_positive |= hi > 0.0;
            } else {
                self.columns.push(unknown);
                self.row.push(v);
            }
        }
        let total = sum.value();
        if total <= 0.0 {
            return;
        }
        // Entries within the component first; Tarjan's order makes all others smaller than `first`.
        let (columns, values) = (&mut self.columns[begin..], &mut self.row);
        let mut inner = 0;
        for at in 0..columns.len() {
            if columns[at] >= first {
                columns.swap(at, inner);
                values.swap(at, inner);
                inner += 1;
            }
        }
        if least < total * LOST || total > LARGEST {
            let row = self.wide_choice(choice, reward);
            self.wide.insert(self.inner_end.len() as u32, row);
        }
        self.row.iter_mut().for_each(|v| *v /= total);
        self.values.extend(&self.row);
        known.iter_mut().for_each(|k| k.add(reward));
        let error = slack(12);
        let bound = |sum: Sum| sum.value() / total;
        let constant = [
            if known[0].value() > 0.0 { below(bound(known[0]), error) } else { 0.0 },
            if is_positive { above(bound(known[1]), error) } else { 0.0 },
        ];
        self.push(constant, exit.value() / total, begin + inner);
    }

    /// The row of a choice whose weights, not yet divided by their sum, are in `self.row`.
    fn wide_choice(&self, choice: usize, reward: f64) -> WideRow {
        let parts = self.parts;
        let [mut total, mut exit] = [WideTotal::default(); 2];
        let mut known = [WideTotal::default(); 2];
        known.iter_mut().for_each(|known| known.add(Wide::of(reward)));
        self.row.iter().for_each(|&v| total.add(Wide::of(v)));
        for (t, v) in parts.space.transitions(choice) {
            if self.unknown_of[t] == NONE && v > 0.0 {
                total.add(Wide::of(v));
                exit.add(Wide::of(v));
                let [lo, hi] = (parts.known)(t);
                known[0].add(Wide::of(v) * Wide::of(lo));
                known[1].add(Wide::of(v) * Wide::of(hi));
            }
        }
        let total = total.value();
        let error = slack(12);
        let [lo, hi] = known.map(|known| known.value() / total);
        WideRow {
            values: self.row.iter().map(|&v| Wide::of(v) / total).collect(),
            constant: [lo * Wide::of(1.0 - error), hi * Wide::of(1.0 + error)],
            exit: exit.value() / total,
        }
    }
}
