//! Schedulers with infinite sums of rewards.
//!
//! In an end component in which no objective loses anything, a scheduler may gain as much as it likes of a reward, and go on as if it
//! had not stayed there. So where a scheduler that meets the other bounds visits such a component with a positive probability, the reward
//! is infinite: its bound is met, its best value is infinite, and the best values of the others are those without it. As
//! the schedulers that meet bounds are convex, one visits them all if for each there is one. Where none does, the components are
//! avoided, and the reward is one like others.
//!
//! A reward that is minimised is finite where some scheduler with a finite sum meets the bounds. Otherwise it does not matter any more, and if
//! the bounds are met then, the least value is infinite. On a curve, points with infinite coordinates are those that the
//! other objectives reach without them.

use volvelle_logic::{Answer, Goal, Guarantee, Ratio, StopReason, Value, gate};

use super::product::Product;
use super::quotient::Reward;
use super::separation::separate;
use super::{Measure, Objective};
use volvelle_solver::CheckError;
use volvelle_solver::graph::end_components;
use volvelle_space::BitSet;

/// Points of curves that are beyond others by less than this, in parts of the largest value, are not.
const SAME: f64 = 1e-9;

/// An objective in a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Its number.
    pub objective: usize,
    /// The question is whether its reward can be collected again and again.
    pub visits: bool,
}

impl Asked {
    /// The objective itself.
    pub fn value(objective: usize) -> Self {
        Asked { objective, visits: false }
    }
}

/// What an engine says to a question.
pub enum Reply {
    /// These objectives may be infinite in their favour: there is no answer.
    Endless(Vec<usize>),
    /// The answer among schedulers that are finite where they must be, and for each objective asked whether it may be infinite for others.
    Answer(Answer, Vec<bool>),
}

/// What answers questions about some of the objectives.
pub trait Engine {
    /// Answers a question; infinite sums of the objectives `finite` are avoided.
    fn ask(&self, asked: &[Asked], finite: &[usize]) -> Result<Reply, CheckError>;

    /// Whether answers are fractions.
    fn is_exact(&self) -> bool;
}

/// For every reward whether it can be lost again and again.
pub(super) fn unbounded(product: &Product, rewards: &[Reward]) -> Vec<bool> {
    if !rewards.iter().any(|r| r.endless && !r.visits) {
        return vec![false; rewards.len()];
    }
    let found = end_components(&product.space, &BitSet::full(product.space.num_states()), |_| true);
    let is_lost = |r: &Reward| r.endless && !r.visits && found.staying.iter().any(|choice| r.pays(choice));
    rewards.iter().map(is_lost).collect()
}

/// The other objectives, where one is an endless reward to be minimised and all others have bounds.
pub(super) fn without_minimised(objectives: &[Objective]) -> Option<Vec<Objective>> {
    let place = minimised(objectives)?;
    let others = objectives.iter().enumerate().filter(|&(i, _)| i != place);
    Some(others.map(|(_, objective)| objective.clone()).collect())
}

fn minimised(objectives: &[Objective]) -> Option<usize> {
    let mut open = (0..objectives.len()).filter(|&i| objectives[i].goal.bound().is_none());
    let one = open.next().filter(|_| open.next().is_none())?;
    is_endless_cost(&objectives[one]).then_some(one)
}

fn is_endless_cost(objective: &Objective) -> bool {
    objective.goal == Goal::Minimise && matches!(objective.measure, Measure::Reward(_, None))
}

/// Answers a query.
pub fn answer(engine: &dyn Engine, objectives: &[Objective]) -> Result<Answer, CheckError> {
    let query = Query { engine, objectives };
    let all: Vec<usize> = (0..objectives.len()).collect();
    let open = objectives.iter().filter(|o| o.goal.bound().is_none()).count();
    let (answer, unbounded) = query.finite(&all)?;
    if open > 1 {
        return query.curve(answer, &unbounded);
    }
    let (Value::Bool(false), Some(one)) = (&answer.value, minimised(objectives)) else { return Ok(answer) };
    let others: Vec<usize> = all.into_iter().filter(|&i| i != one).collect();
    let met = others.is_empty() || query.finite(&others)?.0.value == Value::Bool(true);
    if !met {
        return Ok(answer);
    }
    let which = if others.is_empty() { "every scheduler" } else { "every scheduler that meets the bounds" };
    Ok(query.infinite(f64::INFINITY, format!("{which} has an infinite sum (graph analysis)")))
}

/// A query with the engine that answers its parts.
struct Query<'a> {
    engine: &'a dyn Engine,
    objectives: &'a [Objective],
}

impl Query<'_> {
    fn is_open(&self, objective: usize) -> bool {
        self.objectives[objective].goal.bound().is_none()
    }

    /// The value of an objective that is infinite in its favour.
    fn best(&self, objective: usize) -> f64 {
        if self.objectives[objective].goal.is_small() { f64::NEG_INFINITY } else { f64::INFINITY }
    }

    /// The answer among schedulers without an infinite sum of what is to be small, and for each of the objectives whether other
    /// schedulers have one.
    fn finite(&self, kept: &[usize]) -> Result<(Answer, Vec<bool>), CheckError> {
        let asked: Vec<Asked> = kept.iter().map(|&i| Asked::value(i)).collect();
        let mut finite = Vec::new();
        loop {
            let endless = match self.engine.ask(&asked, &finite)? {
                Reply::Answer(answer, unbounded) => return Ok((answer, unbounded)),
                Reply::Endless(endless) => endless,
            };
            let rest: Vec<usize> = kept.iter().copied().filter(|i| !endless.contains(i)).collect();
            let visited = self.visited(&rest, &endless, &finite)?;
            if visited.len() == endless.len() {
                return self.beside(kept, &rest, &finite);
            }
            finite.extend(endless.into_iter().filter(|i| !visited.contains(i)));
        }
    }

    /// Which of some objectives a scheduler can make infinite that meets the bounds of others.
    fn visited(&self, rest: &[usize], endless: &[usize], finite: &[usize]) -> Result<Vec<usize>, CheckError> {
        let bounds: Vec<Asked> =
            rest.iter().filter(|&&i| !self.is_open(i)).map(|&i| Asked::value(i)).collect();
        let can = |some: &[usize]| -> Result<bool, CheckError> {
            let mut asked = bounds.clone();
            asked.extend(some.iter().map(|&objective| Asked { objective, visits: true }));
            match self.engine.ask(&asked, finite)? {
                Reply::Answer(answer, _) => Ok(answer.value == Value::Bool(true)),
                // A structure that is gained twice.
                Reply::Endless(_) => Ok(false),
            }
        };
        if bounds.is_empty() || can(endless)? {
            return Ok(endless.to_vec());
        }
        let mut visited = Vec::new();
        for &one in endless.iter().filter(|_| endless.len() > 1) {
            if can(&[one])? {
                visited.push(one);
            }
        }
        Ok(visited)
    }

    /// The answer where all objectives that are not among the rest are infinite.
    fn beside(
        &self,
        kept: &[usize],
        rest: &[usize],
        finite: &[usize],
    ) -> Result<(Answer, Vec<bool>), CheckError> {
        let text = "a scheduler collects an infinite sum (graph analysis)".to_string();
        let none = vec![false; kept.len()];
        let open: Vec<usize> = kept.iter().copied().filter(|&i| self.is_open(i)).collect();
        let open_rest = || rest.iter().filter(|&&i| self.is_open(i)).count();
        match open.as_slice() {
            [] => Ok((Answer { value: Value::Bool(true), ..self.infinite(0.0, text) }, none)),
            &[one] if !rest.contains(&one) => Ok((self.infinite(self.best(one), text), none)),
            _ if open.len() > 1 && open_rest() == 0 => {
                let point = open.iter().map(|&i| self.best(i)).collect();
                let precision = vec![0.0; open.len()];
                Ok((self.points(vec![point], precision, text), none))
            }
            _ => {
                let asked: Vec<Asked> = rest.iter().map(|&i| Asked::value(i)).collect();
                let Reply::Answer(answer, lost) = self.engine.ask(&asked, finite)? else {
                    return Err(CheckError::NotYetEvaluated {
                        what: "endless rewards of these objectives".into(),
                    });
                };
                let unbounded =
                    kept.iter().map(|i| rest.iter().position(|r| r == i).is_some_and(|r| lost[r]));
                let unbounded = unbounded.collect();
                if open.len() == 1 || answer.value == Value::Bool(false) {
                    return Ok((answer, unbounded));
                }
                let value = |i: usize| if rest.contains(&i) { None } else { Some(self.best(i)) };
                let fixed: Vec<Option<f64>> = kept.iter().map(|&i| value(i)).collect();
                let (points, precision) = extended(&answer, &fixed);
                let (exact, stop) = (self.fractions(&answer, &points), answer.stop);
                let wide = self.points(points, precision, answer.method);
                Ok((Answer { exact, stop, ..wide }, unbounded))
            }
        }
    }

    /// A curve with the points that have infinite costs.
    fn curve(&self, answer: Answer, unbounded: &[bool]) -> Result<Answer, CheckError> {
        let d = self.objectives.len();
        let costs: Vec<usize> =
            (0..d).filter(|&i| unbounded[i] && is_endless_cost(&self.objectives[i])).collect();
        if costs.is_empty() {
            return Ok(answer);
        }
        let (mut points, mut precision, mut exact) = match &answer.value {
            Value::Pareto(points) => {
                let precision = extended(&answer, &vec![None; d]).1;
                (points.clone(), precision, answer.exact.clone())
            }
            _ => (Vec::new(), vec![0.0; d], Vec::new()),
        };
        let (known, mut method, mut stop) = (points.len(), answer.method.clone(), answer.stop);
        let mut sets: Vec<u32> = (1..1u32 << costs.len()).collect();
        sets.sort_by_key(|set| (set.count_ones(), *set));
        for set in sets {
            let lost: Vec<usize> =
                (0..costs.len()).filter(|&c| set >> c & 1 == 1).map(|c| costs[c]).collect();
            let rest: Vec<usize> = (0..d).filter(|i| !lost.contains(i)).collect();
            let fixed: Vec<Option<f64>> =
                (0..d).map(|i| lost.contains(&i).then_some(f64::INFINITY)).collect();
            let (candidates, more) = if rest.is_empty() {
                (vec![vec![f64::INFINITY; d]], None)
            } else {
                let part = self.finite(&rest)?.0;
                if part.value == Value::Bool(false) {
                    continue;
                }
                stop = stop.max(part.stop);
                let (candidates, more) = extended(&part, &fixed);
                if points.is_empty() {
                    method.clone_from(&part.method);
                }
                (candidates, Some((more, part)))
            };
            let fractions =
                more.as_ref().map(|(_, part)| self.fractions(part, &candidates)).unwrap_or_default();
            let before = points.len();
            for (place, candidate) in candidates.iter().enumerate() {
                if self.is_dominated(candidate, &points[..before]) {
                    continue;
                }
                points.push(candidate.clone());
                if self.engine.is_exact() {
                    let given = fractions.get(place * d..(place + 1) * d);
                    exact.extend(given.map_or_else(|| vec![Ratio::Infinity; d], <[Ratio]>::to_vec));
                }
            }
            if let Some((more, _)) = more.filter(|_| points.len() > before) {
                precision.iter_mut().zip(more).for_each(|(p, more)| *p = p.max(more));
            }
        }
        if points.len() == known {
            return Ok(answer);
        }
        Ok(Answer { exact, stop, ..self.points(points, precision, method) })
    }

    /// Whether a mix of known points is at least as good in every coordinate.
    fn is_dominated(&self, candidate: &[f64], points: &[Vec<f64>]) -> bool {
        let large = |i: usize, value: f64| if self.objectives[i].goal.is_small() { -value } else { value };
        let coordinates: Vec<usize> = (0..candidate.len()).filter(|&i| candidate[i].is_finite()).collect();
        let fits = |point: &&Vec<f64>| {
            (0..candidate.len()).all(|i| match large(i, candidate[i]) {
                f64::NEG_INFINITY => true,
                f64::INFINITY => point[i] == candidate[i],
                _ => point[i].is_finite() || large(i, point[i]) > 0.0,
            })
        };
        let fitting: Vec<&Vec<f64>> = points.iter().filter(fits).collect();
        if fitting.is_empty() {
            return false;
        }
        if coordinates.is_empty() {
            return true;
        }
        let scale = |i: usize| {
            let values = points.iter().map(|p| p[i]).chain([candidate[i]]).filter(|v| v.is_finite());
            values.fold(f64::MIN_POSITIVE, |most, v| most.max(v.abs()))
        };
        let scales: Vec<f64> = coordinates.iter().map(|&i| scale(i)).collect();
        let scaled = |point: &[f64]| -> Vec<f64> {
            let each = coordinates.iter().zip(&scales);
            each.map(|(&i, scale)| (large(i, point[i]) / scale).clamp(-2.0, 2.0)).collect()
        };
        let others: Vec<Vec<f64>> = fitting.iter().map(|point| scaled(point)).collect();
        separate(&scaled(candidate), &others).distance <= SAME
    }

    /// The fractions of an answer to a part of the query, for points with more coordinates.
    fn fractions(&self, answer: &Answer, points: &[Vec<f64>]) -> Vec<Ratio> {
        if !self.engine.is_exact() {
            return Vec::new();
        }
        let mut known = answer.exact.iter().cloned();
        let of = |&x: &f64| match x {
            f64::INFINITY => Ratio::Infinity,
            f64::NEG_INFINITY => Ratio::MinusInfinity,
            _ => known.next().unwrap_or(Ratio::ZERO),
        };
        points.iter().flatten().map(of).collect()
    }

    fn infinite(&self, value: f64, method: String) -> Answer {
        let exact = match value {
            f64::INFINITY if self.engine.is_exact() => vec![Ratio::Infinity],
            f64::NEG_INFINITY if self.engine.is_exact() => vec![Ratio::MinusInfinity],
            _ => Vec::new(),
        };
        let (value, stop) = (Value::Number(value), StopReason::Computed);
        Answer { value, guarantee: gate::exact(), compared: None, exact, method, stop, initially: None }
    }

    fn points(&self, points: Vec<Vec<f64>>, precision: Vec<f64>, method: String) -> Answer {
        let guarantee = if self.engine.is_exact() { gate::exact() } else { Guarantee::Within { precision } };
        let plain = self.infinite(0.0, method);
        let exact = self.fractions(&plain, &points);
        Answer { value: Value::Pareto(points), guarantee, exact, ..plain }
    }
}

/// The points of an answer to a part of a query, with the coordinates of all: those that are given, and the others; and the precision
/// of each.
fn extended(answer: &Answer, given: &[Option<f64>]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (points, precision) = match (&answer.value, &answer.guarantee) {
        (Value::Pareto(points), Guarantee::Within { precision }) => (points.clone(), precision.clone()),
        (Value::Pareto(points), _) => (points.clone(), vec![0.0; given.len()]),
        (Value::Number(x), Guarantee::Sound { lo, hi, .. }) => (vec![vec![*x]], vec![(x - lo).max(hi - x)]),
        (Value::Number(x), _) => (vec![vec![*x]], vec![0.0]),
        _ => (Vec::new(), Vec::new()),
    };
    let extend = |point: &[f64], of_given: &dyn Fn(f64) -> f64| -> Vec<f64> {
        let mut others = point.iter().copied();
        given.iter().map(|g| g.map_or_else(|| others.next().unwrap_or(0.0), of_given)).collect()
    };
    let wide = points.iter().map(|point| extend(point, &|x| x)).collect();
    (wide, extend(&precision, &|_| 0.0))
}
