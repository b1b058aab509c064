//! What flows between the states of a large closed component, for an approximate stationary distribution: as equations for iterations,
//! and with bounds of what is not in balance.

use volvelle_solver::krylov::Triangles;
use volvelle_solver::multigrid::Matrix;
use volvelle_solver::rounding::{Sum, TINY, slack};
use volvelle_space::Space;

/// A closed component, its states in an order of their own.
pub(super) struct Component<'a> {
    space: &'a Space,
    /// Its states; the first is the reference state.
    pub order: Vec<u32>,
    /// The position of each state of the space among them.
    position: Vec<u32>,
    /// The sums of the rates to other states.
    pub exit: Vec<f64>,
}

impl<'a> Component<'a> {
    /// The component of a reference state, in the order of distance from it.
    pub fn new(space: &'a Space, reference: u32) -> Self {
        let mut position = vec![u32::MAX; space.num_states()];
        let mut order = vec![reference];
        position[reference as usize] = 0;
        let mut exit = Vec::new();
        while let Some(&state) = order.get(exit.len()) {
            let mut sum = Sum::default();
            for (target, rate) in others(space, state) {
                sum.add(rate);
                if position[target] == u32::MAX {
                    position[target] = order.len() as u32;
                    order.push(target as u32);
                }
            }
            exit.push(sum.value());
        }
        Component { space, order, position, exit }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The transitions of a state of the component to others: positions and rates.
    fn rates(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        others(self.space, self.order[i]).map(|(target, rate)| (self.position[target] as usize, rate))
    }

    /// The equations of balance, relative to weights of the states.
    pub fn equations(&self, weights: &[f64]) -> Matrix {
        let n = self.len();
        let mut start = vec![0u32; n + 1];
        (0..n).flat_map(|i| self.rates(i)).for_each(|(target, _)| start[target + 1] += 1);
        for i in 0..n {
            start[i + 1] += start[i];
        }
        let count = start[n] as usize;
        let mut next = start.clone();
        let (mut sources, mut flows) = (vec![0u32; count], vec![0.0f64; count]);
        for (i, weight) in weights.iter().enumerate() {
            for (target, rate) in self.rates(i) {
                let at = &mut next[target];
                (sources[*at as usize], flows[*at as usize]) = (i as u32, rate * weight);
                *at += 1;
            }
        }
        let mut entries = Triangles::with_capacity(n, count);
        for i in 0..n {
            let row = start[i] as usize..start[i + 1] as usize;
            entries.push_row(row.map(|at| (sources[at], flows[at])));
        }
        Matrix {
            entries,
            diagonal: self.exit.iter().zip(weights).map(|(exit, weight)| exit * weight).collect(),
        }
    }

    /// For any weights of the states, what flows into each from others, and how many flows these are.
    fn inflow(&self, weights: &[f64]) -> (Vec<f64>, Vec<u32>) {
        let (mut flow, mut count) = (vec![0.0; self.len()], vec![0u32; self.len()]);
        for (i, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            for (target, rate) in self.rates(i) {
                flow[target] += weight * rate;
                count[target] += 1;
            }
        }
        (flow, count)
    }

    /// Upper bounds of how much more flows into each state than leaves it, or less, for these weights.
    pub fn imbalance(&self, weights: &[f64]) -> Vec<f64> {
        let (flow, count) = self.inflow(weights);
        let bound = |i: usize| {
            let (entering, leaving) = (flow[i], weights[i] * self.exit[i]);
            // Products and sums of numbers that are not negative; the sum of rates and a product.
            let rounding = entering * slack(count[i] as usize + 2) + leaving * slack(6);
            (entering - leaving).abs() * (1.0 + slack(2)) + rounding + TINY * f64::from(count[i] + 2)
        };
        (0..self.len()).map(bound).collect()
    }

    /// The least factor by which weights have to be multiplied so that from each state but the first more leaves than enters it,
    /// by `amounts` at least; infinite where none does. The weight of the first is zero.
    pub fn factor_to_exceed(&self, weights: &[f64], amounts: &[f64]) -> f64 {
        let (flow, count) = self.inflow(weights);
        let mut most = 0.0f64;
        for i in 1..self.len() {
            let entering = flow[i] * (1.0 + slack(count[i] as usize + 2)) + TINY * f64::from(count[i] + 2);
            let surplus = weights[i] * self.exit[i] * (1.0 - slack(6)) - entering;
            // The difference is off by a rounding, which the factor of the quotient covers.
            let factor = if surplus > 0.0 { amounts[i] / surplus * (1.0 + slack(8)) } else { f64::INFINITY };
            most = if factor.is_nan() { f64::INFINITY } else { most.max(factor) };
        }
        most
    }
}

fn others(space: &Space, state: u32) -> impl Iterator<Item = (usize, f64)> + '_ {
    space.transitions(state as usize).filter(move |&(target, rate)| target != state as usize && rate > 0.0)
}
