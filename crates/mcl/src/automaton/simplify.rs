//! Fewer vertices: moves that only lead to more moves of the same player are put in place of one another.

use super::{Draft, Move, Step};

/// A vertex takes in those behind moves that stay as long as it has no more moves than this.
const MOST_MOVES: usize = 64;

/// The same automaton without vertices that only pass on, and without those that are never reached.
pub(super) fn simplify(drafts: Vec<Draft>, root: u32) -> (Vec<Draft>, u32) {
    let mut closed: Vec<Draft> =
        (0..drafts.len()).map(|vertex| with_moves_of_others(&drafts, vertex)).collect();
    let alias: Vec<u32> = (0..closed.len() as u32).map(|vertex| behind(&closed, vertex)).collect();
    for draft in &mut closed {
        draft.moves.iter_mut().for_each(|m| m.target = alias[m.target as usize]);
    }
    reachable(&closed, alias[root as usize])
}

/// The first vertex behind one that has no choice and no priority. Every circle has a priority, so this ends.
fn behind(drafts: &[Draft], mut vertex: u32) -> u32 {
    while let Draft { priority: 0, moves, .. } = &drafts[vertex as usize]
        && let [Move { step: Step::STAY, target }] = moves[..]
    {
        vertex = target;
    }
    vertex
}

/// A vertex with the moves of those that it can go to without a step, as far as they belong to the same player and meeting them
/// says nothing new about priorities.
///
/// A circle of such vertices adds nothing where staying in it loses: for *or* vertices with an odd priority, and dually.
fn with_moves_of_others(drafts: &[Draft], vertex: usize) -> Draft {
    let Draft { is_or, priority, .. } = drafts[vertex];
    let circles_lose = priority == 0 || (priority % 2 == 1) == is_or;
    let mut moves: Vec<Move> = Vec::new();
    let mut taken = vec![vertex as u32];
    // Moves that are still to be looked at, the next one last.
    let mut waiting: Vec<Move> = drafts[vertex].moves.iter().rev().copied().collect();
    while let Some(m) = waiting.pop() {
        let target = &drafts[m.target as usize];
        let is_plain = target.priority == 0 || target.priority == priority;
        // A vertex without moves is a constant, which searches end in.
        let is_taken_in =
            m.step == Step::STAY && target.is_or == is_or && is_plain && !target.moves.is_empty();
        if !is_taken_in {
            if !moves.contains(&m) {
                moves.push(m);
            }
        } else if !taken.contains(&m.target) {
            taken.push(m.target);
            waiting.extend(target.moves.iter().rev());
        } else if !circles_lose {
            return drafts[vertex].clone();
        }
        if moves.len() + waiting.len() > MOST_MOVES {
            return drafts[vertex].clone();
        }
    }
    Draft { is_or, priority, moves }
}

/// The vertices that are reached from one, with new numbers.
fn reachable(drafts: &[Draft], root: u32) -> (Vec<Draft>, u32) {
    let mut number = vec![u32::MAX; drafts.len()];
    let mut order = vec![root];
    number[root as usize] = 0;
    let mut at = 0;
    while at < order.len() {
        for m in &drafts[order[at] as usize].moves {
            let number = &mut number[m.target as usize];
            if *number == u32::MAX {
                *number = order.len() as u32;
                order.push(m.target);
            }
        }
        at += 1;
    }
    let renumbered = |m: &Move| Move { target: number[m.target as usize], ..*m };
    let kept = order.iter().map(|&vertex| {
        let draft = &drafts[vertex as usize];
        Draft { moves: draft.moves.iter().map(renumbered).collect(), ..*draft }
    });
    (kept.collect(), 0)
}
