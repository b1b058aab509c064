//! The nodes of statements.

use super::{Flow, Kind, Node, NodeId, Work, bare_main, constant_choices, in_inline, number};
use crate::ast::{self, ExprKind, Place, Sequence, Statement, StatementKind};
use crate::lower::environment::Environment;
use crate::lower::reports::{Once, Reports};
use crate::lower::symbols::{Instance, LocalNames, ProcessId, Scope};
use crate::lower::types::Scalar;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use volvelle_diagnostics::codes;
use volvelle_kernel::EntityVec;

/// The constructs around a statement.
#[derive(Clone)]
struct Around {
    atomic: bool,
    d_step: Option<u32>,
    escapes: Rc<Vec<NodeId>>,
    /// The node that `break` leads to.
    after_loop: Option<NodeId>,
}

/// The nodes where a statement begins.
#[derive(Clone, Copy)]
struct Entry {
    /// The node that a process comes to.
    first: NodeId,
    /// The node that a label means: behind the first assignment of a loop that counts, as in SPIN.
    labelled: NodeId,
}

impl From<NodeId> for Entry {
    fn from(node: NodeId) -> Self {
        Entry { first: node, labelled: node }
    }
}

/// The control flow of a body. `names` are those of parameters.
pub(in crate::lower) fn flow<'a>(
    env: &Environment<'a>,
    reports: &mut Reports<'a>,
    body: &'a Sequence,
    process: Option<ProcessId>,
    names: LocalNames,
    place: Place,
) -> Flow<'a> {
    let scope = Scope { process, instance: Instance::Own, names };
    let flow = Flow { nodes: EntityVec::new(), entry: NodeId(0), labels: FxHashMap::default() };
    let mut making = Making {
        env,
        reports,
        flow,
        scope,
        labels: FxHashMap::default(),
        jumps: Vec::new(),
        d_steps: 0,
        begins_option: false,
        misplaced: Vec::new(),
    };
    let around = Around { atomic: false, d_step: None, escapes: Rc::new(Vec::new()), after_loop: None };
    let end = making.node(Kind::End, &around, place);
    making.flow.nodes[end].is_end = true;
    making.flow.entry = making.body(body, end, &around, place);
    making.direct_jumps();
    making.mark_behind_guards();
    making.flow
}

/// A control flow in the making.
pub(super) struct Making<'l, 'a> {
    pub(super) env: &'l Environment<'a>,
    pub(super) reports: &'l mut Reports<'a>,
    flow: Flow<'a>,
    pub(super) scope: Scope,
    /// The nodes of each label, with the call of an inline that brought it.
    labels: FxHashMap<String, Vec<(Option<Place>, NodeId)>>,
    /// Nodes of `goto`, with the label to which each jumps.
    jumps: Vec<(NodeId, ast::Name)>,
    d_steps: u32,
    /// Whether the next sequence is an option of a selection or loop.
    begins_option: bool,
    /// First statements of options with a label that has a meaning, and the nodes that follow.
    pub(super) misplaced: Vec<(NodeId, NodeId)>,
}

impl<'a> Making<'_, 'a> {
    /// Notes a label. An inline has its labels once for each of its calls, and so for each that is inside of one.
    fn label(&mut self, label: &ast::Name, node: NodeId) {
        let call = self.env.model.inline_call(label.place);
        let known = self.labels.entry(label.text.clone()).or_default();
        if known.iter().any(|&(other, _)| other == call) {
            let message = format!("the label `{}` is defined twice", label.text);
            self.reports.error(codes::DUPLICATE_NAME, message, label.place, "");
        }
        known.push((call, node));
        self.flow.labels.entry(label.text.clone()).or_insert(node);
    }

    /// The label that a `goto` means: one of the same call of an inline, or else of the calls around it, from the innermost on; or
    /// else, as in SPIN, the last one of this name.
    fn target(&self, name: &ast::Name) -> Option<NodeId> {
        let model = self.env.model;
        let known = self.labels.get(&name.text)?;
        let calls = std::iter::successors(model.inline_call(name.place), |&call| model.inline_call(call));
        let around = calls.map(Some).chain([None]);
        let mut found = around.filter_map(|call| known.iter().find(|&&(other, _)| other == call));
        found.next().or(known.last()).map(|&(_, node)| node)
    }

    /// Directs every `goto` to its label.
    fn direct_jumps(&mut self) {
        for (node, name) in std::mem::take(&mut self.jumps) {
            match self.target(&name) {
                Some(target) if self.flow.get(target).d_step != self.flow.get(node).d_step => {
                    let leads = if self.flow.get(node).d_step.is_some() { "out of its" } else { "into a" };
                    let message = format!("this `goto` leads {leads} `d_step`");
                    let help = "a `d_step` is one step, from its beginning to its end; use `atomic`";
                    self.reports.error(codes::UNSUPPORTED_CONSTRUCT, message, name.place, help);
                }
                Some(target) => self.flow.nodes[node].kind = Kind::Jump(target),
                None => {
                    let message = format!("there is no label `{}` in this process", name.text);
                    let mut known: Vec<&String> = self.labels.keys().collect();
                    known.sort_unstable();
                    self.reports.misspelt(codes::UNKNOWN_NAME, message, name.place, &name.text, known);
                }
            }
        }
    }

    /// Where an option begins with a label that has a meaning, marks the location behind its first step as well, as SPIN
    /// does: a process waits at the selection, not at that statement.
    fn mark_behind_guards(&mut self) {
        for (guard, follows) in std::mem::take(&mut self.misplaced) {
            let [is_end, is_accepting, is_progress] = {
                let node = self.flow.get(guard);
                [node.is_end, node.is_accepting, node.is_progress]
            };
            let mut step = guard;
            while let Kind::Into(first) | Kind::Guarded(first) = self.flow.get(step).kind {
                step = first;
            }
            let next = match self.flow.get(step).kind {
                Kind::Basic { next, .. } => next,
                Kind::Jump(target) => target,
                _ => follows,
            };
            let behind = self.flow.resolve(next);
            let node = &mut self.flow.nodes[behind];
            node.is_end |= is_end;
            node.is_accepting |= is_accepting;
            node.is_progress |= is_progress;
        }
    }

    fn node(&mut self, kind: Kind<'a>, around: &Around, place: Place) -> NodeId {
        self.flow.nodes.push(Node {
            kind,
            is_end: false,
            is_accepting: false,
            is_progress: false,
            is_observed: false,
            atomic: around.atomic,
            d_step: around.d_step,
            escapes: around.escapes.clone(),
            is_behind_its_escape: false,
            place,
        })
    }

    fn basic(&mut self, work: Work<'a>, next: NodeId, around: &Around, place: Place) -> NodeId {
        let scope = Rc::new(self.scope.clone());
        self.node(Kind::Basic { work, scope, next }, around, place)
    }

    /// The body of a process: its first declarations are no steps.
    fn body(&mut self, body: &'a Sequence, next: NodeId, around: &Around, place: Place) -> NodeId {
        let mut first = 0;
        for statement in &body.statements {
            match &statement.kind {
                StatementKind::Declaration(declaration) => self.declare(declaration),
                StatementKind::Exclusive { .. } => {}
                _ => break,
            }
            first += 1;
        }
        if first == body.statements.len() {
            // A body without statements: no step leads to the end.
            return next;
        }
        self.statements(&body.statements[first..], next, around, place)
    }

    fn declare(&mut self, declaration: &ast::Declaration) {
        for variable in &declaration.variables {
            if let Some(&id) = self.env.declared.get(&variable.name.place) {
                let name = variable.name.text.clone();
                self.scope.names.push(name, id);
            }
        }
    }

    /// A block with its own names; gives the first node.
    fn sequence(&mut self, sequence: &'a Sequence, next: NodeId, around: &Around, place: Place) -> NodeId {
        let mark = self.scope.open();
        let first = self.statements(&sequence.statements, next, around, place);
        self.scope.close(mark);
        first
    }

    /// Statements in order. Nodes are made from the first to the last, since declarations among them extend the scope; the
    /// jump to the next statement is directed when that has a node.
    fn statements(
        &mut self,
        statements: &'a [Statement],
        next: NodeId,
        around: &Around,
        place: Place,
    ) -> NodeId {
        let mut first = None;
        let mut begins_option = std::mem::take(&mut self.begins_option);
        let mut open: Option<NodeId> = None;
        for (i, statement) in statements.iter().enumerate() {
            if matches!(statement.kind, StatementKind::Exclusive { .. }) {
                continue;
            }
            let is_last =
                statements[i + 1..].iter().all(|s| matches!(s.kind, StatementKind::Exclusive { .. }));
            // A jump to the next statement, directed below.
            let follows = if is_last { next } else { self.node(Kind::Jump(next), around, statement.place) };
            let Entry { first: entry, labelled } = self.statement(statement, follows, around);
            if std::mem::take(&mut begins_option) {
                self.note_misplaced(statement, labelled, follows);
            }
            if let Some(open) = open {
                self.flow.nodes[open].kind = Kind::Jump(entry);
            }
            first.get_or_insert(entry);
            open = (!is_last).then_some(follows);
        }
        // An empty block is a step that does nothing.
        first.unwrap_or_else(|| self.basic(Work::Skip, next, around, place))
    }

    fn statement(&mut self, statement: &'a Statement, next: NodeId, around: &Around) -> Entry {
        let entry = self.unlabelled(statement, next, around);
        for label in &statement.labels {
            let node = &mut self.flow.nodes[entry.labelled];
            node.is_end |= label.text.starts_with("end");
            node.is_accepting |= label.text.starts_with("accept");
            node.is_progress |= label.text.starts_with("progress");
            node.is_observed |= self.env.facts.remote_labels.contains(&label.text);
            self.label(label, entry.labelled);
        }
        entry
    }

    /// A block in braces.
    fn braced(&mut self, body: &'a Sequence, next: NodeId, around: &Around, place: Place) -> NodeId {
        if let Some(first) = body.statements.first()
            && !in_inline(self.env.model, first.place)
        {
            let note =
                "SPIN refuses it: \"placed incorrectly\"; write it before the block, where it means the same";
            self.tell_of_label(first, "is inside of its block", note);
        }
        self.sequence(body, next, around, place)
    }

    fn unlabelled(&mut self, statement: &'a Statement, next: NodeId, around: &Around) -> Entry {
        let place = statement.place;
        let node = match &statement.kind {
            StatementKind::Declaration(declaration) => {
                self.late_declaration(declaration, next, around, place)
            }
            StatementKind::Expression(e) if matches!(self.env.model.exprs.get(*e).kind, ExprKind::Else) => {
                self.basic(Work::Else, next, around, place)
            }
            StatementKind::If(options) => {
                let firsts = self.options(options, next, around, place);
                self.node(Kind::Choice(firsts), around, place)
            }
            StatementKind::Do(options) => {
                let head = self.node(Kind::Choice(Vec::new()), around, place);
                let inside = Around { after_loop: Some(next), ..around.clone() };
                let firsts = self.options(options, head, &inside, place);
                self.flow.nodes[head].kind = Kind::Choice(firsts);
                head
            }
            StatementKind::For { variable, from, to, body } => {
                self.check_range(*from, *to, place);
                let head = self.node(Kind::Choice(Vec::new()), around, place);
                let count = self.basic(Work::Increment(*variable), head, around, place);
                let inside = Around { after_loop: Some(next), ..around.clone() };
                let body = self.sequence(body, count, &inside, place);
                let test = self.basic(Work::AtMost(*variable, *to), body, around, place);
                let leave = self.basic(Work::Else, next, around, place);
                self.flow.nodes[head].kind = Kind::Choice(vec![test, leave]);
                let first = self.basic(Work::Assign(*variable, *from), head, around, place);
                return Entry { first, labelled: head };
            }
            StatementKind::ForIn { variable, collection, body } => {
                return self.for_in(*variable, *collection, body, next, around, place);
            }
            StatementKind::Select { variable, from, to } => {
                return self.select(*variable, *from, *to, next, around, place);
            }
            StatementKind::Atomic(body) => {
                let inside = Around { atomic: true, ..around.clone() };
                let first = self.braced(body, next, &inside, place);
                self.node(Kind::Into(first), around, place)
            }
            StatementKind::Block(body) => {
                let first = self.braced(body, next, around, place);
                self.node(Kind::Into(first), around, place)
            }
            StatementKind::DStep(body) if around.d_step.is_some() => {
                let first = self.braced(body, next, around, place);
                self.node(Kind::Into(first), around, place)
            }
            StatementKind::DStep(body) => {
                self.d_steps += 1;
                let inside = Around { d_step: Some(self.d_steps), after_loop: None, ..around.clone() };
                let first = self.braced(body, next, &inside, place);
                self.basic(Work::DStep(first), next, around, place)
            }
            StatementKind::Unless { main, escape } => {
                return self.unless(statement, main, escape, next, around);
            }
            StatementKind::Break => match around.after_loop {
                Some(target) => self.node(Kind::Jump(target), around, place),
                None => {
                    self.reports.error(codes::TYPE_MISMATCH, "`break` outside of a loop", place, "");
                    next
                }
            },
            StatementKind::Goto(name) => {
                let node = self.node(Kind::Jump(next), around, place);
                self.jumps.push((node, name.clone()));
                node
            }
            _ => self.basic(Work::Statement(statement), next, around, place),
        };
        node.into()
    }

    /// `main unless escape`
    fn unless(
        &mut self,
        whole: &'a Statement,
        main: &'a Sequence,
        escape: &'a Sequence,
        next: NodeId,
        around: &Around,
    ) -> Entry {
        let place = whole.place;
        if around.d_step.is_some() && self.reports.is_first(Once::IgnoredEscape(place)) {
            let message = "this `unless` has no effect: nothing interrupts a `d_step`";
            let note = "SPIN ignores it, too: \"unless in d_step (ignored)\"; write it around the `d_step`";
            self.reports.warning(codes::IGNORED_ESCAPE, message, place, note);
        }
        let escape = self.braced(escape, next, around, place);
        let mut escapes = around.escapes.as_ref().clone();
        escapes.push(escape);
        let inside = Around { escapes: Rc::new(escapes), ..around.clone() };
        let Some(bare) = bare_main(self.env.model, whole, main) else {
            let first = self.braced(main, next, &inside, place);
            let guarded = self.node(Kind::Guarded(first), around, place);
            // With a label, SPIN puts the construct into a block of its own.
            return match whole.labels.is_empty() {
                true => guarded.into(),
                false => self.node(Kind::Into(guarded), around, place).into(),
            };
        };
        let mark = self.scope.open();
        let Entry { first, labelled } = self.statement(bare, next, &inside);
        self.scope.close(mark);
        self.flow.nodes[labelled].is_behind_its_escape = true;
        if first != labelled {
            // The first assignment of a loop that counts comes before all of this.
            self.flow.nodes[first].escapes = around.escapes.clone();
            return Entry { first, labelled };
        }
        self.node(Kind::Guarded(first), around, place).into()
    }

    fn late_declaration(
        &mut self,
        declaration: &'a ast::Declaration,
        next: NodeId,
        around: &Around,
        place: Place,
    ) -> NodeId {
        self.declare(declaration);
        let mut target = next;
        for variable in declaration.variables.iter().rev() {
            if let Some(&id) = self.env.declared.get(&variable.name.place) {
                target = self.basic(Work::Declare(id), target, around, place);
            }
        }
        if target == next { self.basic(Work::Skip, next, around, place) } else { target }
    }

    fn options(
        &mut self,
        options: &'a [Sequence],
        next: NodeId,
        around: &Around,
        place: Place,
    ) -> Vec<NodeId> {
        self.check_else(options);
        let option = |option| {
            self.begins_option = true;
            self.sequence(option, next, around, place)
        };
        options.iter().map(option).collect()
    }

    fn select(
        &mut self,
        variable: ast::ExprId,
        from: ast::ExprId,
        to: ast::ExprId,
        next: NodeId,
        around: &Around,
        place: Place,
    ) -> Entry {
        let (model, number) = (self.env.model, |e| number(self.env.model, e));
        if let (Some(a), Some(b)) = (number(from), number(to))
            && a > b
            && !in_inline(model, place)
        {
            let message = format!("there are no numbers from {a} to {b}");
            self.reports.error(codes::TYPE_MISMATCH, message, place, "");
        }
        if let Some(choices) = constant_choices(model, place, from, to) {
            let options = choices.map(|v| self.basic(Work::AssignConstant(variable, v), next, around, place));
            let options = options.collect();
            return self.node(Kind::Choice(options), around, place).into();
        }
        let head = self.node(Kind::Choice(Vec::new()), around, place);
        let count = self.basic(Work::Increment(variable), head, around, place);
        let test = self.basic(Work::Below(variable, to), count, around, place);
        let leave = self.basic(Work::Skip, next, around, place);
        self.flow.nodes[head].kind = Kind::Choice(vec![test, leave]);
        let first = self.basic(Work::Assign(variable, from), head, around, place);
        Entry { first, labelled: head }
    }

    fn for_in(
        &mut self,
        variable: ast::ExprId,
        collection: ast::ExprId,
        body: &'a Sequence,
        next: NodeId,
        around: &Around,
        place: Place,
    ) -> Entry {
        let length = self.env.path(collection).and_then(|p| {
            let var = self.env.lookup(&self.scope, &p.name.text)?;
            let info = &self.env.variables[var];
            let is_channel = info.leaves.first().is_some_and(|l| l.ty == Scalar::Chan);
            if p.members.is_empty() {
                info.length.filter(|_| !is_channel || p.indices[0].is_none() && info.length.is_some())
            } else {
                let members: Vec<&str> = p.members.iter().map(|m| m.text.as_str()).collect();
                let leaf =
                    info.leaves.iter().find(|l| l.path.iter().map(String::as_str).eq(members.clone()))?;
                leaf.lengths.last().copied().filter(|&n| n > 1)
            }
        });
        if length.is_none() {
            self.check_collection(collection);
        }
        let head = self.node(Kind::Choice(Vec::new()), around, place);
        let inside = Around { after_loop: Some(next), ..around.clone() };
        let leave = self.basic(Work::Else, next, around, place);
        if let Some(length) = length {
            let count = self.basic(Work::Increment(variable), head, around, place);
            let body = self.sequence(body, count, &inside, place);
            let test = self.basic(Work::AtMostConstant(variable, i64::from(length) - 1), body, around, place);
            self.flow.nodes[head].kind = Kind::Choice(vec![test, leave]);
            let first = self.basic(Work::AssignConstant(variable, 0), head, around, place);
            return Entry { first, labelled: head };
        }
        let count = self.basic(Work::ChannelNext(place), head, around, place);
        let body = self.sequence(body, count, &inside, place);
        let give = self.basic(Work::ChannelSend(collection, variable), body, around, place);
        let take = self.basic(Work::ChannelReceive(collection, variable), give, around, place);
        let test = self.basic(Work::ChannelTest(place, collection), take, around, place);
        self.flow.nodes[head].kind = Kind::Choice(vec![test, leave]);
        let first = self.basic(Work::ChannelBegin(place), head, around, place);
        Entry { first, labelled: head }
    }
}
