//! Filters over rational values: one value out of the values of many states.

use crate::arithmetic::{add, div};
use crate::values::Values;
use dashu_ratio::RBig;
use volvelle_logic::{FilterOp, FormulaValue, Ratio, Value};
use volvelle_solver::CheckError;
use volvelle_space::BitSet;

/// A value with its numbers in rational arithmetic, as [`volvelle_logic::Answer`] has them.
pub type Filtered = (Value, Vec<Ratio>);

/// Applies a filter to the values in `states`, which are not empty.
pub fn apply(op: FilterOp, values: &Values, states: &BitSet) -> Result<Filtered, CheckError> {
    let number = |x: Ratio| (Value::Number(x.to_f64()), vec![x]);
    let truth = |holds: bool| Ok((Value::Bool(holds), Vec::new()));
    match (op, values) {
        (FilterOp::ForAll, Values::Bool(set)) => truth(states.iter().all(|s| set.contains(s))),
        (FilterOp::Exists, Values::Bool(set)) => truth(states.iter().any(|s| set.contains(s))),
        (FilterOp::Count, Values::Bool(set)) => {
            let count = states.iter().filter(|&s| set.contains(s)).count();
            Ok(number(RBig::from(count).into()))
        }
        (FilterOp::First | FilterOp::State, values) => {
            if op == FilterOp::State && states.count() > 1 {
                return Err(CheckError::SeveralStates { count: states.count() });
            }
            let state = states.iter().next().ok_or(CheckError::EmptyFilter)?;
            match values {
                Values::Bool(set) => truth(set.contains(state)),
                Values::Number(numbers) => Ok(number(numbers[state].clone())),
            }
        }
        (FilterOp::Print | FilterOp::PrintAll, values) => {
            let value = |s: usize| match values {
                Values::Bool(set) => RBig::from(u8::from(set.contains(s))).into(),
                Values::Number(numbers) => numbers[s].clone(),
            };
            let list = states.iter().map(|s| (s, value(s)));
            Ok(listed(list.filter(|(_, v)| op == FilterOp::PrintAll || *v != Ratio::ZERO)))
        }
        (FilterOp::ArgMin | FilterOp::ArgMax, Values::Number(numbers)) => {
            let best = extreme(op == FilterOp::ArgMin, numbers, states)?;
            let list = states.iter().filter(|&s| numbers[s] == best);
            Ok(listed(list.map(|s| (s, best.clone()))))
        }
        (FilterOp::Range, Values::Number(numbers)) => {
            let (lo, hi) = (extreme(true, numbers, states)?, extreme(false, numbers, states)?);
            Ok((Value::Interval(lo.to_f64(), hi.to_f64()), vec![lo, hi]))
        }
        (FilterOp::Min | FilterOp::Max, Values::Number(numbers)) => {
            Ok(number(extreme(op == FilterOp::Min, numbers, states)?))
        }
        (FilterOp::Sum | FilterOp::Avg, Values::Number(numbers)) => {
            let undefined = |_| CheckError::Undefined { what: "a sum of infinities".to_string() };
            let mut sum = Ratio::ZERO;
            for s in states.iter() {
                sum = add(&sum, &numbers[s]).map_err(undefined)?;
            }
            if op == FilterOp::Avg {
                sum = div(&sum, &RBig::from(states.count()).into()).map_err(undefined)?;
            }
            Ok(number(sum))
        }
        (FilterOp::ForAll | FilterOp::Exists | FilterOp::Count, Values::Number(_)) => {
            Err(CheckError::TypeMismatch { what: "this filter takes a truth value".to_string() })
        }
        (_, Values::Bool(_)) => {
            Err(CheckError::TypeMismatch { what: "this filter takes a number".to_string() })
        }
    }
}

/// A filter within a formula: its value in every state.
pub fn nested(op: FilterOp, values: &Values, states: &BitSet) -> Result<Values, CheckError> {
    let n = states.len();
    if states.count() == 0 {
        return Err(CheckError::EmptyFilter);
    }
    match (op, values) {
        (FilterOp::Print | FilterOp::PrintAll, values) => Ok(values.clone()),
        (FilterOp::ArgMin | FilterOp::ArgMax, Values::Number(numbers)) => {
            let best = extreme(op == FilterOp::ArgMin, numbers, states)?;
            let set = BitSet::of(n, states.iter().filter(|&s| numbers[s] == best));
            Ok(Values::Bool(set))
        }
        (FilterOp::Range, Values::Number(_)) => Err(CheckError::TypeMismatch {
            what: "a range is not a number: filter(range, …) must be outermost".to_string(),
        }),
        _ => Ok(match apply(op, values, states)? {
            (Value::Bool(true), _) => Values::Bool(BitSet::full(n)),
            (Value::Bool(false), _) => Values::Bool(BitSet::new(n)),
            (_, numbers) => Values::Number(vec![numbers.into_iter().next().unwrap_or(Ratio::ZERO); n]),
        }),
    }
}

fn listed(list: impl Iterator<Item = (usize, Ratio)>) -> Filtered {
    let (mut states, mut numbers) = (Vec::new(), Vec::new());
    for (state, value) in list {
        states.push((state as u32, FormulaValue::Bounds(value.enclosure())));
        numbers.push(value);
    }
    (Value::States(states), numbers)
}

fn extreme(least: bool, numbers: &[Ratio], states: &BitSet) -> Result<Ratio, CheckError> {
    let all = states.iter().map(|s| &numbers[s]);
    let best = if least { all.min() } else { all.max() };
    best.cloned().ok_or(CheckError::EmptyFilter)
}
