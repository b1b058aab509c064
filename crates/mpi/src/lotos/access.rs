//! Accesses: an action with the process of the line, which gives the value and the transfer; then the latency and the end.

use super::Refusal;
use super::behaviour::Behaviour;
use super::steps::{Steps, Target, guard, variable};
use super::values::{Env, Term, Truth, binary, bounds, term};
use crate::machine::Atomicity;
use crate::system::{Access, Binary, LocalId, Mistake, NodeId, NodeKind, Operation, Variable};

/// One of the things that an operation may do.
struct Case {
    /// What is offered for the value in memory.
    old: String,
    /// What is offered for all values of the label.
    offers: String,
    /// When it is this case, as a condition on the value in memory.
    when: Truth,
    /// What ties the offered values to each other.
    tie: Truth,
    stored: Term,
    result: Term,
}

/// The part of an access that changes memory.
struct Change<'t> {
    node: NodeId,
    access: &'t Access,
    target: &'t Target,
    /// `ACTION` or `UPDATE`.
    gate: &'static str,
    /// Whether the line has to have a row of the protocol then.
    needs_row: bool,
}

impl Steps<'_, '_> {
    /// An access.
    pub fn access(&mut self, node: NodeId, env: &Env) -> Result<Behaviour, Refusal> {
        let process = self.of();
        let NodeKind::Access(access) = &process.nodes[node.index()].kind else {
            return Ok(Behaviour::stop());
        };
        let (targets, mut conditions) = self.targets(&access.variable, env);
        for operand in operands(&access.operation, env) {
            conditions.push((self.context.values.exists(&operand), Mistake::Arithmetic));
        }
        let mut all = Vec::new();
        for target in &targets {
            let behaviour = match self.context.machine.atomicity {
                Atomicity::Atomic => {
                    let needs_row = self.context.may_lack_rows;
                    self.change(&Change { node, access, target, gate: "ACTION", needs_row }, env)?
                }
                _ => self.in_two_parts(node, access, target, env)?,
            };
            all.extend(guard(target.when.clone(), behaviour));
        }
        Ok(self.checked(node, &conditions, Behaviour::any(all), "i"))
    }

    fn of_target(&self, target: &Target) -> Variable {
        self.context.system.variables[target.first as usize].clone()
    }

    /// The value in memory: what is offered for it, and what it is.
    fn memory(&mut self, of: &Variable, name: Option<LocalId>) -> (String, Term) {
        if of.lo == of.hi {
            let known = Term::Number(of.lo);
            return (format!("!{}", self.context.values.offer(&known)), known);
        }
        let name = match name {
            Some(local) => self.fresh_local(local),
            None => self.fresh(&self.context.variables.old.clone()),
        };
        self.context.values.note((i128::from(of.lo), i128::from(of.hi)));
        (format!("?{name} : {}", self.context.values.sort), Term::Variable(name, of.lo, of.hi))
    }

    /// What is offered for a new value that depends on memory, and what ties it to that.
    fn tied(&mut self, stored: &Term) -> (String, Truth) {
        if matches!(stored, Term::Number(_)) {
            return (format!("!{}", self.context.values.offer(stored)), Truth::Always);
        }
        let name = self.fresh(&self.context.variables.new.clone());
        let written = self.context.values.text(stored);
        let tie = match stored {
            Term::Variable(..) => format!("{name} == {written}"),
            _ => format!("{name} == ({written})"),
        };
        (format!("?{name} : {}", self.context.values.sort), Truth::If(tie))
    }

    /// What an operation may do to a variable.
    fn cases(&mut self, access: &Access, of: &Variable, env: &Env) -> Vec<Case> {
        let always = Truth::Always;
        match &access.operation {
            Operation::Load => {
                let (old, value) = self.memory(of, access.result);
                vec![Case {
                    offers: old.clone(),
                    old,
                    when: always.clone(),
                    tie: always,
                    stored: value.clone(),
                    result: value,
                }]
            }
            Operation::Store(value) => {
                let value = term(value, env);
                let offers = format!("!{}", self.context.values.offer(&value));
                let (old, _) = self.memory(of, None);
                vec![Case {
                    old,
                    offers,
                    when: always.clone(),
                    tie: always,
                    stored: value.clone(),
                    result: value,
                }]
            }
            Operation::TestAndSet => {
                let (old, value) = self.memory(of, access.result);
                let stored = Term::Number(1);
                vec![Case {
                    offers: old.clone(),
                    old,
                    when: always.clone(),
                    tie: always,
                    stored,
                    result: value,
                }]
            }
            Operation::Swap(value) => {
                let (old, result) = self.memory(of, access.result);
                let stored = term(value, env);
                let offers = format!("{old} !{}", self.context.values.offer(&stored));
                vec![Case { old, offers, when: always.clone(), tie: always, stored, result }]
            }
            Operation::CompareAndSwap(expected, new) => {
                let (expected, stored) = (term(expected, env), term(new, env));
                let given = format!("!{}", self.context.values.offer(&expected));
                let success = Case {
                    offers: format!("{given} !{}", self.context.values.offer(&stored)),
                    old: given,
                    when: self.context.values.within(&expected, of.lo, of.hi),
                    tie: always,
                    stored,
                    result: Term::Number(1),
                };
                let (old, value) = self.memory(of, None);
                let differs = self.context.values.holds(&binary(Binary::NotEqual, value.clone(), expected));
                let (same, tie) = self.tied(&value);
                let offers = format!("{old} {same}");
                let failure =
                    Case { old, offers, when: differs, tie, stored: value, result: Term::Number(0) };
                vec![success, failure]
            }
            Operation::FetchAdd(value) => {
                let (old, result) = self.memory(of, access.result);
                let stored = sum(of, &result, term(value, env));
                self.context.values.note(bounds(&stored));
                let (new, tie) = self.tied(&stored);
                let offers = format!("{old} {new}");
                vec![Case { old, offers, when: always, tie, stored, result }]
            }
        }
    }

    /// The action in which memory and caches change, and what follows; with what is wrong instead.
    fn change(&mut self, change: &Change<'_>, env: &Env) -> Result<Behaviour, Refusal> {
        let Change { node, access, target, gate, needs_row } = *change;
        let of = self.of_target(target);
        let me = self.me();
        let operation = self.context.names.operation(access.operation.name());
        let values = &self.context.values;
        let ranges = access.result.map(|local| self.of().locals[local.index()].clone());
        let mut all = Vec::new();
        for case in self.cases(access, &of, env) {
            if case.when == Truth::Never {
                continue;
            }
            let is_load = access.operation == Operation::Load;
            let fits = if is_load || of.lo == of.hi {
                Truth::Always
            } else {
                values.within(&case.stored, of.lo, of.hi)
            };
            let fits_local = match &ranges {
                Some(local) => values.within(&case.result, local.lo, local.hi),
                None => Truth::Always,
            };
            // What the process knows by itself needs no partner.
            let knows_stored =
                matches!(access.operation, Operation::Store(_) | Operation::TestAndSet | Operation::Swap(_));
            let knows_result = matches!(access.operation, Operation::Store(_)) && !needs_row;
            let mut before = Vec::new();
            let mut predicate = case.when.clone();
            if matches!(access.operation, Operation::CompareAndSwap(..)) && case.result == Term::Number(1) {
                // The value in memory is given then.
                predicate = Truth::Always;
            }
            let when = predicate.clone();
            if knows_stored {
                before.push((fits.clone(), Mistake::Range));
            }
            if knows_result {
                before.push((fits_local.clone(), Mistake::Range));
            }
            let mut ways = Vec::new();
            let mut usual = predicate.and(case.tie.clone());
            let mut so_far = when;
            if !knows_stored {
                usual = usual.and(fits.clone());
                ways.extend(self.fault(
                    change,
                    &case,
                    so_far.clone().and(fits.clone().negated()),
                    None,
                    Mistake::Range,
                ));
                so_far = so_far.and(fits);
            }
            if needs_row {
                ways.extend(self.fault(change, &case, so_far.clone(), Some(false), Mistake::NoRow));
            }
            if !knows_result {
                usual = usual.and(fits_local.clone());
                let wrong = so_far.and(fits_local.negated());
                ways.extend(self.fault(change, &case, wrong, needs_row.then_some(true), Mistake::Range));
            }
            if usual != Truth::Never {
                let mut env = env.clone();
                if let (Some(local), Some(of)) = (access.result, &ranges) {
                    env[local.index()] = match &case.result {
                        Term::Variable(name, ..) => variable(name, &case.result, of.lo, of.hi),
                        result => result.clone(),
                    };
                    if of.lo == of.hi {
                        env[local.index()] = Term::Number(of.lo);
                    }
                }
                let transfer = format!("?{} : TRANSFER", self.context.variables.transfer);
                let of_action = if gate == "ACTION" { format!(" {transfer}") } else { String::new() };
                let predicate = match usual {
                    Truth::If(condition) => format!(" [{condition}]"),
                    _ => String::new(),
                };
                let (name, t) = (&target.name, &self.context.variables.transfer);
                let part = if gate == "ACTION" { "" } else { " !2" };
                let actions = vec![
                    format!("{gate} !{me} !{operation} !{name} {}{of_action}{predicate}", case.offers),
                    format!("LATENCY !{me} !{name} !{t}{part}"),
                ];
                let code = self.code(access.next, &env, false, Some(&format!("END_ACTION !{me}")), 0)?;
                ways.insert(0, Behaviour::Actions(actions, Box::new(code)));
            }
            all.push(self.checked(node, &before, Behaviour::any(ways), "i"));
        }
        Ok(Behaviour::any(all))
    }

    /// The process of the line is asked for the value in memory, and with it the access is wrong.
    fn fault(
        &mut self,
        change: &Change<'_>,
        case: &Case,
        when: Truth,
        has_row: Option<bool>,
        mistake: Mistake,
    ) -> Option<Behaviour> {
        if when == Truth::Never {
            return None;
        }
        self.faults.extend(change.target.all.iter().map(|&variable| (self.process, variable)));
        let mut action = format!("FAULT !{} !{} {}", self.me(), change.target.name, case.old);
        if self.context.may_lack_rows {
            let access = self.context.access(change.access.operation.on_cache());
            let row = has_row.map_or("?HAS : BOOL".to_owned(), |has| format!("!{has}"));
            action.push_str(&format!(" !{access} {row}"));
        }
        if let Truth::If(condition) = when {
            action.push_str(&format!(" [{condition}]"));
        }
        Some(self.fail(change.node, mistake, Some(&action)))
    }

    /// An access that changes caches and memory in its middle.
    fn in_two_parts(
        &mut self,
        node: NodeId,
        access: &Access,
        target: &Target,
        env: &Env,
    ) -> Result<Behaviour, Refusal> {
        let of = self.of_target(target);
        let me = self.me();
        let context = self.context;
        let operation = context.names.operation(access.operation.name());
        // What the label shows is what the values are now.
        let (old, value) = self.memory(&of, None);
        let stored = match &access.operation {
            Operation::FetchAdd(amount) => Some(sum(&of, &value, term(amount, env))),
            Operation::CompareAndSwap(expected, new) => {
                let equal = binary(Binary::Equal, value.clone(), term(expected, env));
                let new = term(new, env);
                match context.values.holds(&equal) {
                    Truth::Always => Some(new),
                    Truth::Never => Some(value.clone()),
                    Truth::If(condition) => {
                        context.uses_choose.set(true);
                        let (yes, no) = (context.values.text(&new), context.values.text(&value));
                        let text = format!("{} ({condition}, {yes}, {no})", context.functions.choose);
                        Some(Term::Variable(text, of.lo, of.hi))
                    }
                }
            }
            _ => None,
        };
        let (offers, tie) = match (&access.operation, stored) {
            (Operation::Store(value), _) => {
                (format!("!{}", context.values.offer(&term(value, env))), Truth::Always)
            }
            (Operation::Swap(value), _) => {
                (format!("{old} !{}", context.values.offer(&term(value, env))), Truth::Always)
            }
            (_, Some(stored)) => {
                let (new, tie) = self.tied(&stored);
                (format!("{old} {new}"), tie)
            }
            _ => (old.clone(), Truth::Always),
        };
        let (name, t) = (&target.name, &context.variables.transfer);
        let predicate = match tie {
            Truth::If(condition) => format!(" [{condition}]"),
            _ => String::new(),
        };
        let actions = vec![
            format!("ACTION !{me} !{operation} !{name} {offers} ?{t} : TRANSFER{predicate}"),
            format!("LATENCY !{me} !{name} !{t} !1"),
        ];
        let is_split = context.machine.atomicity == Atomicity::Split;
        let needs_row = context.may_lack_rows && is_split;
        let update = self.change(&Change { node, access, target, gate: "UPDATE", needs_row }, env)?;
        let mut ways = vec![Behaviour::Actions(actions, Box::new(update))];
        if context.may_lack_rows {
            let change = Change { node, access, target, gate: "ACTION", needs_row: true };
            let case = Case {
                old,
                offers: String::new(),
                when: Truth::Always,
                tie: Truth::Always,
                stored: Term::Number(0),
                result: Term::Number(0),
            };
            ways.extend(self.fault(&change, &case, Truth::Always, Some(false), Mistake::NoRow));
        }
        Ok(Behaviour::any(ways))
    }
}

/// The operands of an operation.
fn operands(operation: &Operation, env: &Env) -> Vec<Term> {
    match operation {
        Operation::Load | Operation::TestAndSet => Vec::new(),
        Operation::Store(a) | Operation::Swap(a) | Operation::FetchAdd(a) => vec![term(a, env)],
        Operation::CompareAndSwap(a, b) => vec![term(a, env), term(b, env)],
    }
}

/// What `fetch_add` stores.
fn sum(of: &Variable, old: &Term, amount: Term) -> Term {
    let sum = binary(Binary::Add, old.clone(), amount);
    if !of.wraps {
        return sum;
    }
    let size = Term::Number(of.hi - of.lo + 1);
    let lo = Term::Number(of.lo);
    let offset = if of.lo == 0 { sum } else { binary(Binary::Subtract, sum, lo.clone()) };
    let rest = binary(Binary::Remainder, offset, size);
    if of.lo == 0 { rest } else { binary(Binary::Add, lo, rest) }
}
