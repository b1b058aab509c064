//! Jumps for verified iteration: the values of the policy that the iterate suggests, at once.
//!
//! For a Markov chain this is the solution itself, for an MDP a step of policy iteration (Howard 1960).
//! By state elimination where fill-in allows, else by BiCGSTAB with a Gauss–Seidel sweep as
//! preconditioner. The result is a guess like any other; nothing relies on its error.
//!
//! Beside the values x each jump finds `w = x + P w`, the reward x collected until the component is left.
//! Along w a guess is verified quickly even in a component that mixes slowly: `x + d w` exceeds its own
//! image by `d x` in every state, wherever the exits are.

use volvelle_control::{Control, Stop};

use super::elimination::{Elimination, GiveUp};
use super::iteration::Block;
use crate::krylov::{Bicgstab, Operator};

/// Iterations of BiCGSTAB in one jump.
const ITERATIONS: usize = 600;

/// Largest component on which elimination is tried.
const LARGEST_ELIMINATION: usize = 100_000;

/// Keeps a policy and its solver between jumps.
pub struct Acceleration<'a> {
    /// Weight of leaving the component, per choice of the block.
    pub exit: &'a [f64],
    /// The direct solver; `None`: do without.
    pub elimination: Option<&'a mut Elimination>,
    /// Policy of the last jump.
    pub policy: Vec<u32>,
    /// w of the last jump, per unknown of the block; empty where there is none.
    pub weight: Vec<f64>,
}

/// Whether a policy has been found to be optimal, as far as doubles tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// `x` holds the values of a policy, and a better policy may exist.
    Moved,
    /// `x` holds the values of a policy that no other betters.
    Settled,
    /// Nothing was found; `x` is as before.
    Failed,
}

impl Acceleration<'_> {
    /// Moves `x` to the values of the policy that is best at `x`.
    pub fn jump(&mut self, block: &Block, x: &mut [f64], control: &Control) -> Result<Jump, Stop> {
        let fresh = self.policy.is_empty();
        if fresh {
            let range = block.first..block.first + block.len;
            self.policy = range.map(|i| block.system.choice_start[i]).collect();
        }
        let changed = block.improve(x, &mut self.policy, if fresh { 0.0 } else { 1e-12 });
        if !fresh && !changed {
            return Ok(Jump::Settled);
        }
        let found = match self.eliminate(block, x, control)? {
            Some(found) => Some(found),
            None => self.iterate(block, x, control)?,
        };
        let Some((values, weight)) = found else { return Ok(Jump::Failed) };
        let sane = |v: &f64| *v >= 0.0 && v.is_finite();
        if !values.iter().all(|v| sane(v) && (!block.probability || *v < 1.0 + 1e-6)) {
            // An improper policy, or no convergence.
            return Ok(Jump::Failed);
        }
        self.weight = if weight.iter().all(sane) { weight } else { Vec::new() };
        x[block.first..block.first + block.len].copy_from_slice(&values);
        Ok(if block.is_chain() { Jump::Settled } else { Jump::Moved })
    }

    /// Values and weights by elimination.
    fn eliminate(&mut self, block: &Block, x: &[f64], control: &Control) -> Result<Option<Pair>, Stop> {
        if block.len > LARGEST_ELIMINATION || block.is_chain() {
            // A chain has been tried before.
            return Ok(None);
        }
        let Some(elimination) = &mut self.elimination else { return Ok(None) };
        let base = block.first_choice();
        load_policy(elimination, block, self.exit, &self.policy, |i, choice| {
            let [lo, hi] = block.constant[choice - base];
            [0.5 * (lo + hi), x[i]]
        });
        match elimination.solve(200 * block.work() + 10_000_000, control) {
            Ok((values, _)) => Ok(Some(values.iter().map(|v| (v[0], v[1])).unzip())),
            Err(GiveUp::Stopped(stop)) => Err(stop),
            Err(_) => Ok(None),
        }
    }

    /// Values and weights by BiCGSTAB.
    fn iterate(&self, block: &Block, x: &[f64], control: &Control) -> Result<Option<Pair>, Stop> {
        let matrix = PolicyMatrix { block, policy: &self.policy };
        let start = &x[block.first..block.first + block.len];
        let constant: Vec<f64> = self
            .policy
            .iter()
            .map(|&choice| {
                let [lo, hi] = block.constant[choice as usize - block.first_choice()];
                0.5 * (lo + hi)
            })
            .collect();
        let Some(values) = matrix.solve(&constant, start.to_vec(), 1e-16, control)? else { return Ok(None) };
        let weight = matrix.solve(&values, values.clone(), 1e-3, control)?.unwrap_or_default();
        Ok(Some((values, weight)))
    }
}

/// Values and weights of a policy.
type Pair = (Vec<f64>, Vec<f64>);

/// Loads the equations of a policy into the direct solver.
pub fn load_policy(
    elimination: &mut Elimination,
    block: &Block,
    exit: &[f64],
    policy: &[u32],
    right_side: impl Fn(usize, usize) -> [f64; 2],
) {
    let (system, base) = (block.system, block.first_choice());
    elimination.begin(block.len);
    for (i, &choice) in (block.first..).zip(policy) {
        let choice = choice as usize;
        let inner = system.row_start[choice] as usize..system.inner_end[choice] as usize;
        let entries = system.columns[inner.clone()]
            .iter()
            .zip(&system.values[inner])
            .map(|(&j, &v)| (j - block.first as u32, v));
        elimination.row(entries, exit[choice - base], right_side(i, choice));
    }
}

/// `I - P` of a policy.
struct PolicyMatrix<'a> {
    block: &'a Block<'a>,
    policy: &'a [u32],
}

impl PolicyMatrix<'_> {
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (system, choice) = (self.block.system, self.policy[i] as usize);
        let row = system.row_start[choice] as usize..system.inner_end[choice] as usize;
        let first = self.block.first;
        system.columns[row.clone()]
            .iter()
            .zip(&system.values[row])
            .map(move |(&j, &v)| (j as usize - first, v))
    }

    /// `(I - P)^-1 right` from a first guess, until the residual is `goal` of the largest value; `None` where
    /// that does not get anywhere.
    fn solve(
        &self,
        right: &[f64],
        mut x: Vec<f64>,
        goal: f64,
        control: &Control,
    ) -> Result<Option<Vec<f64>>, Stop> {
        let largest = |v: &[f64]| v.iter().copied().fold(0.0, f64::max);
        let mut residual = vec![0.0; x.len()];
        self.apply(&x, &mut residual);
        residual.iter_mut().zip(right).for_each(|(r, b)| *r = b - *r);
        let mut solver = Bicgstab::new(residual);
        let start = solver.residual();
        let goal = goal * if goal > 1e-10 { largest(right) } else { largest(&x) };
        let mut last = start;
        for k in 1..=ITERATIONS {
            if solver.residual() <= goal || !solver.step(self, &mut x) {
                break;
            }
            if k % 50 == 0 {
                control.check()?;
                if k > 200 && solver.residual() > 0.9 * last {
                    break;
                }
                last = solver.residual();
            }
        }
        Ok((solver.residual() < 0.1 * start || solver.residual() <= goal).then_some(x))
    }
}

impl Operator for PolicyMatrix<'_> {
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = x[i] - self.row(i).map(|(j, v)| v * x[j]).sum::<f64>();
        }
    }

    fn precondition(&self, x: &[f64], y: &mut [f64]) {
        for i in 0..x.len() {
            let sum: f64 = self.row(i).map(|(j, v)| if j < i { v * y[j] } else { 0.0 }).sum();
            y[i] = x[i] + sum;
        }
    }
}
