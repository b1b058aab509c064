//! States and steps of unfoldings: small systems with known answers, and thousands of random ones against the literal interpreter.

use crate::literal::{Plain, bisimilar, literal};
use crate::models::{alternating_bit, election, semaphore};
use crate::random_systems::random_system;
use crate::support::{explored, system};
use volvelle_random::Random;
use volvelle_space::WeightedStructure;
use volvelle_wks::wccs::{NoStructure, TooLarge, Unfolding};

fn structure(text: &str) -> WeightedStructure {
    explored(&system(text), 0)
}

/// The largest multiplicity of a proposition in any state.
fn most(structure: &WeightedStructure, name: &str) -> i64 {
    let number = structure.proposition(name).expect("it occurs");
    (0..structure.num_states() as u32).map(|state| structure.multiplicity(state, number)).max().unwrap_or(0)
}

/// Weights of all steps, sorted.
fn weights(structure: &WeightedStructure) -> Vec<u64> {
    let mut weights: Vec<u64> = structure.steps().iter().map(|step| step.weight).collect();
    weights.sort_unstable();
    weights
}

#[test]
fn a_handshake_has_the_larger_weight() {
    let s = structure("S := (<a,2>.done:0 | <a!,5>.done:0) \\ {a};");
    assert_eq!((s.num_states(), s.num_steps()), (2, 1));
    assert_eq!(weights(&s), [5]);
    assert_eq!(most(&s, "done"), 2);
}

#[test]
fn without_restriction_both_move_alone_as_well() {
    let s = structure("S := <a,2>.0 | <a!,5>.0;");
    // Both, left, right, none; the handshake leads from the first to the last.
    assert_eq!((s.num_states(), weights(&s)), (4, vec![2, 2, 5, 5, 5]));
}

#[test]
fn names_of_actions_and_propositions_change_at_once() {
    let s = structure("S := ((<a,1>.p:0 + <b,2>.q:0)[a -> b, b -> c, p => q, q => p]) \\ {c};");
    assert_eq!(weights(&s), [1]);
    assert_eq!((most(&s, "p"), most(&s, "q")), (0, 1));
    let s = structure("S := ((p:0 | q:0)[p => q]);");
    assert_eq!(most(&s, "q"), 2);
    // A name that is restricted outside is not that inside.
    let s = structure("S := (<a,1>.0) \\ {a} + (<b,2>.0)[b -> a] \\ {b} + (<b,3>.0)[b -> a] \\ {a};");
    assert_eq!(weights(&s), [2]);
}

#[test]
fn propositions_add_up() {
    let s = structure("S := p:p:(A + A | q:B); A := p:<a>.0; B := q:0;");
    assert_eq!(s.multiplicity(0, s.proposition("p").expect("it occurs")), 4);
    assert_eq!(s.multiplicity(0, s.proposition("q").expect("it occurs")), 2);
    // The steps of a labelled term leave the label behind: then there is 0, or q:B.
    assert_eq!(s.num_states(), 3);
}

#[test]
fn only_a_null_without_label_drops_out() {
    let s = structure("S := <a>.0 | 0 | <a>.0 | (0 | 0);");
    assert_eq!(s.num_states(), 3);
    let s = structure("S := <a>.p:0 | <a>.p:0;");
    assert_eq!((s.num_states(), most(&s, "p")), (3, 2));
}

#[test]
fn permutations_are_one_state() {
    let s = structure("S := A | (B | A) | B | A; A := <a>.B; B := <b>.A;");
    assert_eq!(s.num_states(), 6);
    let s = structure("S := <t>.(A | B) + <t>.(B | A) + <t>.((A | 0) | B); A := <a>.A; B := <b>.B;");
    assert_eq!((s.num_states(), s.num_steps()), (2, 2));
}

#[test]
fn recursion_through_restrictions_is_finite() {
    let s = structure("S := <a>.(S \\ {b}) + <b>.0;");
    assert_eq!((s.num_states(), s.num_steps()), (3, 3));
}

#[test]
fn weights_have_one_unit() {
    let s = structure("S := (<a,1/3>.0 | <a!,0.5>.0) \\ {a};");
    assert_eq!(s.number(s.largest_weight()).to_string(), "1/2");
}

#[test]
fn a_semaphore_bounds_the_critical_section() {
    for (k, n) in [(1, 1), (1, 4), (3, 5), (4, 2), (7, 50)] {
        let s = structure(&semaphore(k, n));
        assert_eq!(most(&s, "critical_section"), k.min(n) as i64, "{k} {n}");
        assert_eq!(s.num_states(), k.min(n) + 1);
    }
}

#[test]
fn published_families() {
    // Configurations of the published table are three for each state here: one for each of three formulas.
    for (n, states) in [(8, 4_294 / 3), (9, 14_590 / 3), (10, 50_392 / 3)] {
        let system = system(&election(n));
        let s = explored(&system, system.process("Ring").expect("it is there"));
        assert!(s.num_states().abs_diff(states) <= 3, "{n}: {}", s.num_states());
        assert_eq!(most(&s, "leader"), 1);
    }
    let system = system(&alternating_bit(4, 5));
    let s = explored(&system, system.process("System").expect("it is there"));
    assert_eq!(most(&s, "delivered"), 5);
}

#[test]
fn families_are_what_the_literal_interpreter_says() {
    for (text, initial) in [
        (election(3), "Ring"),
        (election(4), "Ring"),
        (alternating_bit(1, 2), "System"),
        (alternating_bit(2, 2), "System"),
        (semaphore(2, 3), "System"),
    ] {
        let system = system(&text);
        let process = system.process(initial).expect("it is there");
        let slow = literal(&system, process, 20_000).expect("it is small");
        let fast = Plain::of(&explored(&system, process));
        assert!(bisimilar(&slow, &fast), "{text}");
        assert!(fast.steps.len() <= slow.steps.len());
    }
}

#[test]
fn random_systems_are_what_the_literal_interpreter_says() {
    let (mut compared, mut with_steps, mut smaller) = (0, 0, 0);
    for seed in 0..8_000 {
        let text = random_system(&mut Random(seed));
        let system = system(&text);
        let Some(slow) = literal(&system, 0, 80) else { continue };
        let fast = Plain::of(&explored(&system, 0));
        assert!(bisimilar(&slow, &fast), "seed {seed}:\n{text}");
        assert!(fast.steps.len() <= slow.steps.len(), "seed {seed}:\n{text}");
        compared += 1;
        with_steps += usize::from(slow.steps.len() > 5);
        smaller += usize::from(fast.steps.len() < slow.steps.len());
    }
    assert!(compared > 2_500 && with_steps > 400 && smaller > 400, "{compared} {with_steps} {smaller}");
}

#[test]
fn endless_systems_stop_at_a_limit() {
    let system = system("S := <a>.(S | S);");
    let mut unfolding = Unfolding::new(system, 0).expect("it is small");
    let mut asked = 0;
    let stopped = unfolding.explore(&mut |states, _| {
        asked += 1;
        states < 5_000
    });
    assert_eq!(stopped, Err(NoStructure::Stopped));
    assert!(asked > 1);
}

#[test]
fn contexts_that_never_return_do_not_use_the_stack() {
    // The term gets one label and one relabelling deeper with each step.
    let system = system("S := <a>.p:((S[a -> b])[b -> a] | (S \\ {c}));");
    let mut unfolding = Unfolding::new(system, 0).expect("it is small");
    let stopped = unfolding.explore(&mut |states, _| states < 3_000);
    assert!(stopped == Err(NoStructure::Stopped) || stopped.is_ok());
    let last = unfolding.num_states() as u32 - 1;
    assert!(!unfolding.text(last).is_empty());
}

#[test]
fn exponentially_many_parts_are_counted_or_refused() {
    let doubling = |levels: usize| {
        let mut text = String::from("X0 := <a>.p:0;\n");
        for level in 1..=levels {
            text += &format!("X{level} := X{0} | X{0};\n", level - 1);
        }
        text
    };
    let fits = system(&doubling(31));
    let unfolding = Unfolding::new(fits.clone(), fits.process("X31").expect("it is there"));
    assert_eq!(unfolding.expect("counts fit").text(0), "X31");
    let large = system(&doubling(32));
    let number = large.process("X32").expect("it is there");
    assert_eq!(Unfolding::new(large, number).err(), Some(TooLarge::Copies));
}

#[test]
fn texts_of_states() {
    let system = system(
        "S := (A | <b,1/2>.p:A | C) \\ {c}; A := <a>.0; C := <c>.(x:0 + (A | A | A | A | A)) + <d!>.(A[a -> e]);",
    );
    let mut unfolding = Unfolding::new(system, 0).expect("it is small");
    unfolding.explore(&mut |_, _| true).expect("it is small");
    let texts: Vec<String> = (0..unfolding.num_states() as u32).map(|state| unfolding.text(state)).collect();
    assert_eq!(texts[0], "S");
    assert!(texts.contains(&"(C | p:A) \\ {c}".to_owned()), "{texts:?}");
    assert!(texts.contains(&"A \\ {c}[a -> e]".to_owned()) || texts.len() > 5, "{texts:?}");
}

#[test]
fn long_texts_are_cut_and_differ() {
    let system = system(&format!("S := {}0;", "<a,1>.".repeat(5_000)));
    let mut unfolding = Unfolding::new(system, 0).expect("it is small");
    unfolding.explore(&mut |_, _| true).expect("it is small");
    let texts: Vec<String> = (0..unfolding.num_states() as u32).map(|state| unfolding.text(state)).collect();
    assert!(texts.iter().all(|text| text.len() < 600));
    assert!(texts[1].ends_with(" ... #1"), "{}", texts[1]);
    let all: std::collections::HashSet<&String> = texts.iter().collect();
    assert_eq!((texts.len(), all.len()), (5_001, 5_001));
}

#[test]
fn shipped_examples() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/weighted");
    let read =
        |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).expect("the example is there");
    let s = structure(&read("election.wccs"));
    assert_eq!(most(&s, "leader"), 1);
    // The names and the order of the ring differ, the behaviour does not.
    let family = system(&election(4));
    let ring = family.process("Ring").expect("it is there");
    assert!(bisimilar(&Plain::of(&s), &Plain::of(&explored(&family, ring))));
    let s = structure(&read("semaphore.wccs"));
    assert_eq!((s.num_states(), most(&s, "critical")), (3, 2));
    assert_eq!(s.number(s.largest_weight()).to_string(), "2");
}
