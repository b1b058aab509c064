//! Pareto curves: the corner of the half-spaces that is farthest from all mixes of points gives the next direction, until
//! no corner is far.

use volvelle_logic::{Guarantee, StopReason, Value};
use volvelle_solver::CheckError;

use super::polytope::Polytope;
use super::query::{DIRECTIONS, PROGRESS, Search};
use super::separation::{Separation, separate};

/// The precision of a Pareto curve, in multiples of that of a number.
const COARSER: f64 = 100.0;

/// Most objectives of a Pareto curve.
const MOST: usize = 8;

impl Search<'_> {
    /// The curve of objectives that are all to be optimised.
    pub(super) fn pareto(&mut self) -> Result<(Value, Guarantee, StopReason), CheckError> {
        let d = self.targets.len();
        if d > MOST {
            return Err(CheckError::TooLarge { what: "objectives of one Pareto curve".to_string() });
        }
        let wanted = if self.context.options.relative {
            (self.context.options.precision * COARSER).min(0.1)
        } else {
            let largest = self.scale.iter().copied().fold(1.0, f64::max);
            self.context.options.precision * COARSER / largest
        };
        let high: Vec<f64> = (0..d)
            .map(|t| {
                let (weights, limit) = &self.halves[t];
                let most = if self.targets[t].probability { 1.0 } else { f64::INFINITY };
                (limit / weights[t] / self.scale[t]).min(most)
            })
            .collect();
        if high.iter().any(|h| !h.is_finite()) {
            return Err(CheckError::TooLarge { what: "steps to bound a reward from above".to_string() });
        }
        let low: Vec<f64> =
            self.targets.iter().map(|t| if t.least() == 0.0 { -1e-9 } else { -10.0 }).collect();
        let mut polytope = Polytope::new(&low, &high);
        let mut precision = f64::INFINITY;
        let mut stop = StopReason::IterationLimit;
        while self.halves.len() < DIRECTIONS {
            self.context.control.check()?;
            // Distances only shrink when points are added: the largest that is up to date is the largest.
            let mut games: Vec<Option<Separation>> = vec![None; polytope.corners.len()];
            let farthest = loop {
                let ranks = polytope.corners.iter().map(|c| c.rank).enumerate();
                let Some((c, rank)) = ranks.max_by(|a, b| a.1.total_cmp(&b.1)) else { break None };
                if let Some(separation) = games[c].take() {
                    break Some((rank, separation));
                }
                let separation = separate(&polytope.corners[c].at, &self.corners);
                polytope.corners[c].rank = separation.distance;
                games[c] = Some(separation);
            };
            let Some((rank, separation)) = farthest else { break };
            precision = rank.max(0.0);
            if precision <= wanted {
                stop = StopReason::Converged;
                break;
            }
            let farther = self.look(&separation.weights)?;
            let (weights, limit) = self.halves[self.halves.len() - 1].clone();
            let scaled: Vec<f64> = weights.iter().zip(&self.scale).map(|(w, s)| w * s).collect();
            let before = polytope.corners.len();
            let deepest = polytope
                .corners
                .iter()
                .map(|c| c.at.iter().zip(&scaled).map(|(y, w)| y * w).sum::<f64>() - limit);
            let depth = deepest.fold(f64::NEG_INFINITY, f64::max);
            polytope.cut(&scaled, limit);
            if farther <= PROGRESS && depth <= 10.0 * PROGRESS && before == polytope.corners.len() {
                break;
            }
        }
        let kept = self.front();
        let corners: Vec<Vec<f64>> = kept.iter().map(|&q| self.corners[q].clone()).collect();
        let lost = self.corners.iter().map(|c| separate(c, &corners).distance).fold(0.0, f64::max);
        let within = precision + lost + 1e-10;
        let precision = self.scale.iter().map(|s| within * s * (1.0 + 1e-9)).collect();
        Ok((Value::Pareto(self.values(kept)), Guarantee::Within { precision }, stop))
    }

    /// The points that no mix of others replaces.
    fn front(&self) -> Vec<usize> {
        let mut kept: Vec<usize> = (0..self.corners.len()).collect();
        let mut at = 0;
        while at < kept.len() && kept.len() > 1 {
            let others: Vec<Vec<f64>> =
                kept.iter().filter(|&&k| k != kept[at]).map(|&k| self.corners[k].clone()).collect();
            if separate(&self.corners[kept[at]], &others).distance <= 1e-9 {
                kept.remove(at);
            } else {
                at += 1;
            }
        }
        kept
    }

    /// Points as values of the objectives, sorted.
    fn values(&self, kept: Vec<usize>) -> Vec<Vec<f64>> {
        let value = |q: usize| -> Vec<f64> {
            let of = self.targets.iter().zip(&self.points[q]);
            of.map(|(target, &p)| {
                let [lo, hi] = target.value(p);
                if lo == hi { lo } else { lo + 0.5 * (hi - lo) }
            })
            .collect()
        };
        let mut points: Vec<Vec<f64>> = kept.into_iter().map(value).collect();
        points.sort_by(|a, b| {
            let first = a.iter().zip(b).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne());
            first.unwrap_or(std::cmp::Ordering::Equal)
        });
        points
    }
}
