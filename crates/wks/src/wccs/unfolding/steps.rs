//! Steps of terms: those of parts are remembered, sorted by action, so that handshakes are found by a binary search.

use super::build::NULL;
use super::context::IDENTITY;
use super::memo::{Found, Memo, MemoStep, Piece};
use super::store::{Kind, List, share};
use super::{NONE, TooLarge, Unfolding};
use crate::wccs::{OUTPUT, TAU, Term};

#[inline]
fn bit(action: u32) -> u64 {
    1 << (action & 63)
}

impl Unfolding {
    /// Puts the steps of a term in a context into `found`. Actions are as seen from outside; targets are without the context.
    pub(super) fn steps_of(&mut self, term: u32, context: u32) -> Result<(), TooLarge> {
        self.prepare(term)?;
        self.begin();
        self.append(term, context)?;
        self.number_targets()
    }

    /// Forgets the steps that were found.
    pub(super) fn begin(&mut self) {
        self.found.clear();
        self.moved.clear();
    }

    /// Remembers what the steps of a term follow from.
    pub(super) fn prepare(&mut self, term: u32) -> Result<(), TooLarge> {
        if self.store.entry(term).kind != Kind::Parallel {
            return self.remember(term);
        }
        for at in 0..self.store.parts(term).len() {
            let (part, _) = self.store.parts(term)[at];
            if self.store.entry(part).memo == NONE {
                self.remember(part)?;
            }
        }
        Ok(())
    }

    /// Appends the steps of a term that is prepared. Targets that are compositions are numbered by [`Self::number_targets`]: those of several
    /// terms at once.
    pub(super) fn append(&mut self, term: u32, context: u32) -> Result<(), TooLarge> {
        if self.store.entry(term).kind != Kind::Parallel {
            let (start, end) = self.alone(context, self.store.entry(term).memo)?;
            self.found.extend_from_slice(&self.memo_steps[start as usize..end as usize]);
            return Ok(());
        }
        let mut pieces = std::mem::take(&mut self.pieces);
        let result = self.collect_pieces(term, context, &mut pieces).and_then(|total| {
            self.single_steps(&pieces, total)?;
            self.handshakes(&pieces, total)
        });
        self.pieces = pieces;
        result
    }

    /// The parts with their steps, and the sum of their shares.
    fn collect_pieces(&mut self, term: u32, context: u32, pieces: &mut Vec<Piece>) -> Result<u64, TooLarge> {
        pieces.clear();
        self.moved.whole.clear();
        let mut total = 0u64;
        for at in 0..self.store.parts(term).len() {
            let (term, count) = self.store.parts(term)[at];
            let memo = self.store.entry(term).memo;
            let alone = self.alone(context, memo)?;
            self.moved.whole.push((term, count));
            pieces.push(Piece { term, count, memo: self.memos[memo as usize], alone });
            total = total.wrapping_add(share(term).wrapping_mul(u64::from(count)));
        }
        Ok(total)
    }

    fn single_steps(&mut self, pieces: &[Piece], total: u64) -> Result<(), TooLarge> {
        for (one, piece) in pieces.iter().enumerate() {
            for at in piece.alone.0..piece.alone.1 {
                let MemoStep { action, weight, target } = self.memo_steps[at as usize];
                self.found.push(Found { action, weight, target: NONE });
                self.moved(pieces, total, &[(one, target)])?;
            }
        }
        Ok(())
    }

    fn handshakes(&mut self, pieces: &[Piece], total: u64) -> Result<(), TooLarge> {
        for (one, sender) in pieces.iter().enumerate() {
            for (other, receiver) in pieces.iter().enumerate() {
                let common = sender.memo.output_names & receiver.memo.input_names;
                if common == 0 || one == other && sender.count == 1 {
                    continue;
                }
                self.handshake(pieces, total, one, other)?;
            }
        }
        Ok(())
    }

    /// Handshakes in which `one` sends and `other` receives.
    fn handshake(&mut self, pieces: &[Piece], total: u64, one: usize, other: usize) -> Result<(), TooLarge> {
        let (sender, receiver) = (pieces[one].memo, pieces[other].memo);
        for at in sender.outputs..sender.end {
            let output = self.memo_steps[at as usize];
            let name = output.action & !OUTPUT;
            if receiver.input_names & bit(name) == 0 {
                continue;
            }
            let inputs = &self.memo_steps[receiver.inputs as usize..receiver.outputs as usize];
            let first = inputs.partition_point(|input| input.action < name);
            for at in receiver.inputs as usize + first..receiver.outputs as usize {
                let input = self.memo_steps[at];
                if input.action != name {
                    break;
                }
                let weight = output.weight.max(input.weight);
                self.found.push(Found { action: TAU, weight, target: NONE });
                self.moved(pieces, total, &[(one, output.target), (other, input.target)])?;
            }
        }
        Ok(())
    }

    /// Notes the composition in which copies of some pieces have become other terms, as the target of the step found last.
    #[inline]
    fn moved(&mut self, pieces: &[Piece], total: u64, moves: &[(usize, u32)]) -> Result<(), TooLarge> {
        let (store, parts) = (&self.store, &mut self.moved.parts);
        let start = parts.len();
        let mut sum = total;
        parts.extend_from_slice(&self.moved.whole);
        let mut take = |piece: usize| {
            sum = sum.wrapping_sub(share(pieces[piece].term));
            let place = start + piece;
            parts[place].1 -= 1;
            if parts[place].1 == 0 {
                parts.remove(place);
            }
        };
        // Later ones first, so that places stay as they are.
        match *moves {
            [(one, _), (other, _)] => {
                take(one.max(other));
                take(one.min(other));
            }
            _ => moves.iter().for_each(|&(piece, _)| take(piece)),
        }
        let mut insert = |term: u32, count: u32| {
            sum = sum.wrapping_add(share(term).wrapping_mul(u64::from(count)));
            let place = parts[start..].iter().position(|part| part.0 >= term);
            let place = place.map_or(parts.len(), |place| start + place);
            match parts.get_mut(place) {
                Some(part) if part.0 == term => {
                    part.1 = part.1.checked_add(count).ok_or(TooLarge::Copies)?;
                }
                _ => parts.insert(place, (term, count)),
            }
            Ok(())
        };
        for &(_, target) in moves {
            let entry = store.entry(target);
            match entry.kind {
                Kind::Null => {}
                Kind::Parallel => {
                    store.parts(target).iter().try_for_each(|&(term, count)| insert(term, count))?
                }
                _ => insert(target, 1)?,
            }
        }
        let of = self.found.len() as u32 - 1;
        self.moved.lists.push(List { sum, start: start as u32, end: parts.len() as u32, of });
        Ok(())
    }

    /// Gives the steps that were found the numbers of their targets.
    pub(super) fn number_targets(&mut self) -> Result<(), TooLarge> {
        let mut moved = std::mem::take(&mut self.moved);
        self.store.look_up(Kind::Parallel, &mut moved);
        let numbered = (0..moved.lists.len()).try_for_each(|at| {
            let List { sum, start, end, of } = moved.lists[at];
            self.found[of as usize].target = match moved.known[at] {
                NONE => self.list_of(Kind::Parallel, sum, &moved.parts[start as usize..end as usize])?,
                known => known,
            };
            Ok(())
        });
        self.moved = moved;
        numbered
    }

    /// The range of a remembered term's steps that a context lets through, with their names outside.
    #[inline]
    fn alone(&mut self, context: u32, memo: u32) -> Result<(u32, u32), TooLarge> {
        if context == IDENTITY {
            let memo = &self.memos[memo as usize];
            return Ok((memo.start, memo.end));
        }
        let known = self.alone.get(context as usize).and_then(|parts| parts.get(memo as usize));
        match known {
            Some(&range) if range.0 != NONE => Ok(range),
            _ => self.filter(context, memo),
        }
    }

    fn filter(&mut self, context: u32, memo: u32) -> Result<(u32, u32), TooLarge> {
        let Memo { start, end, .. } = self.memos[memo as usize];
        let first = self.memo_steps.len() as u32;
        for at in start..end {
            let step = self.memo_steps[at as usize];
            if let Some(action) = self.contexts.action(context, step.action) {
                self.memo_steps.push(MemoStep { action, ..step });
            }
        }
        let last = u32::try_from(self.memo_steps.len()).map_err(|_| TooLarge::Terms)?;
        if self.alone.len() <= context as usize {
            self.alone.resize_with(context as usize + 1, Vec::new);
        }
        let parts = &mut self.alone[context as usize];
        if parts.len() <= memo as usize {
            parts.resize(memo as usize + 1, (NONE, NONE));
        }
        parts[memo as usize] = (first, last);
        Ok((first, last))
    }

    /// Computes the steps of a term that is a part of others, once. What is needed first waits on a stack.
    fn remember(&mut self, term: u32) -> Result<(), TooLarge> {
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            let before = open.len();
            let is_known = self.store.entry(next).memo != NONE;
            if !is_known {
                self.needed(next, &mut open);
            }
            if open.len() == before {
                open.pop();
                if !is_known {
                    self.compute(next)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the parts of a term whose steps are not known.
    fn needed(&self, term: u32, open: &mut Vec<u32>) {
        let entry = self.store.entry(term);
        let unknown = |&part: &u32| self.store.entry(part).memo == NONE;
        let list = |term: u32| self.store.parts(term).iter().map(|part| part.0).filter(unknown);
        match entry.kind {
            Kind::Null | Kind::Prefix => {}
            Kind::Choice | Kind::Parallel => open.extend(list(term)),
            // The composition itself need not be remembered.
            Kind::Mapped if self.store.entry(entry.b).kind == Kind::Parallel => open.extend(list(entry.b)),
            Kind::Label | Kind::Mapped => open.extend(Some(entry.b).filter(unknown)),
        }
    }

    /// Remembers the steps of a term; those of its parts are known.
    fn compute(&mut self, term: u32) -> Result<(), TooLarge> {
        let entry = *self.store.entry(term);
        match entry.kind {
            Kind::Null => self.found.clear(),
            Kind::Prefix => {
                let Term::Prefix { action, weight, next } = self.system.terms[entry.a as usize] else {
                    unreachable!("it was written as a prefix")
                };
                let target = self.term_of(next)?;
                self.found.clear();
                self.found.push(Found { action, weight, target });
            }
            Kind::Choice => {
                self.found.clear();
                for at in 0..self.store.parts(term).len() {
                    let memo = self.store.entry(self.store.parts(term)[at].0).memo;
                    let Memo { start, end, .. } = self.memos[memo as usize];
                    self.found.extend_from_slice(&self.memo_steps[start as usize..end as usize]);
                }
            }
            Kind::Parallel => self.steps_of(term, IDENTITY)?,
            Kind::Label => self.steps_of(entry.b, IDENTITY)?,
            Kind::Mapped => {
                self.steps_of(entry.b, entry.a)?;
                for at in 0..self.found.len() {
                    let target = self.found[at].target;
                    self.found[at].target = if target == NULL { NULL } else { self.mapped(entry.a, target)? };
                }
            }
        }
        self.keep(term)
    }

    /// Makes what was found the steps of a term.
    fn keep(&mut self, term: u32) -> Result<(), TooLarge> {
        self.found.sort_unstable();
        self.found.dedup();
        let start = self.memo_steps.len();
        let end = u32::try_from(start + self.found.len()).map_err(|_| TooLarge::Terms)?;
        let place = |limit: u32| start as u32 + self.found.partition_point(|step| step.action < limit) as u32;
        let names = |outputs: bool| {
            let some =
                self.found.iter().filter(|step| step.action != TAU && (step.action & OUTPUT != 0) == outputs);
            some.fold(0, |names, step| names | bit(step.action))
        };
        let memo = Memo {
            start: start as u32,
            inputs: place(TAU + 1),
            outputs: place(OUTPUT),
            end,
            input_names: names(false),
            output_names: names(true),
        };
        self.memo_steps.extend_from_slice(&self.found);
        self.store.entry_mut(term).memo = self.memos.len() as u32;
        self.memos.push(memo);
        Ok(())
    }
}
