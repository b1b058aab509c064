//! Weighted Kripke structures: states with propositions, and steps with a weight that is not negative.
//!
//! Weights are rational numbers. They are stored as integer multiples of one [`unit`](WeightedStructure::unit), so that analyses compute
//! with integers; sums are checked, and never wrap. One flat array of steps, sorted by source, and one offset per state: 16 bytes per
//! step, and 8 per state. A proposition has a multiplicity: in a state of parallel processes several may have it. A variable of a model
//! is a proposition whose multiplicity is its value, which may be negative.
//!
//! Source of the definition: L. Foshammer, K. G. Larsen, R. Mardare, B. Xue, *Weighted Branching Preorders and Distances*.

mod parametric;
mod union;

pub use parametric::{LinearWeight, NoWeights, ParametricStructure, RangesDiffer, WeightParameter};

use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A step, without the state that it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WeightedStep {
    /// Its weight, in units of the structure.
    pub weight: u64,
    /// The state that it leads to.
    pub target: u32,
}

/// The propositions of a state: numbers of propositions in increasing order, each with its multiplicity, which is not 0.
pub type Valuation = Box<[(u32, i64)]>;

/// A weighted Kripke structure. The order of the steps of a state has no meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedStructure {
    /// The initial state.
    pub initial: u32,
    /// What a weight of one stands for; positive.
    pub unit: RBig,
    /// Names of propositions, by their numbers.
    pub propositions: Vec<String>,
    /// The steps of state `s`: `starts[s]..starts[s + 1]`; length states + 1.
    starts: Vec<u32>,
    /// Steps, by the states that they leave.
    steps: Vec<WeightedStep>,
    /// The valuation of every state: an index into `valuations`.
    valuation_of: Vec<u32>,
    /// Distinct valuations.
    valuations: Vec<Valuation>,
}

impl WeightedStructure {
    /// How many states there are.
    pub fn num_states(&self) -> usize {
        self.valuation_of.len()
    }

    /// How many steps there are.
    pub fn num_steps(&self) -> usize {
        self.steps.len()
    }

    /// Whether another structure is the same, but for the initial state.
    pub fn has_states_of(&self, other: &WeightedStructure) -> bool {
        self.unit == other.unit
            && self.propositions == other.propositions
            && self.starts == other.starts
            && self.steps == other.steps
            && self.valuation_of == other.valuation_of
            && self.valuations == other.valuations
    }

    /// The steps that leave a state; none where it is blocking.
    #[inline]
    pub fn outgoing(&self, state: u32) -> &[WeightedStep] {
        &self.steps[self.range(state)]
    }

    /// The places of a state's steps among all steps.
    #[inline]
    pub fn range(&self, state: u32) -> Range<usize> {
        self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize
    }

    /// All steps, by the states that they leave.
    pub fn steps(&self) -> &[WeightedStep] {
        &self.steps
    }

    /// The number of a state's valuation: states have the same propositions, with the same multiplicities, exactly if these are equal.
    #[inline]
    pub fn valuation_of(&self, state: u32) -> u32 {
        self.valuation_of[state as usize]
    }

    /// The valuations, by number; all are different.
    pub fn valuations(&self) -> &[Valuation] {
        &self.valuations
    }

    /// The propositions of a state.
    pub fn valuation(&self, state: u32) -> &[(u32, i64)] {
        &self.valuations[self.valuation_of(state) as usize]
    }

    /// How many times a state has a proposition.
    pub fn multiplicity(&self, state: u32, proposition: u32) -> i64 {
        let valuation = self.valuation(state);
        valuation
            .binary_search_by_key(&proposition, |&(number, _)| number)
            .map_or(0, |place| valuation[place].1)
    }

    /// The number of a proposition.
    pub fn proposition(&self, name: &str) -> Option<u32> {
        self.propositions.iter().position(|known| known == name).map(|number| number as u32)
    }

    /// The largest weight of a step; 0 where there are no steps.
    pub fn largest_weight(&self) -> u64 {
        self.steps.iter().map(|step| step.weight).max().unwrap_or(0)
    }

    /// A weight as the number that it stands for.
    pub fn number(&self, weight: u64) -> RBig {
        RBig::from(weight) * &self.unit
    }

    /// Bytes held by the arrays.
    pub fn bytes(&self) -> u64 {
        let valuations: usize = self.valuations.iter().map(|v| 16 * v.len() + 16).sum();
        (4 * self.starts.capacity()
            + 16 * self.steps.capacity()
            + 4 * self.valuation_of.capacity()
            + valuations) as u64
    }
}

/// A weighted Kripke structure while it is made: states in the order of their numbers, each with its steps.
#[derive(Debug)]
pub struct WeightedBuilder {
    starts: Vec<u32>,
    steps: Vec<WeightedStep>,
    valuation_of: Vec<u32>,
    valuations: Vec<Valuation>,
    number_of: FxHashMap<Valuation, u32>,
    /// Bytes of the valuations, which are there twice.
    valuation_bytes: usize,
    scratch: Vec<(u32, i64)>,
}

impl WeightedBuilder {
    /// No states.
    pub fn new() -> Self {
        WeightedBuilder {
            starts: vec![0],
            steps: Vec::new(),
            valuation_of: Vec::new(),
            valuations: Vec::new(),
            number_of: FxHashMap::default(),
            valuation_bytes: 0,
            scratch: Vec::new(),
        }
    }

    /// Adds the next state. Propositions may come in any order; the same one several times adds up.
    ///
    /// # Panics
    /// There are more than 2^32 steps.
    pub fn state(
        &mut self,
        propositions: impl IntoIterator<Item = (u32, i64)>,
        steps: impl IntoIterator<Item = WeightedStep>,
    ) -> u32 {
        let valuation = &mut self.scratch;
        valuation.clear();
        valuation.extend(propositions);
        valuation.sort_unstable();
        valuation.dedup_by(|second, first| {
            let same = first.0 == second.0;
            if same {
                first.1 = first.1.saturating_add(second.1);
            }
            same
        });
        valuation.retain(|&(_, times)| times != 0);
        let number = match self.number_of.get(valuation.as_slice()) {
            Some(&number) => number,
            None => {
                let number = self.valuations.len() as u32;
                let valuation: Valuation = valuation.as_slice().into();
                self.valuation_bytes += 2 * (size_of_val(&*valuation) + size_of::<Valuation>());
                self.valuations.push(valuation.clone());
                self.number_of.insert(valuation, number);
                number
            }
        };
        self.valuation_of.push(number);
        self.steps.extend(steps);
        self.starts.push(u32::try_from(self.steps.len()).expect("32-bit numbers count the steps"));
        self.valuation_of.len() as u32 - 1
    }

    /// How many states have been added.
    pub fn num_states(&self) -> usize {
        self.valuation_of.len()
    }

    /// How many steps have been added.
    pub fn num_steps(&self) -> usize {
        self.steps.len()
    }

    /// The structure, where the weights of the steps that were added are indices into `weights`.
    ///
    /// # Errors
    /// These have no common measure of which all are multiples that fit into 64 bits.
    ///
    /// # Panics
    /// One of them is negative; else as [`finish`](Self::finish).
    pub fn finish_with(
        mut self,
        initial: u32,
        weights: &[RBig],
        propositions: Vec<String>,
    ) -> Result<WeightedStructure, WeightsTooFine> {
        let (unit, multiples) = integer_weights(weights)?;
        self.steps.iter_mut().for_each(|step| step.weight = multiples[step.weight as usize]);
        Ok(self.finish(initial, unit, propositions))
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> u64 {
        (4 * self.starts.capacity()
            + 16 * self.steps.capacity()
            + 4 * self.valuation_of.capacity()
            + self.valuation_bytes) as u64
    }

    /// The structure.
    ///
    /// # Panics
    /// A state or a proposition is out of range, there is no state, or the unit is not positive.
    pub fn finish(self, initial: u32, unit: RBig, propositions: Vec<String>) -> WeightedStructure {
        let states = self.valuation_of.len() as u32;
        assert!(initial < states, "the initial state is a state");
        assert!(self.steps.iter().all(|step| step.target < states), "targets are states");
        let known = propositions.len() as u32;
        assert!(
            self.valuations.iter().all(|v| v.iter().all(|&(number, _)| number < known)),
            "propositions have names"
        );
        assert!(unit > RBig::ZERO, "a unit is positive");
        WeightedStructure {
            initial,
            unit,
            propositions,
            starts: self.starts,
            steps: self.steps,
            valuation_of: self.valuation_of,
            valuations: self.valuations,
        }
    }
}

impl Default for WeightedBuilder {
    fn default() -> Self {
        Self::new()
    }
}

/// Why weights cannot be multiples of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightsTooFine;

/// Weights as integer multiples of one unit, the largest number of which all are multiples; 1 where all are zero.
///
/// # Errors
/// A multiple does not fit into 64 bits.
///
/// # Panics
/// A weight is negative.
pub fn integer_weights(weights: &[RBig]) -> Result<(RBig, Vec<u64>), WeightsTooFine> {
    use dashu_int::{UBig, ops::Gcd};
    // gcd(a/b, c/d, ...) = gcd(numerators) / lcm(denominators), for reduced fractions.
    let (mut top, mut bottom) = (UBig::ZERO, UBig::ONE);
    for weight in weights {
        let (sign, numerator) = weight.numerator().clone().into_parts();
        assert!(sign == dashu_int::Sign::Positive, "weights are not negative");
        if numerator == UBig::ZERO {
            continue;
        }
        top = if top == UBig::ZERO { numerator } else { top.gcd(numerator) };
        let denominator = weight.denominator();
        bottom = &bottom / (&bottom).gcd(denominator) * denominator;
    }
    let unit = if top == UBig::ZERO { RBig::ONE } else { RBig::from_parts(top.into(), bottom) };
    let multiples: Option<Vec<u64>> = weights
        .iter()
        .map(|weight| {
            let (_, multiple) = (weight / &unit).into_parts().0.into_parts();
            u64::try_from(multiple).ok()
        })
        .collect();
    multiples.map(|multiples| (unit, multiples)).ok_or(WeightsTooFine)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(text: &str) -> RBig {
        text.parse().expect("a fraction")
    }

    #[test]
    fn units_are_greatest_common_measures() {
        let weights = ["51/10", "5", "0"].map(ratio);
        assert_eq!(integer_weights(&weights), Ok((ratio("1/10"), vec![51, 50, 0])));
        assert_eq!(integer_weights(&["6", "4"].map(ratio)), Ok((ratio("2"), vec![3, 2])));
        assert_eq!(integer_weights(&["2/3", "4/9"].map(ratio)), Ok((ratio("2/9"), vec![3, 2])));
        assert_eq!(integer_weights(&["0"].map(ratio)), Ok((ratio("1"), vec![0])));
        let fine = ["36893488147419103233", "1"].map(ratio);
        assert_eq!(integer_weights(&fine), Err(WeightsTooFine));
    }

    #[test]
    fn valuations_are_shared() {
        let mut builder = WeightedBuilder::new();
        let step = WeightedStep { weight: 3, target: 0 };
        builder.state([(1, 1), (0, 1)], [step]);
        builder.state([(0, 1), (1, 1)], []);
        builder.state([(1, 1), (1, 2)], [step, step]);
        let structure = builder.finish(0, ratio("1/2"), vec!["p".to_owned(), "q".to_owned()]);
        assert_eq!(structure.valuation_of(0), structure.valuation_of(1));
        assert_eq!(structure.multiplicity(2, 1), 3);
        assert_eq!(structure.multiplicity(2, 0), 0);
        assert_eq!(structure.outgoing(2).len(), 2);
        assert_eq!(structure.outgoing(1), &[]);
        assert_eq!(structure.number(3), ratio("3/2"));
    }
}
