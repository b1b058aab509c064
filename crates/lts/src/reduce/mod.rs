//! Reduction: the smallest system that is equivalent to a given one.

mod blocks;
mod branching;
mod contract;
mod incoming;
mod marks;
mod parallel;
mod quotient;
mod signatures;
mod splitting;
mod strong;
mod weights;

pub use weights::Weighted;

use contract::{Contracted, contract};
use quotient::{Abstraction, least_states, quotient};
use volvelle_control::{Control, Stop};
use volvelle_space::{Edge, Labels, Lts};
use weights::Items;

/// An equivalence of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Strong bisimulation (Park 1981; Milner 1989): labels count, the internal one too.
    Strong,
    /// Branching bisimulation (van Glabbeek and Weijland, JACM 43(3), 1996, doi:10.1145/233551.233556).
    Branching,
    /// Branching bisimulation that preserves divergence.
    DivergencePreservingBranching,
}

/// A reduced system.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The quotient; its initial state is 0, and all its states can be reached.
    pub lts: Lts,
    /// The state of the quotient that stands for each state; `u32::MAX` for those that cannot be reached.
    pub class_of: Vec<u32>,
}

/// Reduces a system.
///
/// # Errors
/// A limit was reached, or the user stopped.
pub fn reduce(lts: Lts, relation: Relation, control: &Control<'_>) -> Result<Reduced, Stop> {
    let items = Items::plain();
    match relation {
        Relation::Strong => {
            let blocks = strong::refine(&lts, &items, control)?;
            let labels = lts.labels.clone();
            let least = least_states(blocks.len(), blocks.of.iter().copied());
            let found = quotient(&lts, &blocks, Abstraction::Strong, &least, labels, |_| false, |_, _| {});
            let class_of = blocks.of.iter().map(|&block| found.number[block as usize]).collect();
            Ok(Reduced { lts: found.lts, class_of })
        }
        Relation::Branching | Relation::DivergencePreservingBranching => {
            let Contracted { lts, mut of, divergent } = contract(lts, |_| false);
            let diverges = (relation == Relation::DivergencePreservingBranching).then_some(&divergent);
            let blocks = branching::refine(&lts, &items, diverges, control)?;
            let labels = lts.labels.clone();
            let loops = |block: u32, own: &mut Vec<Edge>| {
                let diverges = diverges.is_some_and(|divergent| {
                    blocks.members(block).iter().any(|&state| divergent.contains(state as usize))
                });
                if diverges {
                    own.push(Edge { label: Labels::INTERNAL, target: block });
                }
            };
            let least = least_states(blocks.len(), of.iter().map(|&state| blocks.of[state as usize]));
            let found = quotient(&lts, &blocks, Abstraction::Branching, &least, labels, |_| false, loops);
            of.iter_mut().for_each(|state| *state = found.number[blocks.of[*state as usize] as usize]);
            Ok(Reduced { lts: found.lts, class_of: of })
        }
    }
}
