//! Outcomes of vanishing states that lie on cycles.
//!
//! In each state one transition is chosen so that the cycles are left with probability one. The outcomes then
//! solve a system of linear equations, by elimination. If they also satisfy the equations of all other
//! transitions, every resolution that leaves the cycles has the same outcome. Resolutions that stay on a
//! cycle of internal steps are ignored if the cycle can be left: nothing keeps the system from leaving (as in
//! branching bisimulation without divergence).

use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use volvelle_control::Control;

use super::{Choice, Elimination, Outcome, SEVERAL};
use crate::kinds::UNMEASURED;
use crate::numbers::Code;
use crate::problem::Problem;

/// Numbers by tangible state, or by action with the bit [`ACTION`].
type Vector = BTreeMap<u64, RBig>;

/// Marks the key of an action.
const ACTION: u64 = 1 << 32;

/// `x = sum of shares of other unknowns + constant`
#[derive(Clone, Default)]
struct Row {
    unknowns: BTreeMap<u32, RBig>,
    constant: Vector,
}

fn add_scaled<K: Ord + Copy>(to: &mut BTreeMap<K, RBig>, factor: &RBig, from: &BTreeMap<K, RBig>) {
    for (&key, value) in from {
        *to.entry(key).or_insert(RBig::ZERO) += factor * value;
    }
}

impl Elimination<'_> {
    /// The outcomes of the states of a component with a cycle.
    pub(super) fn cycle(&mut self, members: &[u32], control: &Control) -> Result<(), Problem> {
        let place: FxHashMap<u32, u32> = members.iter().zip(0..).map(|(&s, i)| (s, i)).collect();
        let mut choices: Vec<Vec<Choice>> = Vec::with_capacity(members.len());
        for &state in members {
            choices.push(self.choices(state)?);
        }
        let Some(chosen) = self.leaving(&choices, &place) else {
            // The least number, so that the message does not depend on the search order.
            let state = members.iter().copied().min().unwrap_or(members[0]);
            let (trace, cycle) = (self.system.trace_to(state), self.system.cycle_of(state));
            return Err(Problem::Zeno { state, trace, cycle });
        };
        let mut rows = Vec::with_capacity(members.len());
        for (choices, &chosen) in choices.iter().zip(&chosen) {
            for choice in choices {
                for (_, edge) in choice {
                    let target = self.system.target(*edge);
                    if self.outcomes.of[target as usize].reaches == SEVERAL && !place.contains_key(&target) {
                        // Schedulers inside and outside of the cycle are not combined.
                        let choices = self.choices(target)?;
                        let (trace, alternatives) = self.evidence(target, &choices)?;
                        return Err(Problem::ChoiceOnCycle { state: target, trace, alternatives });
                    }
                }
            }
            rows.push(self.row(&choices[chosen], &place));
        }
        let solution = solve(rows, control)?;
        for (i, choices) in choices.iter().enumerate() {
            for (c, choice) in choices.iter().enumerate() {
                if c != chosen[i] && !self.agrees(choice, &place, &solution, i) {
                    let state = members[i];
                    let (trace, alternatives) = self.evidence_on_cycle(state, choices)?;
                    return Err(match self.keeps_choices {
                        true => Problem::ChoiceOnCycle { state, trace, alternatives },
                        false => Problem::Nondeterministic { state, trace, alternatives },
                    });
                }
            }
        }
        for (&state, vector) in members.iter().zip(solution) {
            let outcome = self.outcome_of(vector);
            self.outcomes.set(state, &[outcome]);
        }
        Ok(())
    }

    /// For each state the index of a choice, such that following these choices leaves the component with
    /// probability one; `None` if there are none.
    fn leaving(&self, choices: &[Vec<Choice>], place: &FxHashMap<u32, u32>) -> Option<Vec<usize>> {
        // States and choices that lead to each member.
        let mut entering: Vec<Vec<(u32, usize)>> = vec![Vec::new(); choices.len()];
        let mut chosen = vec![usize::MAX; choices.len()];
        let mut queue = Vec::new();
        for (i, choices) in choices.iter().enumerate() {
            for (c, choice) in choices.iter().enumerate() {
                for (_, edge) in choice {
                    match place.get(&self.system.target(*edge)) {
                        Some(&j) => entering[j as usize].push((i as u32, c)),
                        None if chosen[i] == usize::MAX => {
                            chosen[i] = c;
                            queue.push(i);
                        }
                        None => {}
                    }
                }
            }
        }
        let mut next = 0;
        while let Some(&at) = queue.get(next) {
            next += 1;
            for &(from, c) in &entering[at] {
                if chosen[from as usize] == usize::MAX {
                    chosen[from as usize] = c;
                    queue.push(from as usize);
                }
            }
        }
        chosen.iter().all(|&c| c != usize::MAX).then_some(chosen)
    }

    /// The equation of a choice.
    fn row(&self, choice: &Choice, place: &FxHashMap<u32, u32>) -> Row {
        let mut row = Row::default();
        let add = |to: &mut Vector, key: u64, more: RBig| *to.entry(key).or_insert(RBig::ZERO) += more;
        for &(code, edge) in choice {
            let p = self.numbers.get(code);
            let action = self.system.kinds.measured[edge.label as usize];
            if action != UNMEASURED {
                add(&mut row.constant, u64::from(action) | ACTION, p.clone());
            }
            let target = self.system.target(edge);
            if let Some(&unknown) = place.get(&target) {
                *row.unknowns.entry(unknown).or_insert(RBig::ZERO) += p;
                continue;
            }
            let outcome = self.outcomes.of[target as usize];
            for (state, q) in self.outcomes.arena.reaches(outcome) {
                add(&mut row.constant, u64::from(state), p * self.numbers.get(q));
            }
            for &(action, count) in self.outcomes.arena.counts(outcome) {
                add(&mut row.constant, u64::from(action) | ACTION, p * self.numbers.get(count));
            }
        }
        row
    }

    /// Whether the solution satisfies the equation of another choice of a state.
    fn agrees(
        &self,
        choice: &Choice,
        place: &FxHashMap<u32, u32>,
        solution: &[Vector],
        state: usize,
    ) -> bool {
        let row = self.row(choice, place);
        let mut vector = row.constant;
        for (unknown, factor) in &row.unknowns {
            add_scaled(&mut vector, factor, &solution[*unknown as usize]);
        }
        vector == solution[state]
    }

    fn outcome_of(&mut self, vector: Vector) -> Outcome {
        let mut entries = [Vec::<(u32, Code)>::new(), Vec::new()];
        for (key, value) in vector {
            let code = self.numbers.place(value);
            entries[usize::from(key & ACTION != 0)].push((key as u32, code));
        }
        let [reaches, counts] = entries;
        self.outcomes.arena.outcome(&reaches, &counts)
    }

    /// Like [`Elimination::evidence`], while some successors have no outcome yet.
    fn evidence_on_cycle(
        &mut self,
        state: u32,
        choices: &[Choice],
    ) -> Result<(crate::problem::Trace, Vec<crate::problem::Alternative>), Problem> {
        let (trace, mut alternatives) = self.evidence(state, &[])?;
        alternatives.extend(choices.iter().map(|choice| crate::problem::Alternative {
            first: choice.iter().map(|(_, edge)| (edge.label, edge.target)).collect(),
            reaches: Vec::new(),
            counts: Vec::new(),
        }));
        Ok((trace, alternatives))
    }
}

/// Solves equations by eliminating one unknown after the other. The chain that they describe is left with
/// probability one.
fn solve(mut rows: Vec<Row>, control: &Control) -> Result<Vec<Vector>, Problem> {
    let m = rows.len();
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); m];
    for (i, row) in rows.iter().enumerate() {
        row.unknowns.keys().for_each(|&j| users[j as usize].push(i as u32));
    }
    for k in 0..m {
        control.check()?;
        let mut row = std::mem::take(&mut rows[k]);
        if let Some(stay) = row.unknowns.remove(&(k as u32)) {
            let rest = RBig::ONE - stay;
            row.unknowns.values_mut().for_each(|value| *value /= &rest);
            row.constant.values_mut().for_each(|value| *value /= &rest);
        }
        for user in std::mem::take(&mut users[k]) {
            if (user as usize) <= k {
                continue;
            }
            let target = &mut rows[user as usize];
            let Some(factor) = target.unknowns.remove(&(k as u32)) else { continue };
            for &unknown in row.unknowns.keys() {
                if !target.unknowns.contains_key(&unknown) {
                    users[unknown as usize].push(user);
                }
            }
            add_scaled(&mut target.unknowns, &factor, &row.unknowns);
            add_scaled(&mut target.constant, &factor, &row.constant);
        }
        rows[k] = row;
    }
    // Each row is left with unknowns that were eliminated after it.
    let mut solution: Vec<Vector> = vec![Vector::new(); m];
    for k in (0..m).rev() {
        let row = std::mem::take(&mut rows[k]);
        let mut vector = row.constant;
        for (unknown, factor) in &row.unknowns {
            add_scaled(&mut vector, factor, &solution[*unknown as usize]);
        }
        solution[k] = vector;
    }
    Ok(solution)
}
