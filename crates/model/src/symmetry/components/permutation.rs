//! Permutations of the parts of a program, and how candidates for symmetries are found.
//!
//! Components that were made from one by renaming have the same fields and commands in the same order. So the exchange of two
//! of them is read off by going through their commands side by side: where one reads a field, writes it or takes part in an action,
//! the other does so with the counterpart. Where one compares a field with a constant and the other with another, or they
//! assign these, the constants are the numbers of the two (`turn=1` and `turn=2`). Whether the exchange is a symmetry is for a test of the whole program
//! to say ([`super::normal_form`]); what is found here is a guess.

use crate::domain::Domain;
use crate::ids::{ActionId, ComponentId, FieldId};
use crate::program::Program;
use crate::steps::{Alternative, Participant, Weight};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_kernel::{BinaryOp, ExprId, Exprs, Node, Site};

/// Where fields, components and actions go, and values of fields that stay: numbers of components. What is not mentioned
/// stays; exchanges are mutual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permutation {
    fields: FxHashMap<FieldId, FieldId>,
    components: FxHashMap<ComponentId, ComponentId>,
    actions: FxHashMap<ActionId, ActionId>,
    values: FxHashMap<FieldId, [i64; 2]>,
}

impl Permutation {
    /// Where a field goes.
    pub fn field(&self, field: FieldId) -> FieldId {
        self.fields.get(&field).copied().unwrap_or(field)
    }

    /// Where a component goes.
    pub fn component(&self, component: ComponentId) -> ComponentId {
        self.components.get(&component).copied().unwrap_or(component)
    }

    /// Where an action goes.
    pub fn action(&self, action: ActionId) -> ActionId {
        self.actions.get(&action).copied().unwrap_or(action)
    }

    /// Whether values of a field are exchanged.
    pub fn has_values(&self, field: FieldId) -> bool {
        self.values.contains_key(&field)
    }

    /// Where a value of a field goes.
    pub fn value(&self, field: FieldId, value: i64) -> i64 {
        match self.values.get(&field) {
            Some(&[a, b]) if value == a => b,
            Some(&[a, b]) if value == b => a,
            _ => value,
        }
    }

    /// The state to which a state goes.
    pub fn state(&self, state: &[i64]) -> Vec<i64> {
        let mut moved = state.to_vec();
        self.moved_fields().for_each(|(from, to)| moved[to.index()] = state[from.index()]);
        for &field in self.values.keys() {
            moved[field.index()] = self.value(field, moved[field.index()]);
        }
        moved
    }

    /// The fields that go elsewhere.
    pub fn moved_fields(&self) -> impl Iterator<Item = (FieldId, FieldId)> + '_ {
        self.fields.iter().map(|(&from, &to)| (from, to)).filter(|(from, to)| from != to)
    }
}

/// Notes that two things are exchanged; `false` if one of them has another counterpart already.
fn exchange<K: Copy + Eq + std::hash::Hash>(map: &mut FxHashMap<K, K>, a: K, b: K) -> bool {
    *map.entry(a).or_insert(b) == b && *map.entry(b).or_insert(a) == a
}

/// The exchange of two components, with what goes with them.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The whole permutation.
    pub permutation: Permutation,
    /// Fields on the side of the first component with their counterparts, in the order of the former.
    pub pairs: Vec<(FieldId, FieldId)>,
    /// Fields that stay, with two values that are exchanged, in the order of the fields.
    pub values: Vec<(FieldId, [i64; 2])>,
}

/// The shape that components with the same code share.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    domains: Vec<Domain>,
    alternatives: Vec<usize>,
}

/// The components of a program: what belongs to each.
pub struct Components<'p> {
    program: &'p Program,
    fields: Vec<Vec<FieldId>>,
    participants: Vec<Vec<(ActionId, &'p Participant)>>,
    shapes: Vec<Shape>,
}

impl<'p> Components<'p> {
    /// The components of a program without instances.
    pub fn new(program: &'p Program) -> Self {
        let count = program.components.len();
        let mut fields = vec![Vec::new(); count];
        for (number, field) in program.fields.iter().enumerate() {
            if let Some(component) = field.component {
                fields[component.index()].push(FieldId(number as u32));
            }
        }
        let mut participants = vec![Vec::new(); count];
        for group in &program.groups {
            for participant in &group.participants {
                if let Some(component) = participant.as_component() {
                    participants[component.index()].push((group.action, participant));
                }
            }
        }
        let shape = |(fields, participants): (&Vec<FieldId>, &Vec<(ActionId, &Participant)>)| Shape {
            domains: fields.iter().map(|field| program.fields[field.index()].domain).collect(),
            alternatives: participants.iter().map(|(_, p)| p.alternatives.len()).collect(),
        };
        let shapes = fields.iter().zip(&participants).map(shape).collect();
        Components { program, fields, participants, shapes }
    }

    /// Whether two components have as many fields and commands, with the same domains.
    pub fn are_alike(&self, a: ComponentId, b: ComponentId) -> bool {
        self.shapes[a.index()] == self.shapes[b.index()]
    }

    /// The exchange of two components that are alike; `None` if nothing suggests one.
    pub fn exchange(&self, a: ComponentId, b: ComponentId) -> Option<Exchange> {
        let mut search = Search {
            components: self,
            of: a,
            permutation: Permutation::default(),
            pairs: Vec::new(),
            globals: Vec::new(),
            values: Vec::new(),
            waiting: vec![(a, b)],
            seen: FxHashSet::default(),
        };
        while let Some((a, b)) = search.waiting.pop() {
            if !search.components(a, b) {
                return None;
            }
        }
        search.finish()
    }
}

/// An exchange under construction.
struct Search<'c, 'p> {
    components: &'c Components<'p>,
    of: ComponentId,
    permutation: Permutation,
    pairs: Vec<(FieldId, FieldId)>,
    /// Fields that belong to no component that is exchanged, and seem to be each other's counterparts.
    globals: Vec<(FieldId, FieldId)>,
    /// Values of fields at the same places.
    values: Vec<(FieldId, [i64; 2])>,
    /// Components that must be exchanged, too.
    waiting: Vec<(ComponentId, ComponentId)>,
    seen: FxHashSet<(ExprId, ExprId)>,
}

impl Search<'_, '_> {
    /// Exchanges two components; `false` if that contradicts what is known.
    fn components(&mut self, a: ComponentId, b: ComponentId) -> bool {
        let all = self.components;
        if let Some(&known) = self.permutation.components.get(&a) {
            return known == b;
        }
        if !exchange(&mut self.permutation.components, a, b) {
            return false;
        }
        for (&f, &g) in all.fields[a.index()].iter().zip(&all.fields[b.index()]) {
            if !exchange(&mut self.permutation.fields, f, g) {
                return false;
            }
            self.pairs.push((f, g));
        }
        for ((action, p), (other, q)) in all.participants[a.index()].iter().zip(&all.participants[b.index()])
        {
            if !exchange(&mut self.permutation.actions, *action, *other) {
                return false;
            }
            for (p, q) in p.alternatives.iter().zip(&q.alternatives) {
                self.alternatives(p, q);
            }
        }
        true
    }

    fn alternatives(&mut self, p: &Alternative, q: &Alternative) {
        self.side_by_side(p.guard, q.guard);
        for (p, q) in p.outcomes.iter().zip(&q.outcomes) {
            if let (Weight::Expr { expr: e, .. }, Weight::Expr { expr: f, .. }) = (&p.weight, &q.weight) {
                self.side_by_side(*e, *f);
            }
            for (p, q) in p.assignments().iter().zip(q.assignments()) {
                self.counterparts(p.field, q.field);
                self.side_by_side(p.value, q.value);
                if p.field == q.field {
                    self.counterparts_of_values(p.field, p.value, q.value);
                }
            }
        }
    }

    /// Notes fields at the same places of two expressions, as far as these have the same form.
    fn side_by_side(&mut self, a: ExprId, b: ExprId) {
        let program = self.components.program;
        let mut stack = vec![(a, b)];
        while let Some((a, b)) = stack.pop() {
            if !self.seen.insert((a, b)) {
                continue;
            }
            let (first, second) = (program.exprs.node(a), program.exprs.node(b));
            if let (Some(f), Some(g)) = (read_field(program, &first), read_field(program, &second)) {
                self.counterparts(f, g);
            } else if head(&first) == head(&second) {
                if let Some((field, a)) = compared(program, &first)
                    && let Some((other, b)) = compared(program, &second)
                    && field == other
                {
                    self.counterparts_of_values(field, a, b);
                }
                let mut operands = Vec::new();
                Exprs::each_operand(&first, |operand| operands.push(operand));
                let mut at = 0;
                Exprs::each_operand(&second, |operand| {
                    stack.push((operands[at], operand));
                    at += 1;
                });
            }
        }
    }

    /// Notes that code of the first component has one field where that of the second has another.
    fn counterparts(&mut self, f: FieldId, g: FieldId) {
        let fields = &self.components.program.fields;
        let (a, b) = (fields[f.index()].component, fields[g.index()].component);
        match (a, b) {
            _ if f == g => {}
            // Components like the two look at one another; what goes where among these is known.
            (Some(a), _) if self.components.are_alike(a, self.of) => {}
            (Some(a), Some(b)) if a != b && self.components.are_alike(a, b) => self.waiting.push((a, b)),
            (a, b) if a == b && fields[f.index()].domain == fields[g.index()].domain => {
                self.globals.push((f, g));
            }
            _ => {}
        }
    }

    /// Notes that code of the first component has one constant value of a field where that of the second has another.
    fn counterparts_of_values(&mut self, field: FieldId, a: ExprId, b: ExprId) {
        let constant = |id| self.components.program.exprs.as_const(id).and_then(|c| c.as_i64());
        if let (Some(a), Some(b)) = (constant(a), constant(b))
            && a != b
        {
            self.values.push((field, [a.min(b), a.max(b)]));
        }
    }

    /// The values that are exchanged: at most two of each field, both in its domain. `None` if they do not fit.
    fn exchanged_values(&mut self) -> Option<Vec<(FieldId, [i64; 2])>> {
        let program = self.components.program;
        let mut values = std::mem::take(&mut self.values);
        values.sort_unstable();
        values.dedup();
        let is_good = |&(field, [a, b]): &(FieldId, [i64; 2])| {
            let (lo, hi) = program.fields[field.index()].domain.bounds();
            lo <= a && b <= hi && !self.permutation.fields.contains_key(&field)
        };
        let once = values.windows(2).all(|pair| pair[0].0 != pair[1].0);
        (once && values.iter().all(is_good)).then_some(values)
    }

    /// Adds other fields where these fit together.
    fn finish(mut self) -> Option<Exchange> {
        let before = (self.permutation.fields.clone(), self.pairs.len());
        self.globals.sort_unstable();
        self.globals.dedup();
        for (f, g) in std::mem::take(&mut self.globals) {
            let is_known = self.pairs.contains(&(f, g));
            if !is_known && (self.pairs.contains(&(g, f)) || !exchange(&mut self.permutation.fields, f, g)) {
                self.permutation.fields = before.0;
                self.pairs.truncate(before.1);
                break;
            }
            if !is_known {
                self.pairs.push((f, g));
            }
        }
        self.pairs.sort_unstable();
        let values = self.exchanged_values().unwrap_or_default();
        self.permutation.values = values.iter().copied().collect();
        let (permutation, pairs) = (self.permutation, self.pairs);
        (!pairs.is_empty()).then_some(Exchange { permutation, pairs, values })
    }
}

/// The field that a node reads.
pub fn read_field(program: &Program, node: &Node) -> Option<FieldId> {
    match program.place_read(node) {
        Some(crate::places::Place::Field(field)) => Some(field),
        _ => None,
    }
}

/// The field that a node compares with something that is no field, and that.
pub fn compared(program: &Program, node: &Node) -> Option<(FieldId, ExprId)> {
    let Node::Binary { op: BinaryOp::Eq | BinaryOp::Ne, lhs, rhs } = *node else { return None };
    let field = |id| read_field(program, &program.exprs.node(id));
    match (field(lhs), field(rhs)) {
        (Some(field), None) => Some((field, rhs)),
        (None, Some(field)) => Some((field, lhs)),
        _ => None,
    }
}

/// A node without its operands and its site.
pub fn head(node: &Node) -> Node {
    let (none, nowhere) = (ExprId(0), Site(0));
    match *node {
        Node::Const(_) | Node::Local(..) | Node::Len(_) => *node,
        Node::Load { buffer, ty, .. } => Node::Load { buffer, ty, index: none },
        Node::Unary { op, .. } => Node::Unary { op, arg: none },
        Node::Binary { op, .. } => Node::Binary { op, lhs: none, rhs: none },
        Node::Checked { op, .. } => Node::Checked { op, lhs: none, rhs: none, site: nowhere },
        Node::Convert { to, .. } => Node::Convert { to, arg: none },
        Node::Reinterpret { to, .. } => Node::Reinterpret { to, arg: none },
        Node::CheckedConvert { to, .. } => Node::CheckedConvert { to, arg: none, site: nowhere },
        Node::Range { lo, hi, .. } => Node::Range { arg: none, lo, hi, site: nowhere },
        Node::Select { .. } => Node::Select { cond: none, yes: none, no: none },
        Node::And { .. } => Node::And { lhs: none, rhs: none },
        Node::Or { .. } => Node::Or { lhs: none, rhs: none },
        Node::Math { f, .. } => Node::Math { f, args: [none, none] },
        Node::MulAdd { .. } => Node::MulAdd { args: [none; 3] },
    }
}
