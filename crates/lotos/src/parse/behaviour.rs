//! Behaviours, by the precedence of their operators. From the loosest: `hide`, `let`, `choice` and `par` reach as far as they
//! can; then `>>`, `[>`, the parallel operators, `[]`, and what is before a behaviour (guards, actions).

use super::cursor::{Cursor, Parsed};
use crate::lex::Kind;
use crate::syntax::{
    Behaviour, BehaviourId, BehaviourKind, Condition, Exit, Name, Offer, Parameter, Sync, ValueId,
};
use volvelle_diagnostics::Span;

/// What stands before a behaviour.
enum Before {
    Action { gate: Option<Name>, offers: Vec<Offer>, predicate: Option<Condition> },
    Guard(Condition),
}

/// The levels of binary operators.
const ENABLE: u8 = 0;
const DISABLE: u8 = 1;
const PARALLEL: u8 = 2;

impl Cursor {
    pub fn behaviour_node(&mut self, kind: BehaviourKind, span: Span) -> BehaviourId {
        self.tree.behaviours.push(Behaviour { kind, span });
        self.tree.behaviours.len() - 1
    }

    pub fn behaviour(&mut self) -> Parsed<BehaviourId> {
        self.nested(|c| c.binary(ENABLE))
    }

    fn binary(&mut self, level: u8) -> Parsed<BehaviourId> {
        let start = self.here();
        if level > PARALLEL {
            return self.choices();
        }
        let left = self.binary(level + 1)?;
        let kind = match level {
            ENABLE if self.take(">>") => {
                let mut accept = Vec::new();
                if self.take_word("ACCEPT") {
                    accept = self.variables()?;
                    self.keyword("IN")?;
                }
                let right = self.nested(|c| c.binary(level))?;
                BehaviourKind::Enable { left, accept, right }
            }
            DISABLE if self.take("[>") => {
                let right = self.nested(|c| c.binary(level))?;
                BehaviourKind::Disable { left, right }
            }
            PARALLEL => {
                let Some(sync) = self.parallel()? else { return Ok(left) };
                let right = self.nested(|c| c.binary(level))?;
                BehaviourKind::Parallel { sync, left, right }
            }
            _ => return Ok(left),
        };
        Ok(self.behaviour_node(kind, self.since(start)))
    }

    fn parallel(&mut self) -> Parsed<Option<Sync>> {
        if self.take("|||") {
            return Ok(Some(Sync::Gates(Vec::new())));
        }
        if self.take("||") {
            return Ok(Some(Sync::All));
        }
        if !self.take("|[") {
            return Ok(None);
        }
        let gates = if self.at("]|") { Vec::new() } else { self.names("a gate")? };
        self.sign("]|")?;
        Ok(Some(Sync::Gates(gates)))
    }

    fn choices(&mut self) -> Parsed<BehaviourId> {
        let start = self.here();
        let mut all = vec![self.prefixed()?];
        while self.take("[]") {
            all.push(self.prefixed()?);
        }
        if all.len() == 1 {
            return Ok(all[0]);
        }
        Ok(self.behaviour_node(BehaviourKind::Choice(all), self.since(start)))
    }

    /// Guards and actions, and the behaviour behind them.
    fn prefixed(&mut self) -> Parsed<BehaviourId> {
        let mut before: Vec<(Before, Span)> = Vec::new();
        loop {
            let start = self.here();
            if self.take("[") {
                let condition = self.condition()?;
                self.sign("]")?;
                self.sign("->")?;
                before.push((Before::Guard(condition), self.since(start)));
                continue;
            }
            // A gate may have the name of a keyword.
            let is_word =
                matches!(self.peek().kind, Kind::Word(_)) && !self.at_word("STOP") && !self.at_word("EXIT");
            let is_action = is_word && [";", "!", "?"].contains(&self.peek_second().text());
            if !is_action {
                break;
            }
            let token = self.advance();
            let gate = Name { text: token.text().to_owned(), span: token.span };
            let gate = (gate.text != "I" || !self.at(";")).then_some(gate);
            let (mut offers, mut predicate) = (Vec::new(), None);
            while self.at("!") || self.at("?") {
                self.offer(&mut offers)?;
            }
            if self.take("[") {
                predicate = Some(self.condition()?);
                self.sign("]")?;
            }
            let span = self.since(start);
            self.sign(";")?;
            before.push((Before::Action { gate, offers, predicate }, span));
        }
        let mut then = self.nested(Cursor::atom)?;
        while let Some((before, span)) = before.pop() {
            let kind = match before {
                Before::Action { gate, offers, predicate } => {
                    BehaviourKind::Prefix { gate, offers, predicate, then }
                }
                Before::Guard(condition) => BehaviourKind::Guard(condition, then),
            };
            then = self.behaviour_node(kind, span);
        }
        Ok(then)
    }

    fn offer(&mut self, offers: &mut Vec<Offer>) -> Parsed<()> {
        if self.take("!") {
            offers.push(Offer::Give(self.value()?));
            return Ok(());
        }
        self.sign("?")?;
        let names = self.names("a variable")?;
        self.sign(":")?;
        let sort = self.name("a sort")?;
        offers.extend(names.into_iter().map(|name| Offer::Take(Parameter { name, sort: sort.clone() })));
        Ok(())
    }

    fn atom(&mut self) -> Parsed<BehaviourId> {
        let start = self.here();
        if self.take("(") {
            let body = self.behaviour()?;
            self.sign(")")?;
            return Ok(body);
        }
        let kind = if self.take_word("STOP") {
            BehaviourKind::Stop
        } else if self.take_word("EXIT") {
            BehaviourKind::Exit(self.exits()?)
        } else if self.take_word("HIDE") {
            let gates = self.names("a gate")?;
            self.keyword("IN")?;
            BehaviourKind::Hide { gates, body: self.behaviour()? }
        } else if self.take_word("LET") {
            let bindings = self.bindings()?;
            self.keyword("IN")?;
            BehaviourKind::Let { bindings, body: self.behaviour()? }
        } else if self.take_word("CHOICE") {
            self.choice()?
        } else if self.take_word("PAR") {
            let ranges = self.ranges()?;
            let Some(sync) = self.parallel()? else { return self.expected("a parallel operator") };
            BehaviourKind::ParGates { ranges, sync, body: self.behaviour()? }
        } else if self.at_name() {
            let process = self.name("a process")?;
            let gates = if self.take("[") {
                let gates = self.names("a gate")?;
                self.sign("]")?;
                gates
            } else {
                Vec::new()
            };
            let mut arguments = Vec::new();
            if self.take("(") {
                arguments = self.values()?;
                self.sign(")")?;
            }
            BehaviourKind::Call { process, gates, arguments }
        } else {
            return self.expected("a behaviour");
        };
        Ok(self.behaviour_node(kind, self.since(start)))
    }

    fn exits(&mut self) -> Parsed<Vec<Exit>> {
        let mut all = Vec::new();
        if !self.take("(") {
            return Ok(all);
        }
        loop {
            all.push(match self.take_word("ANY") {
                true => Exit::Any(self.name("a sort")?),
                false => Exit::Value(self.value()?),
            });
            if !self.take(",") {
                break;
            }
        }
        self.sign(")")?;
        Ok(all)
    }

    /// `x : S = e, y, z : T = f`
    fn bindings(&mut self) -> Parsed<Vec<(Parameter, ValueId)>> {
        let mut all = Vec::new();
        loop {
            let names = self.names("a variable")?;
            self.sign(":")?;
            let sort = self.name("a sort")?;
            self.sign("=")?;
            let value = self.value()?;
            all.extend(names.into_iter().map(|name| (Parameter { name, sort: sort.clone() }, value)));
            if !self.take(",") {
                return Ok(all);
            }
        }
    }

    /// What follows `choice`: values of sorts (`x : S`), or gates (`g in [...]`).
    fn choice(&mut self) -> Parsed<BehaviourKind> {
        let is_gates = {
            let mut at = 0;
            while ![":", "IN", ""].contains(&self.ahead(at)) {
                at += 1;
            }
            self.ahead(at) == "IN"
        };
        Ok(if is_gates {
            let ranges = self.ranges()?;
            self.sign("[]")?;
            BehaviourKind::ChoiceGates { ranges, body: self.behaviour()? }
        } else {
            let variables = self.variables()?;
            self.sign("[]")?;
            BehaviourKind::ChoiceValues { variables, body: self.behaviour()? }
        })
    }

    /// `g, h in [a, b]`
    fn ranges(&mut self) -> Parsed<Vec<(Name, Vec<Name>)>> {
        let mut all = Vec::new();
        loop {
            let names = self.names("a gate")?;
            self.keyword("IN")?;
            self.sign("[")?;
            let among = self.names("a gate")?;
            self.sign("]")?;
            all.extend(names.into_iter().map(|name| (name, among.clone())));
            if !self.take(",") {
                return Ok(all);
            }
        }
    }
}
