//! Numerical queries: the best value of one objective under the bounds of the others.
//!
//! On the line on which all other objectives have their bounds, the mixes of known points end somewhere, and the half-spaces
//! a little further; the facet where they end is the next direction (column generation of Dantzig and Wolfe).

use volvelle_logic::{Guarantee, StopReason, Value, gate};
use volvelle_solver::CheckError;
use volvelle_solver::interval::{self, Interval};

use super::query::{DIRECTIONS, INSIDE, Mix, PROGRESS, Search};
use super::separation::{Separation, separate};
use super::weighted::along;

impl Search<'_> {
    /// The best value of one objective under the bounds of the others; where some are strict, it may be approached only.
    pub(super) fn best(&mut self, of: usize) -> Result<(Value, Guarantee, StopReason), CheckError> {
        let thresholds = self.thresholds();
        let has_strict = self.targets.iter().any(|t| t.goal.is_strict());
        if has_strict && !self.achievable()? {
            return Ok((Value::Bool(false), gate::exact(), StopReason::Computed));
        }
        let inside = std::mem::take(&mut self.mix);
        let mut distance = f64::INFINITY;
        let mut bounds = [f64::NEG_INFINITY, f64::INFINITY];
        let mut stop = StopReason::IterationLimit;
        for _ in 0..DIRECTIONS {
            let least = self.targets[of].least();
            let lowest: Vec<f64> = thresholds.iter().map(|t| t.map_or(least, |t| t[0])).collect();
            if self.excluded(&lowest) {
                return Ok((Value::Bool(false), gate::exact(), StopReason::Computed));
            }
            bounds[1] = self.outer_end(of, &thresholds);
            let (separation, inner) = self.inner_end(of, &thresholds, bounds[1]);
            distance = separation.distance;
            if let Some((inner, mix)) = inner
                && inner > bounds[0]
            {
                bounds[0] = inner;
                self.mix = mix;
            } else if bounds[0] == f64::NEG_INFINITY {
                self.mix = separation.mix.clone();
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
            return Err(self.on_the_edge(distance));
        }
        let [lo, hi] = self.targets[of].value(bounds);
        // A gap this small is rounding.
        let rounding = 1e-12 * self.scale[of];
        if self.context.options.accepts(lo, hi) || bounds[1] - bounds[0] <= rounding {
            stop = StopReason::Converged;
        }
        if has_strict && !self.meets(&self.mix, &thresholds) {
            // A scheduler that meets strict bounds, too.
            self.mix.iter_mut().for_each(|(_, share)| *share *= 1.0 - INSIDE);
            self.mix.extend(inside.into_iter().map(|(q, share)| (q, share * INSIDE)));
        }
        let value = Value::Number(if lo == hi { lo } else { lo + 0.5 * (hi - lo) });
        Ok((value, gate::enclosed([lo, hi])?, stop))
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
        self.halves.iter().filter_map(end).fold(self.targets[of].most(), f64::min)
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
