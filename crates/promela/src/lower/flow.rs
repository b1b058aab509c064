//! The control flow of a process: statements as nodes, before code is made of them.
//!
//! Control locations are the same as in SPIN, so that both count the same states: `goto`, `break` and the end of `if` and
//! `do` are followed immediately, except as the first statement of an alternative or block, or under a label with a
//! meaning (`end`, `accept`, `progress`, or one that a remote reference names).

use super::environment::Environment;
use super::reports::Reports;
use super::symbols::{Instance, ProcessId, Scope, VarId};
use super::types::Scalar;
use crate::ast::{self, ExprKind, Place, Sequence, Statement, StatementKind};
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;
use std::rc::Rc;
use volvelle_diagnostics::codes;
use volvelle_kernel::{EntityMap, EntityVec, entity};

entity!(
    /// A node of the control flow.
    pub(super) NodeId
);

/// The action of a node.
#[derive(Clone, Debug)]
pub(super) enum Work<'a> {
    Statement(&'a Statement),
    /// A step that does nothing: a `goto` that is one.
    Skip,
    Else,
    /// `variable = value`
    Assign(ast::ExprId, ast::ExprId),
    /// `variable = constant`
    AssignConstant(ast::ExprId, i64),
    /// `variable = variable + 1`
    Increment(ast::ExprId),
    /// `variable <= value`
    AtMost(ast::ExprId, ast::ExprId),
    /// `variable <= constant`
    AtMostConstant(ast::ExprId, i64),
    /// `variable < value`
    Below(ast::ExprId, ast::ExprId),
    /// The initial value of a variable that is declared after a statement.
    Declare(VarId),
    /// The loop over a channel: begin, test, receive the first message, send it again behind the others, count.
    ChannelBegin(Place),
    ChannelTest(Place, ast::ExprId),
    ChannelReceive(ast::ExprId, ast::ExprId),
    ChannelSend(ast::ExprId, ast::ExprId),
    ChannelNext(Place),
    /// `d_step`: from its first node to the node after it.
    DStep(NodeId),
}

#[derive(Clone, Debug)]
pub(super) enum Kind<'a> {
    Basic {
        work: Work<'a>,
        scope: Rc<Scope>,
        next: NodeId,
    },
    Choice(Vec<NodeId>),
    /// Followed immediately.
    Jump(NodeId),
    /// A block, entered at its first statement. A process that comes here stays here.
    Into(NodeId),
    /// The main sequence of `unless`: the same, but a process that comes here is at its first statement.
    Guarded(NodeId),
    /// The end of the process.
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    pub kind: Kind<'a>,
    pub is_end: bool,
    pub is_accepting: bool,
    pub is_progress: bool,
    /// Some expression observes whether a process is here.
    pub is_observed: bool,
    /// Inside an `atomic`.
    pub atomic: bool,
    /// Inside this `d_step`.
    pub d_step: Option<u32>,
    /// Escapes, outermost first.
    pub escapes: Rc<Vec<NodeId>>,
    pub place: Place,
}

impl Node<'_> {
    /// Whether it has a label that makes it a location.
    pub fn is_labelled(&self) -> bool {
        self.is_end || self.is_accepting || self.is_progress || self.is_observed
    }
}

/// The control flow of one process.
#[derive(Clone, Debug)]
pub(super) struct Flow<'a> {
    pub nodes: EntityVec<NodeId, Node<'a>>,
    pub entry: NodeId,
    pub labels: FxHashMap<String, (NodeId, Place)>,
}

/// The constructs around a statement.
#[derive(Clone)]
struct Around {
    atomic: bool,
    d_step: Option<u32>,
    escapes: Rc<Vec<NodeId>>,
    /// The node that `break` leads to.
    after_loop: Option<NodeId>,
}

/// The control flow of a body. `names` are those of parameters.
pub(super) fn flow<'a>(
    env: &Environment<'a>,
    reports: &mut Reports<'a>,
    body: &'a Sequence,
    process: Option<ProcessId>,
    names: Vec<(String, VarId)>,
    place: Place,
) -> Flow<'a> {
    let scope = Scope { process, instance: Instance::Own, names };
    let flow = Flow { nodes: EntityVec::new(), entry: NodeId(0), labels: FxHashMap::default() };
    let mut making = Making { env, reports, flow, scope, jumps: Vec::new(), d_steps: 0 };
    let around = Around { atomic: false, d_step: None, escapes: Rc::new(Vec::new()), after_loop: None };
    let end = making.node(Kind::End, &around, place);
    making.flow.nodes[end].is_end = true;
    making.flow.entry = making.body(body, end, &around, place);
    making.direct_jumps();
    making.flow
}

/// A control flow in the making.
struct Making<'l, 'a> {
    env: &'l Environment<'a>,
    reports: &'l mut Reports<'a>,
    flow: Flow<'a>,
    scope: Scope,
    /// Nodes of `goto`, with the label to which each jumps.
    jumps: Vec<(NodeId, ast::Name)>,
    d_steps: u32,
}

impl<'a> Making<'_, 'a> {
    /// Directs every `goto` to its label.
    fn direct_jumps(&mut self) {
        for (node, name) in std::mem::take(&mut self.jumps) {
            match self.flow.labels.get(&name.text) {
                Some(&(target, _)) => self.flow.nodes[node].kind = Kind::Jump(target),
                None => {
                    let message = format!("there is no label `{}` in this process", name.text);
                    self.reports.error(codes::UNKNOWN_NAME, message, name.place, "");
                }
            }
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
                self.scope.names.push((name, id));
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
        let mut open: Option<NodeId> = None;
        for (i, statement) in statements.iter().enumerate() {
            if matches!(statement.kind, StatementKind::Exclusive { .. }) {
                continue;
            }
            let is_last =
                statements[i + 1..].iter().all(|s| matches!(s.kind, StatementKind::Exclusive { .. }));
            // A jump to the next statement, directed below.
            let follows = if is_last { next } else { self.node(Kind::Jump(next), around, statement.place) };
            let entry = self.statement(statement, follows, around);
            if let Some(open) = open {
                self.flow.nodes[open].kind = Kind::Jump(entry);
            }
            first.get_or_insert(entry);
            open = (!is_last).then_some(follows);
        }
        // An empty block is a step that does nothing.
        first.unwrap_or_else(|| self.basic(Work::Skip, next, around, place))
    }

    fn statement(&mut self, statement: &'a Statement, next: NodeId, around: &Around) -> NodeId {
        let entry = self.unlabelled(statement, next, around);
        for label in &statement.labels {
            let node = &mut self.flow.nodes[entry];
            node.is_end |= label.text.starts_with("end");
            node.is_accepting |= label.text.starts_with("accept");
            node.is_progress |= label.text.starts_with("progress");
            node.is_observed |= self.env.facts.remote_labels.contains(&label.text);
            if self.flow.labels.insert(label.text.clone(), (entry, label.place)).is_some() {
                let message = format!("the label `{}` is defined twice", label.text);
                self.reports.error(codes::DUPLICATE_NAME, message, label.place, "");
            }
        }
        entry
    }

    fn unlabelled(&mut self, statement: &'a Statement, next: NodeId, around: &Around) -> NodeId {
        let place = statement.place;
        match &statement.kind {
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
                let head = self.node(Kind::Choice(Vec::new()), around, place);
                let count = self.basic(Work::Increment(*variable), head, around, place);
                let inside = Around { after_loop: Some(next), ..around.clone() };
                let body = self.sequence(body, count, &inside, place);
                let test = self.basic(Work::AtMost(*variable, *to), body, around, place);
                let leave = self.basic(Work::Else, next, around, place);
                self.flow.nodes[head].kind = Kind::Choice(vec![test, leave]);
                self.basic(Work::Assign(*variable, *from), head, around, place)
            }
            StatementKind::ForIn { variable, collection, body } => {
                self.for_in(*variable, *collection, body, next, around, place)
            }
            StatementKind::Select { variable, from, to } => {
                self.select(*variable, *from, *to, next, around, place)
            }
            StatementKind::Atomic(body) => {
                let inside = Around { atomic: true, ..around.clone() };
                let first = self.sequence(body, next, &inside, place);
                self.node(Kind::Into(first), around, place)
            }
            StatementKind::Block(body) => {
                let first = self.sequence(body, next, around, place);
                self.node(Kind::Into(first), around, place)
            }
            StatementKind::DStep(body) if around.d_step.is_some() => {
                let first = self.sequence(body, next, around, place);
                self.node(Kind::Into(first), around, place)
            }
            StatementKind::DStep(body) => {
                self.d_steps += 1;
                let inside = Around { d_step: Some(self.d_steps), after_loop: None, ..around.clone() };
                let first = self.sequence(body, next, &inside, place);
                self.basic(Work::DStep(first), next, around, place)
            }
            StatementKind::Unless { main, escape } => {
                let escape = self.sequence(escape, next, around, place);
                let mut escapes = around.escapes.as_ref().clone();
                escapes.push(escape);
                let inside = Around { escapes: Rc::new(escapes), ..around.clone() };
                let first = self.sequence(main, next, &inside, place);
                self.node(Kind::Guarded(first), around, place)
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
        }
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
        options.iter().map(|o| self.sequence(o, next, around, place)).collect()
    }

    fn select(
        &mut self,
        variable: ast::ExprId,
        from: ast::ExprId,
        to: ast::ExprId,
        next: NodeId,
        around: &Around,
        place: Place,
    ) -> NodeId {
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
            return self.node(Kind::Choice(options), around, place);
        }
        let head = self.node(Kind::Choice(Vec::new()), around, place);
        let count = self.basic(Work::Increment(variable), head, around, place);
        let test = self.basic(Work::Below(variable, to), count, around, place);
        let leave = self.basic(Work::Skip, next, around, place);
        self.flow.nodes[head].kind = Kind::Choice(vec![test, leave]);
        self.basic(Work::Assign(variable, from), head, around, place)
    }

    fn for_in(
        &mut self,
        variable: ast::ExprId,
        collection: ast::ExprId,
        body: &'a Sequence,
        next: NodeId,
        around: &Around,
        place: Place,
    ) -> NodeId {
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
        let head = self.node(Kind::Choice(Vec::new()), around, place);
        let inside = Around { after_loop: Some(next), ..around.clone() };
        let leave = self.basic(Work::Else, next, around, place);
        if let Some(length) = length {
            let count = self.basic(Work::Increment(variable), head, around, place);
            let body = self.sequence(body, count, &inside, place);
            let test = self.basic(Work::AtMostConstant(variable, i64::from(length) - 1), body, around, place);
            self.flow.nodes[head].kind = Kind::Choice(vec![test, leave]);
            return self.basic(Work::AssignConstant(variable, 0), head, around, place);
        }
        let count = self.basic(Work::ChannelNext(place), head, around, place);
        let body = self.sequence(body, count, &inside, place);
        let give = self.basic(Work::ChannelSend(collection, variable), body, around, place);
        let take = self.basic(Work::ChannelReceive(collection, variable), give, around, place);
        let test = self.basic(Work::ChannelTest(place, collection), take, around, place);
        self.flow.nodes[head].kind = Kind::Choice(vec![test, leave]);
        self.basic(Work::ChannelBegin(place), head, around, place)
    }
}

/// The choices of a `select` that are a step each. SPIN makes them where the bounds are numbers, not other expressions, and
/// not in an `inline`.
pub(super) fn constant_choices(
    model: &ast::Model,
    place: Place,
    from: ast::ExprId,
    to: ast::ExprId,
) -> Option<RangeInclusive<i64>> {
    let (a, b) = (number(model, from)?, number(model, to)?);
    (a <= b && b - a < 1000 && !in_inline(model, place)).then_some(a..=b)
}

fn number(model: &ast::Model, e: ast::ExprId) -> Option<i64> {
    match model.exprs.get(e).kind {
        ExprKind::Number(n) => Some(n),
        _ => None,
    }
}

fn in_inline(model: &ast::Model, place: Place) -> bool {
    model.definitions.inlines.contain(model.places.span(place))
}

impl Flow<'_> {
    /// Places of the statements that are not reachable from the entry.
    pub fn unreachable(&self) -> Vec<Place> {
        let mut reached: EntityMap<NodeId, bool> = EntityMap::default();
        let mut stack = vec![self.entry];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut reached[node], true) {
                continue;
            }
            let node = self.get(node);
            stack.extend(node.escapes.iter().copied());
            match &node.kind {
                Kind::Basic { work: Work::DStep(first), next, .. } => stack.extend([*first, *next]),
                Kind::Basic { next, .. } | Kind::Jump(next) => stack.push(*next),
                Kind::Choice(options) => stack.extend(options.iter().copied()),
                Kind::Into(first) | Kind::Guarded(first) => stack.push(*first),
                Kind::End => {}
            }
        }
        let statements = self.nodes.iter().filter(|(id, node)| {
            let is_statement = !matches!(node.kind, Kind::Basic { work: Work::Skip | Work::Else, .. });
            !reached[*id] && is_statement && matches!(node.kind, Kind::Basic { .. })
        });
        statements.map(|(_, node)| node.place).collect()
    }

    pub fn get(&self, node: NodeId) -> &Node<'_> {
        &self.nodes[node]
    }

    /// The first node inside a block; any other node itself.
    pub fn inside(&self, node: NodeId) -> NodeId {
        let mut at = node;
        // Blocks are made before the nodes around them: the chain ends.
        while let Kind::Into(first) | Kind::Guarded(first) = self.get(at).kind {
            at = first;
        }
        at
    }

    /// The location of a process that moves on to `node`: jumps are followed.
    pub fn resolve(&self, node: NodeId) -> NodeId {
        let mut at = node;
        // A chain of jumps longer than the number of nodes is a cycle: `L: goto L`.
        for _ in 0..=self.nodes.len() {
            let node = self.get(at);
            match node.kind {
                Kind::Jump(target) | Kind::Guarded(target) if !node.is_labelled() => at = target,
                _ => return at,
            }
        }
        at
    }
}
