//! Parameters of weights at which two states are as close as possible.
//!
//! Branch and bound over the box of parameter values. Exact distances at points are upper bounds of the
//! minimum. Within a box, every weight lies in an interval. The distance with intervals, where attacker and
//! defender both choose in the defender's favour, is a lower bound for all points of the box. The question
//! was posed by L. Foshammer, K. G. Larsen, A. Mariegaard, *Weighted Branching Simulation Distance for
//! Parametric Weighted Kripke Structures* (EPTCS 220, 2016).

mod crossing;
mod task;

pub use task::Task;

use crate::Failure;
use crate::distance::{Distance, distance, search};
use crate::game::answer::{Arena, Relaxed};
use dashu_ratio::RBig;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use volvelle_control::Control;
use volvelle_space::{NoWeights, integer_weights};

/// The best point found, and a bound for all others.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The values of the parameters.
    pub values: Vec<RBig>,
    /// The distance there.
    pub distance: Distance,
    /// A lower bound of the distance at all points of the box. If it equals `distance`, that is the minimum.
    pub lower: Distance,
    /// How many boxes were examined.
    pub boxes: u64,
}

/// Whether the distance can be made small enough.
#[derive(Clone, Debug, PartialEq)]
pub enum Feasible {
    /// At these values the distance is small enough.
    At {
        /// The values of the parameters.
        values: Vec<RBig>,
        /// The distance there.
        distance: Distance,
    },
    /// At no point of the box.
    Nowhere,
    /// Neither found nor excluded within the limit; with the best point found, if there is any.
    Unknown(Option<Optimum>),
}

/// A point of least distance, up to a tolerance: the search ends when no point can be better by more than
/// this. `None` if some weight is negative at all points that were tried; if the number of boxes sufficed, in
/// the whole box.
///
/// # Errors
/// A limit of `control` was reached, or weights are too large.
pub fn minimise(task: &Task, tolerance: &RBig, control: &Control) -> Result<Option<Optimum>, Failure> {
    let mut search = Branching::new(task, control);
    search.run(|best, lower| match (best, lower) {
        (Distance::Finite(best), Distance::Finite(lower)) => best - lower <= *tolerance,
        _ => best <= lower,
    })?;
    Ok(search.optimum())
}

/// A point at which the distance is at most `epsilon`, or the proof that there is none.
///
/// # Errors
/// A limit of `control` was reached, or weights are too large.
pub fn feasible(task: &Task, epsilon: &RBig, control: &Control) -> Result<Feasible, Failure> {
    let mut search = Branching::new(task, control);
    search.run(|best, lower| best.is_within(epsilon) || !lower.is_within(epsilon))?;
    let lower = search.lower();
    let optimum = search.optimum();
    Ok(match optimum {
        Some(Optimum { values, distance, .. }) if distance.is_within(epsilon) => {
            Feasible::At { values, distance }
        }
        _ if !lower.is_within(epsilon) => Feasible::Nowhere,
        other => Feasible::Unknown(other),
    })
}

/// Lower and upper ends by parameter.
type Ends = (Vec<RBig>, Vec<RBig>);

struct Branching<'a> {
    task: &'a Task<'a>,
    control: &'a Control<'a>,
    best: Option<(Distance, Vec<RBig>)>,
    /// Boxes ordered by lower bound, then by age.
    open: BinaryHeap<Reverse<(Distance, u64)>>,
    boxes: Vec<Ends>,
    /// The least bound of boxes that cannot be divided further, since numbers would become too large.
    stuck: Distance,
}

impl<'a> Branching<'a> {
    fn new(task: &'a Task<'a>, control: &'a Control<'a>) -> Self {
        let open = BinaryHeap::new();
        Branching { task, control, best: None, open, boxes: Vec::new(), stuck: Distance::Infinite }
    }

    /// Examines boxes until `is_done` returns true for the best distance and the lower bound.
    fn run(&mut self, is_done: impl Fn(&Distance, &Distance) -> bool) -> Result<(), Failure> {
        let parameters = &self.task.parametric.parameters;
        let low: Vec<RBig> = parameters.iter().map(|parameter| parameter.low.clone()).collect();
        let high: Vec<RBig> = parameters.iter().map(|parameter| parameter.high.clone()).collect();
        self.evaluate(&low)?;
        self.evaluate(&high)?;
        self.push((low, high), Distance::Finite(RBig::ZERO))?;
        loop {
            self.control.check()?;
            let best = self.best.as_ref().map_or(Distance::Infinite, |(distance, _)| distance.clone());
            if is_done(&best, &self.lower()) || self.boxes.len() as u64 >= self.task.boxes {
                return Ok(());
            }
            let Some(Reverse((bound, number))) = self.open.pop() else { return Ok(()) };
            let (low, high) = self.boxes[number as usize].clone();
            let widths = low.iter().zip(&high).map(|(low, high)| high - low);
            // The first of the widest parameters.
            let widest = widths.enumerate().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
            let Some((parameter, _)) = widest.filter(|(_, width)| *width > RBig::ZERO) else {
                // A single point, whose distance is known.
                self.stuck = self.stuck.clone().min(bound);
                continue;
            };
            let middle = (&low[parameter] + &high[parameter]) / RBig::from(2u8);
            let (mut left, mut right) = (high.clone(), low.clone());
            left[parameter] = middle.clone();
            right[parameter] = middle;
            self.push((low, left), bound.clone())?;
            self.push((right, high), bound)?;
        }
    }

    /// A lower bound for all points.
    fn lower(&self) -> Distance {
        let open = self.open.peek().map_or(Distance::Infinite, |Reverse((bound, _))| bound.clone());
        let best = self.best.as_ref().map_or(Distance::Infinite, |(best, _)| best.clone());
        open.min(self.stuck.clone()).min(best)
    }

    fn optimum(&self) -> Option<Optimum> {
        let (distance, values) = self.best.clone()?;
        Some(Optimum { values, distance, lower: self.lower(), boxes: self.boxes.len() as u64 })
    }

    /// Adds a box after trying points in it; `of_parent` is the bound of the box that contains it.
    fn push(&mut self, ends: Ends, of_parent: Distance) -> Result<(), Failure> {
        let middle: Vec<RBig> =
            ends.0.iter().zip(&ends.1).map(|(low, high)| (low + high) / RBig::from(2u8)).collect();
        self.evaluate(&middle)?;
        // Minima lie where lines cross, usually at fractions with small numbers, which halving need not meet.
        let simplest: Vec<RBig> = ends.0.iter().zip(&ends.1).map(|(low, high)| simplest(low, high)).collect();
        if simplest != middle {
            self.evaluate(&simplest)?;
        }
        if let ([low], [high]) = (&ends.0[..], &ends.1[..]) {
            for value in crossing::candidates(self.task, low, high, self.control)? {
                self.evaluate(&[value])?;
            }
        }
        match relaxed_distance(self.task, &ends, self.control) {
            Ok(Some(bound)) => {
                let bound = bound.max(of_parent);
                let is_better = self.best.as_ref().is_none_or(|(best, _)| bound < *best);
                if is_better && bound != Distance::Infinite {
                    self.open.push(Reverse((bound, self.boxes.len() as u64)));
                }
            }
            Ok(None) => {}
            Err(Failure::Overflow) => self.stuck = self.stuck.clone().min(of_parent),
            Err(failure) => return Err(failure),
        }
        self.boxes.push(ends);
        Ok(())
    }

    /// Tries a point. Points with negative weights, or with too fine ones, are skipped.
    fn evaluate(&mut self, values: &[RBig]) -> Result<(), Failure> {
        let Some(distance) = distance_at(self.task, values, self.control)? else { return Ok(()) };
        if self.best.as_ref().is_none_or(|(best, _)| distance < *best) {
            self.best = Some((distance, values.to_vec()));
        }
        Ok(())
    }
}

/// The number in a closed interval with the least denominator; the one nearest to 0 among several.
fn simplest(low: &RBig, high: &RBig) -> RBig {
    let size = |number: &RBig| (number.denominator().clone(), number.numerator().clone().into_parts().1);
    let ends = if size(low) <= size(high) { low } else { high };
    if low == high {
        return ends.clone();
    }
    let inside = RBig::simplest_in(low.clone(), high.clone());
    if size(&inside) < size(ends) { inside } else { ends.clone() }
}

fn distance_at(task: &Task, values: &[RBig], control: &Control) -> Result<Option<Distance>, Failure> {
    let structure = match task.parametric.at(values) {
        Ok(structure) => structure,
        Err(NoWeights::Negative(_) | NoWeights::TooFine) => return Ok(None),
    };
    match distance(&structure, task.s, task.t, task.kind, control) {
        Ok(distance) => Ok(Some(distance)),
        Err(Failure::Overflow) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// A lower bound for all points of a box; `None` if a weight is negative at all of them.
fn relaxed_distance(task: &Task, (low, high): &Ends, control: &Control) -> Result<Option<Distance>, Failure> {
    let skeleton = &task.parametric.skeleton;
    let mut ends = Vec::new();
    for weight in &task.parametric.weights {
        let (least, largest) = weight.range(low, high);
        if largest < RBig::ZERO {
            return Ok(None);
        }
        ends.extend([least.max(RBig::ZERO), largest]);
    }
    let (_, ends) = integer_weights(&ends).map_err(|_| Failure::Overflow)?;
    let by_step = |end: usize| {
        let steps = skeleton.steps().iter();
        steps.map(|step| ends[2 * step.weight as usize + end]).collect::<Vec<u64>>()
    };
    let largest = ends.iter().copied().max().unwrap_or(0).max(1);
    let largest = largest.checked_mul(skeleton.num_states() as u64 + 1).filter(|&sum| sum < 1 << 60);
    let relaxed = Relaxed { low: by_step(0), high: by_step(1) };
    let arena = Arena { structure: skeleton, relaxed: Some(relaxed) };
    let largest = largest.ok_or(Failure::Overflow)?;
    Ok(Some(Distance::of(search(&arena, task.kind, (task.s, task.t), largest, control)?)))
}
