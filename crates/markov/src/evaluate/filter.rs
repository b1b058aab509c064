//! Filters: one value out of the values of many states (PRISM manual, section *Filters*).

use volvelle_logic::{FilterOp, FormulaValue, Guarantee, StopReason, Value, gate};
use volvelle_solver::interval::{self, Interval};
use volvelle_solver::{CheckError, Numbers};
use volvelle_space::BitSet;

use super::values::StateValues;

/// A number inside bounds.
pub(super) fn middle([lo, hi]: Interval) -> f64 {
    if lo == hi {
        lo
    } else if lo == f64::NEG_INFINITY || hi == f64::INFINITY {
        if lo.is_finite() { lo } else { hi.min(f64::MAX) }
    } else {
        (lo + 0.5 * (hi - lo)).max(lo).min(hi)
    }
}

/// Applies a filter to the values in `states` (not empty): the value, and its bounds where it is a number.
pub(super) fn apply(
    op: FilterOp,
    values: &StateValues,
    states: &BitSet,
) -> Result<(Value, Option<Interval>), CheckError> {
    match (op, values) {
        (FilterOp::ForAll, StateValues::Bool(set)) => {
            Ok((Value::Bool(states.iter().all(|s| set.contains(s))), None))
        }
        (FilterOp::Exists, StateValues::Bool(set)) => {
            Ok((Value::Bool(states.iter().any(|s| set.contains(s))), None))
        }
        (FilterOp::Count, StateValues::Bool(set)) => {
            let count = states.iter().filter(|&s| set.contains(s)).count() as f64;
            Ok((Value::Number(count), Some([count; 2])))
        }
        (FilterOp::First | FilterOp::State, values) => {
            let state = single(op, states)?;
            Ok(match values {
                StateValues::Bool(set) => (Value::Bool(set.contains(state)), None),
                StateValues::Number(numbers) => {
                    (Value::Number(middle(numbers.bounds[state])), Some(numbers.bounds[state]))
                }
            })
        }
        (FilterOp::Print | FilterOp::PrintAll, values) => {
            let list = states.iter().map(|s| match values {
                StateValues::Bool(set) => (s as u32, FormulaValue::Truth(set.contains(s))),
                StateValues::Number(numbers) => (s as u32, FormulaValue::Bounds(numbers.bounds[s])),
            });
            let list = list.filter(|&(_, v)| op == FilterOp::PrintAll || v.middle() != 0.0).collect();
            Ok((Value::States(list), None))
        }
        (FilterOp::ArgMin | FilterOp::ArgMax, StateValues::Number(numbers)) => {
            let list = extreme_states(op, numbers, states);
            Ok((
                Value::States(list.map(|s| (s as u32, FormulaValue::Bounds(numbers.bounds[s]))).collect()),
                None,
            ))
        }
        (FilterOp::Range, StateValues::Number(numbers)) => {
            let (least, largest) = (least(numbers, states), largest(numbers, states));
            Ok((Value::Interval(middle(least), middle(largest)), Some([least[0], largest[1]])))
        }
        (FilterOp::Min | FilterOp::Max | FilterOp::Sum | FilterOp::Avg, StateValues::Number(numbers)) => {
            let bounds = number(op, numbers, states)?;
            Ok((Value::Number(middle(bounds)), Some(bounds)))
        }
        (FilterOp::ForAll | FilterOp::Exists | FilterOp::Count, StateValues::Number(_)) => {
            Err(CheckError::TypeMismatch { what: "this filter takes a truth value".to_string() })
        }
        (_, StateValues::Bool(_)) => {
            Err(CheckError::TypeMismatch { what: "this filter takes a number".to_string() })
        }
    }
}

/// The guarantee of a truth value or of a list of states: for computed numbers, bounds around all of them.
pub(super) fn listed(value: &Value, values: &StateValues) -> Result<Guarantee, gate::Flaw> {
    let (Value::States(list), StateValues::Number(numbers)) = (value, values) else {
        return Ok(gate::exact());
    };
    let bounds = list.iter().map(|&(state, _)| numbers.bounds[state as usize]);
    if bounds.clone().all(|[lo, hi]| lo == hi) {
        return Ok(gate::exact());
    }
    let hull = bounds.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
    hull.map_or(Ok(gate::exact()), gate::enclosed)
}

/// A filter within a formula: its value in every state.
pub(super) fn nested(op: FilterOp, values: &StateValues, states: &BitSet) -> Result<StateValues, CheckError> {
    let n = states.len();
    if states.count() == 0 {
        return Err(CheckError::EmptyFilter);
    }
    match (op, values) {
        (FilterOp::Print | FilterOp::PrintAll, values) => Ok(values.clone()),
        (FilterOp::ArgMin | FilterOp::ArgMax, StateValues::Number(numbers)) => {
            let set = BitSet::of(n, extreme_states(op, numbers, states));
            Ok(StateValues::Bool(set))
        }
        (FilterOp::Range, StateValues::Number(_)) => Err(CheckError::TypeMismatch {
            what: "a range is not a number: filter(range, …) must be outermost".to_string(),
        }),
        _ => Ok(match apply(op, values, states)? {
            (Value::Bool(true), _) => StateValues::Bool(BitSet::full(n)),
            (Value::Bool(false), _) => StateValues::Bool(BitSet::new(n)),
            (_, bounds) => StateValues::Number(Numbers {
                bounds: vec![bounds.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]); n],
                method: String::new(),
                stop: StopReason::Computed,
            }),
        }),
    }
}

/// The bounds whose width decides whether an answer is precise: those of the number, or of the wider end of a range.
pub(super) fn worst(
    op: FilterOp,
    values: &StateValues,
    states: &BitSet,
    bounds: Option<Interval>,
) -> Option<Interval> {
    match (op, values) {
        (FilterOp::Range, StateValues::Number(numbers)) => {
            let (low, high) = (least(numbers, states), largest(numbers, states));
            Some(if low[1] - low[0] > high[1] - high[0] { low } else { high })
        }
        _ => bounds,
    }
}

fn single(op: FilterOp, states: &BitSet) -> Result<usize, CheckError> {
    match (op, states.count()) {
        (FilterOp::State, count) if count > 1 => Err(CheckError::SeveralStates { count }),
        _ => states.iter().next().ok_or(CheckError::EmptyFilter),
    }
}

fn least(numbers: &Numbers, states: &BitSet) -> Interval {
    let bounds = states.iter().map(|s| numbers.bounds[s]);
    bounds.fold([f64::INFINITY; 2], |a, b| [a[0].min(b[0]), a[1].min(b[1])])
}

fn largest(numbers: &Numbers, states: &BitSet) -> Interval {
    let bounds = states.iter().map(|s| numbers.bounds[s]);
    bounds.fold([f64::NEG_INFINITY; 2], |a, b| [a[0].max(b[0]), a[1].max(b[1])])
}

fn number(op: FilterOp, numbers: &Numbers, states: &BitSet) -> Result<Interval, CheckError> {
    let undefined = || CheckError::Undefined { what: "a sum of infinities".to_string() };
    match op {
        FilterOp::Min => Ok(least(numbers, states)),
        FilterOp::Max => Ok(largest(numbers, states)),
        _ => {
            let mut sum = [0.0; 2];
            for s in states.iter() {
                sum = interval::add(sum, numbers.bounds[s]).ok_or_else(undefined)?;
            }
            match op {
                FilterOp::Avg => interval::div(sum, [states.count() as f64; 2]).ok_or_else(undefined),
                _ => Ok(sum),
            }
        }
    }
}

/// All states that may attain the extreme according to their bounds.
fn extreme_states<'a>(
    op: FilterOp,
    numbers: &'a Numbers,
    states: &'a BitSet,
) -> impl Iterator<Item = usize> + 'a {
    let min = op == FilterOp::ArgMin;
    let extreme = if min { least(numbers, states) } else { largest(numbers, states) };
    states.iter().filter(move |&s| {
        let [lo, hi] = numbers.bounds[s];
        if min { lo <= extreme[1] } else { hi >= extreme[0] }
    })
}
