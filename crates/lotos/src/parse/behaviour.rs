//! Behaviours, by the precedence of their operators. From the loosest: `hide`, `let`, `choice` and `par` reach as far as they
//! can; then `>>`, `[>`, the parallel operators, `[]`, and what is before a behaviour (guards, actions).

use super::parser::{Parsed, Parser};
use crate::lex::{Kind, T};
use crate::syntax::{
    Behaviour, BehaviourId, BehaviourKind, Condition, Exit, Name, Offer, Parameter, Sync, ValueId,
};
use volvelle_diagnostics::Span;
use volvelle_syntax::Parse;

/// What stands before a behaviour.
enum Before {
    Action { gate: Option<Name>, offers: Vec<Offer>, predicate: Option<Condition> },
    Guard(Condition),
}

/// The levels of binary operators.
const ENABLE: u8 = 0;
const DISABLE: u8 = 1;
const PARALLEL: u8 = 2;

impl Parser<'_> {
    pub fn behaviour_node(&mut self, kind: BehaviourKind, span: Span) -> BehaviourId {
        self.tree.behaviours.push(Behaviour { kind, span });
        self.tree.behaviours.len() - 1
    }

    pub fn behaviour(&mut self) -> Parsed<BehaviourId> {
        self.nested(|c| c.binary(ENABLE))
    }

    fn binary(&mut self, level: u8) -> Parsed<BehaviourId> {
        let start = self.span();
        if level > PARALLEL {
            return self.choices();
        }
        let left = self.binary(level + 1)?;
        let kind = match level {
            ENABLE if self.take(T![">>"]) => {
                let mut accept = Vec::new();
                if self.take(T!["ACCEPT"]) {
                    accept = self.variables()?;
                    self.expect(T!["IN"])?;
                }
                let right = self.nested(|c| c.binary(level))?;
                BehaviourKind::Enable { left, accept, right }
            }
            DISABLE if self.take(T!["[>"]) => {
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
        if self.take(T!["|||"]) {
            return Ok(Some(Sync::Gates(Vec::new())));
        }
        if self.take(T!["||"]) {
            return Ok(Some(Sync::All));
        }
        if !self.take(T!["|["]) {
            return Ok(None);
        }
        let gates = if self.at(T!["]|"]) { Vec::new() } else { self.names("a gate")? };
        self.expect(T!["]|"])?;
        Ok(Some(Sync::Gates(gates)))
    }

    fn choices(&mut self) -> Parsed<BehaviourId> {
        let start = self.span();
        let mut all = vec![self.prefixed()?];
        while self.take(T!["[]"]) {
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
            let start = self.span();
            if self.take(T!["["]) {
                let condition = self.condition()?;
                self.expect(T!["]"])?;
                self.expect(T!["->"])?;
                before.push((Before::Guard(condition), self.since(start)));
                continue;
            }
            // A gate may have the name of a keyword.
            let is_word = self.at_any_word() && !self.at(T!["STOP"]) && !self.at(T!["EXIT"]);
            let is_action = is_word && matches!(self.ahead(1).kind, T![";"] | T!["!"] | T!["?"]);
            if !is_action {
                break;
            }
            let gate = self.taken();
            let gate = (gate.text != "I" || !self.at(T![";"])).then_some(gate);
            let mut offers = Vec::new();
            while self.at(T!["!"]) || self.at(T!["?"]) {
                self.offer(&mut offers)?;
            }
            let predicate = self.within(T!["["], T!["]"], |p| p.condition().map(Some))?;
            let span = self.since(start);
            self.expect(T![";"])?;
            before.push((Before::Action { gate, offers, predicate }, span));
        }
        let mut then = self.nested(Parser::atom)?;
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
        if self.take(T!["!"]) {
            offers.push(Offer::Give(self.value()?));
            return Ok(());
        }
        self.expect(T!["?"])?;
        let names = self.names("a variable")?;
        self.expect(T![":"])?;
        let sort = self.name("a sort")?;
        offers.extend(names.into_iter().map(|name| Offer::Take(Parameter { name, sort: sort.clone() })));
        Ok(())
    }

    fn atom(&mut self) -> Parsed<BehaviourId> {
        let start = self.span();
        if self.take(T!["("]) {
            let body = self.behaviour()?;
            self.expect(T![")"])?;
            return Ok(body);
        }
        let kind = if self.take(T!["STOP"]) {
            BehaviourKind::Stop
        } else if self.take(T!["EXIT"]) {
            BehaviourKind::Exit(self.exits()?)
        } else if self.take(T!["HIDE"]) {
            let gates = self.names("a gate")?;
            self.expect(T!["IN"])?;
            BehaviourKind::Hide { gates, body: self.behaviour()? }
        } else if self.take(T!["LET"]) {
            let bindings = self.bindings()?;
            self.expect(T!["IN"])?;
            BehaviourKind::Let { bindings, body: self.behaviour()? }
        } else if self.take(T!["CHOICE"]) {
            self.choice()?
        } else if self.take(T!["PAR"]) {
            let ranges = self.ranges()?;
            let Some(sync) = self.parallel()? else { return Err(self.unexpected("a parallel operator")) };
            BehaviourKind::ParGates { ranges, sync, body: self.behaviour()? }
        } else if self.at(Kind::Name) {
            let process = self.name("a process")?;
            let gates = self.within(T!["["], T!["]"], |p| p.names("a gate"))?;
            let arguments = self.within(T!["("], T![")"], Self::values)?;
            BehaviourKind::Call { process, gates, arguments }
        } else {
            return Err(self.unexpected("a behaviour"));
        };
        Ok(self.behaviour_node(kind, self.since(start)))
    }

    fn exits(&mut self) -> Parsed<Vec<Exit>> {
        let exit = |p: &mut Self| match p.take(T!["ANY"]) {
            true => p.name("a sort").map(Exit::Any),
            false => p.value().map(Exit::Value),
        };
        self.within(T!["("], T![")"], |p| p.separated(T![","], exit))
    }

    /// `x : S = e, y, z : T = f`
    fn bindings(&mut self) -> Parsed<Vec<(Parameter, ValueId)>> {
        let mut all = Vec::new();
        loop {
            let names = self.names("a variable")?;
            self.expect(T![":"])?;
            let sort = self.name("a sort")?;
            self.expect(T!["="])?;
            let value = self.value()?;
            all.extend(names.into_iter().map(|name| (Parameter { name, sort: sort.clone() }, value)));
            if !self.take(T![","]) {
                return Ok(all);
            }
        }
    }

    /// What follows `choice`: values of sorts (`x : S`), or gates (`g in [...]`).
    fn choice(&mut self) -> Parsed<BehaviourKind> {
        let is_gates = {
            let mut at = 0;
            while !matches!(self.ahead(at).kind, T![":"] | T!["IN"] | Kind::End) {
                at += 1;
            }
            self.ahead(at).is(T!["IN"])
        };
        Ok(if is_gates {
            let ranges = self.ranges()?;
            self.expect(T!["[]"])?;
            BehaviourKind::ChoiceGates { ranges, body: self.behaviour()? }
        } else {
            let variables = self.variables()?;
            self.expect(T!["[]"])?;
            BehaviourKind::ChoiceValues { variables, body: self.behaviour()? }
        })
    }

    /// `g, h in [a, b]`
    fn ranges(&mut self) -> Parsed<Vec<(Name, Vec<Name>)>> {
        let mut all = Vec::new();
        loop {
            let names = self.names("a gate")?;
            self.expect(T!["IN"])?;
            self.expect(T!["["])?;
            let among = self.names("a gate")?;
            self.expect(T!["]"])?;
            all.extend(names.into_iter().map(|name| (name, among.clone())));
            if !self.take(T![","]) {
                return Ok(all);
            }
        }
    }
}
