//! Which units step together: one group for each combination of units that the parallel operators let meet at a gate.

use super::config::Gate;
use super::initial::Signal;
use super::network::{ForkId, UnitId};
use super::steps::Steps;
use super::{Lowering, Reported, config::Shape};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_kernel::Exprs;
use volvelle_model::{Action, ActionId, Alternative, Group, Item, Participant, SortId as ModelSort};

/// Units that step together, with what each does.
type Meeting = Vec<(UnitId, Vec<Alternative>)>;

/// Combinations of units beyond which a specification is refused.
const MOST_GROUPS: usize = 1 << 16;

impl Lowering<'_> {
    /// Makes the groups of the program. The units of the whole are `roots`.
    pub fn groups(&mut self, shape: &Shape, roots: &[UnitId], steps: &Steps) -> Result<(), Reported> {
        for unit in 0..self.units.len() {
            if let Some(alternatives) = steps.of(unit, Signal::Internal) {
                self.group(ActionId::SILENT, vec![(unit, alternatives.clone())])?;
            }
        }
        for fork in 0..self.forks.len() {
            if steps.consumers[fork].is_empty() {
                continue;
            }
            for mut meeting in self.ends_of_fork(fork, steps)? {
                meeting.push((self.unit_above(fork), steps.consumers[fork].clone()));
                self.group(ActionId::SILENT, meeting)?;
            }
        }
        for gate in 0..self.gates.len() as Gate {
            let action = self.gates[gate as usize].action;
            for meeting in self.meetings(shape, &mut roots.iter().copied(), gate, steps)? {
                self.group(action, meeting)?;
            }
        }
        let mut ends: Vec<Meeting> = vec![Vec::new()];
        for &unit in roots {
            let its = self.ends_of_unit(unit, steps)?;
            ends = self.product(&ends, &its)?;
        }
        if !ends.is_empty() {
            self.program.actions.push(Action { name: "exit".to_owned() });
            let action = ActionId(self.program.actions.len() as u32 - 1);
            for meeting in ends {
                self.group(action, meeting)?;
            }
        }
        Ok(())
    }

    fn unit_above(&self, fork: ForkId) -> UnitId {
        let above = |unit: &super::network::Unit| unit.forks.contains(&fork);
        self.units.iter().position(above).expect("a fork belongs to a unit")
    }

    /// Adds a group, without the alternatives that never fit.
    fn group(&mut self, action: ActionId, meeting: Meeting) -> Result<(), Reported> {
        let meeting = fitting(meeting, &self.program.exprs);
        if meeting.iter().any(|(_, alternatives)| alternatives.is_empty()) {
            return Ok(());
        }
        self.open_values(action, &meeting)?;
        let participants = meeting
            .into_iter()
            .map(|(unit, alternatives)| Participant::component(self.units[unit].component, alternatives));
        self.program.groups.push(Group::new(action, participants.collect()));
        Ok(())
    }

    /// Refuses a meeting in which nobody gives a value of a sort with too many values to try each.
    fn open_values(&mut self, action: ActionId, meeting: &Meeting) -> Result<(), Reported> {
        let exprs = &self.program.exprs;
        let takers = |alternatives: &Vec<Alternative>, k: usize| -> Vec<Alternative> {
            let takes = |a: &&Alternative| a.items().get(k).is_some_and(|item| matches!(item, Item::Take(_)));
            alternatives.iter().filter(takes).cloned().collect()
        };
        let longest = meeting[0].1.iter().map(|a| a.items().len()).max().unwrap_or(0);
        for k in 0..longest {
            let open: Meeting = meeting.iter().map(|(unit, all)| (*unit, takers(all, k))).collect();
            let open = fitting(open, exprs);
            let Some(first) = open[0].1.first() else { continue };
            let sort = first.offer.as_ref().map(|offer| offer.sorts[k]);
            let sort = sort.and_then(|sort| self.evaluator.sorts.get(sort.index()).copied().flatten());
            let Some(sort) = sort.filter(|&sort| self.data.bounds(sort).is_none()) else { continue };
            if open.iter().any(|(_, alternatives)| alternatives.is_empty()) {
                continue;
            }
            let sort = &self.data.sorts[sort].name;
            let gate = &self.program.actions[action.index()].name;
            let message = match action == ActionId::SILENT {
                true => format!("nothing gives the value of sort `{sort}` that is taken here"),
                false => {
                    format!("no partner at `{gate}` gives the value of sort `{sort}` that is taken here")
                }
            };
            let mut diagnostic = Diagnostic::error(codes::LOTOS_UNSUPPORTED, message)
                .at(self.spans[first.origin.0 as usize], "");
            for (_, alternatives) in open.iter().skip(1) {
                diagnostic = diagnostic.also(self.spans[alternatives[0].origin.0 as usize], "takes it, too");
            }
            let diagnostic = diagnostic
                .note(format!("`{sort}` has values without a bound, so that they cannot be tried one by one"))
                .help("compose it with a process that gives the value (`!e`), or choose from a sort with few values and make the value of that");
            return Err(self.refuse(diagnostic));
        }
        Ok(())
    }

    /// The combinations of units below a composition that meet at a gate. Recursion is as deep as compositions nest.
    fn meetings(
        &self,
        shape: &Shape,
        units: &mut dyn Iterator<Item = UnitId>,
        gate: Gate,
        steps: &Steps,
    ) -> Result<Vec<Meeting>, Reported> {
        match shape {
            Shape::Leaf => {
                let unit = units.next().expect("each leaf is a unit");
                let mut all = Vec::new();
                if let Some(alternatives) = steps.of(unit, Signal::Gate(gate)) {
                    all.push(vec![(unit, alternatives.clone())]);
                }
                for &fork in &self.units[unit].forks {
                    let fork = &self.forks[fork];
                    let mut below = fork.units.iter().copied();
                    all.extend(self.meetings(&fork.shape, &mut below, gate, steps)?);
                }
                Ok(all)
            }
            Shape::Par(_, sync, renamed, left, right) => {
                // Gates that are told apart inside are one outside.
                let inside: Vec<Gate> = match renamed
                    .iter()
                    .any(|(own, outer)| *own == gate || *outer == gate)
                {
                    true => renamed.iter().filter(|(_, outer)| *outer == gate).map(|&(own, _)| own).collect(),
                    false => vec![gate],
                };
                let count = leaves(left) + leaves(right);
                let units: Vec<UnitId> = (0..count).map_while(|_| units.next()).collect();
                let mut all = Vec::new();
                for gate in inside {
                    let mut units = units.iter().copied();
                    let mut a = self.meetings(left, &mut units, gate, steps)?;
                    let b = self.meetings(right, &mut units, gate, steps)?;
                    match sync.contains(&gate) {
                        true => all.extend(self.product(&a, &b)?),
                        false => {
                            a.extend(b);
                            all.extend(a);
                        }
                    }
                }
                Ok(all)
            }
        }
    }

    fn product(&self, a: &[Meeting], b: &[Meeting]) -> Result<Vec<Meeting>, Reported> {
        let mut all = Vec::new();
        for first in a {
            for second in b {
                let meeting: Meeting = first.iter().chain(second).cloned().collect();
                let meeting = fitting(meeting, &self.program.exprs);
                if meeting.iter().all(|(_, alternatives)| !alternatives.is_empty()) {
                    all.push(meeting);
                }
                if all.len() > MOST_GROUPS {
                    let message =
                        format!("more than {MOST_GROUPS} combinations of components meet at a gate");
                    let diagnostic = Diagnostic::error(codes::LOTOS_UNSUPPORTED, message)
                        .help("compose fewer components at one gate");
                    self.diagnostics.borrow_mut().push(diagnostic);
                    return Err(Reported);
                }
            }
        }
        Ok(all)
    }

    /// The combinations of units that end together, where a unit ends.
    fn ends_of_unit(&mut self, unit: UnitId, steps: &Steps) -> Result<Vec<Meeting>, Reported> {
        let mut all = Vec::new();
        if let Some(alternatives) = steps.of(unit, Signal::Ended) {
            all.push(vec![(unit, alternatives.clone())]);
        }
        for fork in self.units[unit].forks.clone() {
            if steps.waiting[fork].is_empty() {
                continue;
            }
            for mut meeting in self.ends_of_fork(fork, steps)? {
                let (sorts, items) = exchanged(&meeting);
                let mut waiting = Vec::new();
                for &location in &steps.waiting[fork] {
                    waiting.push(self.waiting(location, &sorts, &items)?);
                }
                meeting.push((unit, waiting));
                all.push(meeting);
            }
        }
        Ok(all)
    }

    fn ends_of_fork(&mut self, fork: ForkId, steps: &Steps) -> Result<Vec<Meeting>, Reported> {
        let mut all: Vec<Meeting> = vec![Vec::new()];
        for unit in self.forks[fork].units.clone() {
            let its = self.ends_of_unit(unit, steps)?;
            all = self.product(&all, &its)?;
        }
        Ok(all)
    }
}

/// The number of units of a composition.
fn leaves(shape: &Shape) -> usize {
    let (mut count, mut todo) = (0, vec![shape]);
    while let Some(shape) = todo.pop() {
        match shape {
            Shape::Leaf => count += 1,
            Shape::Par(_, _, _, left, right) => todo.extend([&**left, &**right]),
        }
    }
    count
}

/// The sorts of the values that a meeting exchanges, and items that take them.
fn exchanged(meeting: &Meeting) -> (Vec<ModelSort>, Vec<Item>) {
    let offers = meeting.iter().flat_map(|(_, alternatives)| alternatives);
    let Some(offer) = offers.filter_map(|alternative| alternative.offer.as_ref()).next() else {
        return (Vec::new(), Vec::new());
    };
    let take = |sort: &ModelSort| match *sort {
        ModelSort::BOOLEAN => Item::Take(volvelle_model::Domain::Bool),
        _ => Item::Take(volvelle_model::offers::ANY),
    };
    (offer.sorts.clone(), offer.sorts.iter().map(take).collect())
}

/// Whether two alternatives can ever happen together.
fn fit(a: &Alternative, b: &Alternative, exprs: &Exprs) -> bool {
    let sorts =
        |alternative: &Alternative| alternative.offer.as_ref().map_or(Vec::new(), |o| o.sorts.clone());
    if sorts(a) != sorts(b) {
        return false;
    }
    a.items().iter().zip(b.items()).all(|(x, y)| match (x, y) {
        (Item::Give(x), Item::Give(y)) => match (exprs.as_const(*x), exprs.as_const(*y)) {
            (Some(x), Some(y)) => x == y,
            _ => true,
        },
        _ => true,
    })
}

/// A meeting without the alternatives that fit none of another unit.
fn fitting(mut meeting: Meeting, exprs: &Exprs) -> Meeting {
    for at in 0..meeting.len() {
        let mut alternatives = std::mem::take(&mut meeting[at].1);
        let others = || meeting.iter().enumerate().filter(|(k, _)| *k != at).map(|(_, (_, others))| others);
        alternatives.retain(|a| others().all(|others| others.iter().any(|b| fit(a, b, exprs))));
        meeting[at].1 = alternatives;
    }
    meeting
}
