//! Code in the making: one statement, guard or formula.

use super::builder::Builder;
use super::environment::Environment;
use super::reports::Once;
use super::symbols::Scope;
use crate::ast::{Name, Place};
use volvelle_diagnostics::{Code as Error, codes};
use volvelle_kernel::{Block, ExprId, FailKind, Site, Stmt};
use volvelle_model::{self as model, AccessMode, Offer, SharedResource, SiteSubject};

/// One way in which a statement happens.
#[derive(Clone, Debug)]
pub(super) struct Op {
    /// `bool`
    pub guard: ExprId,
    pub offer: Option<Offer>,
    pub effect: Block,
}

/// The surroundings of an expression.
#[derive(Clone, Copy)]
pub(super) struct Context<'s> {
    /// The names that hold.
    pub scope: &'s Scope,
    /// The expression is a condition for which a process waits: no step depends on its being false.
    pub awaited: bool,
}

impl<'s> Context<'s> {
    /// A context in which both values of a condition matter.
    pub fn of(scope: &'s Scope) -> Self {
        Context { scope, awaited: false }
    }

    /// The same names, for an operand: both values of a condition matter.
    pub fn operand(self) -> Self {
        Context { awaited: false, ..self }
    }
}

/// The accesses of a statement to what processes share.
#[derive(Clone, Debug, Default)]
pub(super) struct Footprint {
    /// Accesses to global fields, channels and pools.
    pub accesses: Vec<model::Access>,
    /// Types of processes that the statement starts.
    pub creates: Vec<usize>,
}

/// The processes that a statement starts inside its expressions.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// What starts them.
    pub block: Block,
    /// Temporaries in use, whose values are needed after it.
    pub locals: usize,
}

/// One statement, guard or formula in the making: reads the environment, adds to the program, and collects accesses.
pub(super) struct Code<'e, 'a> {
    pub env: &'e Environment<'a>,
    pub out: &'e mut Builder<'a>,
    /// The place of the statement.
    pub place: Place,
    pub footprint: Footprint,
    /// The processes that its expressions start; `None` where they may start none.
    pub runs: Option<Runs>,
    /// The statement is inside a `d_step`.
    pub inside_d_step: bool,
}

impl<'e, 'a> Code<'e, 'a> {
    /// Begins the code of a statement.
    pub fn new(env: &'e Environment<'a>, out: &'e mut Builder<'a>, place: Place) -> Self {
        Code { env, out, place, footprint: Footprint::default(), runs: None, inside_d_step: false }
    }

    /// Notes an access.
    pub fn access_to(&mut self, resource: SharedResource, mode: AccessMode) {
        let access = model::Access { resource, mode };
        if !self.footprint.accesses.contains(&access) {
            self.footprint.accesses.push(access);
        }
    }

    /// Adds a site at which an expression or statement fails.
    pub fn site(&mut self, kind: FailKind, subject: SiteSubject, place: Place) -> Site {
        self.out.site(kind, subject, place)
    }

    /// An operation that does nothing.
    pub fn nothing(&mut self) -> Op {
        Op { guard: self.out.program.exprs.bool(true), offer: None, effect: Vec::new() }
    }

    /// An operation that is one assignment, or another statement.
    pub fn doing(&mut self, statement: Stmt) -> Vec<Op> {
        let op = self.nothing();
        vec![Op { effect: vec![statement], ..op }]
    }

    /// Reports an error, with a way out (may be empty).
    pub fn error(&mut self, code: Error, message: impl Into<String>, place: Place, help: &str) {
        self.out.reports.error(code, message, place, help);
    }

    /// Reports a warning, with a note (may be empty).
    pub fn warning(&mut self, code: Error, message: impl Into<String>, place: Place, note: &str) {
        self.out.reports.warning(code, message, place, note);
    }

    /// Reports something suspicious, once.
    pub fn warning_once(&mut self, what: Once, message: impl Into<String>, place: Place, note: &str) {
        if self.out.reports.is_first(what) {
            self.warning(codes::UNUSED_OR_SUSPICIOUS, message, place, note);
        }
    }

    /// Reports a construct that is not supported.
    pub fn unsupported(&mut self, place: Place, message: &str, help: &str) {
        self.out.reports.unsupported(place, message, help);
    }

    /// Reports a name that is not declared, once.
    pub fn undeclared(&mut self, scope: &Scope, name: &Name) {
        if !self.out.reports.is_first(Once::Undeclared(name.text.clone())) {
            return;
        }
        let locals = scope.names.iter();
        let known = locals.chain(self.env.globals.keys()).chain(self.env.mtypes.values.keys());
        let mut macros: Vec<&str> = self.env.model.definitions.macros.0.keys().map(AsRef::as_ref).collect();
        macros.sort_unstable();
        let known = known.map(String::as_str).chain(macros);
        let message = format!("`{}` is not declared", name.text);
        self.out.reports.misspelt(codes::UNKNOWN_NAME, message, name.place, &name.text, known);
    }
}
