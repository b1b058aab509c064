//! Permutations of the parts of a program, and the search for candidate symmetries.
//!
//! Components that were made from one by renaming have the same fields and commands, in the same order. So
//! the exchange of two of them can be read off by comparing their commands side by side. Where one reads a
//! field, writes it or takes part in an action, the other does so with the counterpart. Where they compare a
//! field with two different constants, or assign these, the constants are the numbers of the two (`turn=1`
//! and `turn=2`). The result is a guess, which [`super::normal_form`] verifies on the whole program.

use crate::domain::Domain;
use crate::ids::{ActionId, ComponentId, FieldId};
use crate::program::Program;
use crate::steps::{Alternative, Participant, Weight};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_kernel::{BinaryOp, ExprId, Exprs, Node, Site};

/// The images of fields, components and actions, and of those values of fields that are numbers of
/// components. Anything not listed is its own image; the permutation is its own inverse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permutation {
    fields: FxHashMap<FieldId, FieldId>,
    components: FxHashMap<ComponentId, ComponentId>,
    actions: FxHashMap<ActionId, ActionId>,
    values: FxHashMap<FieldId, [i64; 2]>,
}

impl Permutation {
    /// The image of a field.
    pub fn field(&self, field: FieldId) -> FieldId {
        self.fields.get(&field).copied().unwrap_or(field)
    }

    /// The image of a component.
    pub fn component(&self, component: ComponentId) -> ComponentId {
        self.components.get(&component).copied().unwrap_or(component)
    }

    /// The image of an action.
    pub fn action(&self, action: ActionId) -> ActionId {
        self.actions.get(&action).copied().unwrap_or(action)
    }

    /// Whether values of a field are exchanged.
    pub fn has_values(&self, field: FieldId) -> bool {
        self.values.contains_key(&field)
    }

    /// The image of a value of a field.
    pub fn value(&self, field: FieldId, value: i64) -> i64 {
        match self.values.get(&field) {
            Some(&[a, b]) if value == a => b,
            Some(&[a, b]) if value == b => a,
            _ => value,
        }
    }

    /// The image of a state.
    pub fn state(&self, state: &[i64]) -> Vec<i64> {
        let mut moved = state.to_vec();
        self.moved_fields().for_each(|(from, to)| moved[to.index()] = state[from.index()]);
        for &field in self.values.keys() {
            moved[field.index()] = self.value(field, moved[field.index()]);
        }
        moved
    }

    /// The fields that are not their own image.
    pub fn moved_fields(&self) -> impl Iterator<Item = (FieldId, FieldId)> + '_ {
        self.fields.iter().map(|(&from, &to)| (from, to)).filter(|(from, to)| from != to)
    }
}

/// Records that two things are exchanged; `false` if one of them already has another counterpart.
fn exchange<K: Copy + Eq + std::hash::Hash>(map: &mut FxHashMap<K, K>, a: K, b: K) -> bool {
    *map.entry(a).or_insert(b) == b && *map.entry(b).or_insert(a) == a
}

/// The exchange of two components, with the fields that belong to them.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The whole permutation.
    pub permutation: Permutation,
    /// Fields of the first component with their counterparts, ordered by the former.
    pub pairs: Vec<(FieldId, FieldId)>,
    /// Fields that stay but of which two values are exchanged, in order.
    pub values: Vec<(FieldId, [i64; 2])>,
}

/// The properties that components with the same code share.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    domains: Vec<Domain>,
    alternatives: Vec<usize>,
}

/// The components of a program, with the fields and commands of each.
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

    /// Whether two components have the same number of fields and commands, with the same domains.
    pub fn are_alike(&self, a: ComponentId, b: ComponentId) -> bool {
        self.shapes[a.index()] == self.shapes[b.index()]
    }

    /// A candidate for the exchange of two similar components; `None` if nothing suggests one.
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
    /// Fields that belong to no exchanged component, and seem to be counterparts.
    globals: Vec<(FieldId, FieldId)>,
    /// Constants that occur at the same place, compared with or assigned to a field.
    values: Vec<(FieldId, [i64; 2])>,
    /// Components that must also be exchanged.
    waiting: Vec<(ComponentId, ComponentId)>,
    seen: FxHashSet<(ExprId, ExprId)>,
}

impl Search<'_, '_> {
    /// Exchanges two components; `false` if that contradicts earlier findings.
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

    /// Records the fields at corresponding places of two expressions, as far as these have the same form.
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

    /// Records that, at the same place of their code, the first component has one field and the second
    /// another.
    fn counterparts(&mut self, f: FieldId, g: FieldId) {
        let fields = &self.components.program.fields;
        let (a, b) = (fields[f.index()].component, fields[g.index()].component);
        match (a, b) {
            _ if f == g => {}
            // Fields of other similar components: their images are decided elsewhere.
            (Some(a), _) if self.components.are_alike(a, self.of) => {}
            (Some(a), Some(b)) if a != b && self.components.are_alike(a, b) => self.waiting.push((a, b)),
            (a, b) if a == b && fields[f.index()].domain == fields[g.index()].domain => {
                self.globals.push((f, g));
            }
            _ => {}
        }
    }

    /// Records that, at the same place of their code, the first component has one constant for a field and
    /// the second another.
    fn counterparts_of_values(&mut self, field: FieldId, a: ExprId, b: ExprId) {
        let constant = |id| self.components.program.exprs.as_const(id).and_then(|c| c.as_i64());
        if let (Some(a), Some(b)) = (constant(a), constant(b))
            && a != b
        {
            self.values.push((field, [a.min(b), a.max(b)]));
        }
    }

    /// The exchanged values: at most two per field, both in its domain. `None` if they contradict each other.
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

    /// Adds the other fields if they fit together.
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

/// If a node compares a field with something else: the field, and that operand.
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
