//! Reduction: the smallest system that is equivalent to a given one.

mod blocks;
mod branching;
mod components;
mod contract;
mod incoming;
mod marks;
mod parallel;
mod quotient;
mod rows;
mod signatures;
mod splitting;
mod stochastic;
mod strong;
#[cfg(test)]
mod tests;
mod weak;
mod weights;

pub use stochastic::BadWeight;

pub(crate) use blocks::Blocks;
pub(crate) use contract::diverges;
use contract::{Contracted, contract};
use quotient::{Abstraction, ClassOrder, Extra, quotient};
use stochastic::Stochastic;
use volvelle_control::{Control, Stop};
use volvelle_space::{BitSet, Edge, Labels, Lts};
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
    /// Weak bisimulation (Milner 1989), also known as observational equivalence.
    Weak,
    /// Strong bisimulation in which rates and probabilities count by their sums: lumping of labelled chains.
    StochasticStrong,
    /// Branching bisimulation in which rates and probabilities count by their sums (Hermanns 2002, doi:10.1007/3-540-45804-2).
    StochasticBranching,
}

impl Relation {
    /// All of them.
    pub const ALL: [Relation; 6] = [
        Relation::Strong,
        Relation::Branching,
        Relation::DivergencePreservingBranching,
        Relation::Weak,
        Relation::StochasticStrong,
        Relation::StochasticBranching,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Strong => "strong",
            Relation::Branching => "branching",
            Relation::DivergencePreservingBranching => "divbranching",
            Relation::Weak => "weak",
            Relation::StochasticStrong => "stochastic-strong",
            Relation::StochasticBranching => "stochastic-branching",
        }
    }

    /// Whether rates and probabilities count by their sums.
    pub fn is_stochastic(self) -> bool {
        matches!(self, Relation::StochasticStrong | Relation::StochasticBranching)
    }

    /// Whether internal transitions count like others.
    pub fn is_strong(self) -> bool {
        matches!(self, Relation::Strong | Relation::StochasticStrong)
    }

    fn abstraction(self) -> Abstraction {
        match self {
            Relation::Strong | Relation::StochasticStrong => Abstraction::Strong,
            _ => Abstraction::Branching,
        }
    }
}

/// A reduced system.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The quotient; its initial state is 0, and all its states can be reached.
    pub lts: Lts,
    /// The state of the quotient that stands for each state; `u32::MAX` for those that cannot be reached.
    pub class_of: Vec<u32>,
    /// Transitions with rates that never happen, since an internal or probabilistic one comes before them. Stochastic relations only.
    pub preempted: u64,
}

/// Why a system was not reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReduceError {
    /// A limit was reached, or the user stopped.
    Stopped(Stop),
    /// A rate or probability cannot be used.
    BadWeight(BadWeight),
}

impl From<Stop> for ReduceError {
    fn from(stop: Stop) -> Self {
        ReduceError::Stopped(stop)
    }
}

/// How a system is reduced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReduceOptions {
    /// The equivalence.
    pub relation: Relation,
    /// Sums of rates and probabilities are rounded to multiples of this, so that smaller differences do not count. `None`: sums are
    /// exact.
    pub epsilon: Option<f64>,
}

impl From<Relation> for ReduceOptions {
    fn from(relation: Relation) -> Self {
        ReduceOptions { relation, epsilon: None }
    }
}

/// Reduces a system.
///
/// # Errors
/// A limit was reached, the user stopped, or a rate or probability cannot be used.
pub fn reduce(
    lts: Lts,
    options: impl Into<ReduceOptions>,
    control: &Control<'_>,
) -> Result<Reduced, ReduceError> {
    let options = options.into();
    let relation = options.relation;
    let states = lts.num_states();
    let partition = partition(lts, options, control)?;
    let Partition { lts, blocks, of, divergent, stochastic, preempted } = &partition;
    let block_of = |state: usize| blocks.of(of.as_ref().map_or(state as u32, |of| of[state]));
    // Those that were made in between come after all others.
    let all_states = of.as_ref().map_or(lts.num_states(), Vec::len);
    let order = ClassOrder::new(blocks.len(), (0..all_states).map(block_of));
    let mut labels = lts.labels.clone();
    let is_weighted = |label: u32| stochastic.as_ref().is_some_and(|s| s.weights[label as usize].is_some());
    let has_extra = divergent.is_some() || stochastic.is_some();
    let mut extra = |block: u32, own: &mut Vec<Edge>| {
        let diverges = divergent
            .as_ref()
            .is_some_and(|divergent| blocks.members(block).any(|state| divergent.contains(state as usize)));
        if diverges {
            own.push(Edge { label: Labels::INTERNAL, target: block });
        }
        if let Some(stochastic) = stochastic {
            stochastic.sums(lts, blocks, block, &mut labels, own);
        }
    };
    let extra: Option<&mut Extra<'_>> = if has_extra { Some(&mut extra) } else { None };
    let threads = control.threads;
    let found = quotient(lts, blocks, relation.abstraction(), order, is_weighted, extra, threads);
    let mut class_of = vec![0u32; states];
    parallel::parts_mut(threads, &mut class_of, |start, part| {
        for (state, class) in (start..).zip(part) {
            *class = found.number(block_of(state));
        }
    });
    let preempted = *preempted;
    drop(partition);
    let found = found.into_lts(labels);
    if relation != Relation::Weak {
        return Ok(Reduced { lts: found, class_of, preempted });
    }
    let weakly = weak_quotient(found, control)?;
    let class_of = class_of.iter().map(|&state| match state {
        u32::MAX => u32::MAX,
        state => weakly.class_of[state as usize],
    });
    Ok(Reduced { class_of: class_of.collect(), ..weakly })
}

/// The quotient modulo weak bisimulation of a system without internal cycles.
fn weak_quotient(lts: Lts, control: &Control<'_>) -> Result<Reduced, ReduceError> {
    let (blocks, needed) = weak::refine(&lts, control)?;
    let block_of = (0..lts.num_states() as u32).map(|state| blocks.of(state));
    let order = ClassOrder::new(blocks.len(), block_of.clone());
    let mut only_needed = |block: u32, own: &mut Vec<Edge>| own.extend_from_slice(needed.of(block));
    let threads = control.threads;
    let extra: &mut Extra<'_> = &mut only_needed;
    let found = quotient(&lts, &blocks, Abstraction::Branching, order, |_| true, Some(extra), threads);
    let class_of = block_of.map(|block| found.number(block)).collect();
    Ok(Reduced { lts: found.into_lts(lts.labels), class_of, preempted: 0 })
}

/// A system with its classes.
struct Partition {
    lts: Lts,
    blocks: Blocks,
    /// The state of `lts` that stands for each state of the original; `None`: they are the same.
    of: Option<Vec<u32>>,
    /// States that diverge, where that counts.
    divergent: Option<BitSet>,
    stochastic: Option<Stochastic>,
    preempted: u64,
}

/// The classes of a system; for weak bisimulation those of branching bisimulation.
fn partition(mut lts: Lts, options: ReduceOptions, control: &Control<'_>) -> Result<Partition, ReduceError> {
    let ReduceOptions { relation, epsilon } = options;
    let mut stochastic = None;
    let mut preempted = 0;
    if relation.is_stochastic() {
        let labels = Stochastic::read(&lts.labels).map_err(ReduceError::BadWeight)?;
        (lts, preempted) = labels.normalise(lts, relation == Relation::StochasticBranching);
        stochastic = Some(labels);
    }
    let items = stochastic.as_ref().map_or_else(Items::plain, |s| Items::weighted(&s.weights, epsilon));
    if relation.abstraction() == Abstraction::Strong {
        let blocks = strong::refine(&lts, &items, control)?;
        return Ok(Partition { lts, blocks, of: None, divergent: None, stochastic, preempted });
    }
    let Contracted { lts, of, divergent, stretches } =
        contract(lts, |label| items.has_weight(label), control.threads);
    let divergent = (relation == Relation::DivergencePreservingBranching).then_some(divergent);
    let blocks = branching::refine(&lts, &stretches, &items, divergent.as_ref(), control)?;
    Ok(Partition { lts, blocks, of: Some(of), divergent, stochastic, preempted })
}

/// What signatures of states consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// Transitions.
    Strong,
    /// Transitions behind inert ones.
    Branching,
    /// Weak transitions.
    Weak,
}

/// A system with its classes, and how they came about.
pub(crate) struct Classes {
    /// Perhaps a smaller system than the one that was given.
    pub lts: Lts,
    /// Classes of its states.
    pub blocks: Blocks,
    /// What separated them.
    pub kind: ItemKind,
    /// States that diverge, where that counts.
    pub divergent: Option<BitSet>,
    /// The state of `lts` that stands for each state; `None`: they are the same.
    of: Option<Vec<u32>>,
}

impl Classes {
    /// The state of `lts` that stands for a state.
    pub fn state(&self, state: u32) -> u32 {
        self.of.as_ref().map_or(state, |of| of[state as usize])
    }
}

/// The classes of all states of a system.
pub(crate) fn classes(
    lts: Lts,
    options: ReduceOptions,
    control: &Control<'_>,
) -> Result<Classes, ReduceError> {
    let Partition { lts, blocks, of, divergent, .. } = partition(lts, options, control)?;
    let kind = match options.relation.abstraction() {
        Abstraction::Strong => ItemKind::Strong,
        Abstraction::Branching => ItemKind::Branching,
    };
    if options.relation != Relation::Weak {
        return Ok(Classes { lts, blocks, kind, divergent, of });
    }
    // There are no internal cycles in what branching bisimulation left.
    let (blocks, _) = weak::refine(&lts, control)?;
    Ok(Classes { lts, blocks, kind: ItemKind::Weak, divergent: None, of })
}
