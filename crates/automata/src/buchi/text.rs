//! Automata as text: never claims of Promela, and the Hanoi format.

use std::fmt::Write;

use crate::buchi::{Buchi, BuchiEdge};

impl Buchi {
    /// A never claim. `name` gives the text of a proposition, which must be an expression that binds stronger than `!`
    /// (a name, or something in parentheses).
    pub fn never_claim(&self, name: impl Fn(u32) -> String) -> String {
        let last = (0..self.states.len() as u32).find(|&s| self.is_sink(s));
        let label = |s: u32| {
            let kind = if self.states[s as usize].accepting { "accept" } else { "T0" };
            match s {
                _ if Some(s) == last => "accept_all".to_owned(),
                _ if s == self.initial => format!("{kind}_init"),
                _ => format!("{kind}_S{s}"),
            }
        };
        let mut text = String::from("never {\n");
        // A claim begins with its first state, and one that ends is violated: a state that accepts everything
        // comes last and does nothing.
        let order =
            [self.initial].into_iter().chain((0..self.states.len() as u32).filter(|&s| s != self.initial));
        for s in order.filter(|&s| Some(s) != last) {
            let _ = writeln!(text, "{}:\n\tdo", label(s));
            let edges = &self.states[s as usize].edges;
            if edges.is_empty() {
                let _ = writeln!(text, "\t:: (false) -> goto {}", label(s));
            }
            for edge in edges {
                let condition = conjunction(edge, " && ", &name).unwrap_or_else(|| "true".to_owned());
                let _ = writeln!(text, "\t:: ({condition}) -> goto {}", label(edge.target));
            }
            text.push_str("\tod;\n");
        }
        if let Some(last) = last {
            let _ = writeln!(text, "{}:\n\tskip", label(last));
        }
        text.push_str("}\n");
        text
    }

    /// The Hanoi format, version 1 (T. Babiak et al., *The Hanoi Omega-Automata Format*, CAV 2015).
    pub fn hoa(&self, name: impl Fn(u32) -> String) -> String {
        let edges = self.states.iter().flat_map(|s| &s.edges);
        let used = edges.fold(0, |used, e| used | e.must | e.must_not);
        let propositions: Vec<u32> = (0..u64::BITS).filter(|p| used >> p & 1 != 0).collect();
        let mut text = format!("HOA: v1\nStates: {}\nStart: {}\n", self.states.len(), self.initial);
        let _ = write!(text, "AP: {}", propositions.len());
        for &p in &propositions {
            let _ = write!(text, " \"{}\"", name(p).replace('\\', "\\\\").replace('"', "\\\""));
        }
        text.push_str("\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n");
        text.push_str("properties: trans-labels explicit-labels state-acc");
        text.push_str(if self.is_deterministic() { " deterministic\n" } else { "\n" });
        text.push_str("--BODY--\n");
        let index = |p: u32| (used & ((1 << p) - 1)).count_ones().to_string();
        for (s, state) in self.states.iter().enumerate() {
            let _ = writeln!(text, "State: {s}{}", if state.accepting { " {0}" } else { "" });
            for edge in &state.edges {
                let condition = conjunction(edge, "&", &index).unwrap_or_else(|| "t".to_owned());
                let _ = writeln!(text, "[{condition}] {}", edge.target);
            }
        }
        text.push_str("--END--\n");
        text
    }

    /// Whether every word is accepted from a state on, because runs never leave it.
    fn is_sink(&self, s: u32) -> bool {
        let state = &self.states[s as usize];
        state.accepting && state.edges[..] == [BuchiEdge { must: 0, must_not: 0, target: s }]
    }
}

/// The literals of an edge; `None` if there are none.
fn conjunction(edge: &BuchiEdge, and: &str, name: &impl Fn(u32) -> String) -> Option<String> {
    let literals: Vec<String> = (0..u64::BITS)
        .filter(|p| (edge.must | edge.must_not) >> p & 1 != 0)
        .map(|p| if edge.must >> p & 1 != 0 { name(p) } else { format!("!{}", name(p)) })
        .collect();
    (!literals.is_empty()).then(|| literals.join(and))
}
