//! Programs of message-passing primitives: the program of the waist and the interpreter agree in every view.

use volvelle_oracles::mpi::{VIEWS, compare_with_interpreter, random_machine, random_system};
use volvelle_random::Random;

#[test]
fn random_systems_in_every_view() {
    let (mut compared, mut states, mut large) = (0, 0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        let system = random_system(&mut random);
        let machine = random_machine(&mut random, &system);
        for view in VIEWS {
            match compare_with_interpreter(&system, &machine, view, 3000) {
                Ok(Some((found, _))) => {
                    compared += 1;
                    states += found;
                }
                Ok(None) => large += 1,
                Err(difference) => panic!(
                    "seed {seed}, {:?}, {}: {difference}\n{system:#?}",
                    machine.atomicity, machine.protocol.name
                ),
            }
        }
    }
    eprintln!("{compared} comparisons, {states} states, {large} too large");
    assert!(compared > 1500 && states > 20 * compared, "{compared} comparisons with {states} states");
}
