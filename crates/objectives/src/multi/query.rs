//! The three kinds of query: choosing directions until the question is decided.
//!
//! *Achievability*: the point of all bounds is inside once it is below a mix of points that were found, and outside once a
//! half-space excludes it. *Numerical*: see `numerical`. *Pareto*: see `pareto`.

use volvelle_logic::{Answer, Goal, StopReason, Value, gate};
use volvelle_solver::interval::{self, Interval};
use volvelle_solver::{CheckError, Context};

use super::quotient::Quotient;
use super::separation::separate;
use super::stepwise::Stepwise;
use super::weighted::{Support, Weighted, along};

/// Directions that are tried.
pub(super) const DIRECTIONS: usize = 2000;

/// A new point that is farther by less than this, in parts of the scale, is no progress.
pub(super) const PROGRESS: f64 = 1e-11;

/// Share of a scheduler that meets strict bounds in one that is best as if they were not strict.
pub(super) const INSIDE: f64 = 1e-6;

/// Bounds that are missed by less than this, in parts of the scale, are missed by rounding.
const ROUNDING: f64 = 1e-9;

/// An objective as a coordinate.
pub struct Target {
    /// Its number in the quotient.
    pub number: usize,
    /// Whether it is a probability; otherwise a reward.
    pub probability: bool,
    /// The bound, or the direction of optimisation.
    pub goal: Goal,
    /// Bounds of the bound.
    pub bound: Interval,
    /// The coordinate is the objective (negated where it is to be small) without this.
    pub offset: Interval,
    /// Whether the coordinate is that of a cost: not positive.
    pub cost: bool,
}

impl Target {
    fn small(&self) -> bool {
        self.goal.is_small()
    }

    /// Bounds of the coordinate's lower bound; `None` where it is to be optimised.
    fn threshold(&self) -> Option<Interval> {
        self.goal.bound()?;
        let [lo, hi] = self.bound;
        match (self.small(), self.probability) {
            (false, true) => Some(self.bound),
            (true, true) => interval::sub([1.0; 2], self.bound),
            (false, false) => interval::sub(self.bound, self.offset),
            (true, false) => interval::sub([-hi, -lo], self.offset),
        }
    }

    /// The largest value of the coordinate that a scheduler can have.
    pub(super) fn most(&self) -> f64 {
        match (self.probability, self.cost) {
            (true, _) => 1.0,
            (false, true) => 0.0,
            (false, false) => f64::INFINITY,
        }
    }

    /// From bounds of the coordinate to those of the objective.
    pub(super) fn value(&self, [lo, hi]: Interval) -> Interval {
        let with_offset =
            || interval::add([lo, hi], self.offset).unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let value = match (self.small(), self.probability) {
            (false, true) => [lo, hi],
            (true, true) => interval::sub([1.0; 2], [lo, hi]).unwrap_or([0.0, 1.0]),
            (false, false) => with_offset(),
            (true, false) => {
                let [lo, hi] = with_offset();
                [-hi, -lo]
            }
        };
        let value = value.map(|v| v + 0.0);
        if self.probability { value.map(|v| v.clamp(0.0, 1.0)) } else { value }
    }

    /// The least value of the coordinate that a scheduler can have.
    pub(super) fn least(&self) -> f64 {
        if self.cost && !self.probability { f64::NEG_INFINITY } else { 0.0 }
    }
}

/// Where supporting half-spaces come from.
enum Source<'a> {
    /// Policies of a quotient.
    Policies(Box<Weighted<'a>>),
    /// Value iteration over a number of steps.
    Steps(Stepwise<'a>),
}

impl Source<'_> {
    fn support(&mut self, weights: &[f64]) -> Result<Support, CheckError> {
        match self {
            Source::Policies(weighted) => weighted.support(weights),
            Source::Steps(stepwise) => stepwise.support(weights),
        }
    }

    /// The policy of the last support.
    fn policy(&self) -> &[u32] {
        match self {
            Source::Policies(weighted) => weighted.policy(),
            // Choices depend on the step: such schedulers come from the product with a counter.
            Source::Steps(_) => &[],
        }
    }

    /// States of the product.
    fn num_states(&self) -> usize {
        match self {
            Source::Policies(weighted) => weighted.num_states(),
            Source::Steps(stepwise) => stepwise.num_states(),
        }
    }

    fn name(&self) -> String {
        match self {
            Source::Policies(_) => "policy iteration".to_string(),
            Source::Steps(stepwise) => format!("value iteration ({} steps)", stepwise.steps()),
        }
    }
}

/// The achievable set as far as it is known. Coordinates are those of the targets.
pub(super) struct Search<'a> {
    pub(super) context: &'a Context<'a>,
    source: Source<'a>,
    pub(super) targets: &'a [Target],
    pub(super) scale: Vec<f64>,
    pub(super) points: Vec<Vec<Interval>>,
    /// The policy of each point, where they are kept.
    policies: Option<Vec<Vec<u32>>>,
    /// The mix of points that proves the answer.
    pub(super) mix: Mix,
    /// Lower ends of the points, scaled.
    pub(super) corners: Vec<Vec<f64>>,
    /// Half-spaces `weights · y <= limit`, not scaled.
    pub(super) halves: Vec<(Vec<f64>, f64)>,
}

/// Points with their shares in a mix.
pub(super) type Mix = Vec<(usize, f64)>;

/// Policies of the quotient with their shares in a mix.
pub type Mixed = Vec<(f64, Vec<u32>)>;

/// The mix of policies that meets all bounds, and is best for the objective that is optimised; it is empty where none does.
/// A mix that misses bounds on the border by no more than rounding is one, too: fractions decided that they are met.
pub fn mix(
    context: &Context,
    quotient: &Quotient,
    cost: &[bool],
    targets: &[Target],
    product: &str,
) -> Result<Mixed, CheckError> {
    let mut mixed = Vec::new();
    let source = Source::Policies(Box::new(Weighted::new(context, quotient, cost)));
    match search(context, source, targets, product, Some(&mut mixed)) {
        Err(CheckError::OnTheEdge { distance, .. }) if distance <= ROUNDING && !mixed.is_empty() => Ok(mixed),
        Ok(answer) if answer.value == Value::Bool(false) => Ok(Vec::new()),
        found => found.map(|_| mixed),
    }
}

/// Answers a query; without a quotient, every scheduler has an infinite cost.
pub fn answer(
    context: &Context,
    quotient: Option<&Quotient>,
    cost: &[bool],
    targets: &[Target],
    product: &str,
) -> Result<Answer, CheckError> {
    let Some(quotient) = quotient else { return Ok(no_finite_cost(product)) };
    search(
        context,
        Source::Policies(Box::new(Weighted::new(context, quotient, cost))),
        targets,
        product,
        None,
    )
}

/// Answers a query about rewards over numbers of steps.
pub fn answer_by_steps(
    context: &Context,
    stepwise: Stepwise,
    targets: &[Target],
) -> Result<Answer, CheckError> {
    search(context, Source::Steps(stepwise), targets, "no product", None)
}

/// The answer where every scheduler has an infinite cost.
pub fn no_finite_cost(product: &str) -> Answer {
    Answer {
        value: Value::Bool(false),
        guarantee: gate::exact(),
        compared: None,
        exact: Vec::new(),
        method: format!("{product}, every scheduler has an infinite reward (graph analysis)"),
        stop: StopReason::Computed,
        initially: None,
    }
}

fn search(
    context: &Context,
    source: Source,
    targets: &[Target],
    product: &str,
    mixed: Option<&mut Mixed>,
) -> Result<Answer, CheckError> {
    let name = source.name();
    let optimised: Vec<usize> = (0..targets.len()).filter(|&t| targets[t].threshold().is_none()).collect();
    let mut search = Search {
        context,
        source,
        targets,
        scale: vec![1.0; targets.len()],
        points: Vec::new(),
        policies: mixed.is_some().then(Vec::new),
        mix: Vec::new(),
        corners: Vec::new(),
        halves: Vec::new(),
    };
    search.begin()?;
    let found = match optimised.as_slice() {
        [] => search.achievable().map(|met| (Value::Bool(met), gate::exact(), StopReason::Computed)),
        [one] => search.best(*one),
        _ => search.pareto(),
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
    let (value, guarantee, stop) = found?;
    let directions = match search.halves.len() {
        1 => "1 direction".to_string(),
        n => format!("{n} directions"),
    };
    let method = match (&value, optimised.len()) {
        (Value::Bool(false), 1) => format!("{product}, no scheduler meets the bounds ({directions})"),
        _ => format!("{product}, {name} in {directions}"),
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
        let support = self.source.support(&weights)?;
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
                policies.push(self.source.policy().to_vec());
                let held = policies.len() * 4 * self.source.policy().len();
                self.context.control.check_memory(held as u64)?;
            }
        }
        Ok(farther)
    }

    /// The thresholds, scaled; a number for the one that is optimised.
    pub(super) fn place(&self, thresholds: &[Option<Interval>], value: f64) -> Vec<f64> {
        let scaled = thresholds.iter().zip(&self.scale);
        scaled.map(|(t, s)| t.map_or(value, |t| t[1]) / s).collect()
    }

    /// Whether a half-space excludes all points that meet the bounds, given lower bounds of their coordinates. On the border
    /// of a half-space there is none that meets a strict bound that counts in its direction.
    pub(super) fn excluded(&self, point: &[f64]) -> bool {
        let strict = |t: usize| self.targets[t].goal.is_strict();
        let too_much = |t: usize| {
            let most = self.targets[t].most();
            point[t] > most || point[t] == most && strict(t)
        };
        if (0..point.len()).any(too_much) {
            return true;
        }
        let bounds: Vec<Interval> = point.iter().map(|&p| [p; 2]).collect();
        self.halves.iter().any(|(weights, limit)| {
            let counted = weights.iter().zip(point).all(|(&w, p)| w == 0.0 || p.is_finite());
            let reached = || along(weights, &bounds)[0];
            let is_strict = || (0..point.len()).any(|t| weights[t] > 0.0 && strict(t));
            counted && (reached() > *limit || reached() == *limit && is_strict())
        })
    }

    /// Bounds of a coordinate of a mix.
    pub(super) fn mixed(&self, mix: &[(usize, f64)], t: usize) -> Interval {
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

    /// Whether a mix certainly meets all thresholds, strict ones too.
    pub(super) fn meets(&self, mix: &[(usize, f64)], thresholds: &[Option<Interval>]) -> bool {
        let strictly =
            |t: usize, bound: Interval| !self.targets[t].goal.is_strict() || self.mixed(mix, t)[0] > bound[1];
        let mut all = thresholds.iter().enumerate();
        self.satisfies(mix, thresholds) && all.all(|(t, bound)| bound.is_none_or(|b| strictly(t, b)))
    }

    /// Whether a mix certainly meets all thresholds, as if none was strict.
    pub(super) fn satisfies(&self, mix: &[(usize, f64)], thresholds: &[Option<Interval>]) -> bool {
        let all = thresholds.iter().enumerate();
        all.filter_map(|(t, threshold)| Some((t, (*threshold)?)))
            .all(|(t, bound)| self.mixed(mix, t)[0] >= bound[1])
    }

    pub(super) fn on_the_edge(&self, distance: f64) -> CheckError {
        CheckError::OnTheEdge { distance, states: self.source.num_states() }
    }

    pub(super) fn thresholds(&self) -> Vec<Option<Interval>> {
        self.targets.iter().map(Target::threshold).collect()
    }

    /// Whether some mix meets all bounds; the objective that is optimised, if any, does not count.
    pub(super) fn achievable(&mut self) -> Result<bool, CheckError> {
        let thresholds = self.thresholds();
        let bounded: Vec<usize> = (0..thresholds.len()).filter(|&t| thresholds[t].is_some()).collect();
        let place = self.place(&thresholds, 0.0);
        let v: Vec<f64> = bounded.iter().map(|&t| place[t]).collect();
        let least = |t: usize| self.targets[t].least();
        let lowest: Vec<f64> =
            thresholds.iter().enumerate().map(|(t, b)| b.map_or(least(t), |b| b[0])).collect();
        let mut distance = f64::INFINITY;
        for _ in 0..DIRECTIONS {
            if self.excluded(&lowest) {
                return Ok(false);
            }
            let corners: Vec<Vec<f64>> =
                self.corners.iter().map(|c| bounded.iter().map(|&t| c[t]).collect()).collect();
            let separation = separate(&v, &corners);
            let met = self.meets(&separation.mix, &thresholds);
            self.mix = separation.mix;
            if !met && self.targets.iter().any(|t| t.goal.is_strict()) {
                // Points that meet the bounds as if none was strict: some may meet one strictly, others another.
                let fits = |q: &usize| self.satisfies(&[(*q, 1.0)], &thresholds);
                let fitting: Vec<usize> = (0..self.points.len()).filter(fits).collect();
                let mix: Mix = fitting.iter().map(|&q| (q, 1.0 / fitting.len() as f64)).collect();
                if !mix.is_empty() && self.meets(&mix, &thresholds) {
                    self.mix = mix;
                    return Ok(true);
                }
            }
            if met {
                return Ok(true);
            }
            distance = separation.distance;
            let mut weights = vec![0.0; thresholds.len()];
            bounded.iter().zip(separation.weights).for_each(|(&t, w)| weights[t] = w);
            if self.look(&weights)? <= PROGRESS && !self.excluded(&lowest) {
                break;
            }
        }
        Err(self.on_the_edge(distance))
    }
}
