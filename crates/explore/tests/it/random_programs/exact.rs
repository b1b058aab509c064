//! Random programs in rational arithmetic, against the doubles of the space and the slow explorer.

use super::generate;
use super::reference;
use dashu_ratio::RBig;
use volvelle_control::{Control, Limits};
use volvelle_explore::{ExactError, Options, exact, explore};
use volvelle_kernel::interp::Interpreter;
use volvelle_model::kernels::Selection;
use volvelle_model::{Kind, Program, Weight};

fn close(double: f64, exact: f64) -> bool {
    (double - exact).abs() <= 1e-12 * exact.abs().max(1.0)
}

/// Says which fractions the constant weights stand for: `1/k`, or the dyadic number that the double is.
fn write_fractions(program: &mut Program) {
    let participants = program.groups.iter_mut().flat_map(|g| &mut g.participants);
    for outcome in participants.flat_map(|p| &mut p.alternatives).flat_map(|a| &mut a.outcomes) {
        if let Weight::Constant { value, exact } = &mut outcome.weight {
            let count = (1.0 / *value).round();
            let is_share = count >= 1.0 && 1.0 / count == *value;
            let share = || RBig::ONE / RBig::from(count as u64);
            *exact = Some(if is_share { share() } else { RBig::try_from(*value).expect("a finite weight") });
        }
    }
}

#[test]
fn exact_numbers_fit_the_doubles() {
    let limits = Limits { states: Some(400), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let (mut made, mut refused, mut rewarded) = (0, 0, 0);
    for seed in 0..600u64 {
        let mut program = if seed % 3 == 0 { generate::mixed(seed) } else { generate::program(seed) };
        write_fractions(&mut program);
        let selection = Selection::all(&program);
        let options = Options { observe: selection.clone(), ..Options::default() };
        let Ok(explored) = explore(&program, &Interpreter, &options, &control) else { continue };
        let space = &explored.space;
        let exact = match exact(&program, &explored, &selection, &control) {
            Ok(exact) => exact,
            Err(error @ (ExactError::Stopped(_) | ExactError::Sum { .. })) => {
                panic!("seed {seed}: {error:?}")
            }
            Err(ExactError::RoundedStart) => {
                refused += 1;
                continue;
            }
            Err(error) => panic!("seed {seed}: {error:?}"),
        };
        made += 1;
        assert_eq!(exact.values.len(), space.num_transitions());
        for (i, value) in exact.values.iter().enumerate() {
            assert!(close(space.values.get(i), value.to_f64().value()), "seed {seed}: transition {i}");
        }
        if program.kind() != Kind::Ctmc {
            let is_markovian =
                |&choice: &usize| space.choices.as_ref().is_some_and(|c| c.is_markovian(choice));
            for choice in (0..space.num_choices()).filter(|choice| !is_markovian(choice)) {
                let row = space.row(choice);
                let sum = row.fold(RBig::ZERO, |sum, i| sum + exact.values.get(i));
                assert!(sum.is_one(), "seed {seed}: choice {choice}");
            }
        }
        for (doubles, exact) in space.rewards.iter().zip(&exact.rewards) {
            for (doubles, exact) in [(&doubles.state, &exact.state), (&doubles.choice, &exact.choice)] {
                assert_eq!(doubles.is_some(), exact.is_some(), "seed {seed}");
                let (Some(doubles), Some(exact)) = (doubles, exact) else { continue };
                assert_eq!(doubles.len(), exact.len(), "seed {seed}");
                rewarded += 1;
                for (double, exact) in doubles.iter().zip(exact.iter()) {
                    let exact = exact.to_f64().value();
                    assert!(
                        (double - exact).abs() <= 1e-9 * exact.abs().max(1.0),
                        "seed {seed}: {double} {exact}"
                    );
                }
            }
        }
        for (doubles, exact) in explored.numbers.iter().zip(&exact.numbers) {
            assert!(doubles.iter().zip(exact.iter()).all(|(d, e)| close(*d, e.to_f64().value())));
        }
        // The slow explorer multiplies out on its own, in the order of the text.
        let expected = reference::explore(&program, 400).expect("exploration came to its end");
        for s in 0..space.num_states() {
            let rows = expected.rows(&program, s);
            for (choice, row) in space.choices_of(s).zip(&rows) {
                for i in space.row(choice) {
                    let weight = row.targets[&(space.columns[i] as usize)];
                    assert!(close(weight, exact.values.get(i).to_f64().value()), "seed {seed}: state {s}");
                }
            }
        }
    }
    assert!(made > 200 && rewarded > 100, "{made} made, {refused} refused, {rewarded} reward vectors");
}
