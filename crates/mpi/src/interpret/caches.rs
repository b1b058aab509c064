//! What an access does to caches: the protocol's rule for the states of the line.

use super::{Interpreter, State};
use crate::machine::{From, Journey};
use crate::system::{LineId, Mistake, ProcessId};
use volvelle_coherence::{Operation, Rule, Source, State as Copy};

impl Interpreter<'_> {
    fn copy(&self, state: &State, line: LineId, process: usize) -> Copy {
        state.copies[line.index() * self.system.processes.len() + process]
    }

    fn others(&self, process: ProcessId) -> impl Iterator<Item = usize> + use<> {
        (0..self.system.processes.len()).filter(move |&other| other != process.index())
    }

    /// The own state of a line, and the strongest one among the others.
    pub(super) fn situation(&self, state: &State, process: ProcessId, line: LineId) -> (Copy, Copy) {
        let own = self.copy(state, line, process.index());
        let strongest = self.others(process).map(|other| self.copy(state, line, other)).max();
        (own, strongest.unwrap_or(Copy::INVALID))
    }

    /// The rule for a situation, if the protocol has one.
    pub(super) fn rule(&self, operation: Operation, (own, strongest): (Copy, Copy)) -> Option<&Rule> {
        self.machine.protocol.rule(operation, own, strongest)
    }

    /// The journey of a transfer; a line from a cache comes from the first one that has the strongest state.
    pub(super) fn journey(
        &self,
        state: &State,
        process: ProcessId,
        line: LineId,
        rule: &Rule,
        (_, strongest): (Copy, Copy),
    ) -> Journey {
        let from = match self.machine.source(rule.transfer) {
            Source::None => From::Here,
            Source::Home => From::Home(self.system.lines[line.index()].home),
            Source::Provider => self
                .others(process)
                .find(|&other| self.copy(state, line, other) == strongest)
                .map_or(From::Here, |other| From::Cache(ProcessId(other as u32))),
        };
        Journey { transfer: rule.transfer, from }
    }

    /// Changes caches by a rule. Where it is noted which copies are the latest, a mistake changes nothing.
    ///
    /// `own` is the state of the requester when the journey was decided. A dirty requester that asks its home only lets the others know,
    /// since it has the data already. A line from a provider is written back if no cache is dirty afterwards, and if the provider was dirty
    /// and neither it nor the requester is.
    pub(super) fn apply(
        &self,
        state: &mut State,
        process: ProcessId,
        line: LineId,
        (operation, rule, own): (Operation, &Rule, Copy),
        journey: Journey,
    ) -> Result<(), Mistake> {
        let processes = self.system.processes.len();
        let first = line.index() * processes;
        let after = |state: &State, cache: usize| match cache == process.index() {
            true => rule.own,
            false => rule.others[state.copies[first + cache].index()],
        };
        if self.tracks() {
            let (dirty, exclusive) = (&self.machine.protocol.dirty, &self.machine.protocol.exclusive);
            let is_dirty = |copy: Copy| dirty[copy.index()];
            let own_latest = state.latest[first + process.index()];
            let gets_latest = match (self.machine.source(rule.transfer), journey.from) {
                (Source::Home, _) if !is_dirty(own) => state.memory_latest[line.index()],
                (Source::Provider, From::Cache(provider)) => state.latest[first + provider.index()],
                (Source::Provider, _) => false,
                _ => own_latest,
            };
            if !gets_latest {
                return Err(Mistake::Stale);
            }
            let holds = |copy: Copy| copy != Copy::INVALID;
            let is_alone = (0..processes).all(|one| {
                let is_exclusive = exclusive[after(state, one).index()];
                !is_exclusive || (0..processes).all(|other| other == one || !holds(after(state, other)))
            });
            let fits = if operation.writes() { is_dirty(rule.own) } else { holds(rule.own) };
            if !is_alone || !fits {
                return Err(Mistake::Writers);
            }
            let is_written_back = match journey.from {
                From::Cache(provider) => {
                    let before = state.copies[first + provider.index()];
                    let left = is_dirty(before) && !is_dirty(after(state, provider.index()));
                    let remains = self.others(process).any(|other| is_dirty(after(state, other)));
                    !is_dirty(rule.own) && (left || !remains)
                }
                _ => false,
            };
            if operation.writes() {
                state.memory_latest[line.index()] = false;
            } else if is_written_back {
                state.memory_latest[line.index()] = true;
            }
            for cache in 0..processes {
                let was = cache == process.index() || state.latest[first + cache] && !operation.writes();
                state.latest[first + cache] = was && holds(after(state, cache));
            }
        }
        for cache in 0..processes {
            state.copies[first + cache] = after(state, cache);
        }
        Ok(())
    }
}
