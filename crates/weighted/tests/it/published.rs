//! Structures of L. Foshammer, K. G. Larsen, R. Mardare, B. Xue, *Weighted Branching Preorders and Distances*, by the names of the figures.

use dashu_ratio::RBig;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure, integer_weights};

/// States with their propositions and, after a colon, their steps: weight and target.
const STRUCTURES: &[(&str, &str)] = &[
    (
        "fig1ab",
        "s1 p: 3 s1, 5 s1_1, 2 s1_2; s1_1 p q; s1_2 p q;
         s2 p: 3 s2_2, 2 s2_1; s2_1 p q; s2_2 p: 3 s2_2, 2 s2_1",
    ),
    (
        "fig1cde",
        "s3 p: 2 s3_1, 2 s3_2; s3_1 p: 3 s3_2; s3_2 q;
         s4 p: 1 s4_1, 2 s4_2, 2 s4_3; s4_1 p: 2 s4_2, 1 s4_3; s4_2 p: 3 s4_4; s4_3 q; s4_4 q;
         s5 p: 1 s5_1, 1 s5_2; s5_1 p: 1 s5_3; s5_2 q; s5_3 p: 1 s5_3, 1 s5_2",
    ),
    // Without an edge that no example of the paper mentions.
    (
        "fig1cde_nodirect",
        "s3 p: 2 s3_1, 2 s3_2; s3_1 p: 3 s3_2; s3_2 q;
         s4 p: 1 s4_1, 2 s4_2; s4_1 p: 2 s4_2, 1 s4_3; s4_2 p: 3 s4_4; s4_3 q; s4_4 q;
         s5 p: 1 s5_1, 1 s5_2; s5_1 p: 1 s5_3; s5_2 q; s5_3 p: 1 s5_3, 1 s5_2",
    ),
    // With loops of weight 0 in the states with q.
    (
        "fig1cde_loop0",
        "s3 p: 2 s3_1, 2 s3_2; s3_1 p: 3 s3_2; s3_2 q: 0 s3_2;
         s4 p: 1 s4_1, 2 s4_2, 2 s4_3; s4_1 p: 2 s4_2, 1 s4_3; s4_2 p: 3 s4_4; s4_3 q: 0 s4_3; s4_4 q: 0 s4_4;
         s5 p: 1 s5_1, 1 s5_2; s5_1 p: 1 s5_3; s5_2 q: 0 s5_2; s5_3 p: 1 s5_3, 1 s5_2",
    ),
    ("fig3", "s: 3 s1; s1 p: 0 s1; t: 2 t2, 3 t1; t1: 2 t2; t2 p: 0 t2"),
    ("intro", "s p: 5 s0; s0; t p: 3 t1; t1 p: 2 t0; t0"),
];

/// A structure, and the names of its states. Proposition 0 is `p`, proposition 1 is `q`.
pub struct Published {
    pub structure: WeightedStructure,
    states: Vec<String>,
}

impl Published {
    /// The number of a state.
    pub fn number(&self, state: &str) -> u32 {
        self.states.iter().position(|known| known == state).expect("a state") as u32
    }
}

/// The structure with this name.
pub fn published(name: &str) -> Published {
    let (_, text) = STRUCTURES.iter().find(|(known, _)| *known == name).expect("a structure");
    let (mut states, mut labels, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for (source, state) in text.split(';').enumerate() {
        let (head, outgoing) = state.split_once(':').unwrap_or((state, ""));
        let mut words = head.split_whitespace();
        states.push(words.next().expect("a state has a name").to_owned());
        labels.push(words.map(|label| (u32::from(label == "q"), 1)).collect::<Vec<_>>());
        for step in outgoing.split(',').filter(|step| !step.is_empty()) {
            let (weight, target) = step.trim().split_once(' ').expect("a weight and a target");
            let weight: RBig = weight.parse().expect("a fraction");
            steps.push((source, weight, target.to_owned()));
        }
    }
    let weights: Vec<RBig> = steps.iter().map(|(_, weight, _)| weight.clone()).collect();
    let (unit, weights) = integer_weights(&weights).expect("small weights");
    let number = |name: &String| states.iter().position(|known| known == name).expect("a state") as u32;
    let mut builder = WeightedBuilder::new();
    for (state, labels) in labels.into_iter().enumerate() {
        let own = steps.iter().zip(&weights).filter(|((source, ..), _)| *source == state);
        builder.state(labels, own.map(|((.., to), &weight)| WeightedStep { weight, target: number(to) }));
    }
    let structure = builder.finish(0, unit, vec!["p".to_owned(), "q".to_owned()]);
    Published { structure, states }
}
