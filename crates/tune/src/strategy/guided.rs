//! Guided search: the order that a model predicts, refined by measurements.
//!
//! A Gaussian process learns the logarithm of the time, or of its ratio to the model's prediction. The next
//! configuration is chosen in turns: the one with the greatest expected improvement (Jones, Schonlau and
//! Welch, doi:10.1023/A:1008306431147), and the one expected to be best among the neighbours of the best
//! known one. A model decides the first configurations: its best one, and the best ones with other values. It
//! is trusted where nothing is known. Without a model, the search begins with a few configurations far from
//! each other.

use super::features::Coordinates;
use super::surrogate::{Point, Surrogate};
use super::{Draw, Outcome, Prediction, Random, Strategy};
use crate::space::{ConfigurationId, Neighbourhood, Space};
use rustc_hash::FxHashSet;

/// Limit of configurations compared for the next measurement. A small space is compared as a whole; of a
/// larger one, some random configurations and those around the best.
const CANDIDATES: u64 = 4096;

/// Guided search.
pub struct Guided {
    coordinates: Coordinates,
    candidates: Vec<Candidate>,
    is_whole_space: bool,
    /// Centres and scales the logarithms of predictions.
    trend: Option<Trend>,
    /// Configurations that were measured or are being measured.
    known: FxHashSet<ConfigurationId>,
    points: Vec<Point>,
    /// The prediction and the measured value, both logarithms; `None` for a failure.
    measured: Vec<(f64, Option<f64>)>,
    best: Option<(ConfigurationId, f64)>,
    surrogate: Option<Surrogate>,
    /// The share of the prediction's logarithm that is trusted: 1 until measurements contradict it.
    belief: f64,
    draw: Draw,
    rest: Random,
}

struct Candidate {
    configuration: ConfigurationId,
    point: Point,
    /// The logarithm of the predicted time, 0 without a model.
    predicted: f64,
}

struct Trend {
    predicted: Prediction,
    centre: f64,
    spread: f64,
    worst: f64,
}

impl Guided {
    /// With a seed.
    pub fn new(space: &Space, seed: u64, predicted: Option<Prediction>) -> Self {
        let coordinates = Coordinates::new(space);
        let mut draw = Draw::new(seed);
        let is_whole_space = space.len() <= CANDIDATES;
        let chosen: Vec<ConfigurationId> = if is_whole_space {
            (0..space.len()).map(ConfigurationId).collect()
        } else {
            let mut all = Random::new(draw.below(u64::MAX));
            (0..CANDIDATES).filter_map(|_| all.next(space)).collect()
        };
        let mut guided = Guided {
            coordinates,
            candidates: Vec::new(),
            is_whole_space,
            trend: None,
            known: FxHashSet::default(),
            points: Vec::new(),
            measured: Vec::new(),
            best: None,
            surrogate: None,
            belief: 1.0,
            rest: Random::new(draw.below(u64::MAX)),
            draw,
        };
        if let Some(predicted) = predicted {
            guided.trend = Trend::new(predicted, &chosen);
        }
        guided.candidates =
            chosen.iter().map(|configuration| guided.candidate(space, *configuration)).collect();
        guided
    }

    /// The time of a configuration according to the model, refined by measurements and in their unit.
    pub fn refined(&self, space: &Space, configuration: ConfigurationId) -> Option<f64> {
        let candidate = self.candidate(space, configuration);
        let (mean, _) = self.surrogate.as_ref()?.predict(&candidate.point, &mut Vec::new());
        Some(libm::exp(mean + self.belief * candidate.predicted))
    }

    fn candidate(&self, space: &Space, configuration: ConfigurationId) -> Candidate {
        let mut coordinates = Vec::with_capacity(self.coordinates.dimensions);
        self.coordinates.point(space, configuration, &mut coordinates);
        let predicted = self.trend.as_ref().map_or(0.0, |trend| trend.of(configuration));
        let trend = self.trend.as_ref().map_or(0.0, |trend| (predicted - trend.centre) / trend.spread);
        Candidate { configuration, point: Point { coordinates, trend }, predicted }
    }

    /// The first configuration: the best prediction, or a random one.
    fn first(&mut self) -> Option<ConfigurationId> {
        if self.trend.is_some() {
            let least = self.candidates.iter().min_by(|a, b| a.predicted.total_cmp(&b.predicted));
            return least.map(|candidate| candidate.configuration);
        }
        let place = self.draw.below(self.candidates.len().max(1) as u64) as usize;
        self.candidates.get(place).map(|candidate| candidate.configuration)
    }

    /// The best prediction among candidates whose values differ from the measured ones. If the model is wrong
    /// for a value of a parameter, it is wrong for all configurations with that value. So each measured value
    /// counts like a prediction that is greater by the factor e^[`SHARED`].
    fn best_of_others(&self, space: &Space) -> Option<ConfigurationId> {
        const SHARED: f64 = 0.5;
        let parameters = 0..space.parameters().len();
        let shared = |a: ConfigurationId, b: ConfigurationId| {
            let is_shared = |p: &usize| {
                space.parameters()[*p].values.len() > 1 && space.index(a, *p) == space.index(b, *p)
            };
            parameters.clone().filter(is_shared).count() as f64
        };
        let score = |candidate: &Candidate| {
            let all = self.known.iter().map(|other| shared(candidate.configuration, *other));
            candidate.predicted + SHARED * all.sum::<f64>()
        };
        let candidates = self.candidates.iter().filter(|c| !self.known.contains(&c.configuration));
        let scored = candidates.map(|candidate| (score(candidate), candidate.configuration));
        scored.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, configuration)| configuration)
    }

    /// Of some random candidates, the one farthest from all measured configurations.
    fn farthest(&mut self) -> Option<ConfigurationId> {
        let count = self.candidates.len() as u64;
        let mut best: Option<(f64, ConfigurationId)> = None;
        for _ in 0..count.min(200) {
            let candidate = &self.candidates[self.draw.below(count) as usize];
            if self.known.contains(&candidate.configuration) {
                continue;
            }
            let distance = |other: &Point| -> f64 {
                let pairs = other.coordinates.iter().zip(&candidate.point.coordinates);
                pairs.map(|(a, b)| (a - b) * (a - b)).sum()
            };
            let nearest = self.points.iter().map(distance).fold(f64::INFINITY, f64::min);
            if best.is_none_or(|(farthest, _)| nearest > farthest) {
                best = Some((nearest, candidate.configuration));
            }
        }
        best.map(|(_, configuration)| configuration)
    }

    /// Fits the surrogate to the ratios of times to predictions, where a prediction counts fully, by its
    /// square root, or not at all. Takes the most likely of these, if there are enough measurements to tell.
    fn fit(&mut self) {
        const BELIEFS: [(f64, f64); 3] = [(1.0, 0.0), (0.5, 0.7), (0.0, 1.4)];
        const ENOUGH: usize = 5;
        let beliefs = if self.trend.is_some() && self.points.len() >= ENOUGH { 3 } else { 1 };
        let mut found: Option<(f64, f64, Surrogate)> = None;
        for (belief, doubt) in &BELIEFS[..beliefs] {
            let Some(values) = self.values(*belief) else { return };
            let surrogate = Surrogate::fit(&self.points, &values, self.surrogate.as_ref());
            let score = surrogate.score - doubt;
            if found.as_ref().is_none_or(|(best, ..)| score > *best) {
                found = Some((score, *belief, surrogate));
            }
        }
        if let Some((_, belief, surrogate)) = found {
            (self.belief, self.surrogate) = (belief, Some(surrogate));
        }
    }

    /// The values to learn: logarithms of times, minus the trusted share of the prediction.
    fn values(&self, belief: f64) -> Option<Vec<f64>> {
        let rest = |(predicted, value): &(f64, Option<f64>)| value.map(|value| value - belief * predicted);
        let worst = self.measured.iter().filter_map(rest).fold(f64::NEG_INFINITY, f64::max);
        // A failure counts as somewhat slower than anything seen, so that its neighbours are avoided.
        const FAILED: f64 = 0.7;
        let values = self.measured.iter().map(|measured| rest(measured).unwrap_or(worst + FAILED));
        (worst > f64::NEG_INFINITY).then(|| values.collect())
    }

    /// The configuration expected to be best among those that differ from the best one in one parameter.
    /// Where these are all nearly as good, expected improvement would first look everywhere else.
    fn nearest_to_best(&self, space: &Space) -> Option<ConfigurationId> {
        let (best, _) = self.best?;
        let near = space.neighbours(best, Neighbourhood::Hamming);
        let unknown = near.into_iter().filter(|other| !self.known.contains(other));
        let expected = unknown.filter_map(|other| Some((self.refined(space, other)?, other)));
        expected.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, configuration)| configuration)
    }

    /// The candidate with the greatest expected improvement.
    fn most_promising(&self) -> Option<ConfigurationId> {
        let surrogate = self.surrogate.as_ref()?;
        let (_, best) = self.best?;
        let mut buffer = Vec::new();
        let mut found: Option<((f64, f64), ConfigurationId)> = None;
        for candidate in self.candidates.iter().filter(|c| !self.known.contains(&c.configuration)) {
            let (mean, deviation) = surrogate.predict(&candidate.point, &mut buffer);
            let mean = mean + self.belief * candidate.predicted;
            let gain = expected_improvement(best, mean, deviation);
            // Where the expected improvement is zero in all digits, the least mean decides.
            let score = (gain, -mean);
            if found.is_none_or(|(other, _)| score.partial_cmp(&other) == Some(std::cmp::Ordering::Greater)) {
                found = Some((score, candidate.configuration));
            }
        }
        found.map(|(_, configuration)| configuration)
    }
}

impl Trend {
    /// Centre and spread of the predictions for some configurations, if there are any.
    fn new(predicted: Prediction, among: &[ConfigurationId]) -> Option<Self> {
        let mut trend = Trend { predicted, centre: 0.0, spread: 1.0, worst: f64::NEG_INFINITY };
        let logs: Vec<f64> =
            among.iter().filter_map(|configuration| trend.logarithm(*configuration)).collect();
        if logs.is_empty() {
            return None;
        }
        let count = logs.len() as f64;
        trend.centre = logs.iter().sum::<f64>() / count;
        let squares = logs.iter().map(|log| (log - trend.centre) * (log - trend.centre));
        trend.spread = (squares.sum::<f64>() / count).sqrt().max(1e-3);
        trend.worst = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(trend)
    }

    fn logarithm(&self, configuration: ConfigurationId) -> Option<f64> {
        (self.predicted)(configuration).filter(|time| *time > 0.0).map(libm::log)
    }

    /// The logarithm of the prediction. Configurations that cannot run according to the model come last.
    fn of(&self, configuration: ConfigurationId) -> f64 {
        self.logarithm(configuration).unwrap_or(self.worst + 1.0)
    }
}

/// The expected value of `max(0, best − x)` for a normally distributed `x`.
fn expected_improvement(best: f64, mean: f64, deviation: f64) -> f64 {
    let z = (best - mean) / deviation;
    let density = libm::exp(-0.5 * z * z) / (2.0 * std::f64::consts::PI).sqrt();
    let probability = 0.5 * libm::erfc(-z / std::f64::consts::SQRT_2);
    deviation * (z * probability + density)
}

impl Strategy for Guided {
    fn next(&mut self, space: &Space) -> Option<ConfigurationId> {
        // Enough to learn something about each dimension.
        let beginning = (self.coordinates.dimensions + 1).clamp(2, 6);
        let chosen = if self.points.is_empty() {
            self.first()
        } else if self.points.len() < beginning && self.trend.is_some() {
            self.best_of_others(space)
        } else if self.points.len() < beginning || self.best.is_none() {
            self.farthest()
        } else if self.points.len() % 2 == 1 {
            self.nearest_to_best(space).or_else(|| self.most_promising())
        } else {
            self.most_promising()
        };
        let chosen = chosen.filter(|configuration| !self.known.contains(configuration));
        // When the candidates are used up, any remaining configuration.
        let chosen = match chosen {
            Some(chosen) => Some(chosen),
            None => std::iter::from_fn(|| self.rest.next(space)).find(|other| !self.known.contains(other)),
        };
        if let Some(chosen) = chosen {
            self.known.insert(chosen);
        }
        chosen
    }

    fn tell(&mut self, space: &Space, configuration: ConfigurationId, outcome: &Outcome) {
        self.known.insert(configuration);
        let Candidate { point, predicted, .. } = self.candidate(space, configuration);
        let value = outcome.time().filter(|time| *time > 0.0).map(libm::log);
        self.points.push(point);
        self.measured.push((predicted, value));
        if let Some(value) = value.filter(|value| self.best.is_none_or(|(_, best)| *value < best)) {
            self.best = Some((configuration, value));
            if !self.is_whole_space {
                let near = space.neighbours(configuration, Neighbourhood::Hamming);
                let near: Vec<Candidate> = near
                    .into_iter()
                    .filter(|other| !self.known.contains(other))
                    .map(|other| self.candidate(space, other))
                    .collect();
                self.candidates.extend(near);
            }
        }
        // Later fits cost more and change less.
        let count = self.points.len();
        if count < 48 || count.is_multiple_of(count / 16) {
            self.fit();
        }
    }
}
