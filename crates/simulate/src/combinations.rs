//! The command combinations of a program: the possible steps of a state. Their order and that of their
//! branches are part of the definition of a path.
//!
//! A step chooses among the enabled *combinations*: those whose guards all hold. Then its *stages* are drawn
//! one after the other, each giving one of its *branches*.
//! - CTMC: a combination for each combination of alternatives and outcomes; weights are rates, and nothing
//!   else is drawn.
//! - DTMC, and MDP whose choices are made by chance or by a scheduler: a combination for each combination of
//!   alternatives,
//!   all enabled ones equally likely unless the scheduler takes one. Outcomes are one stage if they have few combinations;
//!   otherwise each participant has its own stage, since participants draw independently.
//!
//! Combinations are numbered as in exploration, where the first participant varies slowest.

use crate::error::Unsupported;
use volvelle_kernel::ExprId;
use volvelle_model::{
    ActionId, Alternative, Assignment, GroupId, Kind, Origin, Outcome, Program, RowSum, Weight,
};

/// Limit of combinations of outcomes that are drawn at once.
const JOINT_OUTCOMES: usize = 16;
/// Limit of combinations, or of branches of all combinations, for which code is generated.
const MOST_COMBINATIONS: usize = 1 << 14;

/// An alternative of each participant of a synchronisation, which is enabled where all their guards hold.
#[derive(Clone, Debug)]
pub struct Combination {
    /// The group that synchronises.
    pub group: GroupId,
    /// The action of its steps.
    pub action: ActionId,
    /// All must hold.
    pub guards: Vec<ExprId>,
    /// Factors of the rate; empty in discrete time.
    pub rate: Vec<Weight>,
    /// Distributions that may not sum to one in every state.
    pub sums: Vec<RowSum>,
    /// The draws after its choice, at least one, each with at least one branch.
    pub stages: Vec<Vec<Branch>>,
}

/// An outcome, or a combination of them.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Factors of the probability; empty if nothing is drawn.
    pub weight: Vec<Weight>,
    /// Its assignments; the values of all stages read the state before the step.
    pub assignments: Vec<Assignment>,
    /// Places in the text, one per participant.
    pub origins: Vec<Origin>,
}

/// The combinations of a program.
pub fn combinations(program: &Program) -> Result<Vec<Combination>, Unsupported> {
    let mut all = Vec::new();
    let mut branches = 0usize;
    let races = program.kind() == Kind::Ctmc;
    for (number, group) in program.groups.iter().enumerate() {
        let count = |of: fn(&Alternative) -> usize| {
            let sums = group.participants.iter().map(|p| p.alternatives.iter().map(of).sum::<usize>());
            sums.fold(1usize, usize::saturating_mul)
        };
        let combinations = if races { count(|a| a.outcomes.len()) } else { count(|_| 1) };
        if all.len().saturating_add(combinations) > MOST_COMBINATIONS {
            return Err(Unsupported::TooManyCombinations { group: number });
        }
        let alternatives: Vec<Vec<&Alternative>> =
            group.participants.iter().map(|p| p.alternatives.iter().collect()).collect();
        for chosen in combine(&alternatives) {
            let mut combination = Combination {
                group: GroupId(number as u32),
                action: group.action,
                guards: chosen.iter().map(|a| a.guard).collect(),
                rate: Vec::new(),
                sums: Vec::new(),
                stages: Vec::new(),
            };
            let outcomes: Vec<Vec<&Outcome>> = chosen.iter().map(|a| a.outcomes.iter().collect()).collect();
            if races {
                for outcomes in combine(&outcomes) {
                    let mut combination = combination.clone();
                    combination.rate = outcomes.iter().map(|o| o.share().clone()).collect();
                    combination.stages = vec![vec![Branch { weight: Vec::new(), ..branch(&outcomes) }]];
                    all.push(combination);
                }
                continue;
            }
            combination.sums = chosen.iter().filter_map(|a| a.sum).collect();
            combination.stages = stages(&outcomes);
            branches += combination.stages.iter().map(Vec::len).sum::<usize>();
            if branches > MOST_COMBINATIONS {
                return Err(Unsupported::TooManyCombinations { group: number });
            }
            all.push(combination);
        }
    }
    Ok(all)
}

/// The stages of participants with these outcomes.
fn stages(outcomes: &[Vec<&Outcome>]) -> Vec<Vec<Branch>> {
    let (certain, open): (Vec<_>, Vec<_>) = outcomes.iter().cloned().partition(|o| o.len() == 1);
    let joint = open.iter().map(Vec::len).fold(1usize, usize::saturating_mul);
    if joint <= JOINT_OUTCOMES {
        let all = combine(outcomes);
        let alone = all.len() == 1;
        return vec![all.iter().map(|o| if alone { unweighted(o) } else { branch(o) }).collect()];
    }
    let mut stages = Vec::new();
    if !certain.is_empty() {
        let outcomes: Vec<&Outcome> = certain.iter().map(|o| o[0]).collect();
        stages.push(vec![unweighted(&outcomes)]);
    }
    stages.extend(open.iter().map(|outcomes| outcomes.iter().map(|&o| branch(&[o])).collect()));
    stages
}

/// A combination of outcomes; a weight of one is no factor.
fn branch(outcomes: &[&Outcome]) -> Branch {
    Branch {
        weight: outcomes.iter().map(|o| o.share().clone()).filter(|w| !is_one(w)).collect(),
        assignments: outcomes.iter().flat_map(|o| o.assignments().iter().copied()).collect(),
        origins: outcomes.iter().map(|o| o.origin).collect(),
    }
}

/// A combination of outcomes for which nothing is drawn.
fn unweighted(outcomes: &[&Outcome]) -> Branch {
    Branch { weight: Vec::new(), ..branch(outcomes) }
}

fn is_one(weight: &Weight) -> bool {
    matches!(weight, Weight::Constant { value, .. } if *value == 1.0)
}

/// All ways to take one of each, the first slowest.
fn combine<T: Copy>(choices: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut all: Vec<Vec<T>> = vec![Vec::new()];
    for options in choices {
        all = all
            .iter()
            .flat_map(|chosen| {
                options.iter().map(move |&option| {
                    let mut chosen = chosen.clone();
                    chosen.push(option);
                    chosen
                })
            })
            .collect();
    }
    all
}
