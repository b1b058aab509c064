//! The reason for a distance: a play of the attacker, and a final step that cannot be answered with less
//! deviation.

use super::search::classes;
use super::{Distance, check_weights};
use crate::Failure;
use crate::game::answer::{Arena, Question, Searcher};
use crate::game::bound::{Bound, Kind, Ratio};
use crate::game::play::{Aids, Game};
use crate::game::rule::Rule;
use crate::game::stages::{Computed, PATIENCE, played};
use crate::game::trails::Rank;
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_space::WeightedStructure;

/// The reason for a distance. Steps are indices into [`WeightedStructure::steps`].
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The distance is 0: every step is answered exactly, or (EBD) by a path that weighs no more.
    Related,
    /// The distance is infinite: the states have different propositions.
    Propositions,
    /// The distance is finite and positive.
    Realised(Realised),
    /// The distance is infinite: the play ends with a step that has no answer at any bound.
    Unanswered {
        /// How the attacker gets there. Each answer leads to related states as long as possible.
        play: Vec<Round>,
        /// The pair at the end.
        pair: (u32, u32),
        /// The step of its first state that has no answer.
        step: u32,
    },
}

/// A pair, the step that the attacker takes, and a path of the defender. The attacker continues with the next
/// pair: either the ends of both, or the first state of this pair and a state on the path, which would also
/// have to be related.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The pair at the beginning of the round.
    pub pair: (u32, u32),
    /// The attacker's step from its first state.
    pub step: u32,
    /// The defender's steps from its second state.
    pub answer: Vec<u32>,
    /// The pair at the beginning of the next round.
    pub next: (u32, u32),
}

/// The step and the answer whose weights differ by exactly the distance.
///
/// The defender of this play follows a strategy that suffices for the distance. With any smaller bound the
/// defender loses: the attacker's steps belong to a strategy that refutes every smaller bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Realised {
    /// How the attacker gets there from the two states.
    pub play: Vec<Round>,
    /// The pair at the end.
    pub pair: (u32, u32),
    /// The critical step of its first state.
    pub step: u32,
    /// Its best answer: steps from the second state of the pair.
    pub answer: Vec<u32>,
    /// The weight of the answer, in units of the structure.
    pub weight: u64,
    /// Its deviation from the weight of the step, which is the distance.
    pub deviation: RBig,
}

/// Explains a distance.
///
/// # Errors
/// A limit was reached, or weights are too large.
///
/// # Panics
/// If `distance` is not the distance of the two states.
pub fn explain(
    structure: &WeightedStructure,
    s: u32,
    t: u32,
    kind: Kind,
    distance: &Distance,
    control: &Control,
) -> Result<Reason, Failure> {
    explain_after(structure, (s, t), kind, distance, PATIENCE, control)
}

/// Like [`explain`], with a limit for short games: see [`Aids::patience`].
pub(super) fn explain_after(
    structure: &WeightedStructure,
    (s, t): (u32, u32),
    kind: Kind,
    distance: &Distance,
    patience: u64,
    control: &Control,
) -> Result<Reason, Failure> {
    check_weights(structure)?;
    if structure.valuation_of(s) != structure.valuation_of(t) {
        return Ok(Reason::Propositions);
    }
    let Distance::Finite(exact) = distance else {
        return unanswered(structure, kind, (s, t), patience, control);
    };
    if *exact == RBig::ZERO {
        return Ok(Reason::Related);
    }
    let least = Ratio::of(exact).expect("weights are small enough");
    let arena = Arena::new(structure);
    let classes = classes(&arena, kind, control)?;
    let aids = Aids { classes: classes.as_deref(), patience, ..Aids::default() };
    let (below, at) = (Rule::Distance(kind, Bound::Below(least)), Rule::Distance(kind, Bound::AtMost(least)));
    let (mut of_attack, mut of_defence) = (Computed::default(), Computed::default());
    let attack = played(&arena, &below, aids, (s, t), true, &mut of_attack, control)?;
    let defence = played(&arena, &at, aids, (s, t), false, &mut of_defence, control)?;
    let mut searcher = Searcher::new(structure.num_states());
    let (mut play, mut pair) = (Vec::new(), (s, t));
    loop {
        let refuted = attack.refutation(pair.0, pair.1).expect("smaller bounds are refuted");
        let step = refuted.step as usize;
        let (answer, weight) = if defence.is_ready(pair.0, pair.1) {
            let weight = defence.ready_answer(pair, step, &mut searcher, control)?;
            (std::mem::take(&mut searcher.path), weight.expect("it is answered"))
        } else {
            let number = defence.number(pair.0, pair.1).expect("the defender relies on it");
            let (_, answer) = defence.answers_of(number).find(|&(at, _)| at == step).expect("it is answered");
            (defence.path(answer).to_vec(), answer.weight)
        };
        match earlier(&attack, structure, pair, step, &answer, refuted.rank) {
            Some(next) => {
                play.push(Round { pair, step: step as u32, answer, next });
                pair = next;
            }
            // All pairs of the answer were related when the step had no answer, so its weight is the problem.
            None => {
                let apart = arena.deviation(kind, step, &answer).expect("it is an answer");
                let deviation = apart.exact();
                return Ok(Reason::Realised(Realised {
                    play,
                    pair,
                    step: step as u32,
                    answer,
                    weight,
                    deviation,
                }));
            }
        }
    }
}

/// The first pair on which an answer relies that was refuted before `rank`.
fn earlier(
    attack: &Game,
    structure: &WeightedStructure,
    pair: (u32, u32),
    step: usize,
    answer: &[u32],
    rank: Rank,
) -> Option<(u32, u32)> {
    let target = |step: usize| structure.steps()[step].target;
    let passed = std::iter::once(pair.1).chain(answer.iter().map(|&step| target(step as usize)));
    let relied = passed.enumerate().map(|(place, state)| {
        let is_last = place == answer.len();
        ((is_last || place > 0), (if is_last { target(step) } else { pair.0 }, state))
    });
    let mut relied = relied.filter_map(|(other, pair)| other.then_some(pair));
    relied.find(|&(s, t)| attack.refutation(s, t).is_some_and(|refuted| refuted.rank < rank))
}

fn unanswered(
    structure: &WeightedStructure,
    kind: Kind,
    (s, t): (u32, u32),
    patience: u64,
    control: &Control,
) -> Result<Reason, Failure> {
    let arena = Arena::new(structure);
    let classes = classes(&arena, kind, control)?;
    let aids = Aids { classes: classes.as_deref(), patience, ..Aids::default() };
    let (finite, mut computed) = (Rule::Distance(kind, Bound::Finite), Computed::default());
    let attack = played(&arena, &finite, aids, (s, t), true, &mut computed, control)?;
    let mut searcher = Searcher::new(structure.num_states());
    let (mut play, mut pair) = (Vec::new(), (s, t));
    loop {
        let refuted = attack.refutation(pair.0, pair.1).expect("every bound is refuted");
        let step = refuted.step as usize;
        let weight = structure.steps()[step].weight;
        let target = structure.steps()[step].target;
        let window = Bound::Finite.window(kind, weight);
        let question = Question { source: pair.0, target, from: pair.1, place: 0, weight, window };
        let same = |x: u32, y: u32| structure.valuation_of(x) == structure.valuation_of(y);
        if searcher.answer(&arena, &question, &same, control)?.is_none() {
            return Ok(Reason::Unanswered { play, pair, step: step as u32 });
        }
        let answer = std::mem::take(&mut searcher.path);
        let mut at = pair.1;
        let mut next = None;
        for place in 0..=answer.len() {
            let other = if place == answer.len() { target } else { pair.0 };
            let is_earlier = attack.refutation(other, at).is_some_and(|r| r.rank < refuted.rank);
            if is_earlier {
                next = Some((other, at));
                break;
            }
            if let Some(&taken) = answer.get(place) {
                at = structure.steps()[taken as usize].target;
            }
        }
        let next = next.expect("otherwise it were an answer");
        play.push(Round { pair, step: step as u32, answer, next });
        pair = next;
    }
}
