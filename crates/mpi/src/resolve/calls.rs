//! Calls: the body of the procedure stands where it is called.

use super::body::{Binding, Body, Frame, Key, LocalInfo, Reach};
use super::globals::Symbol;
use crate::syntax::{self, Block, ExprKind, Name, Procedure, StatementKind};
use crate::system::{Expr, LocalId};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// An argument after evaluation.
enum Argument {
    Value(Expr),
    Shared(Reach),
}

impl Body<'_, '_> {
    /// Puts a procedure here; its value goes into a local, if somebody wants it.
    pub fn call(&mut self, name: &Name, arguments: &[syntax::Expr], result: Option<LocalId>, span: Span) {
        let Some(Symbol::Procedure(number)) = self.symbol(&name.text) else { return };
        let procedure = self.globals.procedures[number];
        let level = self.held.len();
        let later: Vec<&syntax::Expr> = arguments.iter().collect();
        let mut evaluated = Vec::with_capacity(arguments.len());
        for (place, (parameter, argument)) in procedure.parameters.iter().zip(arguments).enumerate() {
            let then = &later[place + 1..];
            evaluated.push(match (&argument.kind, parameter.shared) {
                (ExprKind::Place(shared), true) => match self.reach(shared, then) {
                    Some(reach) => Argument::Shared(reach),
                    None => break,
                },
                (_, true) => break,
                _ => {
                    let value = self.value(argument);
                    Argument::Value(self.settle(value, then, argument.span))
                }
            });
        }
        // Something is wrong with an argument, or is called in one that never comes back.
        if evaluated.len() != procedure.parameters.len() || !self.graph.reachable() {
            return self.release(level, 0, span);
        }
        let prefix = format!("{}.", name.text);
        let mut names = Vec::new();
        let mut cleared = Vec::new();
        let mut constants = Vec::new();
        for (parameter, argument) in procedure.parameters.iter().zip(evaluated) {
            let text = parameter.name.text.as_str();
            let at = parameter.name.span;
            let binding = match argument {
                Argument::Value(Expr::Constant(value)) if !assigns(&procedure.body, text) => {
                    constants.push(format!("{text} = {value}"));
                    Binding::Constant(value)
                }
                Argument::Value(value) => {
                    let name = format!("{prefix}{text}");
                    let local = self.local(Key::Declared(at.start), || LocalInfo {
                        name,
                        values: None,
                        initial: None,
                        span: at,
                    });
                    self.assign(local, value, span);
                    cleared.push(local);
                    Binding::Local(local)
                }
                Argument::Shared(mut reach) => {
                    let indices = reach.indices.iter_mut().chain(&mut reach.inner);
                    for (number, index) in indices.enumerate() {
                        if let Some(local) = self.fixed_index(index, &prefix, &parameter.name, number, span) {
                            cleared.push(local);
                        }
                    }
                    constants.push(format!("{text} = {}", self.text(&reach)));
                    Binding::Shared(reach)
                }
            };
            names.push((text, binding));
        }
        self.release(level, 0, span);
        let end = self.graph.label(span);
        let called = Some((format!("{}({})", name.text, constants.join(", ")), span));
        self.frames.push(Frame { prefix, called, names, cleared, end, result, loops: Vec::new() });
        self.nested(span, (), |body| body.block(&procedure.body));
        if result.is_some() && self.graph.reachable() && !self.exhausted {
            self.without_return(procedure, span);
        }
        self.graph.place_if_used(end);
        let cleared = std::mem::take(&mut self.frame().cleared);
        self.frames.pop();
        for local in cleared {
            self.clear(local, span);
        }
    }

    /// An index of a shared parameter keeps its value during the call: it becomes a local, which is given back.
    fn fixed_index(
        &mut self,
        index: &mut Expr,
        prefix: &str,
        parameter: &Name,
        number: usize,
        span: Span,
    ) -> Option<LocalId> {
        // That of a parameter of the caller changes as little.
        match index {
            Expr::Constant(_) => return None,
            Expr::Local(local) if self.is_index(*local) => return None,
            _ => {}
        }
        let info = LocalInfo {
            name: format!("{prefix}{}.{number}", parameter.text),
            values: None,
            initial: None,
            span: parameter.span,
        };
        let local = self.local(Key::Index(parameter.span.start, number), || info);
        let value = std::mem::replace(index, Expr::Local(local));
        self.assign(local, value, span);
        Some(local)
    }

    fn without_return(&mut self, procedure: &Procedure, span: Span) {
        let message = format!("`{}` may end without a value", procedure.name.text);
        self.report.push(
            Diagnostic::error(codes::PRIMITIVE_NAME, message)
                .at(procedure.name.span, "not all of its ways end with `return` and a value")
                .also(span, "its value is used here"),
        );
    }
}

/// Whether a block assigns to a name.
fn assigns(block: &Block, name: &str) -> bool {
    let mut rest: Vec<&syntax::Statement> = block.statements.iter().collect();
    while let Some(statement) = rest.pop() {
        match &statement.kind {
            StatementKind::Assign(place, _) if place.name.text == name => return true,
            kind => kind.for_each_inner(|inner| rest.push(inner)),
        }
    }
    false
}
