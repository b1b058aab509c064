//! Random programs of processes: interpreter and native code.

use volvelle_oracles::{Walk, atomic_sequences, long_atomic_model, promela_tiers, promela_walk};
use volvelle_promela_testing::{Choices, random_program};

/// Programs of the usual run.
const PROGRAMS: u64 = 30;

/// Models with long atomic sequences.
const LONG_MODELS: u64 = 20;

#[test]
fn interpreter_and_native_code_agree() {
    let walks: Vec<Walk> = (0..PROGRAMS)
        .map(|seed| promela_tiers(&random_program(&mut Choices::from_seed(seed)), seed))
        .collect();
    // The programs are worth the walk.
    assert!(walks.iter().filter(|w| w.steps > 10).count() > 5, "{walks:?}");
    assert!(walks.iter().filter(|w| w.complete).count() > 5, "{walks:?}");
}

#[test]
fn long_atomic_sequences() {
    let (mut faults, mut longest) = (0, Vec::new());
    for seed in 0..LONG_MODELS {
        let compared = atomic_sequences(&long_atomic_model(&mut Choices::from_seed(seed)));
        faults += compared.faults;
        longest.push(compared.longest);
    }
    // The models are worth the comparison.
    assert!(faults > LONG_MODELS as usize / 3, "{faults} errors");
    assert!(longest.iter().filter(|&&steps| steps > 4096).count() > 1, "{longest:?}");
}

#[test]
fn any_bytes() {
    for length in 0..20u8 {
        let bytes: Vec<u8> = (0..length * 8).map(|i| i.wrapping_mul(37) ^ length).collect();
        promela_walk(&bytes);
    }
}

#[test]
fn seeds() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/promela_walk");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        promela_walk(&std::fs::read(entry.expect("an entry").path()).expect("a seed"));
        count += 1;
    }
    assert!(count > 0, "no seeds in {folder}");
}
