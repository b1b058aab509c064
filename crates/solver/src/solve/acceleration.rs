//! Jumps for verified iteration: the values of the policy that the iterate suggests, at once.
//!
//! For a Markov chain this is the solution itself, for an MDP a step of policy iteration (Howard 1960).
//! By state elimination where fill-in allows, else by BiCGSTAB with a Gauss–Seidel sweep as
//! preconditioner. The result is a guess like any other; nothing relies on its error.
//!
//! Beside the values x each jump finds `w = x + P w`, the reward x collected until the component is left.
//! Along w a guess is verified quickly even in a component that mixes slowly: `x + d w` exceeds its own
//! image by `d x` in every state, independent of the exits.

use volvelle_control::{Control, Stop};

use super::block::Block;
use super::elimination::{Elimination, GiveUp};
use super::induced_chain::InducedChain;
use super::proper_policy::proper_policy;
use super::verification::affordable_step;

/// Iterations of BiCGSTAB for the last policy of a jump.
const ITERATIONS: usize = 600;

/// Iterations of BiCGSTAB for the policies on the way.
const LOOSE_ITERATIONS: usize = 80;

/// Policies in one jump.
const POLICIES: usize = 40;

/// Policies in one jump where each is evaluated by BiCGSTAB.
const LOOSE_POLICIES: usize = 16;

/// Sweeps between a policy's values and the choice of the next one.
const SWEEPS_BETWEEN: usize = 4;

/// Relative residual of a policy's equations at the values of the policy before it, below which no other policy has
/// values that can be distinguished from these.
const SOLVED: f64 = 1e-12;

/// Change of the values from one policy to the next, relative to the width that the bounds shall have, below which another
/// policy is not looked for: changes shrink quickly from policy to policy, and what is verified may be a little off.
const NEAR: f64 = 0.02;

/// Policies tried for the largest weights.
const WEIGHT_ROUNDS: usize = 6;

/// Residual of weights, relative to the values, whose slack they share.
const WEIGHT_ERROR: f64 = 0.05;

/// Largest component on which elimination is tried.
const LARGEST_ELIMINATION: usize = 100_000;

/// Keeps a policy and its solver between jumps.
pub struct Acceleration<'a> {
    /// The direct solver; `None`: do without.
    pub elimination: Option<&'a mut Elimination>,
    /// Work that one elimination may take.
    pub work: u64,
    /// Policy of the last jump.
    pub policy: Vec<u32>,
    /// w of the last jump, per unknown of the block; empty where there is none.
    pub weight: Vec<f64>,
    /// Whether a jump has failed. The first may come before values have spread through the component, and is given up early.
    pub failed: bool,
}

impl Acceleration<'_> {
    /// Moves `x` to the values of a policy that no other policy improves, as far as doubles can show and limits allow.
    /// Returns whether `x` moved.
    pub fn jump(
        &mut self,
        block: &Block,
        x: &mut [f64],
        width: f64,
        control: &Control,
    ) -> Result<bool, Stop> {
        let mut fresh = self.policy.is_empty();
        if fresh {
            let range = block.first..block.first + block.len;
            self.policy = range.map(|i| block.system.choice_start[i]).collect();
        }
        let (mut moved, mut direct) = (false, false);
        let mut margin = if fresh { 0.0 } else { 1e-12 };
        for round in 0..POLICIES {
            if moved && !direct && round >= LOOSE_POLICIES {
                break;
            }
            if moved {
                // A policy looks one step ahead; the sweeps carry its values through the component.
                (0..SWEEPS_BETWEEN).for_each(|_| _ = block.sweep(x));
            }
            let changes = block.improve(x, &mut self.policy, margin);
            // Loose values make up differences between choices that are equally good.
            let done = if direct || !moved { changes == 0 } else { changes * 20_000 <= block.len };
            if !fresh && done {
                break;
            }
            fresh = false;
            control.check()?;
            let mut found = self.evaluate(block, x, control)?;
            if found == Evaluation::Improper {
                // Values that have not spread through the component yet suggest cycles that are never left.
                self.policy = proper_policy(block);
                found = self.evaluate(block, x, control)?;
            }
            direct = matches!(found, Evaluation::Direct(_));
            let mut solved = false;
            let (values, weight) = match found {
                Evaluation::Direct((values, weight)) => (values, Some(weight)),
                _ if block.is_chain() => break,
                _ => {
                    let chain = InducedChain::new(block, &self.policy, x);
                    match chain.solve(
                        |i| self.constant(block, i),
                        x[block.range()].to_vec(),
                        |residual| 1e-3 * residual,
                        LOOSE_ITERATIONS,
                        control,
                    )? {
                        Some((values, residual)) => {
                            solved = residual <= SOLVED
                                || largest_change(&values, &x[block.range()]) <= NEAR * width;
                            (values, None)
                        }
                        None if !moved && !self.failed => {
                            self.failed = true;
                            return Ok(false);
                        }
                        None => break,
                    }
                }
            };
            if !plausible(block, &values) {
                // An improper policy, or no convergence.
                return Ok(moved);
            }
            x[block.range()].copy_from_slice(&values);
            moved = true;
            if let Some(weight) = weight {
                // Gains below the slope of the next guess do not matter.
                let step = affordable_step(block, x, width, &weight);
                margin = if step.is_finite() { (0.25 * step).max(1e-13) } else { 1e-12 };
                self.weight = weight;
            }
            if solved {
                break;
            }
        }
        if !direct {
            let chain = InducedChain::new(block, &self.policy, x);
            let start = x[block.range()].to_vec();
            if let Some((values, _)) =
                chain.solve(|i| self.constant(block, i), start, |_| 0.0, ITERATIONS, control)?
                && plausible(block, &values)
            {
                let weight =
                    chain.solve(|i| values[i], values.clone(), |_| WEIGHT_ERROR, ITERATIONS, control)?;
                self.weight = weight.map(|(weight, _)| weight).unwrap_or_default();
                x[block.range()].copy_from_slice(&values);
                moved = true;
            }
        }
        if !usable(&self.weight) {
            self.weight.clear();
        }
        if moved && !block.is_chain() && !self.weight.is_empty() {
            self.maximise_weights(block, x, width, direct, control)?;
        }
        Ok(moved)
    }

    /// Maximises the weights over choices that are about as good as the best. Where choices tie, the weights of one policy
    /// alone do not hold for the others, and no guess along them could be verified.
    fn maximise_weights(
        &mut self,
        block: &Block,
        x: &[f64],
        width: f64,
        direct: bool,
        control: &Control,
    ) -> Result<(), Stop> {
        let mut policy = self.policy.clone();
        for _ in 0..WEIGHT_ROUNDS {
            if block.lengthen(x, &mut self.weight, width, &mut policy) == 0 {
                break;
            }
            let weight = if direct {
                match self.eliminate(block, x, &policy, control)? {
                    Evaluation::Direct((_, weight)) => Some(weight),
                    Evaluation::Improper | Evaluation::Unavailable => None,
                }
            } else {
                let chain = InducedChain::new(block, &policy, x);
                let right = |i: usize| x[block.first + i];
                let found = chain.solve(right, self.weight.clone(), |_| WEIGHT_ERROR, ITERATIONS, control)?;
                found.map(|(weight, _)| weight)
            };
            match weight {
                Some(weight) if usable(&weight) => self.weight = weight,
                _ => break,
            }
        }
        Ok(())
    }

    /// The constant part of an equation of the policy.
    fn constant(&self, block: &Block, i: usize) -> f64 {
        let [lo, hi] = block.constant.get(self.policy[i] as usize - block.first_choice());
        0.5 * (lo + hi)
    }

    /// Values and weights of the policy that is kept, by elimination.
    fn evaluate(&mut self, block: &Block, x: &[f64], control: &Control) -> Result<Evaluation, Stop> {
        let policy = std::mem::take(&mut self.policy);
        let found = self.eliminate(block, x, &policy, control);
        self.policy = policy;
        found
    }

    /// Values and weights by elimination, unless it has been too much work before.
    fn eliminate(
        &mut self,
        block: &Block,
        x: &[f64],
        policy: &[u32],
        control: &Control,
    ) -> Result<Evaluation, Stop> {
        if block.len > LARGEST_ELIMINATION || block.is_chain() {
            // A chain has been tried before, or promised nothing.
            return Ok(Evaluation::Unavailable);
        }
        let Some(elimination) = &mut self.elimination else { return Ok(Evaluation::Unavailable) };
        let base = block.first_choice();
        block.load_policy(elimination, policy.iter().copied(), |i, choice| {
            let [lo, hi] = block.constant.get(choice - base);
            [0.5 * (lo + hi), x[i]]
        });
        match elimination.solve(self.work, control) {
            Ok((values, _)) => Ok(Evaluation::Direct(values.iter().map(|v| (v[0], v[1])).unzip())),
            Err(GiveUp::Stopped(stop)) => Err(stop),
            Err(GiveUp::Closed) => Ok(Evaluation::Improper),
            Err(GiveUp::Work) => {
                self.elimination = None;
                Ok(Evaluation::Unavailable)
            }
        }
    }
}

/// The largest relative difference between numbers in the same places.
fn largest_change(new: &[f64], old: &[f64]) -> f64 {
    let changes = new.iter().zip(old).map(|(n, o)| (n - o).abs() / n.abs().max(f64::MIN_POSITIVE));
    changes.fold(0.0, f64::max)
}

/// Whether numbers can be weights.
fn usable(weight: &[f64]) -> bool {
    weight.iter().all(|w| *w >= 0.0 && w.is_finite())
}

/// Whether numbers can be values.
fn plausible(block: &Block, values: &[f64]) -> bool {
    values.iter().all(|&v| v >= 0.0 && v.is_finite() && (!block.probability || v < 1.0 + 1e-6))
}

/// Values and weights of a policy.
type Pair = (Vec<f64>, Vec<f64>);

/// The outcome of a direct evaluation of a policy.
#[derive(PartialEq)]
enum Evaluation {
    /// Values and weights.
    Direct(Pair),
    /// The policy stays in the component for ever in some state.
    Improper,
    /// Elimination is too much work, or is not to be used.
    Unavailable,
}
