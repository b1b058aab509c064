//! Probabilities of path formulas: one temporal operator over state formulas is taken apart into reachability and
//! transient analysis; combinations go to `ltl`.

use volvelle_entity::EntityVec;
use volvelle_logic::{CostBound, Formula, FormulaId, Formulas, Optimum, StopReason, TimeBound};
use volvelle_solver::graph::Prob01;
use volvelle_solver::reach::{opposite, prob01_until, until as reach_until, until_from};
use volvelle_solver::rounding::{SUM_ERROR, Sum, U, above, below, relative};
use volvelle_solver::{CheckError, Context, Numbers};
use volvelle_space::{BitSet, Kind};
use volvelle_transient::{Pass, StepBounded, Transient, Window, window};

use crate::bounded_graph;
use crate::ltl::{self, Ltl};
use crate::reward_bounded;

/// A path formula whose operands have been evaluated.
#[derive(Clone, Debug)]
pub enum Path {
    /// A state formula, judged at the first state.
    Now(BitSet),
    /// Next.
    Next(BitSet, TimeBound),
    /// Until.
    Until(BitSet, BitSet, TimeBound),
    /// Until within bounds on rewards and steps.
    Bounded(BitSet, BitSet, Vec<CostBound>),
    /// Weak until.
    Weak(BitSet, BitSet, TimeBound),
    /// Release.
    Release(BitSet, BitSet, TimeBound),
    /// A combination of temporal operators.
    Ltl(Box<Ltl>),
}

/// Whether each formula is a path formula; operands have smaller ids.
pub fn path_formulas(formulas: &Formulas) -> EntityVec<FormulaId, bool> {
    let mut path = EntityVec::with_capacity(formulas.len());
    for id in formulas.ids() {
        let is = |id: &FormulaId| path[*id];
        path.push(match formulas.get(id) {
            Formula::Next(..)
            | Formula::Until(..)
            | Formula::BoundedUntil(..)
            | Formula::WeakUntil(..)
            | Formula::Release(..)
            | Formula::Automaton(..) => true,
            Formula::Not(a) => is(a),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Equal(a, b) => is(a) || is(b),
            Formula::IfThenElse(a, b, c) => is(a) || is(b) || is(c),
            _ => false,
        });
    }
    path
}

/// Takes a path formula apart; also returns whether it is negated. `set` gives the states of a state formula.
pub fn path(
    kind: Kind,
    formulas: &Formulas,
    is_path: &EntityVec<FormulaId, bool>,
    mut id: FormulaId,
    set: impl Fn(FormulaId) -> Result<BitSet, CheckError>,
) -> Result<(Path, bool), CheckError> {
    let mut negated = false;
    while let Formula::Not(inner) = formulas.get(id)
        && is_path[id]
    {
        negated = !negated;
        id = *inner;
    }
    let is_state = |id: FormulaId| !is_path[id];
    let path = match *formulas.get(id) {
        Formula::BoundedUntil(a, b, ref bounds) if is_state(a) && is_state(b) => {
            Path::Bounded(set(a)?, set(b)?, bounds.clone())
        }
        Formula::Next(a, bound) if is_state(a) => Path::Next(set(a)?, bound),
        Formula::Until(a, b, bound) if is_state(a) && is_state(b) => Path::Until(set(a)?, set(b)?, bound),
        Formula::WeakUntil(a, b, bound) if is_state(a) && is_state(b) => Path::Weak(set(a)?, set(b)?, bound),
        Formula::Release(a, b, bound) if is_state(a) && is_state(b) => Path::Release(set(a)?, set(b)?, bound),
        _ if is_state(id) => Path::Now(set(id)?),
        _ => Path::Ltl(Box::new(ltl::translate(kind, formulas, is_path, id, set)?)),
    };
    Ok((path, negated))
}

/// The states that are not in a set.
pub fn not(set: &BitSet) -> BitSet {
    set.complement()
}

/// The states in both sets.
pub fn and(a: &BitSet, b: &BitSet) -> BitSet {
    let mut set = a.clone();
    set.intersect(b);
    set
}

/// The states in either set.
pub fn or(a: &BitSet, b: &BitSet) -> BitSet {
    let mut set = a.clone();
    set.unite(b);
    set
}

/// One for the states of a set, zero for others.
pub fn indicator(set: &BitSet) -> Vec<f64> {
    (0..set.len()).map(|s| f64::from(u8::from(set.contains(s)))).collect()
}

/// States where the probability is zero and where it is one, for unbounded formulas and for LTL; for LTL the sets may
/// lack states outside of `needed`.
pub fn certain_path(
    context: &Context,
    path: &Path,
    negated: bool,
    optimum: Optimum,
    needed: Option<&BitSet>,
) -> Result<Option<Prob01>, CheckError> {
    let inner = if negated { opposite(optimum) } else { optimum };
    let certain = match path {
        Path::Now(set) => Prob01 { zero: set.complement(), one: set.clone() },
        Path::Until(left, right, bound) if bound.is_none() => prob01_until(context, left, right, inner),
        Path::Weak(left, right, bound) if bound.is_none() => {
            // The complement: `not right U (not left and not right)`.
            let fails = and(&not(left), &not(right));
            let c = prob01_until(context, &not(right), &fails, opposite(inner));
            Prob01 { zero: c.one, one: c.zero }
        }
        Path::Release(left, right, bound) if bound.is_none() => {
            let c = prob01_until(context, &not(left), &not(right), opposite(inner));
            Prob01 { zero: c.one, one: c.zero }
        }
        Path::Ltl(ltl) => ltl::prob01(context, ltl, inner, needed)?,
        Path::Until(left, right, bound) => match bounded_graph::until(context, left, right, bound, inner)? {
            Some(certain) => certain,
            None => return Ok(None),
        },
        Path::Weak(left, right, bound) => {
            let fails = and(&not(left), &not(right));
            match bounded_graph::until(context, &not(right), &fails, bound, opposite(inner))? {
                Some(c) => Prob01 { zero: c.one, one: c.zero },
                None => return Ok(None),
            }
        }
        Path::Release(left, right, bound) => {
            match bounded_graph::until(context, &not(left), &not(right), bound, opposite(inner))? {
                Some(c) => Prob01 { zero: c.one, one: c.zero },
                None => return Ok(None),
            }
        }
        Path::Next(..) | Path::Bounded(..) => return Ok(None),
    };
    Ok(Some(if negated { Prob01 { zero: certain.one, one: certain.zero } } else { certain }))
}

/// Probability of a path formula in every state; precise in the states of `needed` (`None`: all).
pub fn probability(
    context: &Context,
    path: &Path,
    negated: bool,
    optimum: Optimum,
    needed: Option<&BitSet>,
) -> Result<Numbers, CheckError> {
    if negated {
        return Ok(probability(context, path, false, opposite(optimum), needed)?.complement());
    }
    match path {
        Path::Now(set) => Ok(Numbers::indicator(set)),
        Path::Next(set, bound) => next(context, set, bound, optimum),
        Path::Ltl(ltl) => ltl::probability(context, ltl, optimum, needed),
        Path::Bounded(left, right, bounds) => {
            reward_bounded::probability(context, left, right, bounds, optimum, needed)
        }
        Path::Until(left, right, bound) => until(context, left, right, bound, optimum, needed),
        Path::Weak(left, right, bound) => weak(context, left, right, bound, optimum, needed),
        Path::Release(left, right, bound) => {
            if bound.lower > 0.0 || bound.lower_strict {
                let until = until(context, &not(left), &not(right), bound, opposite(optimum), needed)?;
                Ok(until.complement())
            } else {
                weak(context, right, &and(left, right), bound, optimum, needed)
            }
        }
    }
}

fn until(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    bound: &TimeBound,
    optimum: Optimum,
    needed: Option<&BitSet>,
) -> Result<Numbers, CheckError> {
    let (lower, upper) = match window(context.space.kind, bound)? {
        Window::Empty => return Ok(Numbers::exact((0..context.states()).map(|_| 0.0), "empty time bound")),
        Window::Range { lower, upper } => (lower, upper),
    };
    if lower == 0.0 && upper.is_none() {
        return until_from(context, left, right, optimum, needed);
    }
    if !context.is_chain() {
        return until_step_bounded(context, left, right, lower, upper, optimum);
    }
    let mut transient = Transient::new(context, if lower == 0.0 { needed } else { None });
    let mut method = String::new();
    let mut before = StopReason::Computed;
    let mut values = match upper {
        Some(upper) => transient.hit(left, right, upper - lower)?,
        None => {
            let reached = reach_until(context, left, right, optimum)?;
            before = reached.stop;
            method = format!("{}, then ", reached.method);
            reached.bounds
        }
    };
    if lower > 0.0 {
        let mut rest = lower;
        if context.space.kind == Kind::Dtmc {
            // The last of these steps may leave `left`, into `right`.
            values = one_step(context, left, &values);
            rest -= 1.0;
        }
        let mut second = Transient::new(context, needed);
        values = second.elapse(left, &values, rest)?;
        second.add(&transient);
        transient = second;
    }
    for b in &mut values {
        b[1] = b[1].min(1.0);
    }
    let mut numbers = transient.numbers(values);
    numbers.method = format!("{method}{}", numbers.method);
    numbers.stop = numbers.stop.max(before);
    Ok(numbers)
}

/// `P x` in the states of `inside`, zero elsewhere, for a DTMC.
fn one_step(context: &Context, inside: &BitSet, x: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let space = context.space;
    (0..space.num_states())
        .map(|s| {
            let mut sums = [Sum::default(); 2];
            if inside.contains(s) {
                for (t, v) in space.transitions(s) {
                    sums[0].add(v * x[t][0]);
                    sums[1].add(v * x[t][1]);
                }
            }
            let error = relative(SUM_ERROR + 4.0 * U + context.options.input);
            let hi = sums[1].value();
            [below(sums[0].value(), error), if hi > 0.0 { above(hi, error) } else { 0.0 }]
        })
        .collect()
}

fn until_step_bounded(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    lower: f64,
    upper: Option<f64>,
    optimum: Optimum,
) -> Result<Numbers, CheckError> {
    let (start, error, note) = match upper {
        Some(upper) if lower == 0.0 => {
            let start = indicator(right);
            let pass = Pass { start, inside: Some(left), keep: Some(right), reward: None, probability: true };
            let numbers = pass.run(context, optimum, upper)?;
            return numbers.at_most(context, || reach_until(context, left, right, optimum));
        }
        Some(_) => {
            let start = indicator(right);
            (start, 0.0, None)
        }
        None => {
            let reached = reach_until(context, left, right, optimum)?;
            let mut error = 0.0f64;
            let middle = reached
                .bounds
                .iter()
                .map(|&[lo, hi]| {
                    let middle = lo + 0.5 * (hi - lo);
                    if middle > 0.0 {
                        error = error.max((hi - middle).max(middle - lo) / middle + 2.0 * U);
                    }
                    middle
                })
                .collect();
            (middle, error, Some((reached.method, reached.stop)))
        }
    };
    let mut steps = StepBounded::new(context, optimum, start, error);
    if let Some(upper) = upper {
        steps.back((upper - lower) as u64, Some(left), Some(right), None)?;
    }
    steps.back(lower as u64, Some(left), None, None)?;
    let mut numbers = steps.finish(true);
    if let Some((method, stop)) = note {
        numbers.method = format!("{method}, then {}", numbers.method);
        numbers.stop = numbers.stop.max(stop);
    }
    Ok(numbers)
}

fn weak(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    bound: &TimeBound,
    optimum: Optimum,
    needed: Option<&BitSet>,
) -> Result<Numbers, CheckError> {
    let fails = and(&not(left), &not(right));
    let range = match window(context.space.kind, bound)? {
        Window::Empty => return Ok(Numbers::exact((0..context.states()).map(|_| 1.0), "empty time bound")),
        Window::Range { lower, upper } => (lower, upper),
    };
    match range {
        (0.0, None) => {
            if !context.is_chain() && optimum == Optimum::Min {
                // The worst scheduler makes it fail.
                return Ok(reach_until(context, &not(right), &fails, Optimum::Max)?.complement());
            }
            // Every other run ends where failing is impossible (for some scheduler).
            let safe = prob01_until(context, &not(right), &fails, opposite(optimum)).zero;
            reach_until(context, left, &or(right, &safe), optimum)
        }
        (0.0, Some(upper)) if context.is_chain() => {
            let mut transient = Transient::new(context, needed);
            let mut bounds = transient.hit(left, right, upper)?;
            let mut waiting = left.clone();
            waiting.subtract(right);
            let ones = vec![[1.0; 2]; context.states()];
            let stay = transient.elapse(&waiting, &ones, upper)?;
            for (b, s) in bounds.iter_mut().zip(stay) {
                if s[1] > 0.0 {
                    *b = [below(b[0] + s[0], 2.0 * U), above(b[1] + s[1], 2.0 * U).min(1.0)];
                }
            }
            Ok(transient.numbers(bounds))
        }
        (0.0, Some(upper)) => {
            let both = or(left, right);
            let start = indicator(&both);
            Pass { start, inside: Some(left), keep: Some(right), reward: None, probability: true }
                .run(context, optimum, upper)
        }
        _ => Ok(until(context, &not(right), &fails, bound, opposite(optimum), needed)?.complement()),
    }
}

fn next(context: &Context, set: &BitSet, bound: &TimeBound, optimum: Optimum) -> Result<Numbers, CheckError> {
    let space = context.space;
    let continuous = space.kind == Kind::Ctmc;
    let (lower, upper) = match window(space.kind, bound)? {
        Window::Empty => return Ok(Numbers::exact((0..context.states()).map(|_| 0.0), "empty time bound")),
        Window::Range { lower, upper } => (lower, upper),
    };
    if !continuous && (lower > 1.0 || upper.is_some_and(|u| u < 1.0)) {
        return Ok(Numbers::exact((0..context.states()).map(|_| 0.0), "graph analysis"));
    }
    let of_choice = |choice: usize| -> [f64; 2] {
        let (mut hit, mut all) = (Sum::default(), Sum::default());
        let (mut inside, mut outside) = (false, false);
        for (t, v) in space.transitions(choice).filter(|t| t.1 > 0.0) {
            all.add(v);
            if set.contains(t) {
                hit.add(v);
                inside = true;
            } else {
                outside = true;
            }
        }
        if !inside {
            return [0.0; 2];
        }
        let mut bounds = if outside {
            let value = hit.value() / all.value();
            let is_exact = hit.is_exact() && all.is_exact() && all.value() == 1.0;
            if is_exact && context.options.exact_input {
                // A number of the model, or an exact sum of some.
                [value; 2]
            } else {
                let error = 2.0 * (SUM_ERROR + U + context.options.input);
                [below(value, error), above(value, error).min(1.0)]
            }
        } else {
            [1.0; 2]
        };
        if continuous && !bound.is_none() {
            // The first event falls into the window.
            let rate = all.value();
            let length = upper.map_or(f64::INFINITY, |u| u - lower);
            let within = (-rate * lower).exp() * -(-rate * length).exp_m1();
            // Changing the rate by a factor changes the exponents by as much, and what is left until the first event
            // by no more than that factor.
            let events = rate * (lower + upper.unwrap_or(0.0));
            let error = relative((12.0 + 8.0 * events) * U + (1.0 + events) * 2.0 * context.options.input);
            bounds = [below(bounds[0] * within, error), above(bounds[1] * within, error).min(1.0)];
        }
        bounds
    };
    let bounds = (0..context.states())
        .map(|s| {
            let pick = |a: f64, b: f64| match optimum {
                Optimum::Min => a.min(b),
                Optimum::Max => a.max(b),
            };
            space
                .choices_of(s)
                .map(of_choice)
                .reduce(|a, b| [pick(a[0], b[0]), pick(a[1], b[1])])
                .unwrap_or([0.0; 2])
        })
        .collect();
    Ok(Numbers { bounds, method: "one step".to_string(), stop: StopReason::Computed })
}

/// The states that a path formula `F φ` without bounds asks for.
pub fn plain_target(
    formulas: &Formulas,
    is_path: &EntityVec<FormulaId, bool>,
    path: FormulaId,
) -> Option<FormulaId> {
    match *formulas.get(path) {
        Formula::Until(left, right, TimeBound::NONE)
            if *formulas.get(left) == Formula::Bool(true) && !is_path[right] =>
        {
            Some(right)
        }
        _ => None,
    }
}

/// The target, and the two sides of the condition, of a reward `F φ || ψ U χ`.
///
/// # Errors
/// It has another form.
pub fn target_under_condition(
    formulas: &Formulas,
    is_path: &EntityVec<FormulaId, bool>,
    path: FormulaId,
    given: FormulaId,
) -> Result<[FormulaId; 3], CheckError> {
    let (Some(target), &Formula::Until(left, right, TimeBound::NONE)) =
        (plain_target(formulas, is_path, path), formulas.get(given))
    else {
        let what = "a reward under a condition, other than R=? [ F a || F b ],".to_string();
        return Err(CheckError::NotYetEvaluated { what });
    };
    if is_path[left] || is_path[right] {
        let what = "nested temporal operators in the condition of a reward".to_string();
        return Err(CheckError::NotYetEvaluated { what });
    }
    Ok([target, left, right])
}

#[cfg(test)]
mod tests;
