//! One program, every way to explore it: interpreter, native code of every kind, and all of them in turn; one thread and several.

use std::time::Instant;
use volvelle_control::{Control, Limits, Stop};
use volvelle_explore::{ExploreError, Explored, Options, explore};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Compiler, Effort};
use volvelle_model::Program;
use volvelle_model::kernels::Selection;
use volvelle_native::Native;
use volvelle_space::{RewardVectors, Space};

/// How an exploration ended.
pub type Outcome = Result<Explored, ExploreError>;

/// How far to explore.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// States.
    pub states: u64,
    /// When to give up. Where this ends an exploration, nothing is compared.
    pub deadline: Option<Instant>,
}

/// Explores a program in all ways and compares; gives the first outcome, or what differs.
///
/// # Errors
/// A sentence about the first difference.
pub fn compare(program: &Program, bounds: Bounds) -> Result<Outcome, String> {
    let native = Native::new(volvelle_native::Options::default()).map_err(|e| e.to_string())?;
    let ways: [(&dyn Compiler, Option<Effort>, usize); 5] = [
        (&native, Some(Effort::Usual), 1),
        (&native, Some(Effort::Quick), 2),
        (&native, Some(Effort::Thorough), 1),
        (&native, None, 2),
        (&Interpreter, None, 1),
    ];
    let mut outcomes = ways.into_iter().map(|(compiler, code, threads)| {
        let limits = Limits { states: Some(bounds.states), deadline: bounds.deadline, memory_bytes: None };
        let control = Control { limits, threads, ..Control::unlimited() };
        let options = Options { observe: Selection::all(program), code, ..Options::default() };
        let outcome = explore(program, compiler, &options, &control);
        (format!("{}, {code:?}, threads: {threads}", compiler.name()), outcome)
    });
    let (first_name, first) = outcomes.next().expect("there are several ways");
    for (name, outcome) in outcomes {
        if let Some(difference) = difference(&first, &outcome) {
            return Err(format!("{first_name} and {name} differ: {difference}"));
        }
    }
    Ok(first)
}

/// The difference of two outcomes, if any. Time limits end explorations anywhere, so those are not compared;
/// other limits must be the same, but not how far the search has come.
pub fn difference(a: &Outcome, b: &Outcome) -> Option<String> {
    match (a, b) {
        (Err(ExploreError::Stopped { stop: Stop::Timeout, .. }), _)
        | (_, Err(ExploreError::Stopped { stop: Stop::Timeout, .. })) => None,
        (Err(ExploreError::Stopped { stop: a, .. }), Err(ExploreError::Stopped { stop: b, .. })) => {
            (a != b).then(|| format!("stopped by {a} and by {b}"))
        }
        (Err(a), Err(b)) => (a != b).then(|| format!("{a:?} and {b:?}")),
        (Ok(a), Ok(b)) => difference_of_results(a, b),
        (Ok(_), Err(e)) | (Err(e), Ok(_)) => Some(format!("one ends with {e:?}, the other does not")),
    }
}

pub(crate) fn difference_of_results(a: &Explored, b: &Explored) -> Option<String> {
    if a.layout != b.layout {
        return Some("the layouts".to_owned());
    }
    if a.states.len() != b.states.len() {
        return Some(format!("{} and {} states", a.states.len(), b.states.len()));
    }
    if a.unexpanded != b.unexpanded {
        return Some("which states were expanded".to_owned());
    }
    if let Some(state) = (0..a.states.len()).find(|&s| a.states.get(s) != b.states.get(s)) {
        return Some(format!("state {state}"));
    }
    difference_of_spaces(&a.space, &b.space).or_else(|| {
        let same = a.numbers.len() == b.numbers.len()
            && a.numbers
                .iter()
                .zip(&b.numbers)
                .all(|(a, b)| same_bits(a.iter().copied(), b.iter().copied()).is_none());
        (!same).then(|| "numeric observations".to_owned())
    })
}

fn difference_of_spaces(a: &Space, b: &Space) -> Option<String> {
    let what = |differ: bool, what: &str| differ.then(|| what.to_owned());
    what(a.kind != b.kind, "the kinds")
        .or_else(|| what(a.initial != b.initial, "initial states"))
        .or_else(|| what(a.choices != b.choices, "choices"))
        .or_else(|| what(a.row_start != b.row_start, "numbers of transitions"))
        .or_else(|| what(a.columns != b.columns, "targets of transitions"))
        .or_else(|| what(a.values != b.values, "values of transitions"))
        .or_else(|| what(a.deadlocks != b.deadlocks, "deadlocks"))
        .or_else(|| what(a.labels != b.labels, "labels"))
        .or_else(|| what(a.actions != b.actions, "actions"))
        .or_else(|| what(a.rewards.len() != b.rewards.len(), "reward structures"))
        .or_else(|| a.rewards.iter().zip(&b.rewards).find_map(|(a, b)| difference_of_rewards(a, b)))
}

fn difference_of_rewards(a: &RewardVectors, b: &RewardVectors) -> Option<String> {
    let vectors = [(&a.state, &b.state, "state"), (&a.choice, &b.choice, "transition")];
    vectors.into_iter().find_map(|(x, y, kind)| {
        let difference = match (x, y) {
            (Some(x), Some(y)) => same_bits(x.iter(), y.iter()),
            (None, None) => None,
            _ => Some("one has none".to_owned()),
        };
        difference.map(|d| format!("{kind} rewards \"{}\": {d}", a.name))
    })
}

/// Where two vectors differ in a bit; any NaN is like any other.
fn same_bits(a: impl ExactSizeIterator<Item = f64>, b: impl ExactSizeIterator<Item = f64>) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("{} and {} elements", a.len(), b.len()));
    }
    let differ = |(x, y): &(f64, f64)| x.to_bits() != y.to_bits() && !(x.is_nan() && y.is_nan());
    let (at, (x, y)) = a.zip(b).enumerate().find(|(_, pair)| differ(pair))?;
    Some(format!("element {at}: {x:e} and {y:e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lowered;
    use volvelle_space::StateId;

    type Change = fn(&mut Explored);

    const TEXT: &str = r#"
        mdp
        module m
          x : [0..3];
          b : bool;
          [a] x<3 -> 0.5 : (x'=x+1) + 0.5 : (b'=!b);
          [] b -> (x'=0);
        endmodule
        label "high" = x=3;
        rewards "r" [a] true : 2; x=1 : x/3; endrewards
    "#;

    fn explored() -> Explored {
        let (_, lowered) = lowered(TEXT).expect("the text is right");
        let bounds = Bounds { states: 100, deadline: None };
        compare(lowered.program(), bounds).expect("no difference").expect("no failure")
    }

    /// Every part of a result counts.
    #[test]
    fn differences_are_found() {
        let changes: [(&str, Change); 9] = [
            ("initial states", |e| e.space.initial[0] = StateId(1)),
            ("choices", |e| e.space.choices = None),
            ("numbers of transitions", |e| e.space.row_start[1] += 1),
            ("targets of transitions", |e| e.space.columns[0] ^= 1),
            ("values of transitions", |e| {
                let mut values: Vec<f64> = e.space.values.iter().collect();
                values[0] = values[0].next_up();
                e.space.values = values.into();
            }),
            ("deadlocks", |e| assert!(e.space.deadlocks.insert(0))),
            ("labels", |e| e.space.labels[0].0.push('x')),
            ("state rewards", |e| {
                let mut rewards = e.space.rewards[0].state.as_ref().unwrap().to_vec();
                rewards[0] = -0.0;
                e.space.rewards[0].state = Some(rewards.into());
            }),
            ("transition rewards", |e| e.space.rewards[0].choice = None),
        ];
        for (what, change) in changes {
            let mut changed = explored();
            change(&mut changed);
            let found = difference(&Ok(explored()), &Ok(changed)).expect(what);
            assert!(found.starts_with(what), "{what}: {found}");
        }
        assert_eq!(difference(&Ok(explored()), &Ok(explored())), None);
    }

    #[test]
    fn complaints_are_compared() {
        let failed = || Err(ExploreError::NoInitialState);
        assert_eq!(difference(&failed(), &failed()), None);
        assert!(difference(&failed(), &Ok(explored())).is_some());
        assert!(difference(&failed(), &Err(ExploreError::TooLarge { what: "states" })).is_some());
    }

    #[test]
    fn bits_and_nan() {
        assert!(same_bits([0.0].into_iter(), [-0.0].into_iter()).is_some());
        assert!(same_bits([f64::NAN].into_iter(), [-f64::NAN].into_iter()).is_none());
        assert!(same_bits([1.0].into_iter(), [1.0, 2.0].into_iter()).is_some());
    }
}
