//! Terms from the terms of the text: names replaced by their definitions, lists flattened and sorted, contexts composed.

use super::context::IDENTITY;
use super::store::{Kind, Part, share};
use super::{NONE, TooLarge, Unfolding, valuations};
use crate::wccs::Term;

/// Lists that stand in the text, with names replaced, may have this many parts together.
const LIMIT_WRITTEN_PARTS: usize = 1 << 26;

/// The term `0`.
pub(super) const NULL: u32 = 0;

impl Unfolding {
    /// The term that is written so. What is needed first waits on a stack; recursion is guarded, so it ends.
    pub(super) fn term_of(&mut self, written: u32) -> Result<u32, TooLarge> {
        let known = self.term_of[written as usize];
        if known != NONE {
            return Ok(known);
        }
        let system = self.system.clone();
        let mut open = vec![written];
        while let Some(&next) = open.last() {
            let before = open.len();
            let mut need = |inner: u32| {
                if self.term_of[inner as usize] == NONE {
                    open.push(inner);
                }
            };
            let known = self.term_of[next as usize] != NONE;
            let term = system.terms[next as usize];
            match term {
                _ if known => {}
                Term::Null | Term::Prefix { .. } => {}
                Term::Constant(process) => need(system.processes[process as usize].body),
                Term::Choice(list) | Term::Parallel(list) => {
                    system.lists[list as usize].iter().for_each(|&part| need(part));
                }
                Term::Label(_, inner) | Term::Restrict(_, inner) | Term::Relabel(_, inner) => need(inner),
            }
            if open.len() == before {
                open.pop();
                if !known {
                    self.term_of[next as usize] = self.built(next, term)?;
                }
            }
        }
        Ok(self.term_of[written as usize])
    }

    /// A term whose parts are there.
    fn built(&mut self, written: u32, term: Term) -> Result<u32, TooLarge> {
        let inner = |unfolding: &Self, part: u32| unfolding.term_of[part as usize];
        match term {
            Term::Null => Ok(NULL),
            Term::Constant(process) => {
                let term = inner(self, self.system.processes[process as usize].body);
                let key = self.without_context(term);
                if term != NULL {
                    self.names.entry(key).or_insert(process);
                }
                Ok(term)
            }
            Term::Prefix { .. } => self.store.unary(Kind::Prefix, written, 0).map(|(term, _)| term),
            Term::Choice(list) => self.list(Kind::Choice, list),
            Term::Parallel(list) => self.list(Kind::Parallel, list),
            Term::Label(proposition, part) => {
                let part = inner(self, part);
                let (term, is_new) = self.store.unary(Kind::Label, proposition, part)?;
                if is_new {
                    let valuation = self.store.entry(part).valuation;
                    self.store.entry_mut(term).valuation = self.valuations.with(valuation, proposition)?;
                }
                Ok(term)
            }
            Term::Restrict(list, part) => {
                let context = self.contexts.restriction(&self.system.lists[list as usize]);
                self.mapped(context, inner(self, part))
            }
            Term::Relabel(relabelling, part) => {
                let context = self.contexts.relabelling(&self.system.relabellings[relabelling as usize]);
                self.mapped(context, inner(self, part))
            }
        }
    }

    /// A choice or a parallel composition of terms that are there.
    fn list(&mut self, kind: Kind, list: u32) -> Result<u32, TooLarge> {
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        for &part in &self.system.lists[list as usize] {
            let term = self.term_of[part as usize];
            let entry = self.store.entry(term);
            if entry.kind == kind {
                parts.extend_from_slice(self.store.parts(term));
            } else if term != NULL {
                parts.push((term, 1));
            }
        }
        self.written_parts += parts.len();
        if self.written_parts > LIMIT_WRITTEN_PARTS {
            return Err(TooLarge::Terms);
        }
        parts.sort_unstable();
        let mut kept = 0;
        for at in 0..parts.len() {
            let (term, count) = parts[at];
            if kept > 0 && parts[kept - 1].0 == term {
                parts[kept - 1].1 = parts[kept - 1].1.checked_add(count).ok_or(TooLarge::Copies)?;
            } else {
                parts[kept] = (term, count);
                kept += 1;
            }
        }
        parts.truncate(kept);
        if kind == Kind::Choice {
            // P + P is P, but for propositions, which are counted.
            for part in &mut parts {
                if self.store.entry(part.0).valuation == valuations::EMPTY {
                    part.1 = 1;
                }
            }
        }
        let sum = parts
            .iter()
            .fold(0u64, |sum, &(term, count)| sum.wrapping_add(share(term).wrapping_mul(u64::from(count))));
        let term = self.list_of(kind, sum, &parts);
        self.parts = parts;
        term
    }

    /// The term with these sorted parts, the sum of whose shares is given.
    #[inline]
    pub(super) fn list_of(&mut self, kind: Kind, sum: u64, parts: &[Part]) -> Result<u32, TooLarge> {
        match *parts {
            [] => return Ok(NULL),
            [(term, 1)] => return Ok(term),
            _ => {}
        }
        let (term, is_new) = self.store.list(kind, sum, parts)?;
        if is_new {
            let store = &self.store;
            let all = parts.iter().map(|&(part, count)| (store.entry(part).valuation, count));
            let valuation = self.valuations.sum(all)?;
            self.store.entry_mut(term).valuation = valuation;
        }
        Ok(term)
    }

    /// A term in a context.
    pub(super) fn mapped(&mut self, context: u32, term: u32) -> Result<u32, TooLarge> {
        if term == NULL {
            return Ok(term);
        }
        let (inner, term) = self.without_context(term);
        let context = self.contexts.compose(context, inner);
        if context == IDENTITY {
            return Ok(term);
        }
        let (mapped, is_new) = self.store.unary(Kind::Mapped, context, term)?;
        if is_new {
            let valuation = self.renamed(context, self.store.entry(term).valuation)?;
            self.store.entry_mut(mapped).valuation = valuation;
        }
        Ok(mapped)
    }

    /// The context of a term, and the term in it.
    pub(super) fn without_context(&self, term: u32) -> (u32, u32) {
        let entry = self.store.entry(term);
        match entry.kind {
            Kind::Mapped => (entry.a, entry.b),
            _ => (IDENTITY, term),
        }
    }
}
