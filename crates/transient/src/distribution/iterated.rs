//! The stationary distribution of a large closed component by iteration, with bounds that are computed afterwards.
//!
//! Any positive weights x of the states miss the balance of flows by some amounts r. The exact weights, with that of the reference state as
//! it is, differ from x by `r A^-1`, where A is minus the generator without the reference state. Its inverse has no negative entry, so that
//! any v with `v A >= |r|` bounds the difference, state by state. It is found as x is, by [`volvelle_solver::multigrid`], and verified. So all
//! sums over states, throughputs of whatever labels, have bounds from two solutions. It leads nowhere where most states are less probable than
//! a double tells, as in long queues with much spare capacity: then others have to help.

use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_solver::krylov::VECTORS;
use volvelle_solver::longrun::reference_state;
use volvelle_solver::multigrid::{BYTES, Iteration, Matrix, Multigrid, balanced};
use volvelle_solver::rounding::{INPUT, SUM_ERROR, Sum, TINY, U, above, below, relative, slack};
use volvelle_space::Space;

use super::flows::Component;

/// Least weight of a state, where the greatest is one.
const LEAST: f64 = 1e-100;

/// A step takes weights times this at least: solutions may be wrong where states are improbable.
const LEAST_FACTOR: f64 = 0.1;

/// Flows out of balance, as a part of all flows, from which on even weights are not where to start.
const UNEVEN: f64 = 1e-3;

/// Sweeps of a multiplicative cycle.
const SWEEPS: usize = 4;

/// Sweeps from the reference state outwards that make a start.
const OUTWARDS: usize = 20;

/// Flows out of balance, as a part of all flows, that need not be less.
const BALANCED: f64 = 1e-14;

/// Multiplicative cycles before each attempt to go on with steps.
const CYCLES_EVEN: &[u64] = &[0, 3];
const CYCLES_OUTWARDS: &[u64] = &[2, 6, 12];

/// Steps of one attempt.
const MOST_STEPS: usize = 30;

/// Steps after which an attempt that has not come to `SLOW` is given up.
const PATIENCE: usize = 12;

/// A reduction of the residual that is too little.
const SLOW: f64 = 0.1;

/// The reduction of the residual for which one set of coarser systems serves.
const REDUCTION: f64 = 1e-5;

/// Steps towards bounds of errors.
const MOST_STEPS_OF_ERRORS: usize = 20;

/// Sweeps after these steps, and sweeps between two looks at what they have done.
const MOST_SWEEPS_OF_ERRORS: usize = 100;
const SWEEPS_PER_LOOK: usize = 20;

/// The precision with which bounds of errors are solved for.
const ROUGH: f64 = 0.4;

/// Bounds of errors that have to be multiplied by more are worth nothing.
const MOST_FACTOR: f64 = 1e4;

/// Bounds of the stationary probabilities, in the order of the component's members.
#[derive(Debug)]
pub(super) struct Iterated {
    pub bounds: Vec<[f64; 2]>,
    /// Steps of the iteration.
    pub steps: u64,
}

/// The distribution over the members of a closed component; `None` where the iteration leads nowhere. `place` has the position of each
/// state among the members.
pub(super) fn stationary_iterated(
    space: &Space,
    members: &[u32],
    place: &[u32],
    control: &Control,
) -> Result<Option<Iterated>, Stop> {
    let entries: usize = members.iter().map(|&s| space.row(s as usize).len()).sum();
    control.check_memory((2 * BYTES[0] * entries + (BYTES[1] + 8 * VECTORS) * members.len()) as u64)?;
    let component = Component::new(space, reference_state(space, members, place));
    let mut search = Search { component: &component, control, steps: 0 };
    let n = component.len();
    let (_, size) = residual(&component.equations(&vec![1.0; n]));
    let starts = [Start::Even, Start::Outwards];
    let starts = if size > UNEVEN { [starts[1], starts[0]] } else { starts };
    for start in starts {
        let Some((weights, equations)) = search.weights(start)? else { continue };
        let imbalance = component.imbalance(&weights);
        let Some(errors) = search.errors(&weights, equations, &imbalance)? else { continue };
        // Errors of the rates, as for elimination.
        let input = relative(2.0 * n as f64 * (INPUT + 2.0 * U));
        let mut sums = [Sum::default(); 2];
        for (&weight, &error) in weights.iter().zip(&errors) {
            sums[0].add((weight - error).max(0.0));
            sums[1].add(weight + error);
        }
        let [least, most] = sums.map(Sum::value);
        if least <= 0.0 || !most.is_finite() {
            continue;
        }
        let mut bounds = vec![[0.0; 2]; members.len()];
        for ((&weight, &error), &state) in weights.iter().zip(&errors).zip(&component.order) {
            let rounding = input + SUM_ERROR + slack(8);
            let lo = below((weight - error).max(0.0) / most, rounding);
            let hi = above((weight + error) / least, rounding);
            bounds[place[state as usize] as usize] = [lo, hi.min(1.0)];
        }
        return Ok(Some(Iterated { bounds, steps: search.steps }));
    }
    Ok(None)
}

/// Weights that an iteration starts from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// All alike: good where all states are about equally probable.
    Even,
    /// Less and less with the distance from the reference state: good where runs drift towards it.
    Outwards,
}

struct Search<'a> {
    component: &'a Component<'a>,
    control: &'a Control<'a>,
    steps: u64,
}

/// What flows into states beyond what leaves them, and its size in all, relative to all flows.
fn residual(equations: &Matrix) -> (Vec<f64>, f64) {
    let n = equations.rows();
    let mut residual = vec![0.0; n];
    equations.apply(&vec![1.0; n], &mut residual);
    residual.iter_mut().for_each(|r| *r = -*r);
    let total: f64 = equations.diagonal.iter().sum();
    let size = residual.iter().map(|r| r.abs()).sum::<f64>() / total;
    (residual, size)
}

impl Search<'_> {
    fn report(&mut self, error: f64) -> Result<(), Stop> {
        let what = "balance of flows";
        self.control.progress.report(ProgressEvent::Solving { what, done: self.steps, total: 0, error });
        self.control.check()
    }

    fn start(&self, start: Start) -> Vec<f64> {
        let n = self.component.len();
        if start == Start::Even {
            return vec![1.0; n];
        }
        let equations = self.component.equations(&vec![1.0; n]);
        let zero = vec![0.0; n];
        let mut weights = zero.clone();
        weights[0] = 1.0;
        for _ in 0..OUTWARDS {
            equations.relax_from(1, &zero, &mut weights, true);
            equations.relax_from(1, &zero, &mut weights, false);
        }
        equations.relax_from(1, &zero, &mut weights, true);
        normalise(&mut weights);
        weights
    }

    /// Weights of states for which flows are nearly in balance, and the equations relative to them.
    fn weights(&mut self, start: Start) -> Result<Option<(Vec<f64>, Matrix)>, Stop> {
        let n = self.component.len();
        let mut weights = self.start(start);
        let mut equations = self.component.equations(&weights);
        let zero = vec![0.0; n];
        // By turns cycles that keep weights positive, which are slow, and steps that are quick where flows are nearly in balance.
        let all_cycles = if start == Start::Even { CYCLES_EVEN } else { CYCLES_OUTWARDS };
        let (mut cycles, mut attempts, mut before) = (0, 0, f64::INFINITY);
        loop {
            let mut factors = vec![1.0; n];
            equations.relax(&zero, &mut factors, true);
            equations.relax(&zero, &mut factors, false);
            self.rescale(&mut weights, &mut equations, &factors);
            let (right, size) = residual(&equations);
            self.report(size)?;
            if size <= BALANCED || (size <= 1e-11 && size > 0.25 * before) {
                return Ok(Some((weights, equations)));
            }
            if cycles < all_cycles[attempts] {
                cycles += 1;
                self.steps += 1;
                let factors = balanced(&mut equations, SWEEPS);
                for (weight, factor) in weights.iter_mut().zip(&factors) {
                    *weight *= factor;
                }
                normalise(&mut weights);
                equations = self.component.equations(&weights);
                continue;
            }
            // Steps that were taken back when weights were kept positive.
            let is_fruitless = size > 0.5 * before;
            before = size;
            let mut system = Multigrid::new(equations);
            let mut iteration = Iteration::new(right);
            let first = iteration.size(&system);
            let mut reduction = 1.0;
            for step in 1..=MOST_STEPS {
                self.steps += 1;
                let alive = iteration.step(&mut system);
                reduction = iteration.size(&system) / first;
                self.report(size * reduction)?;
                let is_slow = step >= PATIENCE && reduction > SLOW;
                if !alive || reduction < REDUCTION || is_slow {
                    break;
                }
            }
            equations = system.into_matrix();
            if reduction.is_nan() || reduction > SLOW || is_fruitless {
                attempts += 1;
                (cycles, before) = (0, f64::INFINITY);
                if attempts == all_cycles.len() {
                    return Ok(None);
                }
            } else {
                let mut factors = iteration.solution;
                factors.iter_mut().for_each(|d| *d = (1.0 + *d).max(LEAST_FACTOR));
                self.rescale(&mut weights, &mut equations, &factors);
            }
        }
    }

    /// Takes weights times factors, with the least that is allowed.
    fn rescale(&self, weights: &mut [f64], equations: &mut Matrix, factors: &[f64]) {
        let greatest =
            weights.iter().zip(factors).map(|(weight, factor)| weight * factor).fold(0.0, f64::max);
        let changes: Vec<f64> = (weights.iter_mut().zip(factors))
            .map(|(weight, factor)| {
                let new = (*weight * factor / greatest).max(LEAST);
                let change = new / *weight;
                *weight = new;
                change
            })
            .collect();
        equations.scale(&changes);
    }

    /// Bounds of the errors of weights that miss the balance by at most `imbalance`; `None` where none are found.
    fn errors(
        &mut self,
        weights: &[f64],
        equations: Matrix,
        imbalance: &[f64],
    ) -> Result<Option<Vec<f64>>, Stop> {
        let total: f64 = equations.diagonal.iter().sum();
        let mean = imbalance[1..].iter().sum::<f64>() / total + U;
        // More than is needed, so that the solution may be rough.
        let mut right: Vec<f64> =
            imbalance.iter().zip(&equations.diagonal).map(|(r, d)| r + mean * d).collect();
        right[0] = -right[1..].iter().sum::<f64>();
        let wanted = right.clone();
        let mut system = Multigrid::new(equations);
        let mut iteration = Iteration::new(right);
        let mut worst = f64::INFINITY;
        for _ in 0..MOST_STEPS_OF_ERRORS {
            self.steps += 1;
            if worst <= ROUGH || !iteration.step(&mut system) {
                break;
            }
            worst = missed(&iteration.residual, &wanted);
            self.report(worst)?;
        }
        let equations = system.into_matrix();
        let Iteration { mut solution, mut residual, .. } = iteration;
        let base = solution[0];
        solution.iter_mut().for_each(|y| *y = (*y - base).max(0.0));
        solution[0] = 0.0;
        if worst > ROUGH {
            // States that are so improbable that steps did not see them: from there runs soon lead elsewhere, and sweeps suffice.
            for ((y, residual), wanted) in solution.iter_mut().zip(&residual).zip(&wanted) {
                if residual.is_nan() || residual.abs() > ROUGH * wanted {
                    *y = 0.0;
                }
            }
            for round in 1..=MOST_SWEEPS_OF_ERRORS {
                equations.relax_from(1, &wanted, &mut solution, round % 2 == 0);
                if round % SWEEPS_PER_LOOK == 0 {
                    equations.apply(&solution, &mut residual);
                    residual.iter_mut().zip(&wanted).for_each(|(image, wanted)| *image = wanted - *image);
                    worst = missed(&residual, &wanted);
                    self.steps += 1;
                    self.report(worst)?;
                    if worst <= ROUGH {
                        break;
                    }
                }
            }
        }
        let mut errors: Vec<f64> = solution.iter().zip(weights).map(|(y, weight)| y * weight).collect();
        let factor = self.component.factor_to_exceed(&errors, imbalance);
        if factor > MOST_FACTOR {
            return Ok(None);
        }
        errors.iter_mut().for_each(|error| *error = *error * factor * (1.0 + slack(4)) + TINY);
        Ok(Some(errors))
    }
}

/// The greatest residual but for the first, relative to the right side.
fn missed(residual: &[f64], wanted: &[f64]) -> f64 {
    residual.iter().zip(wanted).skip(1).map(|(residual, wanted)| residual.abs() / wanted).fold(0.0, f64::max)
}

fn normalise(weights: &mut [f64]) {
    let greatest = weights.iter().copied().fold(0.0, f64::max);
    weights.iter_mut().for_each(|weight| *weight = (*weight / greatest).max(LEAST));
}
