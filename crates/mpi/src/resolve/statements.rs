//! Statements become steps.

use super::body::{Binding, Body, Key, LocalInfo};
use super::globals::{Globals, Values};
use super::places::Meaning;
use super::report::Report;
use crate::syntax::{self, Block, ExprKind, Place, Statement, StatementKind};
use crate::system::{Event, Expr, MarkId, NodeKind, Operation, Work, WorkId};
use volvelle_diagnostics::{Diagnostic, Span, codes};

impl<'t> Body<'_, 't> {
    /// The statements of a block; names that it declares end with it.
    pub fn block(&mut self, block: &'t Block) {
        let names = self.frame().names.len();
        for statement in &block.statements {
            self.statement(statement);
        }
        self.frame().names.truncate(names);
    }

    fn statement(&mut self, statement: &'t Statement) {
        // What is not reached is not written out: it may make no sense for these constants.
        if !self.graph.reachable() {
            return;
        }
        let level = self.held.len();
        self.nested(statement.span, (), |body| body.any_statement(statement));
        self.release(level, 0, statement.span);
    }

    fn any_statement(&mut self, statement: &'t Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Local(locals) => locals.iter().for_each(|local| self.declare(local)),
            StatementKind::Assign(place, value) => self.assignment(place, value, span),
            StatementKind::Read(place) => self.untold(place, Operation::Load, span),
            StatementKind::Write(place) => self.write(place, span),
            StatementKind::If(condition, yes, no) => {
                let (when_yes, when_no) = self.condition(condition);
                self.graph.join(when_yes);
                self.statement(yes);
                let end = self.graph.take();
                self.graph.join(when_no);
                if let Some(no) = no {
                    self.statement(no);
                }
                self.graph.join(end);
            }
            StatementKind::While(condition, body) => {
                let (head, end) = (self.graph.label(span), self.graph.label(span));
                self.graph.place(head);
                let (yes, no) = self.condition(condition);
                self.graph.join(yes);
                self.in_loop(end, head, |this| this.statement(body));
                self.graph.jump(head);
                self.graph.join(no);
                self.graph.place_if_used(end);
            }
            StatementKind::Repeat(block, condition) => {
                let [head, test, end] = [(); 3].map(|()| self.graph.label(span));
                self.graph.place(head);
                self.in_loop(end, test, |this| this.block(block));
                self.graph.place_if_used(test);
                if self.graph.reachable() {
                    let (yes, no) = self.condition(condition);
                    self.graph.join(no);
                    self.graph.jump(head);
                    self.graph.join(yes);
                }
                self.graph.place_if_used(end);
            }
            StatementKind::Loop(body) => {
                let (head, end) = (self.graph.label(span), self.graph.label(span));
                self.graph.place(head);
                self.in_loop(end, head, |this| this.statement(body));
                self.graph.jump(head);
                self.graph.place_if_used(end);
            }
            StatementKind::For(name, range, body) => self.unrolled(&name.text, range, body, span),
            StatementKind::Either(ways) => {
                let mut end = Vec::new();
                for (ends, way) in self.graph.choice(ways.len(), span).into_iter().zip(ways) {
                    self.graph.join(ends);
                    self.block(way);
                    end.extend(self.graph.take());
                }
                self.graph.join(end);
            }
            StatementKind::Break | StatementKind::Continue => {
                if let Some(&(end, next)) = self.frame().loops.last() {
                    self.graph.jump(if statement.kind == StatementKind::Break { end } else { next });
                }
            }
            StatementKind::Return(value) => self.give_back(value.as_ref(), span),
            StatementKind::Measure(name) => {
                let mark = numbered(&mut self.system.marks, &name.text);
                self.graph.kind(|next| NodeKind::Event(Event::Mark(MarkId(mark)), next), span);
            }
            StatementKind::Work(work) => self.work(work, span),
            StatementKind::Enter(place) | StatementKind::Leave(place) => {
                let Some(reach) = self.reach(place, &[]) else { return };
                let Some((reference, _)) = self.reference(&reach) else { return };
                let event = match statement.kind {
                    StatementKind::Enter(_) => Event::Enter(reference),
                    _ => Event::Leave(reference),
                };
                self.graph.kind(|next| NodeKind::Event(event, next), span);
            }
            StatementKind::Sent(place, content) | StatementKind::Received(place, content) => {
                let sent = matches!(statement.kind, StatementKind::Sent(..));
                self.message(sent, place, content.as_ref(), span);
            }
            StatementKind::Assert(condition) => {
                let value = self.value(condition);
                if !matches!(value, Expr::Constant(value) if value != 0) {
                    self.graph.kind(|next| NodeKind::Assert(value, next), span);
                }
            }
            StatementKind::Evaluate(expr) => self.evaluate(expr),
            StatementKind::Block(block) => self.block(block),
            StatementKind::Empty => {}
        }
    }

    fn in_loop(
        &mut self,
        end: crate::system::NodeId,
        next: crate::system::NodeId,
        build: impl FnOnce(&mut Self),
    ) {
        self.frame().loops.push((end, next));
        build(self);
        self.frame().loops.pop();
    }

    fn declare(&mut self, local: &'t syntax::Local) {
        let globals = self.globals;
        let (name, prefix) = (&local.name, self.frame().prefix.clone());
        // Mistakes in the type have been reported where names are checked.
        let mut silent = Report::default();
        let values = local.kind.as_ref().and_then(|kind| globals.values(kind, &mut silent));
        let initial = local.initial.as_ref().and_then(|expr| initial(globals, expr, values));
        let info = LocalInfo { name: format!("{prefix}{}", name.text), values, initial, span: name.span };
        let id = self.local(Key::Declared(name.span.start), || info);
        let level = self.held.len();
        match &local.initial {
            Some(value) => {
                let value = self.value_into(value, Some(id));
                self.assign(id, value, name.span);
            }
            None => self.clear(id, name.span),
        }
        self.release(level, 0, name.span);
        let frame = self.frame();
        if frame.called.is_some() && !frame.cleared.contains(&id) {
            frame.cleared.push(id);
        }
        frame.names.push((&name.text, Binding::Local(id)));
    }

    fn assignment(&mut self, place: &Place, value: &syntax::Expr, span: Span) {
        let level = self.held.len();
        match self.meaning(place, &[value]) {
            Some(Meaning::Local(local)) => {
                let value = self.value_into(value, Some(local));
                self.assign(local, value, span);
            }
            Some(Meaning::Shared(reach)) => {
                let stored = self.value(value);
                self.access(&reach, Operation::Store(stored), Some(value), None, level, span);
            }
            Some(Meaning::Constant(_)) | None => {}
        }
    }

    /// An access without a value.
    fn untold(&mut self, place: &Place, operation: Operation, span: Span) {
        let level = self.held.len();
        if let Some(reach) = self.reach(place, &[]) {
            self.access(&reach, operation, None, None, level, span);
        }
    }

    fn write(&mut self, place: &Place, span: Span) {
        let level = self.held.len();
        let Some(reach) = self.reach(place, &[]) else { return };
        let Some((_, values)) = self.reference(&reach) else { return };
        if values.lo != values.hi {
            let name = self.text(&reach);
            let diagnostic = Diagnostic::error(
                codes::PRIMITIVE_VALUE,
                format!("`write` says no value, and `{name}` has values"),
            )
            .at(span, "which value does it get?")
            .also(self.array(&reach).span, "declared here")
            .help("assign one, or declare the variable without a type, as data whose values do not matter");
            let diagnostic = self.called_from(diagnostic);
            return self.report.push(diagnostic);
        }
        self.access(&reach, Operation::Store(Expr::Constant(values.lo)), None, None, level, span);
    }

    /// Bounds of a range that are constants here.
    fn constant_value(&mut self, expr: &syntax::Expr, what: &str) -> Option<i64> {
        match self.value(expr) {
            Expr::Constant(value) => Some(value),
            _ => {
                let diagnostic = Diagnostic::error(
                    codes::PRIMITIVE_VALUE,
                    format!("{what} is known before processes start"),
                )
                .at(expr.span, "this is computed while the process runs");
                let diagnostic = self.called_from(diagnostic);
                self.report.push(diagnostic);
                None
            }
        }
    }

    fn unrolled(&mut self, name: &'t str, range: &syntax::Range, body: &'t Statement, span: Span) {
        let help = "the range of `for`";
        let (Some(lo), Some(hi)) =
            (self.constant_value(&range.lo, help), self.constant_value(&range.hi, help))
        else {
            return;
        };
        let end = self.graph.label(span);
        for value in lo..=hi {
            if !self.graph.reachable() || self.exhausted {
                break;
            }
            let next = self.graph.label(span);
            self.frame().names.push((name, Binding::Constant(value)));
            // Each round counts, also an empty one.
            self.nested(span, (), |this| this.in_loop(end, next, |this| this.statement(body)));
            self.frame().names.pop();
            self.graph.place_if_used(next);
        }
        self.graph.place_if_used(end);
    }

    fn give_back(&mut self, value: Option<&syntax::Expr>, span: Span) {
        let result = self.frame().result;
        let level = self.held.len();
        match (value, result) {
            (Some(value), Some(result)) => {
                let given = self.value_into(value, Some(result));
                self.assign(result, given, span);
            }
            // Nobody wants it, but it may read.
            (Some(value), None) => self.evaluate(value),
            (None, Some(_)) => {
                let diagnostic = Diagnostic::error(codes::PRIMITIVE_NAME, "this `return` gives no value")
                    .at(span, "the value of the procedure is used");
                let diagnostic = self.called_from(diagnostic);
                self.report.push(diagnostic);
            }
            (None, None) => {}
        }
        self.release(level, 0, span);
        let end = self.frame().end;
        self.graph.jump(end);
    }

    fn work(&mut self, work: &syntax::Work, span: Span) {
        let (name, mean, at) = match work {
            syntax::Work::Decimal(text) => (text, text.parse().ok(), span),
            syntax::Work::Value(expr, text) => {
                let mean = self.constant_value(expr, "how long work takes").map(|value| value as f64);
                if mean.is_none() {
                    return;
                }
                (text, mean, expr.span)
            }
        };
        let mean = mean.filter(|mean: &f64| mean.is_finite() && *mean > 0.0);
        let Some(mean) = mean else {
            let diagnostic = Diagnostic::error(codes::PRIMITIVE_VALUE, "work takes some time")
                .at(at, "this is not above 0")
                .help("leave it out where there is nothing to do: `if (t > 0) work t;`");
            let diagnostic = self.called_from(diagnostic);
            return self.report.push(diagnostic);
        };
        let works = &mut self.system.works;
        let known = works.iter().position(|work| work.name == *name && work.mean == mean);
        let number = known.unwrap_or_else(|| {
            works.push(Work { name: name.clone(), mean });
            works.len() - 1
        });
        self.graph.kind(|next| NodeKind::Work(WorkId(number as u32), next), span);
    }

    fn message(&mut self, sent: bool, place: &Place, content: Option<&syntax::Expr>, span: Span) {
        let then: Vec<&syntax::Expr> = content.iter().copied().collect();
        let Some((channel, values)) = self.channel(place, &then) else { return };
        let value = match content {
            Some(content) => self.value(content),
            None => Expr::Constant(values.lo),
        };
        match (content, values.lo == values.hi) {
            (None, false) => {
                let message = format!("messages of `{}` have contents", place.name.text);
                let help = "write it behind a comma";
                self.report.push(Diagnostic::error(codes::PRIMITIVE_VALUE, message).at(span, "").help(help));
            }
            (Some(content), _) => {
                if let Expr::Constant(value) = value {
                    self.check_value(value, values, &place.name.text, content.span);
                }
            }
            (None, true) => {}
        }
        let event = if sent { Event::Sent(channel, value) } else { Event::Received(channel, value) };
        self.graph.kind(|next| NodeKind::Event(event, next), span);
    }

    /// An expression for what it does.
    fn evaluate(&mut self, expr: &syntax::Expr) {
        match &expr.kind {
            ExprKind::Call(name, arguments) => self.call(name, arguments, None, expr.span),
            ExprKind::Operation(..) => {
                let level = self.held.len();
                let _ = self.value(expr);
                self.release(level, 0, expr.span);
            }
            _ => {
                let _ = self.value(expr);
            }
        }
    }
}

/// The initial value of a local, if it is one that does not depend on calls.
fn initial(globals: &Globals, expr: &syntax::Expr, values: Option<Values>) -> Option<i64> {
    let mut silent = Report::default();
    let value = globals.constant(expr, &[], &mut silent)?;
    values.is_none_or(|values| values.contains(value)).then_some(value)
}

/// The number of a name in a list, at the end of which it is put if it is new.
fn numbered(names: &mut Vec<String>, name: &str) -> u32 {
    let number = names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    number as u32
}

/// A local as it is in the system.
pub(super) fn as_local(info: &LocalInfo, range: (i64, i64)) -> crate::system::Local {
    let (lo, hi) = range;
    let values = Values { lo, hi, wraps: false };
    let initial = info.initial.filter(|&value| values.contains(value)).unwrap_or(values.default());
    crate::system::Local { name: info.name.clone(), lo, hi, initial }
}
