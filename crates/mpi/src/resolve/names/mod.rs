//! Names in procedures and processes: each is declared, and is what its place asks for.
//!
//! All procedures are looked at once, as they stand in the text. What a parameter for a shared variable stands for is known in calls only.

mod unknown;

use super::globals::{Array, Globals, Symbol, twice};
use super::places::{listed, number_of_indices};
use super::report::Report;
use crate::syntax::{
    self, Block, Expr, ExprKind, Item, Name, Parameter, Place, Procedure, Statement, StatementKind, Tree,
};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// What a name inside of a procedure is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// An index of a family or of `for`.
    Constant,
    Value,
    Local,
    Shared,
}

/// What a place is needed for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// A value.
    Read,
    /// Something that is assigned to.
    Target,
    /// A shared variable.
    Access,
    /// A shared variable or a part of an array of them, for a parameter.
    Argument,
}

struct Checker<'a, 't> {
    globals: &'a Globals<'t>,
    report: &'a mut Report,
    /// Names that are visible, with the place of their declaration.
    scope: Vec<(&'t str, Known, Span)>,
    /// Where the block at hand begins in the scope.
    block: usize,
    /// All locals and parameters of the program, with the procedure: for help.
    elsewhere: FxHashMap<&'t str, Vec<(&'t str, Span)>>,
    loops: usize,
    /// Undeclared names that have been reported, with the number of the body.
    said: FxHashSet<(usize, &'t str)>,
    /// The number of the procedure or process at hand.
    body: usize,
    /// The procedure at hand; none in a process.
    procedure: Option<&'t Procedure>,
}

/// Checks all procedures and processes.
pub(super) fn check<'t>(tree: &'t Tree, globals: &Globals<'t>, report: &mut Report) {
    let mut elsewhere: FxHashMap<&'t str, Vec<(&'t str, Span)>> = FxHashMap::default();
    for item in &tree.items {
        let (owner, parameters, body): (&'t str, &'t [Parameter], &'t Block) = match item {
            Item::Procedure(procedure) => (&procedure.name.text, &procedure.parameters, &procedure.body),
            Item::Process(process) => (&process.name.text, &[], &process.body),
            _ => continue,
        };
        for parameter in parameters {
            elsewhere.entry(&parameter.name.text).or_default().push((owner, parameter.name.span));
        }
        let mut rest: Vec<&'t Statement> = body.statements.iter().collect();
        while let Some(statement) = rest.pop() {
            statement.kind.for_each_inner(|inner| rest.push(inner));
            if let StatementKind::Local(locals) = &statement.kind {
                for local in locals {
                    elsewhere.entry(&local.name.text).or_default().push((owner, local.name.span));
                }
            }
        }
    }
    let mut checker = Checker {
        globals,
        report,
        scope: Vec::new(),
        block: 0,
        elsewhere,
        loops: 0,
        said: FxHashSet::default(),
        body: 0,
        procedure: None,
    };
    for item in &tree.items {
        checker.scope.clear();
        checker.body += 1;
        checker.block = 0;
        match item {
            Item::Procedure(procedure) => {
                for parameter in &procedure.parameters {
                    let known = if parameter.shared { Known::Shared } else { Known::Value };
                    checker.declare(&parameter.name, known);
                }
                checker.procedure = Some(procedure);
                checker.statements(&procedure.body);
            }
            Item::Process(process) => {
                if let Some(family) = &process.family {
                    checker.declare(&family.name, Known::Constant);
                }
                checker.procedure = None;
                checker.statements(&process.body);
            }
            _ => {}
        }
    }
}

impl<'t> Checker<'_, 't> {
    fn error(&mut self, message: String, span: Span, label: &str) {
        self.report.error(codes::PRIMITIVE_NAME, message, span, label);
    }

    /// Makes a name known; names hide those of the program, but none of the procedure.
    fn declare(&mut self, name: &'t Name, known: Known) {
        if let Some((_, _, first)) = self.scope.iter().find(|(other, ..)| *other == name.text) {
            self.report.push(twice(name, *first));
        }
        self.scope.push((&name.text, known, name.span));
    }

    fn known(&self, name: &str) -> Option<(Known, Span)> {
        let found = self.scope.iter().rev().find(|(other, ..)| *other == name);
        found.map(|(_, known, span)| (*known, *span))
    }

    fn block(&mut self, block: &'t Block) {
        let (scope, outer) = (self.scope.len(), self.block);
        self.block = scope;
        self.statements(block);
        self.scope.truncate(scope);
        self.block = outer;
    }

    fn statements(&mut self, block: &'t Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    fn inner(&mut self, statement: &'t Statement) {
        let scope = self.scope.len();
        self.statement(statement);
        // A declaration without braces ends with its statement.
        self.scope.truncate(scope);
    }

    fn in_loop(&mut self, check: impl FnOnce(&mut Self)) {
        self.loops += 1;
        check(self);
        self.loops -= 1;
    }

    fn statement(&mut self, statement: &'t Statement) {
        match &statement.kind {
            StatementKind::Local(locals) => {
                for local in locals {
                    if let Some(kind) = &local.kind {
                        self.globals.values(kind, self.report);
                    }
                    if let Some(value) = &local.initial {
                        self.expr(value);
                    }
                    self.declare(&local.name, Known::Local);
                }
            }
            StatementKind::Assign(place, value) => {
                self.place(place, Need::Target);
                self.expr(value);
            }
            StatementKind::Read(place)
            | StatementKind::Write(place)
            | StatementKind::Enter(place)
            | StatementKind::Leave(place) => self.place(place, Need::Access),
            StatementKind::If(condition, yes, no) => {
                self.expr(condition);
                self.inner(yes);
                if let Some(no) = no {
                    self.inner(no);
                }
            }
            StatementKind::While(condition, body) => {
                self.expr(condition);
                self.in_loop(|this| this.inner(body));
            }
            StatementKind::Repeat(block, condition) => {
                self.in_loop(|this| this.block(block));
                self.expr(condition);
            }
            StatementKind::Loop(body) => self.in_loop(|this| this.inner(body)),
            StatementKind::For(name, range, body) => {
                self.expr(&range.lo);
                self.expr(&range.hi);
                let scope = self.scope.len();
                self.declare(name, Known::Constant);
                self.in_loop(|this| this.inner(body));
                self.scope.truncate(scope);
            }
            StatementKind::Either(ways) => ways.iter().for_each(|way| self.block(way)),
            StatementKind::Break | StatementKind::Continue if self.loops == 0 => {
                let word = if statement.kind == StatementKind::Break { "break" } else { "continue" };
                self.error(format!("`{word}` is in no loop"), statement.span, "");
            }
            StatementKind::Return(Some(value)) => {
                self.expr(value);
                if self.procedure.is_none() {
                    let message = "a process gives no value".to_owned();
                    self.error(message, value.span, "`return;` ends the process");
                }
            }
            StatementKind::Work(syntax::Work::Value(value, _)) | StatementKind::Assert(value) => {
                self.expr(value)
            }
            StatementKind::Sent(place, content) | StatementKind::Received(place, content) => {
                self.channel(place);
                if let Some(content) = content {
                    self.expr(content);
                }
            }
            StatementKind::Evaluate(expr) => match &expr.kind {
                ExprKind::Call(name, arguments) => self.call(name, arguments, false),
                _ => self.expr(expr),
            },
            StatementKind::Block(block) => self.block(block),
            _ => {}
        }
    }

    fn expr(&mut self, expr: &'t Expr) {
        match &expr.kind {
            ExprKind::Place(place) => self.place(place, Need::Read),
            ExprKind::Call(name, arguments) => self.call(name, arguments, true),
            ExprKind::Operation(_, place, values) => {
                self.place(place, Need::Access);
                values.iter().for_each(|value| self.expr(value));
            }
            _ => expr.parts().into_iter().for_each(|part| self.expr(part)),
        }
    }

    fn place(&mut self, place: &'t Place, need: Need) {
        place.all_indices().for_each(|index| self.expr(index));
        let name = &place.name;
        if let Some((known, declared)) = self.known(&name.text) {
            return self.own(place, known, declared, need);
        }
        let Some(&(symbol, declared)) = self.globals.names.get(name.text.as_str()) else {
            return self.undeclared(place, need);
        };
        match symbol {
            Symbol::Shared(number) => {
                if let Some(array) = self.globals.shared.get(number) {
                    self.shared(place, array, need);
                }
            }
            Symbol::Private(number) if matches!(need, Need::Read | Need::Target) => {
                self.no_field(place, declared);
                let Some(private) = self.globals.privates.get(number) else { return };
                if place.indices.len() != private.bounds.len() && !private.initial.is_empty() {
                    let (there, wanted) = (place.indices.len(), private.bounds.len());
                    self.report.push(number_of_indices(&private.name, there, wanted, place.span, declared));
                }
            }
            Symbol::Constant(_) if need == Need::Read => self.plain(place, declared, "a constant"),
            _ => self.wrong(place, symbol.noun(), declared, need),
        }
    }

    /// A name of the procedure.
    fn own(&mut self, place: &Place, known: Known, declared: Span, need: Need) {
        match (known, need) {
            (Known::Shared, _) => {}
            (Known::Constant, Need::Read) => self.plain(place, declared, "a constant"),
            (Known::Value | Known::Local, Need::Read | Need::Target) => {
                self.plain(place, declared, "a local variable");
            }
            (Known::Constant, _) => self.wrong(place, "a constant", declared, need),
            (Known::Local, _) => self.wrong(place, "a local variable", declared, need),
            (Known::Value, _) => self.wrong(place, "a parameter with a value", declared, need),
        }
    }

    /// Reports indices and fields of what has none.
    fn plain(&mut self, place: &Place, declared: Span, noun: &str) {
        if place.indices.is_empty() && place.field.is_none() {
            return;
        }
        let name = &place.name;
        let diagnostic = Diagnostic::error(
            codes::PRIMITIVE_NAME,
            format!("`{}` is {noun}, which has no indices and no fields", name.text),
        );
        self.report.push(diagnostic.at(place.span, "").also(declared, "declared here"));
    }

    fn no_field(&mut self, place: &Place, declared: Span) {
        if let Some((field, _)) = &place.field {
            let diagnostic =
                Diagnostic::error(codes::PRIMITIVE_NAME, format!("`{}` has no fields", place.name.text));
            self.report.push(diagnostic.at(field.span, "").also(declared, "declared here"));
        }
    }

    /// A name that is something else than its place needs.
    fn wrong(&mut self, place: &Place, noun: &str, declared: Span, need: Need) {
        let name = &place.name;
        let wanted = match need {
            Need::Read => "which has no value",
            Need::Target => "to which nothing is assigned",
            Need::Access => "not a shared variable",
            Need::Argument => "and this parameter stands for a shared variable",
        };
        let message = format!("`{}` is {noun}, {wanted}", name.text);
        let diagnostic = Diagnostic::error(codes::PRIMITIVE_NAME, message)
            .at(name.span, "")
            .also(declared, "declared here");
        let helped = match (need, noun) {
            (Need::Access, "a local variable" | "a private variable") => diagnostic.help(
                "only shared variables are in memory; an assignment changes this one without an access",
            ),
            (Need::Target, "a constant") => {
                diagnostic.help("declare a `local` or a `private` variable instead")
            }
            (Need::Read, "a procedure") => diagnostic.help(format!("call it: `{}()`", name.text)),
            _ => diagnostic,
        };
        self.report.push(helped);
    }

    /// A shared variable of the program: indices and fields as declared.
    fn shared(&mut self, place: &Place, array: &Array, need: Need) {
        if array.fields.is_empty() {
            return;
        }
        let (there, wanted) = (place.indices.len(), array.bounds.len());
        let part = need == Need::Argument && place.field.is_none();
        if there > wanted || there < wanted && !part {
            return self.report.push(number_of_indices(&array.name, there, wanted, place.span, array.span));
        }
        let known: Vec<&str> = array.fields.iter().filter_map(|field| field.name.as_deref()).collect();
        let Some((name, inner)) = &place.field else {
            if array.is_structure() && !part {
                let message = format!("`{}` is a structure: which field of it?", array.name);
                let diagnostic = Diagnostic::error(codes::PRIMITIVE_NAME, message)
                    .at(place.span, "")
                    .also(array.span, "declared here")
                    .note(format!("its fields are {}", listed(&known)));
                self.report.push(diagnostic);
            }
            return;
        };
        let Some(field) = array.fields.iter().find(|field| field.name.as_ref() == Some(&name.text)) else {
            let mut diagnostic = Diagnostic::error(
                codes::PRIMITIVE_NAME,
                format!("`{}` has no field `{}`", array.name, name.text),
            )
            .at_misspelt(name.span, &name.text, &known)
            .also(array.span, "declared here");
            if !known.is_empty() {
                diagnostic = diagnostic.note(format!("its fields are {}", listed(&known)));
            }
            return self.report.push(diagnostic);
        };
        let (there, wanted) = (inner.len(), field.bounds.len());
        if there > wanted || there < wanted && need != Need::Argument {
            let text = format!("{}.{}", array.name, name.text);
            self.report.push(number_of_indices(&text, there, wanted, place.span, array.span));
        }
    }

    fn channel(&mut self, place: &'t Place) {
        place.all_indices().for_each(|index| self.expr(index));
        let name = &place.name;
        let declared = self.globals.names.get(name.text.as_str());
        let Some(&(Symbol::Channel(number), span)) = declared else {
            let channels = self.globals.channels.iter().map(|channel| channel.name.as_str());
            let message = match declared {
                Some((symbol, _)) => format!("`{}` is {}, not a channel", name.text, symbol.noun()),
                None => format!("there is no channel `{}`", name.text),
            };
            let diagnostic = Diagnostic::error(codes::PRIMITIVE_NAME, message);
            let mut diagnostic = diagnostic.at_misspelt(name.span, &name.text, channels);
            if diagnostic.fixes.is_empty() {
                diagnostic = diagnostic.help("declare it: `channel mail[to: 0..1] capacity 1;`");
            }
            return self.report.push(diagnostic);
        };
        self.no_field(place, span);
        let Some(channel) = self.globals.channels.get(number) else { return };
        if place.indices.len() != channel.bounds.len() {
            let (there, wanted) = (place.indices.len(), channel.bounds.len());
            self.report.push(number_of_indices(&channel.name, there, wanted, place.span, span));
        }
    }

    fn call(&mut self, name: &'t Name, arguments: &'t [Expr], wanted: bool) {
        let globals = self.globals;
        let procedure = match globals.names.get(name.text.as_str()) {
            Some(&(Symbol::Procedure(number), _)) => globals.procedures[number],
            declared => {
                arguments.iter().for_each(|argument| self.expr(argument));
                return self.no_procedure(name, arguments, declared.copied());
            }
        };
        if arguments.len() != procedure.parameters.len() {
            arguments
                .iter()
                .filter(|argument| !matches!(argument.kind, ExprKind::Place(_)))
                .for_each(|a| self.expr(a));
            let (there, needed) = (arguments.len(), procedure.parameters.len());
            let plural =
                |count| if count == 1 { "one argument".to_owned() } else { format!("{count} arguments") };
            let message = format!("`{}` has {}, and needs {}", name.text, plural(there), plural(needed));
            return self.report.push(
                Diagnostic::error(codes::PRIMITIVE_VALUE, message)
                    .at(name.span, "")
                    .also(procedure.name.span, "declared here"),
            );
        }
        for (argument, parameter) in arguments.iter().zip(&procedure.parameters) {
            match &argument.kind {
                ExprKind::Place(place) if parameter.shared => self.place(place, Need::Argument),
                _ if parameter.shared => {
                    self.expr(argument);
                    self.report.push(
                        Diagnostic::error(
                            codes::PRIMITIVE_NAME,
                            format!("`{}` stands for a shared variable", parameter.name.text),
                        )
                        .at(argument.span, "this is a value")
                        .also(parameter.name.span, "declared here"),
                    );
                }
                _ => self.expr(argument),
            }
        }
        if wanted && !gives_value(&procedure.body) {
            let message = format!("`{}` gives no value", name.text);
            self.report.push(
                Diagnostic::error(codes::PRIMITIVE_NAME, message)
                    .at(name.span, "its value is used here")
                    .also(procedure.name.span, "there is no `return` with a value in it"),
            );
        }
    }

    /// The procedure at hand.
    fn owner(&self) -> Option<&'t str> {
        self.procedure.map(|procedure| procedure.name.text.as_str())
    }
}

/// Whether a block has a `return` with a value.
fn gives_value(block: &Block) -> bool {
    let mut rest: Vec<&Statement> = block.statements.iter().collect();
    while let Some(statement) = rest.pop() {
        if matches!(statement.kind, StatementKind::Return(Some(_))) {
            return true;
        }
        statement.kind.for_each_inner(|inner| rest.push(inner));
    }
    false
}
