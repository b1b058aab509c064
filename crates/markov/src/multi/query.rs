//! The three kinds of query: choosing directions until the question is decided.
//!
//! *Achievability*: the point of all bounds is inside once it is below a mix of points that were found, and outside once a
//! half-space excludes it. *Numerical*: on the line on which all other objectives have their bounds, the mixes end
//! somewhere, and the half-spaces a little further; the facet where they end is the next direction (column generation of
//! Dantzig and Wolfe). *Pareto*: see `pareto`.

use volvelle_logic::{Answer, Goal, Guarantee, StopReason, Value};

use super::quotient::Quotient;
use super::separation::{Separation, separate};
use super::weighted::{Weighted, along};
use crate::context::Context;
use crate::error::CheckError;
use crate::interval::{self, Interval};

/// Directions that are tried.
pub(super) const DIRECTIONS: usize = 2000;

/// A new point that is farther by less than this, in parts of the scale, is no progress.
pub(super) const PROGRESS: f64 = 1e-11;

/// An objective as a coordinate.
pub struct Target {
    /// Its number in the quotient.
    pub number: usize,
    /// Whether it is a probability; otherwise a reward.
    pub probability: bool,
    /// The bound, or the direction of optimisation.
    pub goal: Goal,
}

impl Target {
    fn small(&self) -> bool {
        matches!(self.goal, Goal::Minimise | Goal::AtMost(_))
    }

    /// Bounds of the coordinate's lower bound; `None` where it is to be optimised.
    fn threshold(&self) -> Option<Interval> {
        match self.goal {
            Goal::Maximise | Goal::Minimise => None,
            Goal::AtLeast(bound) => Some([bound; 2]),
            Goal::AtMost(bound) if self.probability => interval::sub([1.0; 2], [bound; 2]),
            Goal::AtMost(bound) => Some([-bound; 2]),
        }
    }

    /// From bounds of the coordinate to those of the objective.
    pub(super) fn value(&self, [lo, hi]: Interval) -> Interval {
        let value = match (self.small(), self.probability) {
            (false, _) => [lo, hi],
            (true, true) => interval::sub([1.0; 2], [lo, hi]).unwrap_or([0.0, 1.0]),
            (true, false) => [-hi, -lo],
        };
        let value = value.map(|v| v + 0.0);
        if self.probability { value.map(|v| v.clamp(0.0, 1.0)) } else { value }
    }

    /// The least value of the coordinate that a scheduler can have.
    pub(super) fn least(&self) -> f64 {
        if self.small() && !self.probability { f64::NEG_INFINITY } else { 0.0 }
    }
}

/// The achievable set as far as it is known. Coordinates are those of the targets.
pub(super) struct Search<'a> {
    pub(super) context: &'a Context<'a>,
    weighted: Weighted<'a>,
    pub(super) targets: &'a [Target],
    pub(super) scale: Vec<f64>,
    pub(super) points: Vec<Vec<Interval>>,
    /// The policy of each point, where they are kept.
    policies: Option<Vec<Vec<u32>>>,
    /// The mix of points that proves the answer.
    mix: Mix,
    /// Lower ends of the points, scaled.
    pub(super) corners: Vec<Vec<f64>>,
    /// Half-spaces `weights · y <= limit`, not scaled.
    pub(super) halves: Vec<(Vec<f64>, f64)>,
}

/// Points with their shares in a mix.
type Mix = Vec<(usize, f64)>;

/// Policies of the quotient with their shares in a mix.
pub type Mixed = Vec<(f64, Vec<u32>)>;

/// Answers a query, like [`answer`], and gives the mix of policies that meets all bounds; it is empty where none does.
pub fn answer_with_mix(
    context: &Context,
    quotient: &Quotient,
    cost: &[bool],
    targets: &[Target],
    product: &str,
) -> Result<(Answer, Mixed), CheckError> {
    let mut mixed = Vec::new();
    let answer = search(context, quotient, cost, targets, product, Some(&mut mixed))?;
    Ok((answer, mixed))
}

/// Answers a query; without a quotient, every scheduler has an infinite cost.
pub fn answer(
    context: &Context,
    quotient: Option<&Quotient>,
    cost: &[bool],
    targets: &[Target],
    product: &str,
) -> Result<Answer, CheckError> {
    let optimised: Vec<usize> = (0..targets.len()).filter(|&t| targets[t].threshold().is_none()).collect();
    let Some(quotient) = quotient else {
        if !optimised.is_empty() {
            return Err(CheckError::EndlessCost);
        }
        return Ok(Answer {
            value: Value::Bool(false),
            guarantee: Guarantee::Exact,
            compared: None,
            exact: Vec::new(),
            method: format!("{product}, graph analysis"),
            stop: StopReason::Computed,
            initially: None,
        });
    };
    search(context, quotient, cost, targets, product, None)
}

fn search(
    context: &Context,
    quotient: &Quotient,
    cost: &[bool],
    targets: &[Target],
    product: &str,
    mixed: Option<&mut Mixed>,
) -> Result<Answer, CheckError> {
    let optimised: Vec<usize> = (0..targets.len()).filter(|&t| targets[t].threshold().is_none()).collect();
    let mut search = Search {
        context,
        weighted: Weighted::new(context, quotient, cost),
        targets,
        scale: vec![1.0; targets.len()],
        points: Vec::new(),
        policies: mixed.is_some().then(Vec::new),
        mix: Vec::new(),
        corners: Vec::new(),
        halves: Vec::new(),
    };
    search.begin()?;
    let (value, guarantee, stop) = match optimised.as_slice() {
        [] => (Value::Bool(search.achievable()?), Guarantee::Exact, StopReason::Computed),
        [one] => search.best(*one)?,
        _ => search.pareto()?,
    };
    if let (Some(mixed), Some(policies)) = (mixed, &search.policies) {
        // Shares that only make up for rounding are left out: chance knows no such probabilities.
        for &(q, part) in search.mix.iter().filter(|(_, part)| *part > 1e-12) {
            match mixed.iter_mut().find(|(_, known)| *known == policies[q]) {
                Some((share, _)) => *share += part,
                None => mixed.push((part, policies[q].clone())),
            }
        }
    }
    let directions = match search.halves.len() {
        1 => "1 direction".to_string(),
        n => format!("{n} directions"),
    };
    let method = match (&value, optimised.len()) {
        (Value::Bool(false), 1) => format!("{product}, no scheduler meets the bounds ({directions})"),
        _ => format!("{product}, policy iteration in {directions}"),
    };
    Ok(Answer { value, guarantee, compared: None, exact: Vec::new(), method, stop, initially: None })
}

impl Search<'_> {
    /// Optimises every objective on its own, and takes the scales from the results.
    fn begin(&mut self) -> Result<(), CheckError> {
        for t in 0..self.targets.len() {
            let mut weights = vec![0.0; self.targets.len()];
            weights[t] = 1.0;
            self.look(&weights)?;
        }
        for (t, target) in self.targets.iter().enumerate().filter(|(_, t)| !t.probability) {
            let largest = self.points.iter().map(|p| p[t][0].abs().max(p[t][1].abs())).fold(0.0, f64::max);
            self.scale[t] = if largest > 0.0 { largest } else { 1.0 };
            debug_assert!(!target.probability);
        }
        self.corners = self.points.iter().map(|p| self.scaled(p)).collect();
        Ok(())
    }

    fn scaled(&self, point: &[Interval]) -> Vec<f64> {
        point.iter().zip(&self.scale).map(|(p, s)| p[0] / s).collect()
    }

    /// Adds the half-space and the point of a direction; returns how much farther than all points so far the new one lies,
    /// scaled.
    pub(super) fn look(&mut self, scaled: &[f64]) -> Result<f64, CheckError> {
        let mut weights = vec![0.0; scaled.len()];
        for ((target, w), s) in self.targets.iter().zip(scaled).zip(&self.scale) {
            weights[target.number] = w / s;
        }
        let support = self.weighted.support(&weights)?;
        let of_target = |list: &[f64]| self.targets.iter().map(|t| list[t.number]).collect::<Vec<f64>>();
        let point: Vec<Interval> = self.targets.iter().map(|t| support.point[t.number]).collect();
        self.halves.push((of_target(&support.weights), support.limit));
        let corner = self.scaled(&point);
        let along = |c: &Vec<f64>| c.iter().zip(scaled).map(|(y, w)| y * w).sum::<f64>();
        let before = self.corners.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
        let farther = along(&corner) - before;
        if !self.corners.contains(&corner) {
            self.corners.push(corner);
            self.points.push(point);
            if let Some(policies) = &mut self.policies {
                policies.push(self.weighted.policy().to_vec());
                let held = policies.len() * 4 * self.weighted.policy().len();
                self.context.control.check_memory(held as u64)?;
            }
        }
        Ok(farther)
    }

    /// The thresholds, scaled; a number for the one that is optimised.
    fn place(&self, thresholds: &[Option<Interval>], value: f64) -> Vec<f64> {
        let scaled = thresholds.iter().zip(&self.scale);
        scaled.map(|(t, s)| t.map_or(value, |t| t[1]) / s).collect()
    }

    /// Whether the last half-space excludes a point given by lower bounds of its coordinates.
    fn excluded(&self, point: &[f64]) -> bool {
        let bounds: Vec<Interval> = point.iter().map(|&p| [p; 2]).collect();
        self.halves.iter().any(|(weights, limit)| {
            let counted = weights.iter().zip(point).all(|(&w, p)| w == 0.0 || p.is_finite());
            counted && along(weights, &bounds)[0] > *limit
        })
    }

    /// Bounds of a coordinate of a mix.
    fn mixed(&self, mix: &[(usize, f64)], t: usize) -> Interval {
        let values = mix.iter().map(|&(q, _)| self.points[q][t]);
        let hull = values.fold([f64::INFINITY, f64::NEG_INFINITY], |h, p| [h[0].min(p[0]), h[1].max(p[1])]);
        let (Some((&first, rest)), true) = (mix.split_first(), hull[0] < hull[1]) else { return hull };
        // The first has what the others leave.
        let mut share = [1.0; 2];
        let mut sum = [0.0; 2];
        for &(q, part) in rest {
            share = interval::sub(share, [part; 2]).unwrap_or([0.0, 1.0]);
            let product = interval::mul([part; 2], self.points[q][t]);
            sum = product.and_then(|p| interval::add(sum, p)).unwrap_or(hull);
        }
        if share[0] < 0.0 {
            return hull;
        }
        let product = interval::mul(share, self.points[first.0][t]);
        let sum = product.and_then(|p| interval::add(sum, p)).unwrap_or(hull);
        [sum[0].max(hull[0]), sum[1].min(hull[1])]
    }

    /// Whether a mix certainly meets all thresholds.
    fn satisfies(&self, mix: &[(usize, f64)], thresholds: &[Option<Interval>]) -> bool {
        let all = thresholds.iter().enumerate();
        all.filter_map(|(t, threshold)| Some((t, (*threshold)?)))
            .all(|(t, bound)| self.mixed(mix, t)[0] >= bound[1])
    }

    fn thresholds(&self) -> Vec<Option<Interval>> {
        self.targets.iter().map(Target::threshold).collect()
    }

    fn achievable(&mut self) -> Result<bool, CheckError> {
        let thresholds = self.thresholds();
        let v = self.place(&thresholds, 0.0);
        let lowest: Vec<f64> = thresholds.iter().map(|t| t.map_or(0.0, |t| t[0])).collect();
        let mut distance = f64::INFINITY;
        for _ in 0..DIRECTIONS {
            if self.excluded(&lowest) {
                return Ok(false);
            }
            let separation = separate(&v, &self.corners);
            if self.satisfies(&separation.mix, &thresholds) {
                self.mix = separation.mix;
                return Ok(true);
            }
            distance = separation.distance;
            if self.look(&separation.weights)? <= PROGRESS && !self.excluded(&lowest) {
                break;
            }
        }
        Err(CheckError::OnTheEdge { distance })
    }

    /// The best value of one objective under the bounds of the others.
    fn best(&mut self, of: usize) -> Result<(Value, Guarantee, StopReason), CheckError> {
        let thresholds = self.thresholds();
        let mut distance = f64::INFINITY;
        let mut bounds = [f64::NEG_INFINITY, f64::INFINITY];
        let mut stop = StopReason::IterationLimit;
        for _ in 0..DIRECTIONS {
            let least = self.targets[of].least();
            let lowest: Vec<f64> = thresholds.iter().map(|t| t.map_or(least, |t| t[0])).collect();
            if self.excluded(&lowest) {
                return Ok((Value::Bool(false), Guarantee::Exact, StopReason::Computed));
            }
            bounds[1] = self.outer_end(of, &thresholds);
            let (separation, inner) = self.inner_end(of, &thresholds, bounds[1]);
            distance = separation.distance;
            if let Some((inner, mix)) = inner
                && inner > bounds[0]
            {
                bounds[0] = inner;
                self.mix = mix;
            }
            let [lo, hi] = self.targets[of].value(bounds);
            if bounds[0] > f64::NEG_INFINITY && self.context.options.accepts(lo, hi) {
                stop = StopReason::Converged;
                break;
            }
            if self.look(&separation.weights)? <= PROGRESS && !self.excluded(&lowest) {
                let before = bounds[1];
                bounds[1] = self.outer_end(of, &thresholds);
                if bounds[1] >= before {
                    break;
                }
            }
        }
        if bounds[0] == f64::NEG_INFINITY {
            return Err(CheckError::OnTheEdge { distance });
        }
        let [lo, hi] = self.targets[of].value(bounds);
        // A gap this small is rounding.
        let rounding = 1e-12 * self.scale[of];
        if self.context.options.accepts(lo, hi) || bounds[1] - bounds[0] <= rounding {
            stop = StopReason::Converged;
        }
        let value = Value::Number(if lo == hi { lo } else { lo + 0.5 * (hi - lo) });
        let guarantee = if lo == hi { Guarantee::Exact } else { Guarantee::Sound { lo, hi } };
        Ok((value, guarantee, stop))
    }

    /// An upper bound of a coordinate where the others have their thresholds.
    fn outer_end(&self, of: usize, thresholds: &[Option<Interval>]) -> f64 {
        let end = |(weights, limit): &(Vec<f64>, f64)| -> Option<f64> {
            if weights[of] <= 0.0 {
                return None;
            }
            let others: Vec<Interval> = thresholds.iter().map(|t| t.unwrap_or([0.0; 2])).collect();
            let rest = interval::sub([*limit; 2], along(weights, &others))?;
            Some(interval::div(rest, [weights[of]; 2])?[1])
        };
        let most = if self.targets[of].probability { 1.0 } else { f64::INFINITY };
        let cost = self.targets[of].small() && !self.targets[of].probability;
        let most = if cost { 0.0 } else { most };
        self.halves.iter().filter_map(end).fold(most, f64::min)
    }

    /// The largest value of a coordinate among mixes where the others have their thresholds, by Newton's method from a point
    /// beyond: the last separation, whose direction is that of the facet there, and a value that is certainly reached.
    fn inner_end(
        &self,
        of: usize,
        thresholds: &[Option<Interval>],
        beyond: f64,
    ) -> (Separation, Option<(f64, Mix)>) {
        let mut v = self.place(thresholds, beyond);
        let mut separation = separate(&v, &self.corners);
        for _ in 0..200 {
            if separation.distance <= 1e-14 {
                break;
            }
            if separation.weights[of] <= 1e-11 {
                return (separation, None);
            }
            let next = v[of] - separation.distance / separation.weights[of];
            if next >= v[of] {
                break;
            }
            v[of] = next;
            let better = separate(&v, &self.corners);
            let done = better.distance.abs() <= 1e-14;
            // The direction of a point beyond the mixes separates; that of a point within does not.
            if better.distance > 0.0 {
                separation = better;
            } else {
                separation.mix = better.mix;
                break;
            }
            if done {
                break;
            }
        }
        let value = self.certified(of, thresholds, &separation.mix);
        (separation, value)
    }

    /// A lower bound of what is achieved next to a mix that may miss the thresholds by rounding, and the mix that achieves it.
    fn certified(
        &self,
        of: usize,
        thresholds: &[Option<Interval>],
        mix: &[(usize, f64)],
    ) -> Option<(f64, Mix)> {
        let reached = self.mixed(mix, of)[0];
        if self.satisfies(mix, thresholds) {
            return Some((reached, mix.to_vec()));
        }
        // A mix with room everywhere: the coordinate in question does not count.
        let others: Vec<usize> = (0..thresholds.len()).filter(|&t| t != of).collect();
        let v: Vec<f64> = self.place(thresholds, 0.0);
        let v: Vec<f64> = others.iter().map(|&t| v[t]).collect();
        let corners: Vec<Vec<f64>> =
            self.corners.iter().map(|c| others.iter().map(|&t| c[t]).collect()).collect();
        let inside = separate(&v, &corners).mix;
        if !self.satisfies(&inside, thresholds) {
            return None;
        }
        // A convex combination of the two meets them.
        let mut share = 0.0f64;
        for &t in &others {
            let Some(bound) = thresholds[t] else { continue };
            let (missing, room) = (bound[1] - self.mixed(mix, t)[0], self.mixed(&inside, t)[0] - bound[1]);
            if missing > 0.0 {
                let missing = missing + 1e-15 * (bound[1].abs() + self.scale[t]);
                share = share.max(missing / (missing + room) * (1.0 + 1e-9));
            }
        }
        if share.is_nan() || share >= 1.0 {
            return Some((self.mixed(&inside, of)[0], inside));
        }
        let mixed = |t: usize| {
            let inside = interval::mul([share; 2], self.mixed(&inside, t));
            let rest = interval::sub([1.0; 2], [share; 2]).and_then(|r| interval::mul(r, self.mixed(mix, t)));
            inside.zip(rest).and_then(|(a, b)| interval::add(a, b)).map(|sum| sum[0])
        };
        let fits = |&t: &usize| thresholds[t].is_none_or(|b| mixed(t).is_some_and(|m| m >= b[1]));
        let reached = mixed(of).filter(|_| others.iter().all(fits));
        let Some(reached) = reached else { return Some((self.mixed(&inside, of)[0], inside)) };
        let both = inside.iter().map(|&(q, part)| (q, share * part));
        let both = both.chain(mix.iter().map(|&(q, part)| (q, (1.0 - share) * part)));
        Some((reached, both.collect()))
    }
}
