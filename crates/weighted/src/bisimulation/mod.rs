//! Weighted branching bisimulation (WBB): the largest relation of states with equal propositions in which
//! every step of one state is answered by the other. The answer is a path of exactly the same weight, through
//! states that are related to the first one, to a state that is related to the target of the step. This holds
//! in both directions.
//!
//! Source: L. Foshammer, K. G. Larsen, R. Mardare, B. Xue, *Weighted Branching Preorders and Distances*,
//! Definition 4. Unlike in branching bisimulation, steps inside a class are observable unless their weight is
//! 0.
//!
//! Theorem 1 (related states satisfy the same formulas of WCTL without next) holds for formulas whose
//! universal operators have the lower bound 0; if cycles have weight 0, it also needs [`Options::divergence`]
//! (see [`has_zero_weight_cycle`]). It fails for `A(f U[l,u] g)` with l > 0, even without such cycles.
//! Example: s -1-> t, s -2-> t, t -1-> t, with `p` in both. Then s and t are related, since two steps of t
//! answer the step of weight 2. But `A(p U[1,1] p)` holds in t only, since that step of s jumps over the
//! interval.

mod block;
mod closure;
mod distinguish;
mod partition;
mod quotient;
mod refine;
mod zero_cycles;

use partition::Pair;
pub use partition::{Options, Partition};

pub use distinguish::{Distinction, distinguish};
pub use quotient::quotient;
pub use zero_cycles::has_zero_weight_cycle;

use crate::Failure;
use volvelle_control::Control;
use volvelle_space::WeightedStructure;

/// The classes of the largest weighted branching bisimulation.
///
/// # Errors
/// A limit was reached, or a weight is the largest number.
pub fn bisimulation(
    structure: &WeightedStructure,
    options: Options,
    control: &Control,
) -> Result<Partition, Failure> {
    // The largest number means "no weight".
    if structure.largest_weight() == u64::MAX {
        return Err(Failure::Overflow);
    }
    let mut refiner = refine::Refiner::new(structure, options, false);
    refiner.run(control, |_| false)?;
    Ok(refiner.partition())
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_random::Random;
    use volvelle_space::{WeightedBuilder, WeightedStep};

    #[test]
    fn sets_that_are_shared_have_the_classes_of_lists() {
        let mut random = Random(13);
        let mut splits = 0;
        for case in 0..400 {
            let states = if case % 20 == 0 { 400 } else { 4 + random.below(60) };
            let (weights, degree, rare) = (1 + random.below(4), 1 + random.below(3), 2 + random.below(12));
            let mut builder = WeightedBuilder::new();
            for _ in 0..states {
                let steps: Vec<WeightedStep> = (0..random.below(degree + 1))
                    .map(|_| WeightedStep {
                        weight: random.below(weights) as u64,
                        target: random.below(states) as u32,
                    })
                    .collect();
                builder.state([(0, i64::from(random.one_in(rare)))], steps);
            }
            let structure = builder.finish(0, dashu_ratio::RBig::ONE, vec!["p".to_owned()]);
            for divergence in [false, true] {
                let options = Options { divergence, blocking_diverges: case % 2 == 0 };
                let control = Control::unlimited();
                let partitions = [0, usize::MAX >> 32].map(|many| {
                    let mut refiner = refine::Refiner::new(&structure, options, case % 3 == 0);
                    refiner.buffers.many = many;
                    refiner.run(&control, |_| false).expect("no limits");
                    refiner.partition()
                });
                assert_eq!(partitions[0], partitions[1], "{options:?} {structure:?}");
                splits += partitions[0].count;
            }
        }
        assert!(splits > 10_000, "{splits}");
    }
}
