//! The structure of the classes of states that no simulation distinguishes.

use crate::Failure;
use crate::game::classes::{Dominance, Rows, refine, sign};
use std::ops::Range;
use volvelle_control::Control;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};

/// The structure of classes. Classes with the same valuation are neighbours.
#[derive(Debug)]
pub(super) struct Quotient {
    pub(super) dominance: Dominance,
    pub(super) class_of: Vec<u32>,
    /// One member of each class.
    pub(super) member: Vec<u32>,
    /// States by class.
    pub(super) members: Rows<u32>,
    pub(super) steps: Rows<WeightedStep>,
    /// The sources of steps to a class, with weights.
    pub(super) sources: Rows<WeightedStep>,
    /// By class, the classes with its valuation.
    ranges: Vec<Range<u32>>,
    range_of: Vec<u32>,
}

impl Quotient {
    pub(super) fn new(
        structure: &WeightedStructure,
        dominance: Dominance,
        control: &Control<'_>,
    ) -> Result<Self, Failure> {
        let block_of = refine(structure, dominance, control)?;
        let states = structure.num_states() as u32;
        // Classes in the order of their valuations, then of their first members.
        let mut first: Vec<u32> = Vec::new();
        let mut seen = vec![false; states as usize];
        for state in 0..states {
            if !std::mem::replace(&mut seen[block_of[state as usize] as usize], true) {
                first.push(state);
            }
        }
        first.sort_unstable_by_key(|&state| (structure.valuation_of(state), state));
        let mut class_of_block = vec![0u32; states as usize];
        for (class, &state) in first.iter().enumerate() {
            class_of_block[block_of[state as usize] as usize] = class as u32;
        }
        let class_of: Vec<u32> = block_of.iter().map(|&block| class_of_block[block as usize]).collect();
        let mut starts = vec![0u32];
        let mut items = Vec::new();
        let mut signature = Vec::new();
        for &state in &first {
            sign(structure, dominance, &class_of, state, &mut signature);
            items.extend(signature.iter().map(|&(target, weight)| WeightedStep { weight, target }));
            starts.push(items.len() as u32);
        }
        let steps = Rows { starts, items };
        let classes = first.len();
        let backwards = (0..classes as u32).flat_map(|source| {
            let step = move |step: &WeightedStep| {
                (step.target, WeightedStep { weight: step.weight, target: source })
            };
            steps.row(source).iter().map(step)
        });
        let sources = Rows::sorted(classes, backwards);
        let members = Rows::sorted(classes, (0..states).map(|state| (class_of[state as usize], state)));
        let mut ranges: Vec<Range<u32>> = Vec::new();
        let mut range_of = Vec::with_capacity(classes);
        for (class, &state) in first.iter().enumerate() {
            let class = class as u32;
            let same = class > 0
                && structure.valuation_of(first[class as usize - 1]) == structure.valuation_of(state);
            match ranges.last_mut() {
                Some(last) if same => last.end = class + 1,
                _ => ranges.push(class..class + 1),
            }
            range_of.push(ranges.len() as u32 - 1);
        }
        Ok(Quotient { dominance, class_of, member: first, members, steps, sources, ranges, range_of })
    }

    /// The classes as a separate structure.
    pub(super) fn structure(&self, of: &WeightedStructure) -> WeightedStructure {
        let mut builder = WeightedBuilder::new();
        for class in 0..self.len() as u32 {
            let valuation = of.valuation(self.member[class as usize]).iter().copied();
            builder.state(valuation, self.steps.row(class).iter().copied());
        }
        builder.finish(0, of.unit.clone(), of.propositions.clone())
    }

    pub(super) fn len(&self) -> usize {
        self.member.len()
    }

    /// The classes with the valuation of this one.
    pub(super) fn range(&self, class: u32) -> &Range<u32> {
        &self.ranges[self.range_of[class as usize] as usize]
    }

    pub(super) fn bytes(&self) -> u64 {
        (4 * self.class_of.len() + 16 * self.member.len() + 32 * self.steps.items.len()) as u64
    }
}
