//! What an access does to caches: the protocol as expressions over the states of a line.

use super::Lowering;
use super::lookup::{is_one_of, lookup};
use crate::machine::{From, Journey};
use crate::system::{LineId, Mistake, ProcessId};
use volvelle_coherence::{Operation, Rule, Source, State};
use volvelle_kernel::{BinaryOp, ExprId};

/// What the protocol says of an access.
pub struct Outcome {
    /// The own state and the strongest one of the others as one number: what the rule depends on.
    pub situation: ExprId,
    /// The number of the journey.
    pub journey: ExprId,
    /// New values of fields.
    pub writes: super::Writes,
    /// Conditions under which the access goes on, with the mistakes that it makes otherwise.
    pub conditions: Vec<(ExprId, Mistake)>,
}

impl Lowering<'_> {
    /// The state of a line in the cache of a process.
    fn copy(&mut self, line: LineId, process: usize) -> ExprId {
        match self.fields.states[line.index()][process] {
            Some(field) => self.program.field(field),
            None => self.program.exprs.i64(0),
        }
    }

    /// Whether the copy of a process is the latest.
    fn is_latest(&mut self, line: LineId, process: usize) -> ExprId {
        match self.fields.latest[line.index()][process] {
            Some(field) => {
                let value = self.program.field(field);
                self.is_true(value)
            }
            None => self.program.exprs.bool(false),
        }
    }

    fn rule(&self, operation: Operation, situation: usize) -> Option<&Rule> {
        let states = self.machine.protocol.states.len();
        let (own, strongest) = (State((situation / states) as u8), State((situation % states) as u8));
        self.machine.protocol.rule(operation, own, strongest)
    }

    /// The situation of a process with a line.
    fn situation(&mut self, process: ProcessId, line: LineId) -> ExprId {
        let own = self.copy(line, process.index());
        let mut strongest = self.program.exprs.i64(0);
        for other in self.others(process) {
            let state = self.copy(line, other);
            strongest = if self.program.exprs.as_const(strongest).is_some_and(|c| c.as_i64() == Some(0)) {
                state
            } else {
                self.program.exprs.binary(BinaryOp::Max, strongest, state)
            };
        }
        let states = self.machine.protocol.states.len() as i64;
        let exprs = &mut self.program.exprs;
        let states = exprs.i64(states);
        let scaled = exprs.binary(BinaryOp::Mul, own, states);
        exprs.binary(BinaryOp::Add, scaled, strongest)
    }

    fn others(&self, process: ProcessId) -> Vec<usize> {
        (0..self.system.processes.len()).filter(|&other| other != process.index()).collect()
    }

    fn situations(&self) -> usize {
        self.machine.protocol.states.len() * self.machine.protocol.states.len()
    }

    /// The number of the journey for a rule that depends on the situation.
    fn journey(
        &mut self,
        process: ProcessId,
        line: LineId,
        operation: Operation,
        situation: ExprId,
    ) -> ExprId {
        let home = self.system.lines[line.index()].home;
        let known = self.of(process).journeys.clone();
        let number =
            |journey: Journey| known.iter().position(|&k| k == journey).map_or(0, |at| at as i64 + 1);
        let count = self.situations();
        let rules: Vec<Option<Rule>> = (0..count).map(|s| self.rule(operation, s).cloned()).collect();
        let source = |s: usize| rules[s].as_ref().map(|rule| self.machine.source(rule.transfer));
        // Where it does not depend on who provides the line.
        let plain = |s: usize| {
            let Some(rule) = &rules[s] else { return 0 };
            match self.machine.source(rule.transfer) {
                Source::None => number(Journey { transfer: rule.transfer, from: From::Here }),
                Source::Home => number(Journey { transfer: rule.transfer, from: From::Home(home) }),
                Source::Provider => 0,
            }
        };
        let mut result = lookup(&mut self.program.exprs, situation, count, plain);
        let provided =
            is_one_of(&mut self.program.exprs, situation, count, |s| source(s) == Some(Source::Provider));
        if self.program.exprs.as_const(provided).is_some_and(|c| c.as_bool() == Some(false)) {
            return result;
        }
        // The transfer by the situation, and the provider by the states of the others.
        let others = self.others(process);
        let mut from_caches = self.program.exprs.i64(0);
        for &other in others.iter().rev() {
            let of_other = |s: usize| match &rules[s] {
                Some(rule) if self.machine.source(rule.transfer) == Source::Provider => {
                    let from = From::Cache(ProcessId(other as u32));
                    number(Journey { transfer: rule.transfer, from })
                }
                _ => 0,
            };
            let of_other = lookup(&mut self.program.exprs, situation, count, of_other);
            let provides = self.provides(process, line, other, situation);
            from_caches = self.program.exprs.select(provides, of_other, from_caches);
        }
        result = self.program.exprs.select(provided, from_caches, result);
        result
    }

    /// Whether the state of another cache is the strongest one.
    fn provides(&mut self, process: ProcessId, line: LineId, other: usize, situation: ExprId) -> ExprId {
        let state = self.copy(line, other);
        let states = self.machine.protocol.states.len() as i64;
        let own = self.copy(line, process.index());
        let exprs = &mut self.program.exprs;
        let states = exprs.i64(states);
        let scaled = exprs.binary(BinaryOp::Mul, own, states);
        let with_this = exprs.binary(BinaryOp::Add, scaled, state);
        exprs.binary(BinaryOp::Eq, with_this, situation)
    }

    /// The journey of the transfer under way.
    pub fn journey_under_way(&mut self, process: ProcessId) -> ExprId {
        let field = self.of(process).journey.expect("what changes later has a journey");
        self.program.field(field)
    }

    /// Whether the line comes from another cache: the one with the strongest state, or the one that was decided at the beginning.
    fn comes_from(&mut self, process: ProcessId, line: LineId, other: usize, outcome: &Outcome) -> ExprId {
        if self.of(process).decision.is_none() {
            return self.provides(process, line, other, outcome.situation);
        }
        let from = From::Cache(ProcessId(other as u32));
        let journeys = self.of(process).journeys.clone();
        let is_from = |place: usize| place > 0 && journeys[place - 1].from == from;
        is_one_of(&mut self.program.exprs, outcome.journey, journeys.len() + 1, is_from)
    }

    /// What an access begins with: the situation, the journey, and whether there is a rule.
    pub fn decided(&mut self, process: ProcessId, line: LineId, operation: Operation) -> Outcome {
        let situation = self.situation(process, line);
        let count = self.situations();
        let rules: Vec<bool> = (0..count).map(|s| self.rule(operation, s).is_some()).collect();
        let exists = is_one_of(&mut self.program.exprs, situation, count, |s| rules[s]);
        let journey = self.journey(process, line, operation, situation);
        Outcome { situation, journey, writes: Vec::new(), conditions: vec![(exists, Mistake::NoRow)] }
    }

    /// The change of caches by the rule of a situation, which may be that of an earlier time.
    pub fn applied(
        &mut self,
        process: ProcessId,
        line: LineId,
        operation: Operation,
        situation: ExprId,
        outcome: &mut Outcome,
    ) {
        let count = self.situations();
        let states = self.machine.protocol.states.len();
        let rules: Vec<Option<Rule>> = (0..count).map(|s| self.rule(operation, s).cloned()).collect();
        let own = |s: usize| rules[s].as_ref().map_or(0, |rule| i64::from(rule.own.0));
        let new_own = lookup(&mut self.program.exprs, situation, count, own);
        let mut new_states = vec![(process.index(), new_own)];
        for other in self.others(process) {
            if self.fields.states[line.index()][other].is_none() {
                continue;
            }
            let state = self.copy(line, other);
            // By the state of the other cache: what rules make of it.
            let mut result = self.program.exprs.i64(0);
            for present in 1..states {
                let of_rule = |s: usize| {
                    rules[s].as_ref().map_or(present as i64, |rule| i64::from(rule.others[present].0))
                };
                let becomes = lookup(&mut self.program.exprs, situation, count, of_rule);
                let exprs = &mut self.program.exprs;
                let present = exprs.i64(present as i64);
                let is_present = exprs.binary(BinaryOp::Eq, state, present);
                result = exprs.select(is_present, becomes, result);
            }
            new_states.push((other, result));
        }
        if !self.fields.memory.is_empty() && self.fields.memory[line.index()].is_some() {
            self.track(process, line, operation, situation, &rules, &new_states, outcome);
        }
        for (holder, state) in new_states {
            if let Some(field) = self.fields.states[line.index()][holder] {
                outcome.writes.push((field, state));
            }
        }
    }

    /// Notes which copies are the latest, and finds reads of others and writers that are not alone.
    #[expect(clippy::too_many_arguments, reason = "they are what an access is about")]
    fn track(
        &mut self,
        process: ProcessId,
        line: LineId,
        operation: Operation,
        situation: ExprId,
        rules: &[Option<Rule>],
        new_states: &[(usize, ExprId)],
        outcome: &mut Outcome,
    ) {
        let count = rules.len();
        let source = |s: usize| rules[s].as_ref().map(|rule| self.machine.source(rule.transfer));
        let from_provider =
            is_one_of(&mut self.program.exprs, situation, count, |s| source(s) == Some(Source::Provider));
        let states = self.machine.protocol.states.len();
        let asks_home =
            |s: usize| source(s) == Some(Source::Home) && !self.machine.protocol.dirty[s / states];
        let from_home = is_one_of(&mut self.program.exprs, situation, count, asks_home);
        let memory = self.fields.memory[line.index()].expect("copies are tracked");
        let memory_value = self.program.field(memory);
        let memory_is_latest = self.is_true(memory_value);
        // What the requester gets; a dirty one that asks the home only lets the others know, for it has the data already.
        let (dirty, exclusive) =
            (self.machine.protocol.dirty.clone(), self.machine.protocol.exclusive.clone());
        let mut provided = self.program.exprs.bool(false);
        // Whether the provider was dirty, and is not any more.
        let mut left = self.program.exprs.bool(false);
        for other in self.others(process).into_iter().rev() {
            let provides = self.comes_from(process, line, other, outcome);
            let latest = self.is_latest(line, other);
            let before = self.copy(line, other);
            let after = new_states.iter().find(|(holder, _)| *holder == other);
            let after = after.map_or_else(|| self.program.exprs.i64(0), |&(_, state)| state);
            let was_dirty = is_one_of(&mut self.program.exprs, before, states, |s| dirty[s]);
            let is_clean = is_one_of(&mut self.program.exprs, after, states, |s| !dirty[s]);
            let exprs = &mut self.program.exprs;
            let leaves = exprs.and(was_dirty, is_clean);
            left = exprs.select(provides, leaves, left);
            provided = exprs.select(provides, latest, provided);
        }
        let own_is_latest = self.is_latest(line, process.index());
        let exprs = &mut self.program.exprs;
        let at_home = exprs.select(from_home, memory_is_latest, own_is_latest);
        let gets_latest = exprs.select(from_provider, provided, at_home);
        outcome.conditions.push((gets_latest, Mistake::Stale));
        // Dirty copies afterwards.
        let mut others_dirty = self.program.exprs.bool(false);
        for &(_, state) in &new_states[1..] {
            let is_dirty = is_one_of(&mut self.program.exprs, state, states, |s| dirty[s]);
            others_dirty = self.program.exprs.or(others_dirty, is_dirty);
        }
        let new_own = new_states[0].1;
        let own_dirty = is_one_of(&mut self.program.exprs, new_own, states, |s| dirty[s]);
        let own_holds = is_one_of(&mut self.program.exprs, new_own, states, |s| s > 0);
        // A writer is the only one with the line, and responsible for it; whoever has it exclusively is alone.
        let mut alone = self.program.exprs.bool(true);
        for (k, &(_, state)) in new_states.iter().enumerate() {
            let is_exclusive = is_one_of(&mut self.program.exprs, state, states, |s| exclusive[s]);
            for &(_, other) in &new_states[k + 1..] {
                let other_holds = is_one_of(&mut self.program.exprs, other, states, |s| s > 0);
                let this_holds = is_one_of(&mut self.program.exprs, state, states, |s| s > 0);
                let other_exclusive = is_one_of(&mut self.program.exprs, other, states, |s| exclusive[s]);
                let exprs = &mut self.program.exprs;
                let first = exprs.and(is_exclusive, other_holds);
                let second = exprs.and(other_exclusive, this_holds);
                let both = exprs.or(first, second);
                let not_both = exprs.not(both);
                alone = exprs.and(alone, not_both);
            }
        }
        let fits = if operation.writes() { own_dirty } else { own_holds };
        let alone = self.program.exprs.and(alone, fits);
        outcome.conditions.push((alone, Mistake::Writers));
        // The copies afterwards.
        let exprs = &mut self.program.exprs;
        let (zero, one) = (exprs.i64(0), exprs.i64(1));
        let others_clean = exprs.not(others_dirty);
        let hands_back = exprs.or(left, others_clean);
        let own_clean = exprs.not(own_dirty);
        let written_back = exprs.and(own_clean, hands_back);
        let written_back = exprs.and(from_provider, written_back);
        let new_memory =
            if operation.writes() { zero } else { exprs.select(written_back, one, memory_value) };
        outcome.writes.push((memory, new_memory));
        for &(holder, state) in new_states {
            let Some(field) = self.fields.latest[line.index()][holder] else { continue };
            let present = self.program.field(field);
            let holds = is_one_of(&mut self.program.exprs, state, states, |s| s > 0);
            let value = match holder == process.index() {
                true => one,
                false if operation.writes() => zero,
                false => present,
            };
            let value = self.program.exprs.select(holds, value, zero);
            outcome.writes.push((field, value));
        }
    }
}
