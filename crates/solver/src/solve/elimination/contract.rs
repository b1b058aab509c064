//! Contraction of deterministic chains before an elimination.
//!
//! A state with one successor and no exit has that successor's value plus what is collected on the way. Where one
//! process moves at a time most states are like that once a policy is fixed; they are eliminated in linear time, by
//! following the chain once, and only branching states are left for the search for a good order.
//!
//! Eliminating a state works as in the parent module; only the order is found more cheaply. States
//! with an exit are left alone: along many of them probabilities would shrink below the range of doubles.

use super::{DENSE, Elimination};
use crate::wide::Number;

impl<N: Number> Elimination<N> {
    /// Eliminates states with one successor and no exit; adds them to `order`.
    pub(super) fn contract(&mut self, order: &mut Vec<u32>) {
        loop {
            let left = self.n - order.len();
            let found = self.contract_once(order);
            // A state that had two successors may have one now.
            if found * 8 < left || left <= found + DENSE {
                return;
            }
        }
    }

    /// One pass over all states; the number of states it eliminated.
    fn contract_once(&mut self, order: &mut Vec<u32>) -> usize {
        let before = order.len();
        let mut on_path = std::mem::take(&mut self.slot);
        on_path.clear();
        on_path.resize(self.n, 0);
        let mut path: Vec<u32> = Vec::new();
        for start in 0..self.n {
            let mut k = start;
            while self.is_link(k) && on_path[k] == 0 {
                on_path[k] = 1;
                path.push(k as u32);
                k = self.rows[k][0].0 as usize;
            }
            // A cycle is cut at the state where it closes.
            while let Some(j) = path.pop() {
                on_path[j as usize] = 0;
                if j as usize != k {
                    self.contract_state(j as usize);
                    order.push(j);
                }
            }
        }
        self.slot = on_path;
        if order.len() > before {
            for i in 0..self.n {
                if !self.gone[i] {
                    self.redirect(i);
                }
            }
        }
        order.len() - before
    }

    fn is_link(&self, k: usize) -> bool {
        !self.gone[k] && k + 1 != self.n && self.rows[k].len() == 1 && self.exit[k] == N::default()
    }

    /// Eliminates a state whose successor stays or has been contracted itself.
    fn contract_state(&mut self, k: usize) {
        let (next, p) = self.rows[k][0];
        let next = next as usize;
        if self.gone[next] {
            // Without exits the factor p / s is exact up to its one rounding, and the row keeps its weight.
            let factor = p / self.sums[next];
            self.rows[k][0] = (self.rows[next][0].0, p);
            self.add_sides(factor, next, k);
            self.updates += 1;
            self.work += 1;
        }
        self.sums[k] = p;
        self.gone[k] = true;
    }

    /// Leads the edges of a state that stays past contracted ones.
    fn redirect(&mut self, i: usize) {
        let mut moved = false;
        for at in 0..self.rows[i].len() {
            let (j, v) = self.rows[i][at];
            let j = j as usize;
            if self.gone[j] {
                let factor = v / self.sums[j];
                self.add_sides(factor, j, i);
                self.rows[i][at].0 = self.rows[j][0].0;
                self.updates += 1;
                moved = true;
            }
        }
        if moved {
            self.work += self.rows[i].len() as u64;
            let row = &mut self.rows[i];
            row.retain(|&(j, _)| j as usize != i);
            super::merge(row);
        }
    }
}
