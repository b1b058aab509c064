//! The structures that are shipped as examples, and what their comments say.

use dashu_ratio::RBig;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use volvelle_diagnostics::{FileId, RenderOptions, Sources, render_all};
use volvelle_space::WeightedStructure;
use volvelle_wks::structure::{Explicit, read, read_json, write, write_json};

/// By the names of the files, without their ending.
fn shipped() -> BTreeMap<String, Explicit> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/weighted");
    let mut found = BTreeMap::new();
    for entry in folder.read_dir().expect("the examples are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "wks") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        assert!(text.starts_with("# "), "{}: a comment says what it is", path.display());
        let mut sources = Sources::new();
        let file = sources.add(path.to_string_lossy(), &text);
        let (explicit, diagnostics) = read(file, &text);
        let shown = render_all(&diagnostics, &sources, RenderOptions::default());
        assert!(diagnostics.is_empty(), "{shown}");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        found.insert(name, explicit.expect("a structure"));
    }
    found
}

/// The least weight of a path to a proposition: steps are tried until nothing changes.
fn least(structure: &WeightedStructure, proposition: &str) -> RBig {
    let mut least: Vec<Option<u64>> = vec![None; structure.num_states()];
    least[structure.initial as usize] = Some(0);
    for _ in 0..structure.num_states() {
        for state in 0..structure.num_states() as u32 {
            let Some(here) = least[state as usize] else { continue };
            for step in structure.outgoing(state) {
                let there = here + step.weight;
                let known = &mut least[step.target as usize];
                *known = Some(known.map_or(there, |known| known.min(there)));
            }
        }
    }
    let proposition = structure.proposition(proposition).expect("known");
    let states = 0..structure.num_states() as u32;
    let held = states.filter(|&state| structure.multiplicity(state, proposition) > 0);
    structure.number(held.filter_map(|state| least[state as usize]).min().expect("reachable"))
}

fn ratio(text: &str) -> RBig {
    text.parse().expect("a fraction")
}

#[test]
fn examples_are_read_and_written() {
    let found = shipped();
    assert!(found.len() >= 4, "{:?}", found.keys());
    for (file, explicit) in &found {
        assert_eq!(explicit.name.as_ref(), Some(file));
        let blocking =
            (0..explicit.structure.num_states() as u32).find(|&s| explicit.structure.outgoing(s).is_empty());
        assert_eq!(blocking, None, "{file}");
        let name = |state: u32| Cow::Borrowed(explicit.states[state as usize].as_str());
        let text = write(Some(file), &explicit.structure, explicit.parametric.as_ref(), name);
        let again = read(FileId(0), &text).0.expect("a structure");
        assert_eq!((&again.structure, &again.parametric), (&explicit.structure, &explicit.parametric));
        let text = write_json(Some(file), &explicit.structure, name);
        let again = read_json(FileId(0), &text).0.remove(0).1;
        assert_eq!((&again.structure, &again.states), (&explicit.structure, &explicit.states), "{file}");
    }
}

#[test]
fn prices() {
    let found = shipped();
    let vending = &found["vending"].structure;
    assert_eq!((least(vending, "tea"), least(vending, "coffee")), (ratio("3/2"), ratio("5/2")));
    let courier = &found["courier"];
    assert_eq!(least(&courier.structure, "delivered"), ratio("13/2"));
    for (fare, cost) in [("1", "3"), ("2", "6"), ("3", "7"), ("4", "8")] {
        let at = courier.at(&[ratio(fare)]).expect("weights");
        assert_eq!(least(&at, "delivered"), ratio(cost), "{fare}");
    }
}

/// The largest relative error where each step is answered by the one with the same ends.
fn largest_error(from: &Explicit, to: &Explicit) -> RBig {
    let mut largest = RBig::ZERO;
    for state in 0..from.states.len() as u32 {
        let there = to.state(&from.states[state as usize]).expect("the same states");
        let (left, right) = (from.structure.outgoing(state), to.structure.outgoing(there));
        assert_eq!(left.len(), right.len());
        for step in left {
            let target = to.state(&from.states[step.target as usize]).expect("the same states");
            let answers: Vec<_> = right.iter().filter(|answer| answer.target == target).collect();
            assert_eq!(answers.len(), 1, "one step has these ends");
            let (asked, answer) =
                (from.structure.number(step.weight), to.structure.number(answers[0].weight));
            let error = if answer > asked { &answer - &asked } else { &asked - &answer };
            largest = largest.max(error / asked);
        }
    }
    largest
}

#[test]
fn distances() {
    let found = shipped();
    let (spec, built) = (&found["spec"], &found["impl"]);
    assert_eq!(spec.structure.propositions, built.structure.propositions);
    assert_eq!(spec.structure.valuations().len(), spec.states.len(), "every state has its own propositions");
    assert_eq!((largest_error(spec, built), largest_error(built, spec)), (ratio("1/50"), ratio("1/49")));
}
