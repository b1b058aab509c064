//! The statements that can come next at a location, and the escapes that interrupt a process there.
//!
//! SPIN attaches the escapes around a statement to that statement, and its verifier offers at a location the escapes of
//! every statement that can come next there: also those of the first statement of an alternative, which interrupt the
//! other alternatives, too. (SPIN warns of such an `unless` on a guard, and its simulator interrupts only the alternative
//! that it happened to choose.) Escapes that are found later go first; of one statement, the outermost goes first.
//!
//! The verifier completes its locations in the order of their numbers. An escape that has a lower number than the
//! location that it interrupts comes with its own escapes, and all of them at the same level. This is so where the escape is
//! inside of the statement that begins at the location: blocks and selections have higher numbers than what is in them.

use super::{Flow, Kind, NodeId, Work};
use rustc_hash::FxHashSet;

/// The position of a node among the alternatives of an `if` or `do`.
#[derive(Clone, Copy, Default)]
pub(in crate::lower) struct Position {
    /// It is an `else`.
    pub is_else: bool,
    /// It is an alternative to an `else`.
    pub beside_else: bool,
}

/// A statement that can come next.
#[derive(Clone, Copy)]
pub(in crate::lower) struct First {
    pub node: NodeId,
    pub position: Position,
}

impl Flow<'_> {
    /// The statements that can come next at a node: nested alternatives in the order of the text, each `else` after the
    /// other alternatives of its own `if` or `do`.
    pub fn firsts(&self, node: NodeId) -> Vec<First> {
        let mut found = Vec::new();
        self.collect_firsts(First { node, position: Position::default() }, &mut found);
        found
    }

    /// The parser limits the depth of the recursion.
    fn collect_firsts(&self, First { node, position }: First, found: &mut Vec<First>) {
        match &self.get(node).kind {
            Kind::Choice(options) => {
                let is_else = |n: NodeId| matches!(self.get(n).kind, Kind::Basic { work: Work::Else, .. });
                let beside_else = position.beside_else || options.iter().any(|&o| is_else(o));
                for wanted in [false, true] {
                    let position = Position { is_else: wanted, beside_else };
                    for &node in options.iter().filter(|&&o| is_else(o) == wanted) {
                        self.collect_firsts(First { node, position }, found);
                    }
                }
            }
            Kind::Into(first) | Kind::Guarded(first) => {
                let position = Position { is_else: false, ..position };
                self.collect_firsts(First { node: *first, position }, found);
            }
            Kind::Basic { .. } | Kind::Jump(_) | Kind::End => found.push(First { node, position }),
        }
    }

    /// The statements with which the escapes of a location begin: by priority, those of one level together.
    ///
    /// The parser limits the depth of the recursion.
    pub fn escapes_at(&self, location: NodeId) -> Vec<Vec<First>> {
        // A process that comes to the main side of an `unless` is at its first statement.
        let mut entry = location;
        while let Kind::Guarded(first) = self.get(entry).kind {
            entry = first;
        }
        let around = self.get(entry);
        let own = around.escapes.last().filter(|_| around.is_behind_its_escape);
        let mut levels: Vec<Vec<First>> = Vec::new();
        let firsts = self.firsts(entry);
        // What comes next in any case does not interrupt.
        let mut seen: FxHashSet<NodeId> = firsts.iter().map(|first| first.node).collect();
        for first in firsts {
            let interrupted = self.get(first.node);
            for escape in interrupted.escapes.iter().rev() {
                let (begin, jumps) = self.begin_of_escape(*escape, interrupted.atomic);
                let mut level = self.firsts(begin);
                let is_complete = own == Some(escape) || !around.escapes.contains(escape);
                if is_complete && !jumps {
                    level.extend(self.escapes_at(begin).into_iter().flatten());
                }
                level.retain(|first| seen.insert(first.node));
                if !level.is_empty() {
                    levels.push(level);
                }
            }
        }
        levels.reverse();
        levels
    }

    /// Where an escape begins, and whether by a jump: a `goto` there is followed immediately, so that it interrupts where
    /// the statement that it leads to can happen. Only out of `atomic` it is a step.
    fn begin_of_escape(&self, escape: NodeId, is_atomic: bool) -> (NodeId, bool) {
        let (mut at, mut jumps) = (escape, false);
        // More jumps than nodes are a cycle.
        for _ in 0..=self.nodes.len() {
            let kind = &self.get(at).kind;
            match *kind {
                Kind::Jump(target) | Kind::Guarded(target) if !is_atomic || self.get(target).atomic => {
                    jumps |= matches!(kind, Kind::Jump(_));
                    at = target;
                }
                _ => break,
            }
        }
        (at, jumps)
    }
}
