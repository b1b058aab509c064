//! The disjoint union of two weighted structures, in which their states are compared.

use super::{WeightedBuilder, WeightedStep, WeightedStructure, WeightsTooFine, integer_weights};
use dashu_ratio::RBig;

impl WeightedStructure {
    /// The states of both, those of `self` first with their numbers, those of `other` behind them: state `s` of it has the number
    /// `self.num_states() + s`. Propositions with the same name are the same; weights are multiples of a unit that suits both. The
    /// initial state is that of `self`.
    ///
    /// # Errors
    /// A weight does not fit into 64 bits as a multiple of the common unit.
    pub fn union(&self, other: &WeightedStructure) -> Result<WeightedStructure, WeightsTooFine> {
        let (_, factors) = integer_weights(&[self.unit.clone(), other.unit.clone()])?;
        let unit = &self.unit / RBig::from(factors[0]);
        let (propositions, names) = joined_names(self, other);
        let offset = self.num_states() as u32;
        let fits = |structure: &WeightedStructure, factor: u64| {
            structure.largest_weight().checked_mul(factor).ok_or(WeightsTooFine)
        };
        fits(self, factors[0])?;
        fits(other, factors[1])?;
        let scaled = |factor: u64, offset: u32| {
            move |s: &WeightedStep| WeightedStep { weight: s.weight * factor, target: s.target + offset }
        };
        let mut builder = WeightedBuilder::new();
        builder.append(self, |number| number, scaled(factors[0], 0));
        builder.append(other, |number| names[number as usize], scaled(factors[1], offset));
        Ok(builder.finish(self.initial, unit, propositions))
    }

    /// The same with one state more, the last one: a sink without propositions, which has a loop of weight 0. States without steps have a step of
    /// weight 0 to it.
    pub fn with_sink(&self) -> WeightedStructure {
        let sink = WeightedStep { weight: 0, target: self.num_states() as u32 };
        let mut builder = WeightedBuilder::new();
        for state in 0..self.num_states() as u32 {
            let steps = match self.outgoing(state) {
                [] => &[sink],
                steps => steps,
            };
            builder.state(self.valuation(state).iter().copied(), steps.iter().copied());
        }
        builder.state([], [sink]);
        builder.finish(self.initial, self.unit.clone(), self.propositions.clone())
    }
}

/// The names of the propositions of both, and the numbers of the second's among these.
pub(super) fn joined_names(first: &WeightedStructure, second: &WeightedStructure) -> (Vec<String>, Vec<u32>) {
    let mut propositions = first.propositions.clone();
    let mut number = |name: &String| {
        propositions.iter().position(|known| known == name).unwrap_or_else(|| {
            propositions.push(name.clone());
            propositions.len() - 1
        }) as u32
    };
    let numbers = second.propositions.iter().map(&mut number).collect();
    (propositions, numbers)
}

impl WeightedBuilder {
    /// Adds the states of a structure, with other numbers of propositions and other steps.
    pub(super) fn append(
        &mut self,
        structure: &WeightedStructure,
        proposition: impl Fn(u32) -> u32,
        step: impl Fn(&WeightedStep) -> WeightedStep,
    ) {
        for state in 0..structure.num_states() as u32 {
            let valuation = structure.valuation(state).iter();
            let valuation = valuation.map(|&(number, times)| (proposition(number), times));
            self.state(valuation, structure.outgoing(state).iter().map(&step));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_propositions_are_aligned() {
        let one = |unit: &str, weight: u64, propositions: &[&str]| {
            let mut builder = WeightedBuilder::new();
            let all = (0..propositions.len() as u32).map(|p| (p, 1));
            builder.state(all, [WeightedStep { weight, target: 0 }]);
            let names = propositions.iter().map(|&name| name.to_owned()).collect();
            builder.finish(0, unit.parse().expect("a fraction"), names)
        };
        let union = one("1/2", 3, &["p", "q"]).union(&one("1/3", 2, &["q", "p"])).expect("it fits");
        assert_eq!(union.unit, "1/6".parse().expect("a fraction"));
        assert_eq!(union.outgoing(0), &[WeightedStep { weight: 9, target: 0 }]);
        assert_eq!(union.outgoing(1), &[WeightedStep { weight: 4, target: 1 }]);
        assert_eq!(union.valuation_of(0), union.valuation_of(1));
        assert_eq!(union.propositions, ["p", "q"]);
        let large = one("1", u64::MAX, &[]);
        assert_eq!(large.union(&one("1/2", 1, &[])), Err(WeightsTooFine));
    }
}
