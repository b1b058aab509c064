//! Findings about networks, shown in their texts.

use super::NetworkText;
use crate::network::{IdleGate, NetworkError, Node, NodeId, Strategy};
use volvelle_diagnostics::{Diagnostic, Span, codes};

impl NetworkText {
    /// A warning about a gate on which an operand never acts.
    pub fn idle_gate(&self, idle: &IdleGate) -> Diagnostic {
        let IdleGate { node, gate, operand, blocks } = idle;
        let message = match blocks {
            true => format!("nothing happens on `{gate}`: an operand that has to take part never does"),
            false => format!("no operand has a label of `{gate}`"),
        };
        let mut diagnostic =
            Diagnostic::warning(codes::NETWORK_IDLE_GATE, message).at(self.place_of_gate(*node, gate), "");
        let operand = match &self.network.nodes[*node] {
            Node::Parallel { operands, .. } => operands.get(*operand),
            _ => None,
        };
        if let (true, Some(&operand)) = (*blocks, operand) {
            diagnostic = diagnostic.also(self.places[operand], "this operand");
        }
        diagnostic.help("gates are compared as they are written, in upper and lower case")
    }

    /// The diagnostic about a network without a system; `None` for errors of reduction, which have no place.
    pub fn explain(&self, error: &NetworkError) -> Option<Diagnostic> {
        match error {
            NetworkError::Reduce(_) => None,
            NetworkError::Weighted { node, gate, label } => {
                let message = format!(
                    "`{label}` cannot be synchronised: what the rate of the common step would be is not defined"
                );
                Some(
                    Diagnostic::error(codes::NETWORK_RATE, message)
                        .at(self.place_of_gate(*node, gate), "")
                        .help("synchronise on actions, and let rates be transitions of their own: `rate 2`, then the action"),
                )
            }
            NetworkError::TooLarge => {
                let message = "the network has more states, transitions or vectors than 32-bit numbers count";
                let nodes = &self.network.nodes;
                let is_smart =
                    nodes.iter().any(|node| matches!(node, Node::Reduce { strategy: Strategy::Smart, .. }));
                let diagnostic = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message);
                let place = self.places.last().copied();
                let diagnostic =
                    place.into_iter().fold(diagnostic, |diagnostic, place| diagnostic.at(place, ""));
                Some(match is_smart {
                    true => diagnostic.help("hide more labels: what is hidden can be reduced"),
                    false => diagnostic.help("reduce on the way: smart branching reduction of …"),
                })
            }
        }
    }

    fn place_of_gate(&self, node: NodeId, gate: &str) -> Span {
        let named = self.gates.iter().find(|(of, text, _)| *of == node && text == gate);
        named.map_or(self.places[node], |(.., span)| *span)
    }
}
