//! Derivatives of throughputs and of mean passage times with respect to rates.
//!
//! Each quantity needs one potential, and all share one vector of weights (the adjoint method). For the
//! average g of a reward r on an irreducible chain with stationary distribution p and potential h
//! (`r + Q h = g`), `dg = p (dr + dQ h)`. For the mean time m until an end, `dm = y dQ m`, with the expected
//! times y spent in each state. If runs end in one of several components with averages G, `y dQ G` is added
//! for the states before. (P. Schweitzer, *Perturbation theory and finite Markov chains*, J. Appl. Probab. 5,
//! 1968; X.-R. Cao and H.-F. Chen, *Perturbation realization, potentials, and sensitivity analysis of Markov
//! processes*, IEEE Trans. Autom. Control 42, 1997.) All computations use interval arithmetic over the bounds
//! of p, y, h, m and G.

use volvelle_control::Control;
use volvelle_logic::RewardQuery;
use volvelle_markov::{CheckError, Classes, Options, long_run_distribution};
use volvelle_space::{Accuracy, BitSet, RewardVectors, Space};

use crate::chain::Chain;
use crate::generator::Generator;
use crate::interval::{Bounds, add, multiply, point, subtract};
use crate::kinds::Kind;
use crate::passage::{Target, passage_space};
use crate::problem::Problem;
use crate::question::{of_states, reward, reward_until};
use crate::steady::bottom_components;
use crate::structure::Structure;
use crate::visits::times_before;

/// Potentials are computed to this fraction of the results' precision.
const FINER: f64 = 1e-5;

/// A parameter of rates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The rate of a label (a number of the system).
    Label(u32),
    /// A name of rates.
    Name(String),
}

/// The derivative of a quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivative {
    /// The parameter.
    pub parameter: Parameter,
    /// Bounds of the derivative.
    pub bounds: Bounds,
}

/// The derivatives of the throughput of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The action.
    pub action: String,
    /// One for each parameter ([`Chain::parameters`]).
    pub derivatives: Vec<Derivative>,
}

impl Chain<'_> {
    /// The parameters of rates: each label with a rate, then each name.
    pub fn parameters(&self) -> Vec<Parameter> {
        let labels = (0..).zip(&self.kinds.of).filter(|(_, kind)| matches!(kind, Kind::Rate(_)));
        let labels = labels.map(|(label, _)| Parameter::Label(label));
        labels.chain(self.kinds.names.iter().cloned().map(Parameter::Name)).collect()
    }

    /// By label: the indices of parameters on which its rate depends, with the derivatives of the rate.
    fn dependence(&self) -> Vec<Vec<(usize, Bounds)>> {
        let parameters = self.parameters();
        let of_label = |(label, kind): (usize, &Kind)| {
            let Kind::Rate(rate) = kind else { return Vec::new() };
            let place = |wanted: &Parameter| parameters.iter().position(|known| known == wanted);
            let mut all = Vec::new();
            all.extend(place(&Parameter::Label(label as u32)).map(|place| (place, point(1.0))));
            if let Some(name) = rate.name {
                let name = Parameter::Name(self.kinds.names[name as usize].clone());
                let factor = volvelle_logic::Ratio::Finite(rate.factor.clone()).enclosure();
                all.extend(place(&name).map(|place| (place, factor)));
            }
            all
        };
        self.kinds.of.iter().enumerate().map(of_label).collect()
    }

    fn finer(&self) -> Options {
        let options = self.options.numerical;
        Options { precision: (options.precision * FINER).max(1e-13), ..options }
    }

    /// The derivatives of all throughputs in the long run with respect to all parameters.
    ///
    /// # Errors
    /// There are choices that matter, the chain is too large for probabilities of states, or a limit.
    pub fn sensitivities(&self, control: &Control) -> Result<Vec<Sensitivity>, Problem> {
        let generator = self.generator("sensitivities")?;
        let options = self.finer();
        let space = &generator.space;
        let n = space.num_states();
        let shares = long_run_distribution(space, &Classes::single(n), &options, control)?.bounds;
        let components = bottom_components(space);
        let bottom = BitSet::of(n, components.iter().flat_map(|c| &c.members).map(|&s| s as usize));
        let before = match components.len() {
            1 => None,
            _ => Some(times_before(generator, &bottom, &options, control)?),
        };
        // The time to a state of each component. Take the likeliest one: times to rare states are long, and
        // differences between them are lost.
        let likeliest = |members: &[u32]| {
            let by_share = |a: &&u32, b: &&u32| shares[**a as usize][0].total_cmp(&shares[**b as usize][0]);
            members.iter().rev().max_by(by_share).map_or(0, |&state| state as usize)
        };
        let reference = BitSet::of(n, components.iter().map(|c| likeliest(&c.members)));
        let labels = vec![("reference".to_owned(), reference)];
        let times = {
            let time = unit_reward(n);
            let space = Space { labels: labels.clone(), rewards: vec![time], ..space.clone() };
            of_states(&space, &reward_until(0, None), &options, control)?
        };
        let parameters = self.parameters();
        let dependence = self.dependence();
        let mut result = Vec::with_capacity(self.kinds.actions.len());
        for (action, name) in self.kinds.actions.iter().enumerate() {
            let rewards = vec![generator.rewards(action as u32, name)];
            let space = Space { labels: labels.clone(), rewards, ..space.clone() };
            let amounts = of_states(&space, &reward_until(0, None), &options, control)?;
            let averages = of_states(&space, &reward(0, RewardQuery::LongRun, None), &options, control)?;
            // The potential of a transient state is multiplied by a share of zero.
            let potential: Vec<Bounds> = (0..n)
                .map(|s| match bottom.contains(s) {
                    true => subtract(amounts[s], multiply(averages[s], times[s])),
                    false => [0.0; 2],
                })
                .collect();
            let counts = |structure: &Structure, delay: crate::structure::Delay| {
                let mut sum =
                    point(f64::from(u8::from(self.kinds.measured[delay.label as usize] == action as u32)));
                let outcome = structure.outcome(delay.target);
                for &(counted, code) in structure.outcomes.arena.counts(outcome) {
                    if counted == action as u32 {
                        sum = add(sum, generator.enclosure(code));
                    }
                }
                sum
            };
            let mut derivatives = vec![[0.0; 2]; parameters.len()];
            let walk = Walk { structure: &self.structure, generator, dependence: &dependence };
            walk.add(&mut derivatives, &shares, &potential, counts);
            if let Some(before) = &before {
                walk.add(&mut derivatives, before, &averages, |_, _| [0.0; 2]);
            }
            let derivatives = parameters.iter().cloned().zip(derivatives);
            let derivatives =
                derivatives.map(|(parameter, bounds)| Derivative { parameter, bounds }).collect();
            result.push(Sensitivity { action: name.clone(), derivatives });
        }
        Ok(result)
    }

    /// The derivatives of the mean time until the target is reached with respect to all parameters.
    ///
    /// # Errors
    /// As [`Chain::first_passage`]; or the mean is infinite.
    pub fn passage_sensitivities(
        &self,
        target: &Target,
        control: &Control,
    ) -> Result<Vec<Derivative>, Problem> {
        let (structure, generator, end) = self.passage(target, control)?;
        let options = self.finer();
        let infinite = || CheckError::Undefined { what: "the derivative of an infinite mean".to_owned() };
        let end = end.ok_or_else(infinite)?;
        let space = passage_space(&generator, end);
        let means = of_states(&space, &reward_until(0, None), &options, control)?;
        if means[space.initial[0].index()][1] == f64::INFINITY {
            return Err(infinite().into());
        }
        let ends = BitSet::of(space.num_states(), [end as usize]);
        let times = times_before(&generator, &ends, &options, control)?;
        let parameters = self.parameters();
        let mut derivatives = vec![[0.0; 2]; parameters.len()];
        let walk = Walk { structure: &structure, generator: &generator, dependence: &self.dependence() };
        walk.add(&mut derivatives, &times, &means, |_, _| [0.0; 2]);
        let derivatives = parameters.into_iter().zip(derivatives);
        Ok(derivatives.map(|(parameter, bounds)| Derivative { parameter, bounds }).collect())
    }
}

/// One unit per unit of time.
fn unit_reward(n: usize) -> RewardVectors {
    RewardVectors {
        name: "time".to_owned(),
        state: Some(std::iter::repeat_n(1.0, n).collect()),
        choice: None,
        mixed: false,
        accuracy: Accuracy::Exact,
    }
}

/// The data for sums over delays.
struct Walk<'a> {
    structure: &'a Structure,
    generator: &'a Generator,
    dependence: &'a [Vec<(usize, Bounds)>],
}

impl Walk<'_> {
    /// Adds to each derivative the sum over delays of: the weight of the state, times the derivative of the
    /// rate, times the worth of one more occurrence of the delay. This is the difference of values plus an
    /// amount earned at once.
    fn add(
        &self,
        derivatives: &mut [Bounds],
        weights: &[Bounds],
        values: &[Bounds],
        earned: impl Fn(&Structure, crate::structure::Delay) -> Bounds,
    ) {
        for state in 0..self.structure.num_states() {
            if weights[state] == [0.0; 2] {
                continue;
            }
            for &delay in self.structure.delays_of(state) {
                let outcome = self.structure.outcome(delay.target);
                let mut worth = earned(self.structure, delay);
                for (target, code) in self.structure.reaches(outcome) {
                    // A delay that leads back changes nothing, but bounds of equal numbers would not cancel.
                    if target as usize != state {
                        let change = subtract(values[target as usize], values[state]);
                        worth = add(worth, multiply(self.generator.enclosure(code), change));
                    }
                }
                for &(parameter, factor) in &self.dependence[delay.label as usize] {
                    let change = multiply(weights[state], multiply(factor, worth));
                    derivatives[parameter] = add(derivatives[parameter], change);
                }
            }
        }
    }
}
