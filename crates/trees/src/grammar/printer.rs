//! Trees to texts: a text that a grammar reads as the same tree.
//!
//! Finds, for each node, a way through its rule that writes into its fields exactly what stands there, and puts parentheses where no other
//! way is left. For grammars in which a text may be read in two ways (`else` behind two `if`s) the text may be read as another tree: the
//! printer does not look at what stands around a node.

mod derivation;
pub(super) mod layout;

use super::Grammar;
use crate::interner::Interner;
use crate::tree::{NodeId, Tree};
pub(super) use derivation::ways;
use derivation::{Derivations, Piece};
use layout::Layout;

/// A text for a node and all that stands in it. `None` where the grammar has none: a field is empty that is always written, or a text is
/// no token of its terminal.
pub fn print(grammar: &Grammar, tree: &Tree, symbols: &Interner, node: NodeId) -> Option<String> {
    let mut derivations = Derivations::new(grammar, tree, symbols);
    let mut layout = Layout::new(grammar);
    let rule = derivations.rule_for(node)?;
    let mut pieces = vec![Piece::Rule { rule, node, passes: 0 }];
    let most_passes = 2 * grammar.code.rules.len() as u32 + 2;
    while let Some(piece) = pieces.pop() {
        match piece {
            Piece::Keyword(kind) => layout.add(&grammar.model.tokens[usize::from(kind)].text),
            Piece::Text(symbol) => layout.add(symbols.text(symbol)),
            // A node that every rule passes on is made by none.
            Piece::Rule { passes, .. } if passes > most_passes => return None,
            Piece::Rule { rule, node, passes } => {
                let first = pieces.len();
                derivations.find(rule, node, passes, &mut pieces)?;
                pieces[first..].reverse();
            }
        }
    }
    Some(layout.text())
}
