//! One pair of states: whether it is in the largest simulation, with a strategy of the winner.
//!
//! The pairs that the defender has left at the end of the [game](crate::game) form a simulation. A step
//! refutes a pair if every path passes pairs that were refuted before. This is the attacker's strategy: each
//! move leads to a pair that was refuted earlier, so it ends.

use super::explain::{attack, defence};
use super::strategy::{Attack, Defence, Reason, Refuted, Verdict};
use crate::Failure;
use crate::bisimulation::Options;
use crate::game::answer::Arena;
use crate::game::classes::{Dominance, refine};
use crate::game::play::Aids;
use crate::game::rule::Rule;
use crate::game::stages::{Computed, PATIENCE, played};
use crate::game::stay::Stay;
use crate::window::Window;
use volvelle_control::Control;
use volvelle_space::WeightedStructure;

/// Decides whether `(s, t)` is in the largest simulation, without computing all of it. The options have an
/// effect only with
/// [`Window::AtLeast`]: see [`simulation`](super::simulation).
///
/// # Errors
/// A limit was reached, or a weight or a bound does not fit into 64 bits.
pub fn related(
    structure: &WeightedStructure,
    (s, t): (u32, u32),
    window: &Window,
    options: Options,
    control: &Control<'_>,
) -> Result<Verdict, Failure> {
    related_after(structure, (s, t), window, options, (PATIENCE, true), control)
}

/// Like [`related`], but only with the attacker's strategy; `None` if the pair is related. The defender's
/// strategy may be much larger than the game.
///
/// # Errors
/// Those of [`related`].
pub fn refuted(
    structure: &WeightedStructure,
    pair: (u32, u32),
    window: &Window,
    options: Options,
    control: &Control<'_>,
) -> Result<Option<Attack>, Failure> {
    Ok(match related_after(structure, pair, window, options, (PATIENCE, false), control)? {
        Verdict::Related(_) => None,
        Verdict::Unrelated(attack) => Some(attack),
    })
}

/// Like [`related`], with a limit for short games (see [`Aids::patience`]), and with or without the
/// defender's strategy.
fn related_after(
    structure: &WeightedStructure,
    (s, t): (u32, u32),
    window: &Window,
    options: Options,
    (patience, is_shown): (u64, bool),
    control: &Control<'_>,
) -> Result<Verdict, Failure> {
    if structure.valuation_of(s) != structure.valuation_of(t) {
        return Ok(Verdict::Unrelated(Attack { pairs: vec![Refuted { s, t, reason: Reason::Valuations }] }));
    }
    if s == t {
        return Ok(Verdict::Related(Defence { pairs: Vec::new() }));
    }
    let options = if *window == Window::AtLeast { options } else { Options::default() };
    let dominance = Dominance::of(window, options);
    let classes = refine(structure, dominance, control)?;
    let (arena, rule) = (Arena::new(structure), Rule::Window(window));
    let stay = Stay::new(structure, options);
    let aids = Aids { classes: Some(&classes), stay: stay.as_ref(), patience, ..Aids::default() };
    let mut computed = Computed::default();
    let game = played(&arena, &rule, aids, (s, t), true, &mut computed, control)?;
    if !game.is_related(s, t) {
        return Ok(Verdict::Unrelated(attack(&game, options, (s, t), control)?));
    }
    if !is_shown {
        return Ok(Verdict::Related(Defence { pairs: Vec::new() }));
    }
    Ok(Verdict::Related(defence(&game, dominance, &classes, (s, t), control)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation;
    use volvelle_random::Random;
    use volvelle_space::{BitSet, WeightedBuilder, WeightedStep};

    /// Each step is unanswered once the pairs after it are refuted, and these are refuted by others.
    fn check(structure: &WeightedStructure, window: &Window, attack: &Attack) {
        let states = structure.num_states();
        let mut is_sound = vec![false; attack.pairs.len()];
        for _ in 0..attack.pairs.len() {
            let before = is_sound.clone();
            for (index, pair) in attack.pairs.iter().enumerate().rev().filter(|&(index, _)| !before[index]) {
                let Reason::Step { step, passing, ending } = &pair.reason else {
                    panic!("pairs with other valuations need no refutation")
                };
                if !passing.iter().chain(ending).all(|&other| is_sound[other]) {
                    continue;
                }
                let without = |state: u32, refuted: &[usize]| {
                    assert!(refuted.iter().all(|&other| attack.pairs[other].s == state));
                    let refuted: Vec<u32> = refuted.iter().map(|&other| attack.pairs[other].t).collect();
                    let alike = (0..states as u32).filter(|&other| {
                        structure.valuation_of(other) == structure.valuation_of(state)
                            && !refuted.contains(&other)
                    });
                    BitSet::of(states, alike.map(|other| other as usize))
                };
                assert!(structure.outgoing(pair.s).contains(step));
                let (region, goal) = (without(pair.s, passing), without(step.target, ending));
                let (low, high) = window.bounds(step.weight).expect("small weights");
                let found = crate::paths::within(structure, &region, &goal, low, high, &Control::unlimited());
                is_sound[index] = !found.expect("no limits").contains(pair.t as usize);
                assert!(is_sound[index], "{window:?}: {pair:?} of {attack:?} in {structure:?}");
            }
            if is_sound == before {
                break;
            }
        }
        assert!(is_sound.iter().all(|&sound| sound), "{window:?}: {attack:?} in {structure:?}");
    }

    /// Invariants, which are only computed for hard games, change no verdict, and their refutations are
    /// plays.
    #[test]
    fn invariants_agree_with_the_relation() {
        let mut random = Random(5);
        let e = "1/2".parse().expect("a fraction");
        let windows = [Window::AtMost, Window::AtLeast, Window::Around(e)];
        let mut excluded = [0; 2];
        for case in 0..60 {
            let (states, valuations) = (4 + random.below(26), 1 + random.below(3));
            let (weights, degree) = (1 + random.below(5), 1 + random.below(3));
            let mut builder = WeightedBuilder::new();
            for state in 0..states {
                let target = |random: &mut Random| match case % 3 {
                    0 => random.below(states),
                    1 => (state + 1 + random.below(2)) % states,
                    _ => (state + 1 + random.below(3)).min(states - 1),
                };
                let steps: Vec<WeightedStep> = (0..random.below(degree + 1))
                    .map(|_| WeightedStep {
                        weight: random.below(weights) as u64,
                        target: target(&mut random) as u32,
                    })
                    .collect();
                builder.state([(random.below(valuations) as u32, 1)], steps);
            }
            let names = (0..valuations).map(|p| format!("p{p}")).collect();
            let structure = builder.finish(0, dashu_ratio::RBig::ONE, names);
            let (options, control) = (Options::default(), Control::unlimited());
            for window in &windows {
                let expected = simulation(&structure, window, options, &control).expect("no limits");
                for _ in 0..40 {
                    let (s, t) = (random.below(states) as u32, random.below(states) as u32);
                    if s == t || structure.valuation_of(s) != structure.valuation_of(t) {
                        continue;
                    }
                    let found = related_after(&structure, (s, t), window, options, (0, true), &control);
                    match found.expect("no limits") {
                        Verdict::Related(_) => {
                            assert!(expected.contains(s, t), "{window:?} {s} {t} {structure:?}")
                        }
                        Verdict::Unrelated(attack) => {
                            assert!(!expected.contains(s, t), "{window:?} {s} {t} {structure:?}");
                            check(&structure, window, &attack);
                            excluded[usize::from(attack.pairs.len() > 1)] += 1;
                        }
                    }
                }
            }
        }
        assert!(excluded.iter().all(|&count| count > 200), "{excluded:?}");
    }
}
