//! What one operation does to all copies of the line, and whether that is right.
//!
//! An operation is one atomic step. The requester gets the line from memory, from the provider (a cache in the strongest state), or has
//! it; a dirty requester that asks its home node only lets the others know, since it has the data already. A store changes a part of the
//! line: it starts from a value that must be the latest, and afterwards only the writer has the latest. When the line comes from a provider,
//! it is written back to memory if no cache is dirty afterwards, and if the provider was dirty and neither it nor the requester is.

use crate::counts::{Caches, Class, Counts};
use crate::protocol::{Operation, Protocol, Rule, Source, State};
use crate::violation::Violation;

/// Who does what, up to the exchange of caches that are alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub operation: Operation,
    pub requester: Class,
    /// The cache from which the line comes.
    pub provider: Option<Class>,
}

/// What an access does, whether it is right or wrong.
pub(crate) struct Outcome {
    /// The requester afterwards.
    pub requester: Class,
    /// The other caches afterwards, and memory.
    pub others: Counts,
    /// Whether the value that the requester got was the latest.
    is_value_latest: bool,
}

/// Another cache after an access.
pub(crate) fn other_after(class: Class, operation: Operation, rule: &Rule) -> Class {
    Class::new(rule.others[class.state().index()], class.is_latest() && !operation.writes())
}

/// What the rule does; `others` are the other caches, and memory.
pub(crate) fn outcome(
    protocol: &Protocol,
    others: Counts,
    access: Access,
    rule: &Rule,
    caches: Caches,
) -> Outcome {
    let Access { operation, requester, provider } = access;
    let is_dirty = |state: State| protocol.dirty[state.index()];
    let is_value_latest = match (protocol.transfer(rule.transfer).source, provider) {
        (Source::Home, _) if !is_dirty(requester.state()) => others.is_memory_latest(),
        (Source::None | Source::Home, _) => requester.is_latest(),
        (Source::Provider, provider) => provider.is_some_and(Class::is_latest),
    };
    let present = || Class::all(protocol.states.len()).filter(|&class| others.get(class) > 0);
    let is_written_back = provider.is_some_and(|provider| {
        let left = is_dirty(provider.state()) && !is_dirty(rule.others[provider.state().index()]);
        let remains = present().any(|class| is_dirty(rule.others[class.state().index()]));
        !is_dirty(rule.own) && (left || !remains)
    });
    // What is written back is the line as it was handed on, without what a store then changes.
    let was_latest = if is_written_back { is_value_latest } else { others.is_memory_latest() };
    let memory = was_latest && !operation.writes();
    let mut after = Counts::none(memory);
    for class in present() {
        after.add(other_after(class, operation, rule), others.get(class), caches);
    }
    Outcome { requester: Class::new(rule.own, is_value_latest), others: after, is_value_latest }
}

impl Outcome {
    /// What is wrong with it, if anything is; `before` are the other caches before.
    pub fn violation(
        &self,
        protocol: &Protocol,
        before: Counts,
        access: Access,
        rule: &Rule,
    ) -> Option<Violation> {
        let source = protocol.transfer(rule.transfer).source;
        let writes = access.operation.writes();
        let own = rule.own;
        match source {
            Source::None if access.requester == Class::INVALID => return Some(Violation::HitWithoutLine),
            Source::None => {
                let changed = |&state: &State| rule.others[state.index()] != state;
                if let Some(from) = holders(protocol, before).map(Class::state).find(changed) {
                    return Some(Violation::HitChangesOther { from, to: rule.others[from.index()] });
                }
            }
            Source::Provider if access.provider.is_none() => return Some(Violation::NoProvider),
            Source::Provider | Source::Home => {}
        }
        if !self.is_value_latest {
            return Some(match writes {
                true => Violation::StaleStore { source },
                false => Violation::StaleLoad { source },
            });
        }
        if !writes && own == State::INVALID {
            return Some(Violation::LoadsNothing);
        }
        if writes && !protocol.dirty[own.index()] {
            return Some(Violation::NotDirty { state: own });
        }
        self.crowd(protocol).or_else(|| self.lost(protocol))
    }

    /// Caches that must not hold the line at one time.
    fn crowd(&self, protocol: &Protocol) -> Option<Violation> {
        // Two of each class are as good as more.
        let states = || {
            let others = holders(protocol, self.others)
                .flat_map(|class| std::iter::repeat_n(class.state(), self.others.get(class).min(2).into()));
            std::iter::once(self.requester.state()).filter(|&state| state != State::INVALID).chain(others)
        };
        let strongest_first = || {
            let mut states: Vec<State> = states().collect();
            states.sort_by(|a, b| b.cmp(a));
            states
        };
        let mut exclusive = states().filter(|state| protocol.exclusive[state.index()]);
        if exclusive.next().is_some() && states().nth(1).is_some() {
            let mut states = strongest_first();
            let at = states.iter().position(|state| protocol.exclusive[state.index()])?;
            let state = states.remove(at);
            return Some(Violation::NotExclusive { state, other: states[0] });
        }
        let mut dirty = states().filter(|state| protocol.dirty[state.index()]);
        match (dirty.next(), dirty.next()) {
            (Some(first), Some(second)) => Some(Violation::TwoDirty { first, second }),
            _ => None,
        }
    }

    /// Whether nobody who would write it back has the latest value.
    fn lost(&self, protocol: &Protocol) -> Option<Violation> {
        let is_safe = |class: Class| class.is_latest() && protocol.dirty[class.state().index()];
        let is_safe = self.others.is_memory_latest()
            || is_safe(self.requester)
            || holders(protocol, self.others).any(is_safe);
        (!is_safe).then_some(Violation::Lost)
    }
}

/// Classes of caches that hold the line.
fn holders(protocol: &Protocol, counts: Counts) -> impl Iterator<Item = Class> {
    Class::all(protocol.states.len()).skip(1).filter(move |&class| counts.get(class) > 0)
}
