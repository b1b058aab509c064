//! Canonical states under exchange of components.

use proptest::prelude::*;
use volvelle_explore::canonical::Canonicalizer;
use volvelle_model::symmetry::Orbit;
use volvelle_model::{Choice, Component, ComponentId, Domain, Field, FieldId, Layout, Origin, Program};

/// Components with the same fields, which follow each other or alternate; and fields that belong to none.
fn program(domains: &[i64], components: usize, in_turns: bool) -> (Program, Vec<Orbit>) {
    let mut program = Program::new(Choice::Nondeterministic);
    let mut blocks = vec![Vec::new(); components];
    let mut add = |hi: i64, component: Option<usize>| {
        let domain = Domain::Int { lo: -1, hi: hi - 1 };
        let component = component.map(|c| ComponentId(c as u32));
        program.fields.push(Field { name: String::new(), domain, component, length: 1, origin: Origin(0) });
        FieldId(program.fields.len() as u32 - 1)
    };
    add(5, None);
    if in_turns {
        for &hi in domains {
            (0..components).for_each(|c| blocks[c].push(add(hi, Some(c))));
        }
    } else {
        (0..components).for_each(|c| blocks[c].extend(domains.iter().map(|&hi| add(hi, Some(c)))));
    }
    let number = add(1000, None);
    program.components = vec![Component { name: String::new() }; components];
    // The first component has the number 0, the second 10, and so on.
    let numbers = vec![(number, (0..components as i64).map(|c| 10 * c).collect())];
    let components = (0..components as u32).map(ComponentId).collect();
    (program, vec![Orbit { components, blocks, numbers }])
}

proptest! {
    /// The canonical form has the blocks of the state in another order, sorted, and is the same for all
    /// permutations of the state.
    #[test]
    fn permuted_states_have_one_canonical_form(
        domains in prop::collection::vec(prop_oneof![0i64..4, 100i64..10_000, Just(i64::MAX - 2)], 1..5),
        components in 2usize..6,
        in_turns in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let (program, orbits) = program(&domains, components, in_turns);
        let layout = Layout::new(&program);
        let mut random = seed | 1;
        let mut next = |hi: i64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // Small numbers, so that blocks are often alike.
            (random % (hi as u64 + 1).min(3)) as i64 - 1
        };
        let mut values: Vec<i64> = program.fields.iter().map(|f| next(f.domain.bounds().1 + 1)).collect();
        // The last field means a component, or none.
        let last = values.len() - 1;
        values[last] = if seed % 3 == 0 { 5 } else { 10 * (seed % components as u64) as i64 };
        let mut canonicalizer = Canonicalizer::of(&orbits, &layout).expect("an orbit");
        let mut canonical = layout.pack(&values);
        canonicalizer.canonicalize(&mut canonical);
        let found = layout.unpack(&canonical);
        let blocks = |values: &[i64]| -> Vec<Vec<i64>> {
            let of = |(at, block): (usize, &Vec<FieldId>)| {
                let means = i64::from(values[last] == 10 * at as i64);
                block.iter().map(|f| values[f.index()]).chain([means]).collect()
            };
            orbits[0].blocks.iter().enumerate().map(of).collect()
        };
        let (before, after) = (blocks(&values), blocks(&found));
        let mut sorted = before.clone();
        sorted.sort();
        let mut resorted = after.clone();
        resorted.sort();
        prop_assert_eq!(&sorted, &resorted);
        prop_assert_eq!(values[0], found[0]);
        prop_assert_eq!(values[last] == 5, found[last] == 5);
        let mut turned = values.clone();
        for (at, block) in orbits[0].blocks.iter().enumerate() {
            let from = &before[(at + seed as usize % components) % components];
            block.iter().zip(from).for_each(|(f, &value)| turned[f.index()] = value);
            if from.last() == Some(&1) {
                turned[last] = 10 * at as i64;
            }
        }
        let mut turned = layout.pack(&turned);
        canonicalizer.canonicalize(&mut turned);
        prop_assert_eq!(turned, canonical);
    }
}
