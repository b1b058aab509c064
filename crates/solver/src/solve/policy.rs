//! Policy iteration (Howard) over one component, for systems that mix too slowly to be iterated.
//!
//! Each policy is evaluated by state elimination, which is accurate however slowly it mixes. The value of
//! the last policy is, up to the error bound of elimination, a lower bound of a maximum and an
//! upper bound of a minimum, with no further argument. The other side is verified as in
//! [`super::iteration`], with more sweeps.

use volvelle_control::{Control, Stop};
use volvelle_logic::Optimum;

use super::acceleration::Acceleration;
use super::block::Block;
use super::elimination::{Elimination, GiveUp};
use super::iteration::{Goal, iterate, jump};
use super::proper_policy::proper_policy;
use super::sweeper::Sweeper;
use crate::rounding::{above, below, relative};

/// Policies to try before giving up.
const ROUNDS: usize = 200;

/// Components above this size are left to iteration.
const LARGEST: usize = 50_000;

/// Work that one evaluation may take.
const WORK: u64 = 40_000_000_000;

/// Improves policies from the values `x`; the result goes to `bounds`, which hold sound bounds when it is
/// called. Says whether they are within the relative width `width` now.
pub fn iterate_policies(
    block: &Block,
    x: &mut [f64],
    bounds: &mut [[f64; 2]],
    width: f64,
    elimination: &mut Elimination,
    control: &Control,
) -> Result<bool, Stop> {
    if block.len > LARGEST {
        return Ok(false);
    }
    let range = block.first..block.first + block.len;
    let mut policy = proper_policy(block);
    let (optimum, base) = (block.system.optimum, block.first_choice());
    let mut certain: Option<Vec<f64>> = None;
    for _ in 0..ROUNDS {
        control.check()?;
        block.load_policy(elimination, policy.iter().copied(), |_, choice| block.constant.get(choice - base));
        match elimination.solve(WORK, control) {
            Ok((values, error)) => {
                let error = relative(error);
                for (i, v) in range.clone().zip(values) {
                    x[i] = 0.5 * (v[0] + v[1]);
                }
                // Without an error bound (infinite) these are trivial: [0, inf].
                certain = Some(
                    values
                        .iter()
                        .map(|v| match optimum {
                            Optimum::Max => below(v[0], error),
                            Optimum::Min => above(v[1], error),
                        })
                        .collect(),
                );
            }
            Err(GiveUp::Stopped(stop)) => return Err(stop),
            Err(GiveUp::Work | GiveUp::Closed) => break,
        }
        if block.improve(x, &mut policy, 1e-13) == 0 {
            break;
        }
    }
    let before: Vec<[f64; 2]> = bounds[range.clone()].to_vec();
    let mut acceleration = Acceleration {
        elimination: Some(elimination),
        work: WORK,
        policy: Vec::new(),
        weight: Vec::new(),
        failed: true,
    };
    let mut converged = jump(block, x, bounds, width, &mut acceleration, control)?.converged;
    if !converged {
        let goal = Goal { width, limit: 2_000, until_slow: false };
        let sweeper = &mut Sweeper::GaussSeidel;
        converged = iterate(block, x, bounds, goal, sweeper, &mut acceleration, control)?.converged;
    }
    for (at, i) in range.clone().enumerate() {
        bounds[i] = [bounds[i][0].max(before[at][0]), bounds[i][1].min(before[at][1])];
        if let Some(certain) = &certain {
            match optimum {
                Optimum::Max => bounds[i][0] = bounds[i][0].max(certain[at]),
                Optimum::Min => bounds[i][1] = bounds[i][1].min(certain[at]),
            }
        }
    }
    Ok(converged || range.into_iter().all(|i| bounds[i][1] - bounds[i][0] <= width * bounds[i][0]))
}
