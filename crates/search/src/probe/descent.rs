//! The descent of a probe: from state to state, and back.

use super::INSIDE;
use super::stack::{self, Stack};
use super::table::{self, Table};
use super::trail::{self, Error};
use super::{Found, Goal, Options};
use crate::claim::{Claim, ClaimEdge};
use crate::ordered::{OrderedExpander, Part, Position};
use crate::report::{Outcome, Report};
use crate::successors::{ACCEPTING, Exit, REACH, TRANSIENT, reach};
use crate::system::System;
use crate::turns::Turns;
use crate::visited::Halt;
use volvelle_control::{Control, Stop};

/// Parts between checks of the limits.
const CHECK_EVERY: u32 = 1024;

/// Counts known candidates: a known one adds one, a new one takes this many away ([`Descent::known`]).
const NEW_COSTS: u8 = 3;

/// The least count at which it pays to look ahead, and the greatest one.
const LOOK_AHEAD: u8 = 8;
const MOST_KNOWN: u8 = 16;

/// The part that a claim has in the search.
enum Reading<'a> {
    /// Nothing was found.
    Nothing,
    /// Its states are the bits of the claim's word.
    Subset(&'a Claim),
    /// The claim's word is its state.
    State {
        claim: Claim,
        /// Whether accepting states of the system count.
        marks: bool,
        /// Whether a state without successors stutters.
        stutters: bool,
    },
}

/// A search under way.
pub(super) struct Descent<'a> {
    system: &'a dyn System,
    options: &'a Options<'a>,
    control: &'a Control<'a>,
    reading: Reading<'a>,
    expander: Box<dyn OrderedExpander + 'a>,
    words: usize,
    table: Table,
    stack: Stack,
    /// The fingerprint of the state on top.
    fingerprint: u64,
    /// A part of the successors of the state on top, if `is_loaded`.
    part: Part,
    is_loaded: bool,
    /// Fingerprints of its successors, if computed.
    fingerprints: Vec<u64>,
    /// A later part, found ahead of need, and its position.
    ahead: Part,
    ahead_at: Option<Position>,
    /// Whether recent candidates were known. Then the next one probably is too, and the next part is found
    /// ahead.
    known: u8,
    /// The claim's word after the state on top, under [`Reading::Subset`].
    claim_next: u64,
    /// The successor to visit next.
    candidate: Vec<u64>,
    candidate_fingerprint: u64,
    /// The depth of the state on the stack where the second search began.
    seed: Option<usize>,
    /// Whether it matters which states are on the stack.
    knows_stack: bool,
    /// Stored states on the stack, below the one on top if that is stored.
    depth: u32,
    /// Limit of the depth of visited states.
    max_depth: u32,
    /// Whether some states exceeded the limit. Until then, everything reachable from a state that was left
    /// was visited, or is on the stack below it.
    is_cut: bool,
    /// States that were visited, several times by second searches.
    visited: u64,
    /// Number of parts to find before the next check of limits.
    until_check: u32,
    error: Option<Error>,
    report: Report,
}

/// The reason why a search ends early.
enum End {
    Found,
    Halt(Halt),
}

impl From<Halt> for End {
    fn from(halt: Halt) -> Self {
        End::Halt(halt)
    }
}

impl<'a> Descent<'a> {
    pub fn new(system: &'a dyn System, options: &'a Options<'a>, control: &'a Control<'a>) -> Self {
        let reading = match options.goal {
            Goal::Errors => Reading::Nothing,
            Goal::Beginnings(claim) => Reading::Subset(claim),
            Goal::Cycles(goal) => {
                let (claim, marks, stutters) = goal.parts();
                Reading::State { claim: eager(claim.into_owned()), marks, stutters }
            }
        };
        let knows_stack = options.reduce || matches!(reading, Reading::State { .. });
        Descent {
            system,
            options,
            control,
            reading,
            expander: system.ordered_expander(options.order),
            words: system.words(),
            table: if options.max_depth.is_some() { Table::with_depths() } else { Table::new() },
            stack: Stack::default(),
            fingerprint: 0,
            part: Part::default(),
            is_loaded: false,
            fingerprints: Vec::new(),
            ahead: Part::default(),
            ahead_at: None,
            known: 0,
            claim_next: 0,
            candidate: Vec::new(),
            candidate_fingerprint: 0,
            seed: None,
            knows_stack,
            depth: 0,
            max_depth: options.max_depth.map_or(u32::MAX, |most| u32::try_from(most).unwrap_or(u32::MAX)),
            is_cut: false,
            visited: options.visited,
            until_check: 0,
            error: None,
            report: Report::new(),
        }
    }

    /// Searches until an error is found, nothing is left, or its turns are over.
    pub fn search(mut self) -> Found {
        self.report.is_product = match &self.reading {
            Reading::Nothing => false,
            Reading::Subset(_) => true,
            Reading::State { claim, .. } => claim.states.len() > 1,
        };
        match self.run() {
            Ok(()) => {}
            Err(End::Found) => self.report.outcome = Outcome::Failed,
            Err(End::Halt(halt)) => self.report.outcome = halt.into(),
        }
        self.report.bytes = self.table.bytes() + self.stack.bytes();
        let mut lasso = None;
        if self.error.is_none() {
            self.options.turns.probe_holds(0);
        }
        if let Some(error) = self.error.take() {
            // The table is not needed any more.
            self.table = Table::new();
            let is_explained = match trail::explain(self.system, self.options, &self.stack, error) {
                Some(trail::Explained::Fault(fault)) => {
                    self.report.faults.push(fault);
                    true
                }
                Some(trail::Explained::Lasso(found)) => {
                    lasso = Some(found);
                    true
                }
                None => false,
            };
            if is_explained {
                self.expander.confirm_notes();
            } else {
                self.report.outcome = Outcome::Stopped(Stop::Cancelled);
            }
        }
        Found { report: self.report, lasso, visited: self.visited }
    }

    fn run(&mut self) -> Result<(), End> {
        let claim = match &self.reading {
            Reading::Nothing => 0,
            Reading::Subset(claim) => 1 << claim.initial,
            Reading::State { claim, .. } => u64::from(claim.initial),
        };
        for initial in self.system.initial().chunks_exact(self.words) {
            let state = [initial, &[claim]].concat();
            self.fingerprint = Table::fingerprint(&state);
            let place = self.table.place(self.fingerprint);
            if self.table.is_done(place, 0) {
                continue;
            }
            self.stack.start(&state);
            self.depth = 0;
            self.report.states += 1;
            self.enter(Some(place))?;
            while self.stack.len() > 0 {
                if self.advance()? {
                    self.visit()?;
                } else {
                    self.leave()?;
                }
            }
        }
        Ok(())
    }

    /// Visits the candidate.
    fn visit(&mut self) -> Result<(), End> {
        self.report.transitions += 1;
        // A step inside an atomic sequence leads no deeper.
        let depth = self.depth + u32::from(!self.is_inside(&self.candidate));
        if depth > self.max_depth {
            self.is_cut = true;
            return Ok(());
        }
        let fingerprint = self.candidate_fingerprint;
        self.look_ahead(fingerprint);
        let place = self.table.place(fingerprint);
        let flags = self.table.flags(place);
        let is_on_stack = flags & table::ON_STACK != 0;
        if self.seed.is_some() {
            if is_on_stack {
                return self.close();
            }
            if flags & table::RED == 0 {
                self.table.set(place, table::RED);
                self.depth = depth;
                self.push(fingerprint);
                self.enter(None)?;
            }
            return Ok(());
        }
        let top = self.stack.top().expect("the candidate is a successor of a state");
        top.flags |= if is_on_stack { stack::LEADS_BACK } else { stack::LEADS_OUT };
        if flags & table::VISITED != 0 && (!self.is_cut || self.table.is_done(place, depth)) {
            let closes = is_on_stack
                && matches!(self.reading, Reading::State { .. })
                && (top.flags & stack::ACCEPTING != 0 || flags & table::ACCEPTING != 0);
            self.known = (self.known + 1).min(MOST_KNOWN);
            return if closes { self.close() } else { Ok(()) };
        }
        if !self.is_inside(&self.candidate) {
            self.report.states += 1;
        }
        self.depth = depth;
        self.known = self.known.saturating_sub(NEW_COSTS);
        self.push(fingerprint);
        self.enter(Some(place))
    }

    /// Finds the next part while the table entry of the candidate, the last one of this part, is fetched from
    /// memory. In vain if the candidate is new.
    fn look_ahead(&mut self, fingerprint: u64) {
        if self.known < LOOK_AHEAD || self.ahead_at.is_some() {
            return;
        }
        let Some(&mut top) = self.stack.top() else { return };
        let is_last = top.visited >= top.count && top.flags & (stack::PRECEDES | stack::STUTTERS) == 0;
        if !is_last || top.next == Position::END || self.is_inside(&self.stack.state) {
            return;
        }
        self.table.prefetch(fingerprint);
        self.expander.set_reach(REACH);
        // A part that does not fit is found again when needed.
        if let Exit::Done | Exit::Full =
            self.expander.part(&self.stack.state[..self.words], top.next, &mut self.ahead)
        {
            self.ahead_at = Some(top.next);
        }
    }

    /// Puts the candidate on top.
    fn push(&mut self, fingerprint: u64) {
        self.fingerprint = fingerprint;
        self.fingerprints.clear();
        self.ahead_at = None;
        let is_inside = self.is_inside(&self.stack.state) && self.is_inside(&self.candidate);
        let run = match self.stack.top() {
            Some(top) if is_inside && top.count == 1 => top.run.saturating_add(1),
            _ => 0,
        };
        self.stack.push(&self.candidate);
        if let Some(top) = self.stack.top() {
            top.run = run;
        }
    }

    /// Whether a state lies inside an atomic sequence.
    fn is_inside(&self, state: &[u64]) -> bool {
        state[self.words] & INSIDE != 0
    }

    /// Expands the state on top. If `place` is given, it is new to the first search.
    fn enter(&mut self, place: Option<usize>) -> Result<(), End> {
        self.visited += 1;
        let depth = self.stack.len() as u64 - 1;
        self.report.depth = self.report.depth.max(depth);
        let mut at = if self.options.reduce { Position::START } else { Position::START_IN_FULL };
        if let Some(place) = place {
            let on_stack = if self.knows_stack { table::ON_STACK } else { 0 };
            self.table.set(place, table::VISITED | on_stack);
            self.table.set_depth(place, self.depth);
        } else if self.options.reduce {
            let place = self.table.place(self.fingerprint);
            if self.table.flags(place) & table::FULL != 0 {
                at = Position::START_IN_FULL;
            }
        }
        self.load(at)?;
        if matches!(self.options.goal, Goal::Errors)
            && let Some(error) = self.part.successors.errors.first()
        {
            self.error = Some(Error::Site(error.site));
            return Err(End::Found);
        }
        // States inside an atomic sequence are not observed.
        if self.stack.state[self.words] & INSIDE == 0 {
            if self.part.successors.steps.is_empty() {
                self.stay();
            }
            self.read(place)?;
        }
        Ok(())
    }

    /// Lets the claim move alone if the system cannot move.
    fn stay(&mut self) {
        let stays = match self.reading {
            Reading::Nothing => false,
            Reading::Subset(_) => true,
            Reading::State { stutters, .. } => stutters,
        };
        if let Some(top) = self.stack.top()
            && stays
        {
            top.flags |= stack::STUTTERS;
            top.count = 1;
        }
    }

    /// The claim reads the observation of the state on top.
    fn read(&mut self, place: Option<usize>) -> Result<(), End> {
        let observation = self.observation();
        let word = self.stack.state[self.words];
        match &self.reading {
            Reading::Nothing => return Ok(()),
            Reading::Subset(claim) => {
                self.report.held |= observation;
                match claim.next_subset(word, observation) {
                    None => {
                        self.error = Some(Error::Accepted);
                        return Err(End::Found);
                    }
                    Some(next) => self.claim_next = next,
                }
                if self.claim_next == 0 {
                    self.give_up_top();
                }
            }
            Reading::State { claim, marks, .. } => {
                self.report.held |= observation;
                let at = &claim.states[word as usize];
                let accepting = at.accepting || *marks && observation & ACCEPTING != 0;
                let edge = at.edges.iter().position(|edge| edge.is_enabled(observation));
                if accepting {
                    if let Some(place) = place {
                        self.table.set(place, table::ACCEPTING);
                    }
                    if let Some(top) = self.stack.top() {
                        top.flags |= stack::ACCEPTING;
                    }
                }
                match (edge, self.stack.top()) {
                    (Some(edge), Some(top)) => top.edge = edge as u16,
                    _ => self.give_up_top(),
                }
            }
        }
        Ok(())
    }

    fn observation(&self) -> u64 {
        self.part.successors.observations.first().copied().unwrap_or(0)
    }

    /// The state on top has no successors because of the claim.
    fn give_up_top(&mut self) {
        if let Some(top) = self.stack.top() {
            top.count = 0;
            top.next = Position::END;
            top.edge = u16::MAX;
            top.flags &= !(stack::PRECEDES | stack::STUTTERS);
        }
    }

    /// Finds a part of the successors of the state on top.
    fn load(&mut self, at: Position) -> Result<(), End> {
        self.find(at)?;
        let part = &self.part;
        let top = self.stack.top().expect("a state on top");
        top.part = at;
        top.next = part.next;
        top.visited = 0;
        top.count = part.successors.steps.len().min(usize::from(u16::MAX)) as u16;
        if part.precedes {
            top.flags |= stack::PRECEDES;
        } else {
            top.flags &= !stack::PRECEDES;
        }
        Ok(())
    }

    fn find(&mut self, at: Position) -> Result<(), End> {
        if self.until_check == 0 {
            self.check()?;
        }
        self.until_check -= 1;
        self.is_loaded = true;
        self.fingerprints.clear();
        if self.ahead_at.take() == Some(at) {
            std::mem::swap(&mut self.part, &mut self.ahead);
            return Ok(());
        }
        let reach = match self.is_inside(&self.stack.state) {
            true => {
                let run = self.stack.top().map_or(0, |top| top.run);
                reach(self.fingerprint, u32::from(run))
            }
            false => REACH,
        };
        self.expander.set_reach(reach);
        match self.expander.part(&self.stack.state[..self.words], at, &mut self.part) {
            Exit::Done | Exit::Full => Ok(()),
            Exit::LayoutOverflow { code } => Err(End::Halt(Halt::LayoutOverflow(code))),
        }
    }

    fn check(&mut self) -> Result<(), End> {
        self.until_check = CHECK_EVERY;
        self.control.check().map_err(Halt::Stopped)?;
        let turns = self.options.turns;
        let bytes = self.table.bytes() + self.stack.bytes();
        turns.probe_holds(bytes);
        let share = self.control.limits.memory_bytes.map(|limit| turns.share_of_probe(limit));
        // Both grow between checks of the limits.
        let next = CHECK_EVERY as usize;
        let more = self.table.growth_within(next) + self.stack.growth_within(next, self.words + 1);
        if share.is_some_and(|share| bytes + more > share) {
            return Err(End::Halt(Halt::Stopped(Stop::Memory)));
        }
        let visits = self.visited - self.options.visited;
        if self.control.limits.states.is_some_and(|most| self.report.states > most)
            || self.options.max_visits.is_some_and(|most| visits > most)
        {
            return Err(End::Halt(Halt::Stopped(Stop::States)));
        }
        match turns.probe_goes_on(Turns::units(self.visited, self.report.transitions)) {
            true => Ok(()),
            false => Err(End::Halt(Halt::Stopped(Stop::Cancelled))),
        }
    }

    /// Makes the next successor of the state on top the candidate. Returns whether there is one.
    fn advance(&mut self) -> Result<bool, End> {
        loop {
            let top = self.stack.top().expect("a state on top");
            if top.visited < top.count {
                let (at, part, stutters) = (top.visited as usize, top.part, top.flags & stack::STUTTERS != 0);
                top.visited += 1;
                let (edge, count) = (top.edge, top.count as usize);
                if !stutters && !self.is_loaded {
                    self.find(part)?;
                }
                if at == 0 && count > 1 && self.known >= LOOK_AHEAD {
                    self.fetch_all(count, edge, stutters);
                }
                self.compose(at, edge, stutters);
                self.report.steps += u64::from(!stutters);
                self.candidate_fingerprint = match self.fingerprints.get(at) {
                    Some(&fingerprint) => fingerprint,
                    None => Table::fingerprint(&self.candidate),
                };
                return Ok(true);
            }
            if !self.next_part()? {
                return Ok(false);
            }
        }
    }

    /// Goes to the next part of the successors of the state on top. Returns whether there is one.
    fn next_part(&mut self) -> Result<bool, End> {
        let is_second = self.seed.is_some();
        let is_reading = matches!(self.reading, Reading::State { .. });
        let top = self.stack.top().expect("a state on top");
        if top.flags & stack::PRECEDES != 0 {
            // A step must not be left out forever (Holzmann and Peled, FORTE 1994).
            let suffices = match is_reading {
                true => is_second || top.flags & stack::LEADS_BACK == 0,
                false => top.flags & stack::LEADS_OUT != 0,
            };
            if suffices {
                top.next = Position::END;
            } else {
                top.flags |= stack::FULL;
                top.next = Position::START_IN_FULL;
                let place = self.table.place(self.fingerprint);
                self.table.set(place, table::FULL);
            }
            let top = self.stack.top().expect("a state on top");
            top.flags &= !stack::PRECEDES;
        }
        let top = self.stack.top().expect("a state on top");
        if top.next != Position::END {
            let next = top.next;
            self.load(next)?;
            if matches!(self.options.goal, Goal::Errors)
                && let Some(error) = self.part.successors.errors.first()
            {
                self.error = Some(Error::Site(error.site));
                return Err(End::Found);
            }
            return Ok(true);
        }
        self.next_edge()
    }

    /// Goes to the next edge of the claim.
    fn next_edge(&mut self) -> Result<bool, End> {
        let word = self.stack.state[self.words];
        let Reading::State { claim, .. } = &self.reading else { return Ok(false) };
        let top = self.stack.top().expect("a state on top");
        if word & INSIDE != 0 || top.edge == u16::MAX {
            return Ok(false);
        }
        let (edge, flags) = (top.edge as usize, top.flags);
        if claim.states[word as usize].edges.len() <= edge + 1 {
            return Ok(false);
        }
        let in_full = !self.options.reduce || flags & stack::FULL != 0;
        self.find(if in_full { Position::START_IN_FULL } else { Position::START })?;
        let observation = self.observation();
        let Reading::State { claim, .. } = &self.reading else { return Ok(false) };
        let edges = &claim.states[word as usize].edges;
        let next = (edge + 1..edges.len()).find(|&at| edges[at].is_enabled(observation));
        let Some(next) = next else { return Ok(false) };
        let part = &self.part;
        let top = self.stack.top().expect("a state on top");
        top.edge = next as u16;
        top.part = if in_full { Position::START_IN_FULL } else { Position::START };
        top.next = part.next;
        top.visited = 0;
        if flags & stack::STUTTERS == 0 {
            top.count = part.successors.steps.len().min(usize::from(u16::MAX)) as u16;
        }
        if part.precedes {
            top.flags |= stack::PRECEDES;
        }
        Ok(true)
    }

    /// Prefetches the places of all successors of the loaded part.
    fn fetch_all(&mut self, count: usize, edge: u16, stutters: bool) {
        self.fingerprints.clear();
        for at in 0..count {
            self.compose(at, edge, stutters);
            let fingerprint = Table::fingerprint(&self.candidate);
            self.table.prefetch(fingerprint);
            self.fingerprints.push(fingerprint);
        }
    }

    /// Makes the candidate from a successor of the loaded part.
    fn compose(&mut self, at: usize, edge: u16, stutters: bool) {
        let word = self.stack.state[self.words];
        let claim = match &self.reading {
            _ if word & INSIDE != 0 => word & !INSIDE,
            Reading::Nothing => 0,
            Reading::Subset(_) => self.claim_next,
            Reading::State { claim, .. } => {
                u64::from(claim.states[word as usize].edges[edge as usize].target)
            }
        };
        self.candidate.clear();
        if stutters {
            self.candidate.extend_from_slice(&self.stack.state[..self.words]);
            self.candidate.push(claim);
            return;
        }
        let successors = &self.part.successors;
        self.candidate.extend_from_slice(&successors.states[at * self.words..(at + 1) * self.words]);
        let inside = if successors.steps[at] & TRANSIENT != 0 { INSIDE } else { 0 };
        self.candidate.push(claim | inside);
    }

    /// Goes back from the state on top.
    fn leave(&mut self) -> Result<(), End> {
        let depth = self.stack.len();
        let top = self.stack.top().expect("a state on top");
        let is_seed = self.seed == Some(depth);
        if self.seed.is_none() && top.flags & stack::ACCEPTING != 0 && top.edge != u16::MAX {
            return self.begin_second();
        }
        if is_seed {
            self.seed = None;
        }
        if self.knows_stack && self.seed.is_none() {
            let place = self.table.place(self.fingerprint);
            self.table.unset(place, table::ON_STACK);
        }
        self.claim_next = self.stack.state[self.words] & !INSIDE;
        self.depth -= u32::from(!self.is_inside(&self.stack.state) && self.stack.len() > 1);
        self.stack.pop();
        self.is_loaded = false;
        self.fingerprints.clear();
        self.ahead_at = None;
        self.fingerprint = Table::fingerprint(&self.stack.state);
        // The search comes back to it when it leaves it.
        self.table.prefetch(self.fingerprint);
        Ok(())
    }

    /// Begins the second search at the state on top.
    fn begin_second(&mut self) -> Result<(), End> {
        self.seed = Some(self.stack.len());
        let place = self.table.place(self.fingerprint);
        self.table.set(place, table::RED);
        self.enter(None)
    }

    /// The candidate is on the stack, and closes a cycle.
    fn close(&mut self) -> Result<(), End> {
        self.error = Some(Error::Cycle(self.candidate.clone()));
        Err(End::Found)
    }
}

/// The claim with edges to accepting states first, and those that stay last.
fn eager(mut claim: Claim) -> Claim {
    let accepting: Vec<bool> = claim.states.iter().map(|state| state.accepting).collect();
    for (at, state) in claim.states.iter_mut().enumerate() {
        let rank = |edge: &ClaimEdge| (!accepting[edge.target as usize], edge.target as usize == at);
        state.edges.sort_by_key(rank);
    }
    claim
}
