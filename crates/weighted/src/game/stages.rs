//! Games in stages: first a short one; then ones with invariants, in which the defender examines few states;
//! last the full game.

use super::answer::Arena;
use super::classes::{Dominance, refine};
use super::invariants::{Invariants, Paths};
use super::play::{Aids, Game};
use super::ready::Ready;
use super::rule::Rule;
use crate::Failure;
use volvelle_control::Control;

/// Limit of work of the first stage; invariants cost about as much.
pub(crate) const PATIENCE: u64 = 4;

/// Plays from one pair until it is refuted, or to the end; `None` if this exceeds the patience.
pub(crate) fn short<'a>(
    arena: &'a Arena<'a>,
    rule: &Rule<'a>,
    aids: Aids<'a>,
    (s, t): (u32, u32),
    control: &Control,
) -> Result<Option<Game<'a>>, Failure> {
    let mut game = Game::local(arena, rule.clone(), aids);
    let root = game.require(s, t);
    let size = arena.structure.num_states() + arena.structure.num_steps();
    Ok(game.run_within(root, aids.patience * size as u64, control)?.then_some(game))
}

/// The invariants that a game needed, if any.
#[derive(Debug, Default)]
pub(crate) struct Computed<'s> {
    /// For answers of at most one step.
    single: Option<Invariants<'s>>,
    pub shape: Option<Vec<u32>>,
    /// For all answers.
    pub all: Option<Invariants<'s>>,
    ready: Option<Ready>,
}

/// Plays from one pair to the end, or, if `to_root`, until this pair is refuted. If many pairs are met,
/// invariants are computed, and the game starts anew.
pub(crate) fn played<'a, 's: 'a>(
    arena: &'a Arena<'s>,
    rule: &Rule<'a>,
    mut aids: Aids<'a>,
    (s, t): (u32, u32),
    to_root: bool,
    computed: &'a mut Computed<'s>,
    control: &Control,
) -> Result<Game<'a>, Failure> {
    let stopped = |game: &mut Game, most: u64| {
        let root = game.require(s, t);
        game.run_within(if to_root { root } else { None }, most, control)
    };
    if arena.relaxed.is_some() {
        let mut game = Game::local(arena, rule.clone(), aids);
        stopped(&mut game, u64::MAX)?;
        return Ok(game);
    }
    let size = arena.structure.num_states() + arena.structure.num_steps();
    let patience = aids.patience * size as u64;
    if patience > 0 {
        let mut game = Game::local(arena, rule.clone(), aids);
        if stopped(&mut game, patience)? {
            return Ok(game);
        }
    }
    // A defender who examines few states per answer does not get lost among pairs that are refuted later. If
    // this defender wins, the pair is related.
    let Computed { single, all, shape, ready } = computed;
    if aids.stay.is_none() {
        *ready = Ready::new(arena, rule, (s, t), control)?;
        aids.ready = ready.as_ref();
        let game = Game::local(arena, rule.clone(), aids);
        if game.is_ready(s, t) {
            return Ok(game);
        }
        // Pairs that are certainly related shorten the rest.
        if ready.is_some() && patience > 0 {
            let mut game = game;
            if stopped(&mut game, WITH_READY * patience)? {
                return Ok(game);
            }
        }
    }
    if aids.shape.is_none() {
        aids.shape = Some(shape.insert(refine(arena.structure, Dominance::Shape, control)?));
    }
    let only = to_root.then_some((s, t));
    let patience = RESTRICTED * size as u64;
    let found = Invariants::new(arena.structure, rule, Paths::Single, aids.classes, only, control)?;
    let of_single = Aids { invariants: Some(single.insert(found)), ..aids };
    let mut game = Game::local(arena, rule.clone(), of_single);
    game.searcher.most = 1;
    if stopped(&mut game, patience)? && game.is_related(s, t) {
        game.is_restricted = true;
        return Ok(game);
    }
    drop(game);
    if aids.invariants.is_none() {
        let found = Invariants::new(arena.structure, rule, Paths::All, aids.classes, only, control)?;
        aids.invariants = Some(all.insert(found));
    }
    let mut game = Game::local(arena, rule.clone(), aids);
    game.searcher.most = FEW;
    if stopped(&mut game, patience)? && game.is_related(s, t) {
        game.is_restricted = true;
        return Ok(game);
    }
    let mut game = Game::local(arena, rule.clone(), aids);
    stopped(&mut game, u64::MAX)?;
    Ok(game)
}

/// Factor of patience for a game with known related pairs.
const WITH_READY: u64 = 2;

/// Limit of work of a game with a restricted defender, as a multiple of the structure's size.
const RESTRICTED: u64 = 50;

/// Limit of states per answer of a restricted defender.
const FEW: u64 = 24;
