//! States, steps and weights while they are read, and the structure that they make.

use super::Explicit;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_space::{
    LinearWeight, ParametricStructure, WeightParameter, WeightedBuilder, WeightedStep, WeightsTooFine,
};

/// Names among which one that was meant is looked for.
const NAMES: usize = 10_000;

/// A name of a state that was used or declared.
struct Symbol<'t> {
    name: Cow<'t, str>,
    /// The state, once it is declared.
    state: Option<u32>,
    /// Where it is declared, or first used.
    place: Span,
}

/// States are numbered in the order of their declaration, symbols in the order in which names are seen.
#[derive(Default)]
pub(super) struct Assembly<'t> {
    symbols: Vec<Symbol<'t>>,
    symbol_of: FxHashMap<Cow<'t, str>, u32>,
    /// The symbol of each state.
    states: Vec<u32>,
    /// Where the steps and the propositions of each state begin.
    begins: Vec<(usize, usize)>,
    /// Weight and symbol of the target of each step.
    steps: Vec<(u32, u32)>,
    /// Number and multiplicity.
    valuations: Vec<(u32, i64)>,
    propositions: Vec<String>,
    proposition_of: FxHashMap<Cow<'t, str>, u32>,
    weights: Vec<LinearWeight>,
    weight_of: FxHashMap<(RBig, Vec<(u32, RBig)>), u32>,
    weight_of_text: FxHashMap<&'t str, u32>,
}

impl<'t> Assembly<'t> {
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    pub fn symbol(&mut self, name: Cow<'t, str>, place: Span) -> u32 {
        let next = self.symbols.len() as u32;
        if let Some(&symbol) = self.symbol_of.get(&name) {
            return symbol;
        }
        self.symbols.push(Symbol { name: name.clone(), state: None, place });
        self.symbol_of.insert(name, next);
        next
    }

    /// Steps and propositions from now on belong to this state; an error says where it is declared before.
    pub fn begin_state(&mut self, symbol: u32, place: Span) -> Result<(), Span> {
        let known = &mut self.symbols[symbol as usize];
        if known.state.is_some() {
            return Err(known.place);
        }
        (known.state, known.place) = (Some(self.states.len() as u32), place);
        self.states.push(symbol);
        self.begins.push((self.steps.len(), self.valuations.len()));
        Ok(())
    }

    pub fn proposition(&mut self, name: Cow<'t, str>, times: i64) {
        let number = match self.proposition_of.get(&name) {
            Some(&number) => number,
            None => {
                let number = self.propositions.len() as u32;
                self.propositions.push(name.clone().into_owned());
                self.proposition_of.insert(name, number);
                number
            }
        };
        self.valuations.push((number, times));
    }

    pub fn weight_of_text(&self, text: &str) -> Option<u32> {
        self.weight_of_text.get(text).copied()
    }

    /// The number of a weight; `text` will stand for it from now on.
    pub fn weight(&mut self, weight: LinearWeight, text: Option<&'t str>) -> u32 {
        let next = self.weights.len() as u32;
        let key = (weight.constant.clone(), weight.coefficients.to_vec());
        let number = *self.weight_of.entry(key).or_insert(next);
        if number == next {
            self.weights.push(weight);
        }
        if let Some(text) = text {
            self.weight_of_text.insert(text, number);
        }
        number
    }

    pub fn step(&mut self, weight: u32, target: u32) {
        self.steps.push((weight, target));
    }

    /// Names of states that are not declared, at most so many, and where they are first used.
    pub fn undefined(&self, most: usize) -> Vec<(String, Span)> {
        let undefined = self.symbols.iter().filter(|symbol| symbol.state.is_none());
        undefined.take(most).map(|symbol| (symbol.name.clone().into_owned(), symbol.place)).collect()
    }

    /// Declared names, among which a misspelt one is looked for.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        let declared = self.symbols.iter().filter(|symbol| symbol.state.is_some());
        declared.take(NAMES).map(|symbol| &*symbol.name)
    }

    /// The structure; all symbols are declared, and there is a state.
    pub fn finish(
        self,
        name: Option<String>,
        initial: Option<u32>,
        parameters: Vec<WeightParameter>,
    ) -> Result<Explicit, Diagnostic> {
        let state_of = |symbol: u32| self.symbols[symbol as usize].state.unwrap_or(0);
        let middles: Vec<RBig> = parameters.iter().map(|p| (&p.low + &p.high) / RBig::from(2u8)).collect();
        let numbers: Vec<RBig> = self.weights.iter().map(|weight| weight.at(&middles)).collect();
        // With the numbers of weights in place of weights.
        let build = || {
            let mut builder = WeightedBuilder::new();
            let ends = self.begins.iter().skip(1).copied().chain([(self.steps.len(), self.valuations.len())]);
            for (&(steps, valuation), (steps_end, valuation_end)) in self.begins.iter().zip(ends) {
                let steps = self.steps[steps..steps_end].iter();
                let steps = steps.map(|&(weight, target)| WeightedStep {
                    weight: u64::from(weight),
                    target: state_of(target),
                });
                builder.state(self.valuations[valuation..valuation_end].iter().copied(), steps);
            }
            builder
        };
        let initial = initial.map_or(0, state_of);
        let structure = build().finish_with(initial, &numbers, self.propositions.clone());
        let structure = structure.map_err(|WeightsTooFine| {
            let message = "the weights are no multiples of one number that fit into 64 bits";
            let error = Diagnostic::error(codes::WKS_WEIGHT, message);
            error.help("round weights, or use fewer different denominators")
        })?;
        let parametric = (!parameters.is_empty()).then(|| ParametricStructure {
            skeleton: build().finish(initial, RBig::ONE, self.propositions.clone()),
            parameters,
            weights: self.weights.clone(),
        });
        let declared = || self.states.iter().map(|&symbol| &self.symbols[symbol as usize]);
        Ok(Explicit {
            name,
            states: declared().map(|symbol| symbol.name.clone().into_owned()).collect(),
            structure,
            parametric,
            span_of_state: declared().map(|s| s.place).collect(),
        })
    }
}
