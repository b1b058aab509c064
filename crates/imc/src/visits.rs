//! The expected time that a run spends in each state before it ends.
//!
//! The chain is closed: a new state replaces the end of a run, and starts the run again after a mean time of
//! one. By the renewal-reward theorem, the long-run share of a state divided by that of the new state is the
//! time spent in it per run.

use volvelle_control::Control;
use volvelle_logic::gate::Range;
use volvelle_markov::{Classes, long_run_distribution};
use volvelle_space::{BitSet, Space, StateId, ValuesBuilder};

use crate::generator::Generator;
use crate::interval::{Bounds, divide};
use crate::numbers::{Code, ONE};
use crate::problem::Problem;

/// The expected time in each state before `ends` are entered, which must have probability one; zero in
/// `ends`.
pub(crate) fn times_before(
    generator: &Generator,
    ends: &BitSet,
    options: &volvelle_markov::Options,
    control: &Control,
) -> Result<Vec<Bounds>, Problem> {
    let space = &generator.space;
    let n = space.num_states();
    if space.initial.iter().any(|state| ends.contains(state.index())) {
        return Ok(vec![[0.0; 2]; n]);
    }
    let mut numbers = generator.numbers.clone();
    let inner: Vec<u32> = (0..n as u32).filter(|&s| !ends.contains(s as usize)).collect();
    let end = inner.len() as u32;
    let mut place = vec![end; n];
    inner.iter().zip(0..).for_each(|(&state, i)| place[state as usize] = i);
    let (mut row_start, mut columns, mut codes) = (vec![0u32], Vec::new(), Vec::<Code>::new());
    let mut row: Vec<(u32, Code)> = Vec::new();
    for &state in &inner {
        row.clear();
        for i in space.row(state as usize) {
            row.push((place[space.columns[i] as usize], generator.rates.codes()[i]));
        }
        numbers.merge(&mut row);
        columns.extend(row.iter().map(|&(target, _)| target));
        codes.extend(row.iter().map(|&(_, code)| code));
        row_start.push(columns.len() as u32);
    }
    columns.push(place[space.initial[0].index()]);
    codes.push(ONE);
    row_start.push(columns.len() as u32);
    let doubles = numbers.doubles();
    let mut values = ValuesBuilder::new();
    codes.iter().for_each(|&code| values.push(doubles[code as usize]));
    let closed = Space {
        row_start,
        columns,
        values: values.finish(),
        initial: vec![StateId(end)],
        deadlocks: BitSet::new(inner.len() + 1),
        ..space.clone()
    };
    let classes = Classes::single(closed.num_states());
    let shares = long_run_distribution(&closed, &classes, options, control)?.bounds;
    let mut times = vec![[0.0; 2]; n];
    for (&state, i) in inner.iter().zip(0..) {
        times[state as usize] = Range::AMOUNT.admit_or_whole(divide(shares[i], shares[end as usize]));
    }
    Ok(times)
}
