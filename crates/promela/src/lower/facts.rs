//! Facts about a model that its text alone decides.

use super::path::path;
use crate::ast::{Expr, ExprId, ExprKind, Model, Sequence, Statement, StatementKind, Unit};
use rustc_hash::FxHashSet;

/// The name of the standard input.
pub(super) const STDIN: &str = "STDIN";

/// Facts about a model.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Names of variables that some statement assigns to.
    pub assigned: FxHashSet<String>,
    /// Some expression reads numbers of processes: the order in which processes start and end makes a difference.
    pub numbers_matter: bool,
    /// Some expression reads `_last`.
    pub reads_last: bool,
    /// Some expression reads the standard input.
    pub reads_input: bool,
    /// The model mentions priorities.
    pub has_priorities: bool,
    /// Names of the process types that some `run` starts.
    pub started: FxHashSet<String>,
    /// Labels that remote references name.
    pub remote_labels: FxHashSet<String>,
}

impl Facts {
    /// The facts of a model.
    pub fn of(model: &Model) -> Self {
        let has_priorities =
            model.units.iter().any(|u| matches!(u, Unit::Proctype(p) if p.priority.is_some()));
        let mut facts = Facts { has_priorities, ..Facts::default() };
        model.exprs.0.values().for_each(|expr| facts.expression(expr));
        let is_run = |e: ExprId| matches!(model.exprs.get(e).kind, ExprKind::Run { .. });
        let mut unused = 0;
        each_statement(model, &mut |statement| {
            facts.statement(model, statement);
            unused += usize::from(matches!(statement.kind, StatementKind::Expression(e) if is_run(e)));
        });
        // A statement `run P()` does not use the number that it gives.
        let runs = model.exprs.0.values().filter(|expr| matches!(expr.kind, ExprKind::Run { .. })).count();
        facts.numbers_matter |= runs > unused;
        facts
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => {
                self.reads_last |= name.text == "_last";
                self.reads_input |= name.text == STDIN;
                self.has_priorities |= name.text == "_priority";
                self.numbers_matter |= matches!(name.text.as_str(), "_pid" | "_nr_pr" | "_last");
            }
            ExprKind::RemoteLabel { label, .. } => {
                self.remote_labels.insert(label.text.clone());
                self.numbers_matter = true;
            }
            ExprKind::Run { name, priority, .. } => {
                self.started.insert(name.text.clone());
                self.has_priorities |= priority.is_some();
            }
            ExprKind::RemoteVariable { .. } | ExprKind::PcValue(_) | ExprKind::Enabled(_) => {
                self.numbers_matter = true;
            }
            ExprKind::GetPriority(_) => {
                self.numbers_matter = true;
                self.has_priorities = true;
            }
            ExprKind::SetPriority(..) => self.has_priorities = true,
            _ => {}
        }
    }

    fn statement(&mut self, model: &Model, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign { target, .. } => self.assigned(model, *target),
            StatementKind::Increment(target) | StatementKind::Decrement(target) => {
                self.assigned(model, *target);
            }
            StatementKind::Receive { args, .. } => {
                args.iter().for_each(|&arg| self.assigned(model, arg));
            }
            StatementKind::For { variable, .. }
            | StatementKind::ForIn { variable, .. }
            | StatementKind::Select { variable, .. } => self.assigned(model, *variable),
            _ => {}
        }
    }

    fn assigned(&mut self, model: &Model, target: ExprId) {
        if let Some(path) = path(model, target) {
            self.assigned.insert(path.name.text.clone());
        }
    }
}

/// Calls `f` for every statement of processes and claims, those in blocks included.
fn each_statement(model: &Model, f: &mut dyn FnMut(&Statement)) {
    fn walk(sequence: &Sequence, f: &mut dyn FnMut(&Statement)) {
        for statement in &sequence.statements {
            f(statement);
            each_block(statement, &mut |block| walk(block, f));
        }
    }
    for unit in &model.units {
        match unit {
            Unit::Proctype(p) => walk(&p.body, f),
            Unit::Never { body, .. } => walk(body, f),
            _ => {}
        }
    }
}

/// Calls `f` for every block of statements directly inside a statement.
pub(super) fn each_block(statement: &Statement, f: &mut dyn FnMut(&Sequence)) {
    match &statement.kind {
        StatementKind::If(options) | StatementKind::Do(options) => options.iter().for_each(f),
        StatementKind::For { body, .. } | StatementKind::ForIn { body, .. } => f(body),
        StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body) => f(body),
        StatementKind::Unless { main, escape } => {
            f(main);
            f(escape);
        }
        _ => {}
    }
}
