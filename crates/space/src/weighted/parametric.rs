//! Weighted structures whose weights are linear expressions of parameters.
//!
//! Source: L. Foshammer, K. G. Larsen, A. Mariegaard, *Weighted Branching Simulation Distance for Parametric Weighted Kripke Structures*
//! (EPTCS 220, 2016).

use super::union::joined_names;
use super::{WeightedBuilder, WeightedStep, WeightedStructure, WeightsTooFine};
use dashu_ratio::RBig;

/// A parameter, and the closed range of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightParameter {
    /// Its name.
    pub name: String,
    /// Its least value.
    pub low: RBig,
    /// Its largest value; not below the least.
    pub high: RBig,
}

/// `constant + sum of coefficient * parameter`
#[derive(Clone, Debug, PartialEq)]
pub struct LinearWeight {
    /// The number without parameter.
    pub constant: RBig,
    /// Coefficients by the number of their parameter, in increasing order; none is 0.
    pub coefficients: Box<[(u32, RBig)]>,
}

impl LinearWeight {
    /// A number.
    pub fn constant(constant: RBig) -> Self {
        LinearWeight { constant, coefficients: Box::default() }
    }

    /// Its value where the parameters have these.
    pub fn at(&self, values: &[RBig]) -> RBig {
        let mut sum = self.constant.clone();
        for (parameter, coefficient) in &self.coefficients {
            sum += coefficient * &values[*parameter as usize];
        }
        sum
    }

    /// Its least and its largest value in a box of parameter values: lower and upper ends by parameter.
    pub fn range(&self, low: &[RBig], high: &[RBig]) -> (RBig, RBig) {
        let (mut least, mut largest) = (self.constant.clone(), self.constant.clone());
        for (parameter, coefficient) in &self.coefficients {
            let at = [&low[*parameter as usize], &high[*parameter as usize]];
            let ends = if *coefficient > RBig::ZERO { at } else { [at[1], at[0]] };
            least += coefficient * ends[0];
            largest += coefficient * ends[1];
        }
        (least, largest)
    }
}

/// A weighted structure with parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct ParametricStructure {
    /// The parameters.
    pub parameters: Vec<WeightParameter>,
    /// Distinct weights.
    pub weights: Vec<LinearWeight>,
    /// States and steps; the weight of a step is an index into `weights`.
    pub skeleton: WeightedStructure,
}

/// Why there is no structure with these values of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoWeights {
    /// The weight with this index is negative.
    Negative(usize),
    /// The weights are not multiples of one unit that fit into 64 bits.
    TooFine,
}

impl From<WeightsTooFine> for NoWeights {
    fn from(_: WeightsTooFine) -> Self {
        NoWeights::TooFine
    }
}

/// Why structures with parameters have no union: this parameter has another range in the other one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangesDiffer(pub String);

impl ParametricStructure {
    /// A structure without parameters.
    pub fn constant(structure: &WeightedStructure) -> Self {
        let mut weights: Vec<u64> = structure.steps().iter().map(|step| step.weight).collect();
        weights.sort_unstable();
        weights.dedup();
        let numbered = |step: &WeightedStep| {
            let place = weights.partition_point(|&weight| weight < step.weight);
            WeightedStep { weight: place as u64, target: step.target }
        };
        let mut builder = WeightedBuilder::new();
        builder.append(structure, |number| number, numbered);
        let skeleton = builder.finish(structure.initial, RBig::ONE, structure.propositions.clone());
        let weights = weights.iter().map(|&weight| LinearWeight::constant(structure.number(weight)));
        ParametricStructure { parameters: Vec::new(), weights: weights.collect(), skeleton }
    }

    /// The states of both, as in [`WeightedStructure::union`]. A parameter with the same name is the same parameter.
    ///
    /// # Errors
    /// It has another range in the other one.
    pub fn union(&self, other: &ParametricStructure) -> Result<ParametricStructure, RangesDiffer> {
        let mut parameters = self.parameters.clone();
        let mut number_of = Vec::with_capacity(other.parameters.len());
        for parameter in &other.parameters {
            let known = parameters.iter().position(|known| known.name == parameter.name);
            if known.is_some_and(|known| parameters[known] != *parameter) {
                return Err(RangesDiffer(parameter.name.clone()));
            }
            number_of.push(known.unwrap_or(parameters.len()) as u32);
            if known.is_none() {
                parameters.push(parameter.clone());
            }
        }
        let mut weights = self.weights.clone();
        weights.extend(other.weights.iter().map(|weight| {
            let coefficients = weight.coefficients.iter();
            let mut coefficients: Vec<_> =
                coefficients.map(|(number, factor)| (number_of[*number as usize], factor.clone())).collect();
            coefficients.sort_unstable_by_key(|(number, _)| *number);
            LinearWeight { constant: weight.constant.clone(), coefficients: coefficients.into() }
        }));
        let (first, own) = (self.weights.len() as u64, self.skeleton.num_states() as u32);
        let moved = |s: &WeightedStep| WeightedStep { weight: s.weight + first, target: s.target + own };
        let (propositions, names) = joined_names(&self.skeleton, &other.skeleton);
        let mut builder = WeightedBuilder::new();
        builder.append(&self.skeleton, |number| number, |step| *step);
        builder.append(&other.skeleton, |number| names[number as usize], moved);
        let skeleton = builder.finish(self.skeleton.initial, RBig::ONE, propositions);
        Ok(ParametricStructure { parameters, weights, skeleton })
    }

    /// The structure in which parameters have these values.
    ///
    /// # Errors
    /// A weight is negative then, or weights are too fine.
    pub fn at(&self, values: &[RBig]) -> Result<WeightedStructure, NoWeights> {
        let weights: Vec<RBig> = self.weights.iter().map(|weight| weight.at(values)).collect();
        self.with(&weights)
    }

    /// The structure with these weights, by their indices.
    ///
    /// # Errors
    /// A weight is negative, or weights are too fine.
    pub fn with(&self, weights: &[RBig]) -> Result<WeightedStructure, NoWeights> {
        if let Some(negative) = weights.iter().position(|weight| *weight < RBig::ZERO) {
            return Err(NoWeights::Negative(negative));
        }
        let skeleton = &self.skeleton;
        let mut builder = WeightedBuilder::new();
        builder.append(skeleton, |number| number, |step| *step);
        Ok(builder.finish_with(skeleton.initial, weights, skeleton.propositions.clone())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(text: &str) -> RBig {
        text.parse().expect("a fraction")
    }

    #[test]
    fn values_and_ranges() {
        let weight =
            LinearWeight { constant: ratio("5"), coefficients: [(0, ratio("2")), (1, ratio("-1"))].into() };
        assert_eq!(weight.at(&[ratio("1/2"), ratio("3")]), ratio("3"));
        let range = weight.range(&[ratio("0"), ratio("1")], &[ratio("1"), ratio("4")]);
        assert_eq!(range, (ratio("1"), ratio("6")));
        let mut builder = WeightedBuilder::new();
        builder.state([], [WeightedStep { weight: 0, target: 0 }, WeightedStep { weight: 1, target: 0 }]);
        let parameter =
            |name: &str| WeightParameter { name: name.to_owned(), low: ratio("0"), high: ratio("9") };
        let parametric = ParametricStructure {
            parameters: vec![parameter("x"), parameter("y")],
            weights: vec![weight, LinearWeight::constant(ratio("1/2"))],
            skeleton: builder.finish(0, RBig::ONE, Vec::new()),
        };
        let structure = parametric.at(&[ratio("1/2"), ratio("3")]).expect("there are weights");
        assert_eq!(structure.unit, ratio("1/2"));
        assert_eq!(structure.outgoing(0).iter().map(|s| s.weight).collect::<Vec<_>>(), [6, 1]);
        assert_eq!(parametric.at(&[ratio("0"), ratio("6")]), Err(NoWeights::Negative(0)));
    }
}
