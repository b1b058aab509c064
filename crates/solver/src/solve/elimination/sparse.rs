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

/// The order of states, and how much there is of what is left.
struct Queue {
    /// The stage of each state; empty without dissection.
    stage: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// States that are left.
    left: usize,
    /// Entries of their rows.
    entries: u64,
    growth: Growth,
    /// The last row in which each entry of the eliminated row was met.
    met: Vec<u32>,
    /// Work since limits were last checked.
    since_check: u64,
}

impl Queue {
    #[inline]
    fn cost(&self, s: usize, indegree: u32, outdegree: usize) -> u64 {
        let edges = u64::from(indegree) * outdegree as u64;
        self.stage.get(s).map_or(0, |&stage| u64::from(stage) << STAGE) | edges.min(EDGES)
    }
}

impl<N: Number> Elimination<N> {
    /// Eliminates until what is left is small or dense.
    pub(super) fn reduce_sparse(
        &mut self,
        limit: u64,
        control: &Control,
        order: &mut Vec<u32>,
    ) -> Result<(), GiveUp> {
        let mut queue = self.queue(limit, self.n - order.len())?;
        while queue.left > DENSE {
            let left = queue.left;
            if left <= DENSE_TAIL && queue.entries * 4 > (left * left) as u64 {
                let dense_work = (left as u64).pow(3) / 3;
                self.work += dense_work / 8;
                return if self.work > limit { Err(GiveUp::Work) } else { Ok(()) };
            }
            let Some(Reverse((key, k))) = queue.heap.pop() else { break };
            let k = k as usize;
            if self.gone[k] || key != self.queued[k] {
                continue;
            }
            let current = queue.cost(k, self.indegree[k], self.rows[k].len());
            if current > key {
                self.queued[k] = current;
                queue.heap.push(Reverse((current, k as u32)));
                continue;
            }
            // Costs grow: what is left will take at least about as much per state as this one.
            let ahead = key.saturating_mul(left as u64);
            if !self.dissects && self.work + ahead > limit.saturating_mul(2) && left > DENSE_TAIL {
                return Err(GiveUp::Work);
            }
            let ahead = if self.dissects { None } else { queue.growth.work_ahead(left, key) };
            if ahead.is_some_and(|ahead| self.work + ahead > limit) {
                return Err(GiveUp::Work);
            }
            self.eliminate(k, &mut queue)?;
            order.push(k as u32);
            if self.work > limit {
                return Err(GiveUp::Work);
            }
            if queue.since_check > 10_000_000 {
                queue.since_check = 0;
                control.check().map_err(GiveUp::Stopped)?;
                control.check_memory(40 * queue.entries).map_err(GiveUp::Stopped)?;
            }
        }
        Ok(())
    }

    /// Lists the entering edges of all states that are left, and queues the states.
    fn queue(&mut self, limit: u64, left: usize) -> Result<Queue, GiveUp> {
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
        let (heap, growth) = (BinaryHeap::new(), Growth::new(left));
        let mut queue = Queue { stage, heap, left, entries, growth, met: Vec::new(), since_check: 0 };
        // Costs mostly grow: a state waits with a cost of old and is put back when it comes up; it is queued again
        // only where its cost has fallen below that.
        self.queued.clear();
        self.queued.extend((0..n).map(|s| queue.cost(s, self.indegree[s], self.rows[s].len())));
        let waiting = (0..n - 1).filter(|&s| !self.gone[s]);
        queue.heap = waiting.map(|s| Reverse((self.queued[s], s as u32))).collect();
        Ok(queue)
    }

    /// Eliminates a state.
    fn eliminate(&mut self, k: usize, queue: &mut Queue) -> Result<(), GiveUp> {
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
        queue.met.clear();
        queue.met.resize(row_k.len(), u32::MAX);
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
            self.add_row(i, &row_k, factor, safe, queue);
            self.requeue(i, queue);
        }
        for &(j, _) in &row_k {
            self.slot[j as usize] = 0;
        }
        self.gone[k] = true;
        queue.left -= 1;
        queue.entries -= row_k.len() as u64;
        for &(j, _) in &row_k {
            self.indegree[j as usize] -= 1;
            self.requeue(j as usize, queue);
        }
        self.rows[k] = row_k;
        entering.clear();
        self.entering[k] = entering;
        Ok(())
    }

    /// Adds a multiple of the eliminated row to row `i`, whose entry of the eliminated state was removed. `safe`: no product
    /// leaves the range of numbers; otherwise those that do are left out.
    #[inline]
    fn add_row(&mut self, i: usize, row_k: &[(u32, N)], factor: N, safe: bool, queue: &mut Queue) {
        let row_i = &mut self.rows[i];
        for (j, v) in row_i.iter_mut() {
            let at = self.slot[*j as usize];
            if at != 0 {
                *v += factor * row_k[at as usize - 1].1;
                queue.met[at as usize - 1] = i as u32;
            }
        }
        let before = row_i.len() as u64;
        for (&(j, v), &met) in row_k.iter().zip(&queue.met) {
            if met != i as u32 && j as usize != i && (safe || !(factor * v).leaves_range()) {
                row_i.push((j, factor * v));
                self.entering[j as usize].push(i as u32);
                self.indegree[j as usize] += 1;
            }
        }
        queue.entries = queue.entries + row_i.len() as u64 - before - 1;
        self.updates += 1;
        let work = (row_i.len() + row_k.len()) as u64;
        self.work += work;
        queue.since_check += work;
    }

    /// Queues a state again if its cost has fallen.
    #[inline]
    fn requeue(&mut self, s: usize, queue: &mut Queue) {
        let current = queue.cost(s, self.indegree[s], self.rows[s].len());
        if current < self.queued[s] && s + 1 != self.n {
            self.queued[s] = current;
            queue.heap.push(Reverse((current, s as u32)));
        }
    }
}
