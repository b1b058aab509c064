//! Weighted systems whose states are generated as they are asked for.

use volvelle_control::Stop;
use volvelle_space::{WeightedStep, WeightedStructure};

/// The reason why an analysis has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A limit was reached, or the user stopped it.
    Stopped(Stop),
    /// A sum of weights does not fit into 64 bits.
    Overflow,
    /// A state cannot be generated, with the reason.
    System(String),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Failure::Stopped(stop)
    }
}

/// A weighted Kripke structure that may be generated on the fly. States are numbered from 0 in the order in
/// which they are met: all targets of steps given so far are smaller than [`num_known`](Self::num_known).
pub trait System {
    /// The initial state.
    fn initial(&self) -> u32;

    /// Number of states met so far.
    fn num_known(&self) -> usize;

    /// Appends the steps of a state, in a fixed order; none if the state is blocking.
    ///
    /// # Errors
    /// The state cannot be generated.
    fn steps(&mut self, state: u32, into: &mut Vec<WeightedStep>) -> Result<(), Failure>;

    /// Whether a condition holds in a state: the one with this index among [`volvelle_logic::WctlFormula::atoms`].
    ///
    /// # Errors
    /// It cannot be evaluated.
    fn holds(&mut self, state: u32, atom: usize) -> Result<bool, Failure>;

    /// Whether all states are known from the beginning, so that none needs to be generated.
    fn is_generated(&self) -> bool {
        false
    }
}

/// A structure with the conditions of a formula.
#[derive(Clone, Debug)]
pub struct Valued<'a> {
    structure: &'a WeightedStructure,
    /// By condition, then by valuation.
    holds: Vec<Vec<bool>>,
}

impl<'a> Valued<'a> {
    /// Evaluates the conditions of a formula in all valuations of a structure. A name that is not a
    /// proposition of the structure has multiplicity 0.
    ///
    /// # Errors
    /// The value of an amount does not fit into 128 bits.
    pub fn new(
        structure: &'a WeightedStructure,
        formula: &volvelle_logic::WctlFormula,
    ) -> Result<Self, Failure> {
        let numbers: Vec<Option<u32>> =
            formula.names.iter().map(|name| structure.proposition(name)).collect();
        let mut holds = Vec::with_capacity(formula.atoms.len());
        for atom in &formula.atoms {
            let values = structure.valuations().iter().map(|valuation| {
                let value = |name: u32| {
                    let place = numbers[name as usize]
                        .and_then(|number| valuation.binary_search_by_key(&number, |&(known, _)| known).ok());
                    place.map_or(0, |place| valuation[place].1)
                };
                atom.evaluate(value).ok_or(Failure::Overflow)
            });
            holds.push(values.collect::<Result<Vec<bool>, Failure>>()?);
        }
        Ok(Valued { structure, holds })
    }

    /// The structure.
    pub fn structure(&self) -> &'a WeightedStructure {
        self.structure
    }

    /// Whether a condition holds in a state.
    pub fn atom(&self, state: u32, atom: usize) -> bool {
        self.holds[atom][self.structure.valuation_of(state) as usize]
    }
}

impl System for Valued<'_> {
    fn initial(&self) -> u32 {
        self.structure.initial
    }

    fn num_known(&self) -> usize {
        self.structure.num_states()
    }

    fn steps(&mut self, state: u32, into: &mut Vec<WeightedStep>) -> Result<(), Failure> {
        into.extend_from_slice(self.structure.outgoing(state));
        Ok(())
    }

    fn holds(&mut self, state: u32, atom: usize) -> Result<bool, Failure> {
        Ok(self.atom(state, atom))
    }

    fn is_generated(&self) -> bool {
        true
    }
}
