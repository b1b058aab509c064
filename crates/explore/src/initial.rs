//! Initial states.
//!
//! The valuations that satisfy a predicate are found by [`volvelle_model::valuations`], in lexicographic order.

use crate::error::{ExploreError, Reached};
use volvelle_control::{Control, Stop};
use volvelle_kernel::interp::{EvalError, Evaluator};
use volvelle_kernel::{Const, ExprId};
use volvelle_model::valuations::{Step, Valuations};
use volvelle_model::{Domain, Initial, Layout, Program};

/// Steps of the search between checks of clock and limits.
const PATIENCE: u32 = 1 << 12;

/// Limit of steps of the search per initial state, if time is not limited. It is exceeded by a condition that
/// does not bind too many of the fields that it reads.
const MOST_STEPS: u64 = 1 << 27;

/// Packed initial states, in the order of the program, or for a predicate in lexicographic order of the
/// fields' values.
pub fn initial_states(
    program: &Program,
    layout: &Layout,
    control: &Control<'_>,
) -> Result<Vec<u64>, ExploreError> {
    let packed = match &program.initial {
        Initial::States(states) => states.iter().flat_map(|values| layout.pack(values)).collect(),
        Initial::Predicate(predicate) => enumerate(program, layout, *predicate, control)?,
    };
    if packed.is_empty() { Err(ExploreError::NoInitialState) } else { Ok(packed) }
}

/// The values of all fields in the initial state, if there is only one and it is found quickly.
pub fn initial_state(program: &Program, control: &Control<'_>) -> Option<Vec<i64>> {
    let layout = Layout::new(program);
    let mut control = *control;
    control.limits.states = Some(2);
    let packed = initial_states(program, &layout, &control).ok()?;
    (packed.len() == layout.words()).then(|| layout.unpack(&packed))
}

fn enumerate(
    program: &Program,
    layout: &Layout,
    predicate: ExprId,
    control: &Control<'_>,
) -> Result<Vec<u64>, ExploreError> {
    let mut search = Valuations::new(program, predicate);
    let mut evaluator = Evaluator::new();
    let mut found: Vec<u64> = Vec::new();
    let mut values: Vec<i64> = vec![0; program.fields.len()];
    let mut locals: Vec<Const> = Vec::with_capacity(values.len());
    let stopped = |stop: Stop, found: &[u64]| ExploreError::Stopped {
        stop,
        reached: Reached {
            states: (found.len() / layout.words()) as u64,
            expanded: 0,
            transitions: 0,
            bytes: 8 * found.len() as u64,
        },
    };
    let mut patience = PATIENCE;
    let (mut steps, mut count) = (0u64, 0u64);
    loop {
        patience -= 1;
        if patience == 0 {
            patience = PATIENCE;
            steps += u64::from(PATIENCE);
            control.check().map_err(|stop| stopped(stop, &found))?;
            control.check_memory(8 * found.len() as u64).map_err(|stop| stopped(stop, &found))?;
            if control.limits.deadline.is_none() && steps / (1 + count) > MOST_STEPS {
                return Err(ExploreError::LooseStart { steps, found: count });
            }
        }
        let certain = match search.step() {
            Step::Working => continue,
            Step::Done => return Ok(found),
            Step::Found { certain } => certain,
        };
        values.iter_mut().zip(search.values()).for_each(|(value, found)| *value = found);
        if !certain {
            locals.clear();
            locals.extend(program.fields.iter().zip(&values).map(|(f, &v)| constant(f.domain, v)));
            if !holds(&mut evaluator, program, predicate, &locals, &values)? {
                continue;
            }
        }
        if count >= control.limits.states.unwrap_or(u64::MAX) {
            return Err(stopped(Stop::States, &found));
        }
        count += 1;
        found.extend(layout.pack(&values));
    }
}

fn constant(domain: Domain, value: i64) -> Const {
    if domain == Domain::Bool { Const::bool(value != 0) } else { Const::i64(value) }
}

fn holds(
    evaluator: &mut Evaluator,
    program: &Program,
    predicate: ExprId,
    locals: &[Const],
    values: &[i64],
) -> Result<bool, ExploreError> {
    match evaluator.eval(&program.exprs, predicate, locals) {
        Ok(value) => Ok(value.as_bool() == Some(true)),
        Err(EvalError::Failed(site)) => {
            let values = values.to_vec();
            Err(ExploreError::Failed { site, values, state: None, path: Vec::new() })
        }
        Err(other) => unreachable!("a predicate reads fields only: {other:?}"),
    }
}
