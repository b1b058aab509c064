//! Path formulas that combine temporal operators: linear temporal logic (LTL).
//!
//! In: a path formula whose state formulas have been evaluated. Out: its probability, where it is zero or one,
//! whether some path satisfies it, or the expected reward until it is satisfied. All of it is reduced to
//! reachability on a product of the space with a deterministic automaton of the formula (Baier and Katoen,
//! *Principles of Model Checking*, sections 10.3 and 10.6.4): almost surely a run ends in a bottom component, or in an
//! end component of an MDP, and the states that it visits infinitely often there decide.
//!
//! The minimum over schedulers is one minus the maximum of the negation. Propositions that hold everywhere, nowhere,
//! or exactly where others do not are recognised, which keeps automata small. Automata that are given take the same way.

mod accepting;
mod limit;
mod product;
mod reward;
mod translate;

pub use limit::too_large;

pub use accepting::{accepting, accepting_policy};
pub(crate) use product::end;
pub use product::{LOOP, NOT_THERE, Product};
pub use reward::{check_cosafe, rewards_on, until_satisfied};
pub use translate::{translate, translate_cosafe};

use std::sync::Arc;

use volvelle_automata::{Automaton, Deterministic, FormulaId, Formulas, Given};
use volvelle_logic::{OmegaAutomaton, Optimum};
use volvelle_solver::graph::Prob01;
use volvelle_solver::reach::{prob01_until, until as reach_until};
use volvelle_solver::{CheckError, Context, Numbers};
use volvelle_space::BitSet;

/// A formula of LTL over sets of states, or an automaton in its place.
#[derive(Clone, Debug)]
pub struct Ltl {
    pub(super) words: Words,
    /// The states where each proposition holds.
    pub(super) propositions: Vec<BitSet>,
}

/// The words that are meant.
#[derive(Clone, Debug)]
pub(super) enum Words {
    /// Those that satisfy a formula.
    Formula(Formulas, FormulaId),
    /// Those that an automaton accepts, or rejects.
    Automaton(Arc<OmegaAutomaton>, bool),
}

impl Ltl {
    /// The opposite.
    #[must_use]
    pub fn negation(&self) -> Ltl {
        let mut negation = self.clone();
        match &mut negation.words {
            Words::Formula(formulas, root) => *root = formulas.not(*root),
            Words::Automaton(_, accepts) => *accepts = !*accepts,
        }
        negation
    }

    /// The letter that each state is, and what holds for each letter.
    fn letters(&self, states: usize) -> (Vec<u32>, Vec<Vec<bool>>) {
        let mut letter_of = vec![0u32; states];
        let mut letters: Vec<Vec<bool>> = vec![Vec::new()];
        for proposition in &self.propositions {
            let mut place: Vec<[Option<u32>; 2]> = vec![[None; 2]; letters.len()];
            let mut finer: Vec<Vec<bool>> = Vec::new();
            for (s, letter) in letter_of.iter_mut().enumerate() {
                let holds = proposition.contains(s);
                let place = &mut place[*letter as usize][usize::from(holds)];
                *letter = *place.get_or_insert_with(|| {
                    let mut longer = letters[*letter as usize].clone();
                    longer.push(holds);
                    finer.push(longer);
                    finer.len() as u32 - 1
                });
            }
            letters = finer;
        }
        (letter_of, letters)
    }

    /// A deterministic automaton, and the letter that each state is.
    pub fn automaton(&self, states: usize) -> Result<(Deterministic, Vec<u32>), CheckError> {
        let (letter_of, letters) = self.letters(states);
        let automaton = match &self.words {
            Words::Formula(formulas, root) => {
                let automaton = Automaton::new(formulas.clone(), *root, letters).map_err(too_large)?;
                Deterministic::Translated(Box::new(automaton))
            }
            Words::Automaton(automaton, accepts) => {
                Deterministic::Given(Box::new(Given::new(automaton.clone(), !accepts, &letters)))
            }
        };
        Ok((automaton, letter_of))
    }

    /// The product with a space, from the states of `needed` (`None`: all).
    pub fn product(&self, context: &Context, needed: Option<&BitSet>) -> Result<Product, CheckError> {
        let (automaton, letter_of) = self.automaton(context.states())?;
        Product::new(context, automaton, &letter_of, needed)
    }
}

/// Whether the maximum of the negation is computed instead.
fn by_negation(context: &Context, optimum: Optimum) -> bool {
    optimum == Optimum::Min && !context.is_chain()
}

/// Probability of the formula; in states outside of `needed` the bounds may be trivial.
pub fn probability(
    context: &Context,
    ltl: &Ltl,
    optimum: Optimum,
    needed: Option<&BitSet>,
) -> Result<Numbers, CheckError> {
    if by_negation(context, optimum) {
        return Ok(probability(context, &ltl.negation(), Optimum::Max, needed)?.complement());
    }
    let product = ltl.product(context, needed)?;
    let control = product.control(context.control);
    let inner = context.inner(&product.space, context.options, &control);
    let target = accepting(&inner, &product)?;
    let numbers = reach_until(&inner, &BitSet::full(target.len()), &target, Optimum::Max)?;
    Ok(product.project(numbers, [0.0, 1.0]))
}

/// The states where the probability is zero and where it is one; outside of `needed` the sets may lack states.
pub fn prob01(
    context: &Context,
    ltl: &Ltl,
    optimum: Optimum,
    needed: Option<&BitSet>,
) -> Result<Prob01, CheckError> {
    if by_negation(context, optimum) {
        let Prob01 { zero, one } = prob01(context, &ltl.negation(), Optimum::Max, needed)?;
        return Ok(Prob01 { zero: one, one: zero });
    }
    let product = ltl.product(context, needed)?;
    let control = product.control(context.control);
    let inner = context.inner(&product.space, context.options, &control);
    let target = accepting(&inner, &product)?;
    let found = prob01_until(&inner, &BitSet::full(target.len()), &target, Optimum::Max);
    Ok(Prob01 { zero: product.project_set(&found.zero), one: product.project_set(&found.one) })
}

/// The states from which some path satisfies the formula, whatever its probability; outside of `needed` the set may
/// lack states.
pub fn some_path(context: &Context, ltl: &Ltl, needed: Option<&BitSet>) -> Result<BitSet, CheckError> {
    let product = ltl.product(context, needed)?;
    let control = product.control(context.control);
    let inner = context.inner(&product.space, context.options, &control);
    let target = accepting::on_some_path(&inner, &product)?;
    Ok(product.project_set(&inner.predecessors().reach(&target, None)))
}

impl Product {
    /// The value of a state is that of the product where the run begins there.
    fn project(&self, numbers: Numbers, elsewhere: [f64; 2]) -> Numbers {
        let bounds = self
            .start_of
            .iter()
            .map(|&p| if p == NOT_THERE { elsewhere } else { numbers.bounds[p as usize] })
            .collect();
        Numbers { bounds, method: format!("{}, {}", self.described(), numbers.method), stop: numbers.stop }
    }

    /// A description for users.
    pub fn described(&self) -> String {
        match self.automaton_states {
            1 => "product with an automaton of 1 state".to_string(),
            n => format!("product with an automaton of {n} states"),
        }
    }

    fn project_set(&self, set: &BitSet) -> BitSet {
        let mut result = BitSet::new(self.start_of.len());
        for (s, &p) in self.start_of.iter().enumerate() {
            if p != NOT_THERE && set.contains(p as usize) {
                result.insert(s);
            }
        }
        result
    }
}
