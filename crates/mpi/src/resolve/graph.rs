//! Building the graph of a process: steps are added one behind the other, with jumps that are removed at the end.

use crate::system::{Access, Expr, LocalId, NodeId, NodeKind, System};
use rustc_hash::FxHashSet;
use volvelle_diagnostics::Span;

/// A step that does not know yet what follows.
const OPEN: NodeId = NodeId(u32::MAX);

/// A step while the graph is built.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Kind(NodeKind),
    /// A local gets the value that it has outside of its procedure.
    Clear(LocalId, NodeId),
    /// Nothing.
    Jump(NodeId),
}

impl Step {
    /// What follows, in order.
    pub fn next_mut(&mut self) -> Vec<&mut NodeId> {
        match self {
            Step::Clear(_, next) | Step::Jump(next) => vec![next],
            Step::Kind(kind) => match kind {
                NodeKind::Access(Access { next, .. })
                | NodeKind::Work(_, next)
                | NodeKind::Event(_, next)
                | NodeKind::Assign(_, _, next)
                | NodeKind::Assert(_, next) => vec![next],
                NodeKind::Branch(_, yes, no) => vec![yes, no],
                NodeKind::Choice(ways) => ways.iter_mut().collect(),
                NodeKind::End => Vec::new(),
            },
        }
    }

    /// What follows, in order.
    pub fn next(&self) -> Vec<NodeId> {
        match self {
            Step::Clear(_, next) | Step::Jump(next) => vec![*next],
            Step::Kind(kind) => System::followers(kind),
        }
    }
}

/// Ends of steps that nothing follows yet: the step, and which of its ways.
pub(super) type Ends = Vec<(NodeId, usize)>;

/// A graph that is being built.
pub(super) struct Graph {
    pub nodes: Vec<(Step, Span)>,
    /// What the next step follows; if nothing, it is never reached.
    open: Ends,
    /// Labels that are jumped to.
    used: FxHashSet<NodeId>,
}

impl Graph {
    /// A graph with a first step that does nothing.
    pub fn new(span: Span) -> Self {
        let mut graph = Graph { nodes: Vec::new(), open: Vec::new(), used: FxHashSet::default() };
        let start = graph.label(span);
        graph.open.push((start, 0));
        graph
    }

    /// Whether the next step can be reached.
    pub fn reachable(&self) -> bool {
        !self.open.is_empty()
    }

    /// Takes the ends away: the next step is not reached.
    pub fn take(&mut self) -> Ends {
        std::mem::take(&mut self.open)
    }

    /// The next step also follows some ends.
    pub fn join(&mut self, ends: Ends) {
        self.open.extend(ends);
    }

    /// A step that can be jumped to.
    pub fn label(&mut self, span: Span) -> NodeId {
        self.push(Step::Jump(OPEN), span)
    }

    fn push(&mut self, step: Step, span: Span) -> NodeId {
        self.nodes.push((step, span));
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn connect(&mut self, target: NodeId) {
        for (node, way) in std::mem::take(&mut self.open) {
            if let Some(next) = self.nodes[node.index()].0.next_mut().into_iter().nth(way) {
                *next = target;
            }
        }
    }

    /// Goes to a label; the next step is not reached.
    pub fn jump(&mut self, label: NodeId) {
        if self.reachable() {
            self.used.insert(label);
        }
        self.connect(label);
    }

    /// Puts a label here, which is also reached from what is before it.
    pub fn place(&mut self, label: NodeId) {
        self.connect(label);
        self.open = vec![(label, 0)];
    }

    /// The same, unless nobody goes there.
    pub fn place_if_used(&mut self, label: NodeId) {
        if self.reachable() || self.used.contains(&label) {
            self.place(label);
        }
    }

    /// Puts a step here that one other follows.
    pub fn step(&mut self, step: impl FnOnce(NodeId) -> Step, span: Span) {
        let node = self.push(step(OPEN), span);
        self.connect(node);
        self.open = vec![(node, 0)];
    }

    /// Puts a step of the system here that one other follows.
    pub fn kind(&mut self, kind: impl FnOnce(NodeId) -> NodeKind, span: Span) {
        self.step(|next| Step::Kind(kind(next)), span);
    }

    /// Puts a branch here; gives its ends.
    pub fn branch(&mut self, condition: Expr, span: Span) -> (Ends, Ends) {
        if !self.reachable() {
            return (Vec::new(), Vec::new());
        }
        let node = self.push(Step::Kind(NodeKind::Branch(condition, OPEN, OPEN)), span);
        self.connect(node);
        (vec![(node, 0)], vec![(node, 1)])
    }

    /// Puts a choice here; gives its ends.
    pub fn choice(&mut self, ways: usize, span: Span) -> Vec<Ends> {
        if !self.reachable() {
            return vec![Vec::new(); ways];
        }
        let node = self.push(Step::Kind(NodeKind::Choice(vec![OPEN; ways])), span);
        self.connect(node);
        (0..ways).map(|way| vec![(node, way)]).collect()
    }

    /// The process ends here.
    pub fn end(&mut self, span: Span) {
        let node = self.push(Step::Kind(NodeKind::End), span);
        self.connect(node);
    }
}

/// Where each step leads if jumps are followed; none for circles of jumps.
fn destinations(nodes: &[(Step, Span)]) -> Vec<Option<NodeId>> {
    /// What is known of a step.
    #[derive(Clone, Copy, PartialEq)]
    enum Known {
        Nothing,
        OnTheWay,
        Leads(Option<NodeId>),
    }
    let mut known = vec![Known::Nothing; nodes.len()];
    let mut way = Vec::new();
    for from in 0..nodes.len() {
        let mut at = NodeId(from as u32);
        let leads = loop {
            match known.get(at.index()) {
                Some(Known::Leads(leads)) => break *leads,
                // A circle, or a jump of code that nobody reaches.
                Some(Known::OnTheWay) | None => break None,
                Some(Known::Nothing) => {}
            }
            known[at.index()] = Known::OnTheWay;
            way.push(at);
            match nodes[at.index()].0 {
                Step::Jump(next) => at = next,
                _ => break Some(at),
            }
        };
        for node in way.drain(..) {
            known[node.index()] = Known::Leads(leads);
        }
    }
    known.into_iter().map(|known| if let Known::Leads(leads) = known { leads } else { None }).collect()
}

/// The steps that are reached from the first one, without jumps, numbered from 0 as they stand; the first one.
/// Fails with the place of a loop of nothing.
pub(super) fn compact(nodes: Vec<(Step, Span)>) -> Result<(Vec<(Step, Span)>, NodeId), Span> {
    let destinations = destinations(&nodes);
    let to = |from: NodeId| destinations[from.index()].ok_or_else(|| circle(&nodes, from));
    let start = to(NodeId(0))?;
    let mut reached = vec![false; nodes.len()];
    reached[start.index()] = true;
    let mut rest = vec![start];
    while let Some(node) = rest.pop() {
        for next in nodes[node.index()].0.next() {
            let next = to(next)?;
            if !std::mem::replace(&mut reached[next.index()], true) {
                rest.push(next);
            }
        }
    }
    let mut number = 0;
    let mut numbers = Vec::with_capacity(nodes.len());
    for &reached in &reached {
        numbers.push(NodeId(number));
        number += u32::from(reached);
    }
    let mut kept = Vec::with_capacity(number as usize);
    for (node, (mut step, span)) in nodes.iter().cloned().enumerate() {
        if reached[node] {
            for next in step.next_mut() {
                *next = numbers[to(*next)?.index()];
            }
            kept.push((step, span));
        }
    }
    Ok((kept, numbers[start.index()]))
}

/// The place of the circle of jumps that a jump leads to.
fn circle(nodes: &[(Step, Span)], from: NodeId) -> Span {
    let mut seen = FxHashSet::default();
    let mut at = from;
    while seen.insert(at) {
        match nodes[at.index()].0 {
            Step::Jump(next) if next != OPEN => at = next,
            _ => break,
        }
    }
    nodes[at.index()].1
}
