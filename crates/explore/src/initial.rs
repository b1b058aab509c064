//! Initial states.
//!
//! A predicate is satisfied by enumeration, one field after the other; each conjunct is tested as soon as its
//! last field has a value, so that `x=0 & y=0 & (…)` does not try every `x` and `y`.

use crate::error::{ExploreError, Reached};
use volvelle_control::{Control, Stop};
use volvelle_kernel::interp::{EvalError, Evaluator};
use volvelle_kernel::{Const, ExprId, Node};
use volvelle_model::interval::Env;
use volvelle_model::{Domain, FieldId, Initial, Layout, Program};

/// Assignments between two looks at clock and limits.
const PATIENCE: u32 = 1 << 14;

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

/// The values of all fields in the initial state, if there is just one and it is soon found.
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
    let levels = conjuncts_by_level(program, predicate);
    let known = Env::new(program).assume(&program.exprs, predicate);
    let domains: Vec<(i64, i64)> = (0..program.fields.len() as u32)
        .map(|i| known.field(FieldId(i)))
        .map(|interval| (interval.lo, interval.hi))
        .collect();
    let mut found: Vec<u64> = Vec::new();
    let mut values: Vec<i64> = domains.iter().map(|&(lo, _)| lo).collect();
    let mut locals: Vec<Const> =
        program.fields.iter().zip(&values).map(|(f, &v)| constant(f.domain, v)).collect();
    let mut evaluator = Evaluator::new();
    let stopped = |stop: Stop, found: &[u64]| ExploreError::Stopped {
        stop,
        reached: Reached {
            states: (found.len() / layout.words()) as u64,
            expanded: 0,
            transitions: 0,
            bytes: 8 * found.len() as u64,
        },
    };
    if !holds(&mut evaluator, program, &levels[0], &locals, &values)? {
        return Ok(found);
    }
    let mut patience = PATIENCE;
    // `level` fields have a value that passed its tests; `values[level]` is the next to try.
    let mut level = 0;
    loop {
        patience -= 1;
        if patience == 0 {
            patience = PATIENCE;
            control.check().map_err(|stop| stopped(stop, &found))?;
            control.check_memory(8 * found.len() as u64).map_err(|stop| stopped(stop, &found))?;
        }
        if level == values.len() {
            let limit = control.limits.states.unwrap_or(u64::MAX);
            if (found.len() / layout.words()) as u64 >= limit {
                return Err(stopped(Stop::States, &found));
            }
            found.extend(layout.pack(&values));
        } else if values[level] <= domains[level].1 {
            locals[level] = constant(program.fields[level].domain, values[level]);
            if holds(&mut evaluator, program, &levels[level + 1], &locals, &values)? {
                level += 1;
                if level < values.len() {
                    values[level] = domains[level].0;
                }
            } else {
                values[level] += 1;
            }
            continue;
        }
        // A state was found, or all values of this field were tried: go on with the field before.
        if level == 0 {
            return Ok(found);
        }
        level -= 1;
        values[level] += 1;
    }
}

fn constant(domain: Domain, value: i64) -> Const {
    if domain == Domain::Bool { Const::bool(value != 0) } else { Const::i64(value) }
}

/// Conjuncts by the number of leading fields that they need.
fn conjuncts_by_level(program: &Program, predicate: ExprId) -> Vec<Vec<ExprId>> {
    let mut levels = vec![Vec::new(); program.fields.len() + 1];
    let mut stack = vec![predicate];
    while let Some(id) = stack.pop() {
        if let Node::And { lhs, rhs } = program.exprs.node(id) {
            // A failure in the right side may be guarded by the left one, and levels would reorder them.
            if program.exprs.is_infallible(rhs) {
                stack.push(rhs);
                stack.push(lhs);
                continue;
            }
        }
        let level = program.reads(id).last().map_or(0, |field| field.index() + 1);
        levels[level].push(id);
    }
    levels
}

fn holds(
    evaluator: &mut Evaluator,
    program: &Program,
    conjuncts: &[ExprId],
    locals: &[Const],
    values: &[i64],
) -> Result<bool, ExploreError> {
    for &conjunct in conjuncts {
        match evaluator.eval(&program.exprs, conjunct, locals) {
            Ok(value) if value.as_bool() == Some(true) => {}
            Ok(_) => return Ok(false),
            Err(EvalError::Failed(site)) => {
                let values = values.to_vec();
                return Err(ExploreError::Failed { site, values, state: None, path: Vec::new() });
            }
            Err(other) => unreachable!("a predicate reads fields only: {other:?}"),
        }
    }
    Ok(true)
}
