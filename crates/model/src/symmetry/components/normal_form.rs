//! Normal forms of the parts of a program under a permutation of its fields.
//!
//! Parts with the same number are equal up to irrelevant differences: the order of groups, alternatives and
//! rewards; the order of operands of sums and products of integers, and of conjunctions and disjunctions that
//! cannot fail; and the way in which a conjunction says that things are equal. Sums of doubles keep their
//! order, since rounding depends on it. Different numbers prove nothing: the test may miss symmetries, but
//! finds no false ones.

use super::permutation::{Permutation, compared, head, read_field};
use crate::program::{Initial, Program};
use crate::selection::Selection;
use crate::steps::{Alternative, Choice, Effect, Group, Outcome, Weight};
use crate::urgency::Class;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use volvelle_kernel::{BinaryOp, Const, ExprId, Exprs, Local, Node, Type};

/// Limit of operands of an associative operation that are sorted. A chain that shares parts of itself may
/// have many more operands than nodes.
const LONGEST_CHAIN: usize = 4096;

/// The head of a part: its kind, without the parts of which it consists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Head {
    Expr(Node),
    /// All parts are equal, or (`false`) some are not.
    AllEqual(bool),
    /// The bits of the double, and the number of the rational.
    Weight(u64, usize),
    /// An assignment to this field.
    Assignment(u32),
    /// The value of a field that holds numbers of components, where it is not compared with a constant.
    Number(u32),
    /// The value of an expression that is assigned to such a field.
    Opaque(u32),
    Outcome,
    Alternative,
    /// A component.
    Participant(u32),
    /// An action.
    Group(u32, Choice, Class),
    StateReward,
    TransitionReward(u32),
}

/// Numbers the parts of one program; equal parts have equal numbers.
pub struct NormalForms<'p> {
    program: &'p Program,
    observe: &'p Selection,
    numbers: FxHashMap<(Head, Box<[u32]>), u32>,
    rationals: FxHashMap<RBig, usize>,
    /// By expression: whether it cannot fail.
    infallible: Vec<bool>,
    /// The original program.
    original: Forms,
}

/// The parts of a program that steps and observations depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Forms {
    groups: Vec<u32>,
    initial: Option<u32>,
    labels: Vec<u32>,
    numbers: Vec<u32>,
    rewards: Vec<Vec<u32>>,
}

impl<'p> NormalForms<'p> {
    /// For a program and its observations. `None` if it has parts that cannot be compared: exchanged values,
    /// blocks of statements, instances.
    pub fn new(program: &'p Program, observe: &'p Selection) -> Option<Self> {
        let mut participants = program.groups.iter().flat_map(|group| &group.participants);
        let is_known = |alternative: &Alternative| {
            let effects = alternative.outcomes.iter().map(|outcome| &outcome.effect);
            alternative.offer.is_none() && { effects }.all(|e| matches!(e, Effect::Assignments(_)))
        };
        let fits = participants.all(|p| p.as_component().is_some() && p.alternatives.iter().all(is_known));
        if !fits {
            return None;
        }
        let mut infallible = vec![true; program.exprs.len()];
        for id in program.exprs.ids() {
            let node = program.exprs.node(id);
            let mut all = !matches!(
                node,
                Node::Checked { .. } | Node::CheckedConvert { .. } | Node::Range { .. } | Node::Load { .. }
            );
            program.each_operand(&node, |operand| all &= infallible[operand.index()]);
            infallible[id.index()] = all;
        }
        let (numbers, rationals) = (FxHashMap::default(), FxHashMap::default());
        let original = Forms::default();
        let mut forms = NormalForms { program, observe, numbers, rationals, infallible, original };
        forms.original = forms.of(&Permutation::default());
        Some(forms)
    }

    /// Whether a permutation maps the program, its initial states and its observations to themselves.
    pub fn is_symmetry(&mut self, permutation: &Permutation) -> bool {
        let fields = &self.program.fields;
        let keeps_domains = permutation
            .moved_fields()
            .all(|(from, to)| fields[from.index()].domain == fields[to.index()].domain);
        keeps_domains && self.keeps_initial_states(permutation) && self.of(permutation) == self.original
    }

    fn keeps_initial_states(&self, permutation: &Permutation) -> bool {
        let Initial::States(states) = &self.program.initial else { return true };
        let known: BTreeSet<&Vec<i64>> = states.iter().collect();
        states.iter().all(|state| known.contains(&permutation.state(state)))
    }

    fn of(&mut self, permutation: &Permutation) -> Forms {
        let (program, observe) = (self.program, self.observe);
        let mut image = Image { forms: self, permutation, known: FxHashMap::default() };
        let mut groups: Vec<u32> = program.groups.iter().map(|group| image.group(group)).collect();
        groups.sort_unstable();
        let initial = match program.initial {
            Initial::States(_) => None,
            Initial::Predicate(predicate) => Some(image.expr(predicate)),
        };
        let labels = observe.labels.iter().chain(&program.stop);
        let labels = labels.map(|&label| image.expr(program.labels[label].expr)).collect();
        let numbers = observe.numbers.iter().map(|&n| image.expr(program.numbers[n].expr)).collect();
        let rewards = observe.rewards.iter().map(|&structure| image.rewards(structure)).collect();
        Forms { groups, initial, labels, numbers, rewards }
    }

    fn number(&mut self, head: Head, parts: Vec<u32>) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry((head, parts.into())).or_insert(next)
    }
}

/// The image of the program under a permutation.
struct Image<'f, 'p> {
    forms: &'f mut NormalForms<'p>,
    permutation: &'f Permutation,
    known: FxHashMap<ExprId, u32>,
}

impl Image<'_, '_> {
    fn group(&mut self, group: &Group) -> u32 {
        let mut parts = Vec::with_capacity(group.participants.len());
        for participant in &group.participants {
            let alternatives = participant.alternatives.iter().map(|a| self.alternative(a)).collect();
            let component = participant.as_component().expect("the program has no instances");
            let head = Head::Participant(self.permutation.component(component).0);
            parts.push(self.multiset(head, alternatives));
        }
        let choice = self.forms.program.choice_of(group);
        self.multiset(Head::Group(self.permutation.action(group.action).0, choice, group.class), parts)
    }

    fn alternative(&mut self, alternative: &Alternative) -> u32 {
        let mut outcomes: Vec<u32> = alternative.outcomes.iter().map(|o| self.outcome(o)).collect();
        outcomes.sort_unstable();
        outcomes.push(self.expr(alternative.guard));
        self.forms.number(Head::Alternative, outcomes)
    }

    fn outcome(&mut self, outcome: &Outcome) -> u32 {
        let mut parts = Vec::with_capacity(1 + outcome.assignments().len());
        for assignment in outcome.assignments() {
            let value = match self.forms.program.exprs.as_const(assignment.value).and_then(|c| c.as_i64()) {
                Some(value) => self.constant(self.permutation.value(assignment.field, value)),
                // A computed number of a component does not move with the component.
                None if self.permutation.has_values(assignment.field) => self.opaque(assignment.value),
                None => self.expr(assignment.value),
            };
            let head = Head::Assignment(self.permutation.field(assignment.field).0);
            parts.push(self.forms.number(head, vec![value]));
        }
        parts.sort_unstable();
        parts.push(match &outcome.weight {
            Weight::Constant { value, exact } => {
                let rationals = &mut self.forms.rationals;
                let next = rationals.len() + 1;
                let exact = exact.as_ref().map_or(0, |exact| *rationals.entry(exact.clone()).or_insert(next));
                self.forms.number(Head::Weight(value.to_bits(), exact), Vec::new())
            }
            Weight::Expr { expr, .. } => self.expr(*expr),
        });
        self.forms.number(Head::Outcome, parts)
    }

    fn rewards(&mut self, structure: usize) -> Vec<u32> {
        let structure = &self.forms.program.rewards[structure];
        let mut parts = Vec::new();
        for item in &structure.states {
            let item = vec![self.expr(item.guard), self.expr(item.value)];
            parts.push(self.forms.number(Head::StateReward, item));
        }
        for item in &structure.transitions {
            let head = Head::TransitionReward(self.permutation.action(item.action).0);
            let item = vec![self.expr(item.guard), self.expr(item.value)];
            parts.push(self.forms.number(head, item));
        }
        parts.sort_unstable();
        parts
    }

    fn multiset(&mut self, head: Head, mut parts: Vec<u32>) -> u32 {
        parts.sort_unstable();
        self.forms.number(head, parts)
    }

    /// The number of an expression after its fields have moved.
    fn expr(&mut self, root: ExprId) -> u32 {
        let program = self.forms.program;
        // Operands come first, so this needs no recursion.
        let mut waiting = vec![root];
        let mut operands = Vec::new();
        while let Some(&id) = waiting.last() {
            if self.known.contains_key(&id) {
                waiting.pop();
                continue;
            }
            let node = program.exprs.node(id);
            operands.clear();
            let is_sorted = self.operands(id, &node, &mut operands);
            let before = waiting.len();
            waiting.extend(operands.iter().filter(|operand| !self.known.contains_key(operand)));
            if waiting.len() > before {
                continue;
            }
            let mut parts: Vec<u32> = operands.iter().map(|operand| self.known[operand]).collect();
            let mut head = head(&node);
            if let Some(equal) = self.equality(&node) {
                parts = equal.to_vec();
            } else if let Some(field) = read_field(program, &node).filter(|&f| self.permutation.has_values(f))
            {
                let number = self.forms.number(Head::Number(field.0), Vec::new());
                self.known.insert(id, number);
                waiting.pop();
                continue;
            } else if let Some(field) = read_field(program, &node) {
                head = Node::Local(Local(self.permutation.field(field).0), program.exprs.ty(id));
            } else if let Node::Binary { op: op @ (BinaryOp::Gt | BinaryOp::Ge), lhs, rhs } = head {
                let op = if op == BinaryOp::Gt { BinaryOp::Lt } else { BinaryOp::Le };
                head = Node::Binary { op, lhs, rhs };
                parts.reverse();
            }
            let number = match head {
                Node::And { .. } if is_sorted => self.chain(head, &operands, parts, BinaryOp::Eq),
                Node::Or { .. } if is_sorted => self.chain(head, &operands, parts, BinaryOp::Ne),
                Node::Binary { op: BinaryOp::Eq, .. } => self.multiset(Head::AllEqual(true), parts),
                Node::Binary { op: BinaryOp::Ne, .. } => self.multiset(Head::AllEqual(false), parts),
                _ if is_sorted => self.multiset(Head::Expr(head), parts),
                _ => self.forms.number(Head::Expr(head), parts),
            };
            self.known.insert(id, number);
            waiting.pop();
        }
        self.known[&root]
    }

    /// The two sides of a comparison of a field that holds numbers of components with a constant.
    fn equality(&mut self, node: &Node) -> Option<[u32; 2]> {
        let program = self.forms.program;
        let (field, with) =
            compared(program, node).filter(|(field, _)| self.permutation.has_values(*field))?;
        let value = program.exprs.as_const(with)?.as_i64()?;
        let read = Node::Local(Local(field.0), Type::I64);
        let read = self.forms.number(Head::Expr(read), Vec::new());
        Some([read, self.constant(self.permutation.value(field, value))])
    }

    /// The number of an integer.
    fn constant(&mut self, value: i64) -> u32 {
        self.forms.number(Head::Expr(Node::Const(Const::i64(value))), Vec::new())
    }

    /// The number of an expression that equals no other.
    fn opaque(&mut self, expr: ExprId) -> u32 {
        self.forms.number(Head::Opaque(expr.0), Vec::new())
    }

    /// The number of a conjunction by the sets of things that its equalities make equal, however they are
    /// written (`a=b & b=c` is `b=a & a=c`). Likewise of a disjunction with inequalities, which says that
    /// some are not equal.
    fn chain(&mut self, head: Node, operands: &[ExprId], parts: Vec<u32>, equality: BinaryOp) -> u32 {
        let mut classes: Vec<Vec<u32>> = Vec::new();
        let mut all = Vec::with_capacity(parts.len());
        for (&operand, part) in operands.iter().zip(parts) {
            match self.forms.program.exprs.node(operand) {
                node @ Node::Binary { op, lhs, rhs } if op == equality => {
                    let of_numbers = self.equality(&node);
                    let mut class = of_numbers.unwrap_or([self.known[&lhs], self.known[&rhs]]).to_vec();
                    classes.retain(|other| {
                        let is_apart = !other.iter().any(|part| class[..2].contains(part));
                        if !is_apart {
                            class.extend(other);
                        }
                        is_apart
                    });
                    classes.push(class);
                }
                _ => all.push(part),
            }
        }
        for mut class in classes {
            class.sort_unstable();
            class.dedup();
            all.push(self.forms.number(Head::AllEqual(equality == BinaryOp::Eq), class));
        }
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [only] => only,
            _ => self.forms.number(Head::Expr(head), all),
        }
    }

    /// Collects the operands of an expression; for an associative operation, those of a whole chain. Returns
    /// whether their order is irrelevant.
    fn operands(&self, id: ExprId, node: &Node, out: &mut Vec<ExprId>) -> bool {
        let exprs = &self.forms.program.exprs;
        let is_float = exprs.ty(id).is_float();
        let (associates, commutes) = match node {
            Node::And { .. } | Node::Or { .. } => {
                let can_swap = self.forms.infallible[id.index()];
                (can_swap, can_swap)
            }
            Node::Binary { op, .. } => match op {
                BinaryOp::Add | BinaryOp::Mul | BinaryOp::Min | BinaryOp::Max => (!is_float, true),
                BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => (true, true),
                BinaryOp::Eq | BinaryOp::Ne => (false, true),
                _ => (false, false),
            },
            _ => (false, false),
        };
        if !associates {
            Exprs::each_operand(node, |operand| out.push(operand));
            return commutes;
        }
        let chain = head(node);
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            if out.len() > LONGEST_CHAIN {
                out.clear();
                Exprs::each_operand(node, |operand| out.push(operand));
                return commutes;
            }
            let node = exprs.node(id);
            if head(&node) == chain {
                Exprs::each_operand(&node, |operand| stack.push(operand));
            } else {
                out.push(id);
            }
        }
        true
    }
}
