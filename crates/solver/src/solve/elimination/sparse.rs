//! Elimination by lists of rows, next the state with the fewest (entering x leaving) edges (Markowitz).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use volvelle_control::Control;

use super::dissection::stages;
use super::growth::Growth;
use super::{DENSE, DENSE_TAIL, Elimination, GiveUp};
use crate::wide::{Number, Total};

/// In the key of a state, its stage stands above this many bits, and its cost below.
const STAGE: u32 = 48;
const EDGES: u64 = (1 << STAGE) - 1;

impl<N: Number> Elimination<N> {
    /// Eliminates until what is left is small or dense.
    pub(super) fn reduce_sparse(
        &mut self,
        limit: u64,
        control: &Control,
        order: &mut Vec<u32>,
    ) -> Result<(), GiveUp> {
        let n = self.n;
        for column in self.entering.iter_mut().take(n) {
            column.clear();
        }
        if self.entering.len() < n {
            self.entering.resize_with(n, Vec::new);
        }
        self.indegree.clear();
        self.indegree.resize(n, 0);
        self.slot.clear();
        self.slot.resize(n, 0);
        let mut entries = 0u64;
        for i in (0..n).filter(|&i| !self.gone[i]) {
            for &(j, _) in &self.rows[i] {
                self.entering[j as usize].push(i as u32);
                self.indegree[j as usize] += 1;
            }
            entries += self.rows[i].len() as u64;
        }
        let mut stage = Vec::new();
        if self.dissects {
            let (order, work) = stages(&self.rows[..n], &self.gone);
            stage = order;
            if work > limit {
                return Err(GiveUp::Work);
            }
        }
        let cost = |s: usize, indegree: u32, outdegree: usize| {
            let edges = u64::from(indegree) * outdegree as u64;
            stage.get(s).map_or(0, |&stage| u64::from(stage) << STAGE) | edges.min(EDGES)
        };
        // Costs mostly grow: a state waits with a cost of old and is put back when it comes up; it is queued again
        // only where its cost has fallen below that.
        self.queued.clear();
        self.queued.extend((0..n).map(|s| cost(s, self.indegree[s], self.rows[s].len())));
        let mut heap: BinaryHeap<Reverse<(u64, u32)>> =
            (0..n - 1).filter(|&s| !self.gone[s]).map(|s| Reverse((self.queued[s], s as u32))).collect();
        let mut left = n - order.len();
        let mut growth = Growth::new(left);
        let mut since_check = 0u64;
        // The last row in which each entry of the eliminated row was met.
        let mut met: Vec<u32> = Vec::new();
        while left > DENSE {
            if left <= DENSE_TAIL && entries * 4 > (left * left) as u64 {
                let dense_work = (left as u64).pow(3) / 3;
                self.work += dense_work / 8;
                return if self.work > limit { Err(GiveUp::Work) } else { Ok(()) };
            }
            let Some(Reverse((key, k))) = heap.pop() else { break };
            let k = k as usize;
            if self.gone[k] || key != self.queued[k] {
                continue;
            }
            let current = cost(k, self.indegree[k], self.rows[k].len());
            if current > key {
                self.queued[k] = current;
                heap.push(Reverse((current, k as u32)));
                continue;
            }
            // Costs grow: what is left will take at least about as much per state as this one.
            let ahead = key.saturating_mul(left as u64);
            if !self.dissects && self.work + ahead > limit.saturating_mul(2) && left > DENSE_TAIL {
                return Err(GiveUp::Work);
            }
            if !self.dissects && growth.work_ahead(left, key).is_some_and(|ahead| self.work + ahead > limit) {
                return Err(GiveUp::Work);
            }
            let row_k = std::mem::take(&mut self.rows[k]);
            let mut sum = N::Total::default();
            let mut smallest: Option<N> = None;
            for &(_, v) in &row_k {
                sum.add(v);
                smallest = Some(smallest.map_or(v, |smallest| if v < smallest { v } else { smallest }));
            }
            sum.add(self.exit[k]);
            let s = sum.value();
            if s <= N::default() {
                return Err(GiveUp::Closed);
            }
            self.leaves_range |= s.leaves_range();
            self.sums[k] = s;
            let mut entering = std::mem::take(&mut self.entering[k]);
            for (at, &(j, _)) in row_k.iter().enumerate() {
                self.slot[j as usize] = at as u32 + 1;
            }
            met.clear();
            met.resize(row_k.len(), u32::MAX);
            for &i in &entering {
                let i = i as usize;
                if self.gone[i] {
                    continue;
                }
                let Some(at) = self.rows[i].iter().position(|e| e.0 as usize == k) else { continue };
                let factor = self.rows[i].swap_remove(at).1 / s;
                let safe = smallest.is_none_or(|smallest| !(factor * smallest).leaves_range());
                self.leaves_range |= !safe;
                self.add_sides(factor, k, i);
                let row_i = &mut self.rows[i];
                for (j, v) in row_i.iter_mut() {
                    let at = self.slot[*j as usize];
                    if at != 0 {
                        *v += factor * row_k[at as usize - 1].1;
                        met[at as usize - 1] = i as u32;
                    }
                }
                for (&(j, v), &met) in row_k.iter().zip(&met) {
                    if met != i as u32 && j as usize != i && (safe || !(factor * v).leaves_range()) {
                        row_i.push((j, factor * v));
                        self.entering[j as usize].push(i as u32);
                        self.indegree[j as usize] += 1;
                        entries += 1;
                    }
                }
                entries -= 1;
                self.updates += 1;
                self.work += (row_i.len() + row_k.len()) as u64;
                since_check += (row_i.len() + row_k.len()) as u64;
                let current = cost(i, self.indegree[i], row_i.len());
                if current < self.queued[i] && i + 1 != n {
                    self.queued[i] = current;
                    heap.push(Reverse((current, i as u32)));
                }
            }
            for &(j, _) in &row_k {
                self.slot[j as usize] = 0;
            }
            self.gone[k] = true;
            left -= 1;
            entries -= row_k.len() as u64;
            for &(j, _) in &row_k {
                let j = j as usize;
                self.indegree[j] -= 1;
                let current = cost(j, self.indegree[j], self.rows[j].len());
                if current < self.queued[j] && j + 1 != n {
                    self.queued[j] = current;
                    heap.push(Reverse((current, j as u32)));
                }
            }
            self.rows[k] = row_k;
            entering.clear();
            self.entering[k] = entering;
            order.push(k as u32);
            if self.work > limit {
                return Err(GiveUp::Work);
            }
            if since_check > 10_000_000 {
                since_check = 0;
                control.check().map_err(GiveUp::Stopped)?;
                control.check_memory(40 * entries).map_err(GiveUp::Stopped)?;
            }
        }
        Ok(())
    }
}
