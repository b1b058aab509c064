//! What SPIN refuses or doubts, and what is told of it here: labels in odd places, `else` beside communication, loops over no
//! numbers.

use super::making::Making;
use super::{NodeId, in_inline, number};
use crate::ast::{self, ExprKind, Place, Sequence, Statement, StatementKind};
use crate::lower::reports::Once;
use crate::lower::types::Scalar;
use volvelle_diagnostics::codes;

impl<'a> Making<'_, 'a> {
    /// Notes a label with a meaning at the first statement of an option, and tells of it.
    pub(super) fn note_misplaced(&mut self, statement: &Statement, labelled: NodeId, follows: NodeId) {
        let has_meaning =
            |text: &str| ["end", "accept", "progress"].iter().any(|word| text.starts_with(word));
        let Some(label) = statement.labels.iter().find(|label| has_meaning(&label.text)) else {
            let note = "SPIN says that it is \"placed incorrectly\"; a jump to it leaves out the choice";
            return self.tell_of_label(statement, "is that of one option", note);
        };
        self.misplaced.push((labelled, follows));
        if self.reports.is_first(Once::MisplacedLabel(label.place)) {
            let message = format!("the label `{}` marks the statement after this one", label.text);
            let note =
                "a process waits at the `if` or `do`; SPIN says that this label is \"placed incorrectly\"";
            self.reports.warning(codes::LABEL_IN_OPTION, message, label.place, note);
        }
    }

    /// Tells of a label that SPIN does not want at the first statement of a block.
    pub(super) fn tell_of_label(&mut self, statement: &Statement, what: &str, note: &str) {
        let Some(label) = statement.labels.first() else { return };
        if self.reports.is_first(Once::MisplacedLabel(label.place)) {
            let message = format!("the label `{}` {what}", label.text);
            self.reports.warning(codes::LABEL_IN_OPTION, message, label.place, note);
        }
    }

    /// Tells of an `else` beside an option that begins with communication.
    pub(super) fn check_else(&mut self, options: &'a [Sequence]) {
        let model = self.env.model;
        let first = |option: &'a Sequence| option.statements.first().map(|s| (&s.kind, s.place));
        let is_else = |option| match first(option) {
            Some((StatementKind::Expression(e), _)) => matches!(model.exprs.get(*e).kind, ExprKind::Else),
            _ => false,
        };
        let mut others = options.iter().filter(|&option| is_else(option));
        if others.next().is_none() {
            return;
        }
        for (_, place) in others.filter_map(first) {
            if self.reports.is_first(Once::DubiousElse(place)) {
                let message = "a second `else`";
                let note =
                    "either may be taken where nothing else can; SPIN refuses it: \"duplicate `else'\"";
                self.reports.warning(codes::DUBIOUS_ELSE, message, place, note);
            }
        }
        for (kind, place) in options.iter().filter_map(first) {
            let communicates = match kind {
                StatementKind::Send { .. } | StatementKind::Receive { .. } => true,
                StatementKind::Expression(e) => asks_for_room(model, *e),
                _ => false,
            };
            if communicates && self.reports.is_first(Once::DubiousElse(place)) {
                let message = "dubious use of `else` beside communication";
                let note = "SPIN says so, and goes on: the `else` is possible where this is not; ask with `q?[...]` or `len(q)`";
                self.reports.warning(codes::DUBIOUS_ELSE, message, place, note);
            }
        }
    }

    /// Reports a loop over a variable that is neither an array nor a channel.
    pub(super) fn check_collection(&mut self, collection: ast::ExprId) {
        let leaf = self.env.path(collection).and_then(|path| {
            let info = &self.env.variables[self.env.lookup(&self.scope, &path.name.text)?];
            let members = path.members.iter().map(|member| &member.text);
            info.leaves.iter().find(|leaf| leaf.path.iter().eq(members.clone()))
        });
        if leaf.is_some_and(|leaf| leaf.ty != Scalar::Chan && leaf.lengths.iter().all(|&n| n == 1)) {
            let message = "a loop goes over a range, an array or a channel";
            let help = "write a range: `for (i : 0 .. n - 1) { ... }`";
            self.reports.error(codes::TYPE_MISMATCH, message, self.env.place(collection), help);
        }
    }

    /// Tells of a loop over no numbers.
    pub(super) fn check_range(&mut self, from: ast::ExprId, to: ast::ExprId, place: Place) {
        let model = self.env.model;
        if let (Some(a), Some(b)) = (number(model, from), number(model, to))
            && a > b
            && !in_inline(model, place)
        {
            let message = format!("this loop does nothing: there are no numbers from {a} to {b}");
            let note = "SPIN refuses it: \"start value exceeds end-value\"";
            self.reports.warning(codes::UNUSED_OR_SUSPICIOUS, message, self.env.place(from), note);
        }
    }
}

/// Whether a condition contains `empty`, `nempty`, `full` or `nfull`.
fn asks_for_room(model: &ast::Model, condition: ast::ExprId) -> bool {
    let mut stack = vec![condition];
    while let Some(e) = stack.pop() {
        let kind = &model.exprs.get(e).kind;
        if matches!(kind, ExprKind::Query { query, .. } if *query != ast::ChannelQuery::Len) {
            return true;
        }
        kind.for_each_child(|child| stack.push(child));
    }
    false
}
