//! Programs that differ in numbers only: the same steps between the same states with other weights and rewards.
//!
//! A [`Parametric`] is made from one program, the base, and *fitted* to others. Fitting compares two programs
//! node by node. Everything that decides which steps exist must be equal: fields, initial states, the stop
//! condition, guards, assignments. Numbers that differ inside weights and transition rewards become
//! *parameters*: leaves whose values come with each fit. Nothing is assumed about the origin of the numbers,
//! so a constant of a model may occur anywhere; the comparison shows its effects. State rewards, other labels
//! and numeric observations are not compared, since no step depends on them; nor are sites.
//!
//! Whether weights are zero in the same states cannot be decided here. A kernel decides it
//! ([`weights`](crate::kernels::weights)), since every weight with parameters has its counterpart in the
//! base.

use crate::places::Place;
use crate::program::{Initial, Program};
use crate::steps::{Alternative, Group, Outcome, Weight};
use rustc_hash::FxHashMap;
use volvelle_kernel::{Const, ExprId, Exprs, Node, Type};

/// A program with parameters in place of some of its numbers.
#[derive(Clone, Debug)]
pub struct Parametric {
    /// The base. Its weights and transition rewards read parameter `j` as the local with number *fields + j*.
    program: Program,
    /// The value of each parameter in the base, which also determines its type.
    base_values: Vec<Const>,
    /// Expressions with parameters, and their counterparts in the base.
    bases: FxHashMap<ExprId, ExprId>,
}

/// Another program, expressed by the values of the parameters of a [`Parametric`].
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Values of the parameters.
    pub values: Vec<Const>,
    /// Whether there are more parameters than before, so that kernels must be generated anew.
    pub grown: bool,
}

/// A difference between two programs in more than numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Fields, components, actions, or the kind.
    Declarations,
    /// Initial states.
    Initial,
    /// The condition under which the program stops.
    Stop,
    /// The commands, or the number of outcomes of one.
    Commands,
    /// A guard.
    Guard,
    /// An assignment.
    Assignment,
    /// A weight, in more than numbers.
    Weight,
    /// A transition reward, in more than numbers, or in its guard.
    Reward,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Difference::Declarations => "the variables or actions differ",
            Difference::Initial => "the initial states differ",
            Difference::Stop => "the properties are decided in other states",
            Difference::Commands => "other commands or updates are possible",
            Difference::Guard => "a guard differs",
            Difference::Assignment => "an update differs",
            Difference::Weight => "a probability or rate differs in more than its numbers",
            Difference::Reward => "a transition reward differs in more than its numbers",
        })
    }
}

impl Parametric {
    /// The base, with no parameters.
    pub fn new(base: Program) -> Self {
        Parametric { program: base, base_values: Vec::new(), bases: FxHashMap::default() }
    }

    /// The base with parameters in its weights and transition rewards.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Type of each parameter: `f64` or `i64`.
    pub fn types(&self) -> impl ExactSizeIterator<Item = Type> + '_ {
        self.base_values.iter().map(|value| value.ty)
    }

    /// The values that make the base.
    pub fn base_values(&self) -> &[Const] {
        &self.base_values
    }

    /// Whether an expression is just a parameter.
    pub fn is_parameter(&self, expr: ExprId) -> bool {
        let place = self.program.place_read(&self.program.exprs.node(expr));
        matches!(place, Some(Place::Parameter(_)))
    }

    /// The counterpart of an expression in the base; `None` if it has no parameters.
    pub fn base_of(&self, expr: ExprId) -> Option<ExprId> {
        self.bases.get(&expr).copied()
    }

    /// The parameter values that give another program. Adds parameters if the present ones do not suffice.
    /// Compares only the transition rewards of `structures`. After an error, the program with its base values
    /// is still the base, but it may have unused parameters.
    pub fn fit(&mut self, other: &Program, structures: &[usize]) -> Result<Fit, Difference> {
        let parameters = self.base_values.len();
        let mut comparison = Comparison {
            values: vec![None; parameters],
            fitted: FxHashMap::default(),
            leaves: FxHashMap::default(),
            equal: FxHashMap::default(),
            other,
            own: self,
        };
        comparison.declarations()?;
        comparison.initial()?;
        comparison.stop()?;
        let groups = comparison.groups()?;
        let rewards = comparison.rewards(structures)?;
        let values = comparison.values;
        self.program.groups = groups;
        for (structure, values) in rewards {
            let items = self.program.rewards[structure].transitions.iter_mut();
            items.zip(values).for_each(|(item, value)| item.value = value);
        }
        let grown = self.base_values.len() > parameters;
        let values = values.into_iter().zip(&self.base_values).map(|(v, &base)| v.unwrap_or(base)).collect();
        Ok(Fit { values, grown })
    }

    fn new_parameter(&mut self, leaf: ExprId) -> Option<ExprId> {
        let base = self.base_of(leaf).unwrap_or(leaf);
        let value = self.program.exprs.as_const(base).filter(|&value| is_number(value))?;
        let place = self.program.places.id(Place::Parameter(self.base_values.len() as u32));
        self.base_values.push(value);
        let expr = self.program.exprs.local(place.local(), value.ty);
        self.bases.insert(expr, base);
        Some(expr)
    }
}

/// A comparison under way.
struct Comparison<'a> {
    own: &'a mut Parametric,
    other: &'a Program,
    /// Values of the parameters in the other program that were found so far.
    values: Vec<Option<Const>>,
    /// Pairs of expressions that differ at most in numbers, each with the expression that stands for both.
    fitted: FxHashMap<(ExprId, ExprId), ExprId>,
    /// The same for leaves, by the number in the other program.
    leaves: FxHashMap<(ExprId, Const), ExprId>,
    /// Pairs of expressions that are equal.
    equal: FxHashMap<(ExprId, ExprId), ExprId>,
}

impl Comparison<'_> {
    fn declarations(&self) -> Result<(), Difference> {
        let (own, other) = (&self.own.program, self.other);
        let fields = own.fields.len() == other.fields.len()
            && own.fields.iter().zip(&other.fields).all(|(a, b)| a.domain == b.domain);
        if own.kind() == other.kind() && own.actions == other.actions && fields {
            Ok(())
        } else {
            Err(Difference::Declarations)
        }
    }

    fn initial(&mut self) -> Result<(), Difference> {
        let same = match (&self.own.program.initial, &self.other.initial) {
            (Initial::States(a), Initial::States(b)) => a == b,
            (&Initial::Predicate(a), &Initial::Predicate(b)) => self.equal(a, b),
            _ => false,
        };
        if same { Ok(()) } else { Err(Difference::Initial) }
    }

    fn stop(&mut self) -> Result<(), Difference> {
        let same = match (self.own.program.stop_condition(), self.other.stop_condition()) {
            (Some(a), Some(b)) => self.equal(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        if same { Ok(()) } else { Err(Difference::Stop) }
    }

    /// The groups, with parameters where numbers differ.
    fn groups(&mut self) -> Result<Vec<Group>, Difference> {
        let mut groups = self.own.program.groups.clone();
        let other = self.other;
        let mut pairs: Vec<(&mut Alternative, &Alternative)> = Vec::new();
        same_length(&groups, &other.groups)?;
        for (a, b) in groups.iter_mut().zip(&other.groups) {
            same_length(&a.participants, &b.participants)?;
            if (a.action, a.choice, a.class) != (b.action, b.choice, b.class) {
                return Err(Difference::Commands);
            }
            for (a, b) in a.participants.iter_mut().zip(&b.participants) {
                same_length(&a.alternatives, &b.alternatives)?;
                pairs.extend(a.alternatives.iter_mut().zip(&b.alternatives));
            }
        }
        for (a, b) in pairs {
            self.alternative(a, b)?;
        }
        Ok(groups)
    }

    fn alternative(&mut self, own: &mut Alternative, other: &Alternative) -> Result<(), Difference> {
        same_length(&own.outcomes, &other.outcomes)?;
        if own.offer.is_some() || other.offer.is_some() {
            // Offers are not compared; the other program is explored anew.
            return Err(Difference::Commands);
        }
        if !self.equal(own.guard, other.guard) {
            return Err(Difference::Guard);
        }
        own.sum = match (own.sum, other.sum) {
            (None, None) => None,
            (Some(a), Some(b)) if a.is_free == b.is_free => {
                let expr = self.fitted(a.expr, b.expr).ok_or(Difference::Weight)?;
                Some(crate::RowSum { expr, ..a })
            }
            _ => return Err(Difference::Weight),
        };
        for (a, b) in own.outcomes.iter_mut().zip(&other.outcomes) {
            self.assignments(a, b)?;
            a.weight = self.weight(&a.weight, &b.weight).ok_or(Difference::Weight)?;
        }
        Ok(())
    }

    fn assignments(&mut self, own: &Outcome, other: &Outcome) -> Result<(), Difference> {
        let mut pairs = own.assignments().iter().zip(other.assignments());
        let same = own.assignments().len() == other.assignments().len()
            && pairs.all(|(a, b)| a.field == b.field && self.equal(a.value, b.value));
        if same { Ok(()) } else { Err(Difference::Assignment) }
    }

    fn weight(&mut self, own: &Weight, other: &Weight) -> Option<Weight> {
        // Kernels assume that constant weights are positive and finite, and do not check them.
        let proper = |value: f64| value > 0.0 && value < f64::INFINITY;
        match (own, other) {
            (&Weight::Constant { value, .. }, &Weight::Constant { value: wanted, .. }) => {
                if value.to_bits() == wanted.to_bits() {
                    return Some(own.clone());
                }
                let leaf = self.own.program.exprs.f64(value);
                let expr = self.leaf(leaf, Const::f64(wanted)).filter(|_| proper(wanted))?;
                // A weight that is just a parameter was a constant weight in all programs, so it cannot fail.
                Some(Weight::Expr { expr, site: volvelle_kernel::Site(u32::MAX) })
            }
            (&Weight::Expr { expr, site }, &Weight::Constant { value: wanted, .. }) => {
                if !self.own.is_parameter(expr) || !proper(wanted) {
                    return None;
                }
                Some(Weight::Expr { expr: self.leaf(expr, Const::f64(wanted))?, site })
            }
            (&Weight::Expr { expr, site }, &Weight::Expr { expr: wanted, .. }) => {
                // A weight that is just a parameter is not checked. This one must be, so it cannot become
                // one.
                let expr = self.fitted(expr, wanted).filter(|&expr| !self.own.is_parameter(expr))?;
                Some(Weight::Expr { expr, site })
            }
            (Weight::Constant { .. }, Weight::Expr { .. }) => None,
        }
    }

    /// The values of the transition rewards of some structures.
    fn rewards(&mut self, structures: &[usize]) -> Result<Vec<(usize, Vec<ExprId>)>, Difference> {
        let other = self.other;
        let mut all = Vec::new();
        for &structure in structures {
            let (own, other) = (self.own.program.rewards.get(structure), other.rewards.get(structure));
            let (Some(own), Some(other)) = (own, other) else { return Err(Difference::Reward) };
            if own.transitions.len() != other.transitions.len() {
                return Err(Difference::Reward);
            }
            let mut values = Vec::new();
            for (a, b) in own.transitions.clone().iter().zip(&other.transitions) {
                if a.action != b.action || !self.equal(a.guard, b.guard) {
                    return Err(Difference::Reward);
                }
                values.push(self.fitted(a.value, b.value).ok_or(Difference::Reward)?);
            }
            all.push((structure, values));
        }
        Ok(all)
    }

    /// Whether two expressions are equivalent, including failures.
    fn equal(&mut self, own: ExprId, other: ExprId) -> bool {
        let mut known = std::mem::take(&mut self.equal);
        let found = self.compare(own, other, &mut known, |_, _, _| None);
        self.equal = known;
        found.is_some()
    }

    /// The expression that stands for two that differ at most in numbers.
    fn fitted(&mut self, own: ExprId, other: ExprId) -> Option<ExprId> {
        let mut known = std::mem::take(&mut self.fitted);
        let found = self.compare(own, other, &mut known, Self::leaf);
        self.fitted = known;
        found
    }

    /// Compares node by node. `leaf` decides where a leaf meets another constant. Iterative, since
    /// expressions may be deep; every pair is visited once.
    fn compare(
        &mut self,
        own: ExprId,
        other: ExprId,
        known: &mut FxHashMap<(ExprId, ExprId), ExprId>,
        leaf: impl Fn(&mut Self, ExprId, Const) -> Option<ExprId>,
    ) -> Option<ExprId> {
        let mut stack = vec![(own, other, false)];
        let (mut left, mut right) = (Vec::new(), Vec::new());
        while let Some((a, b, operands_done)) = stack.pop() {
            if known.contains_key(&(a, b)) {
                continue;
            }
            let (x, y) = (self.own.program.exprs.node(a), self.other.exprs.node(b));
            operands(&x, &mut left);
            operands(&y, &mut right);
            if left.is_empty() && right.is_empty() {
                let stands = match y {
                    // A parameter may have another value at every place, whatever it stood for before.
                    Node::Const(c) if self.own.is_parameter(a) => leaf(self, a, c)?,
                    _ if x == y => a,
                    Node::Const(c) => leaf(self, a, c)?,
                    _ => return None,
                };
                known.insert((a, b), stands);
            } else if left.len() != right.len() {
                return None;
            } else if operands_done {
                let stands: Vec<ExprId> = left
                    .iter()
                    .zip(&right)
                    .filter_map(|pair| known.get(&(*pair.0, *pair.1)).copied())
                    .collect();
                known.insert((a, b), self.rebuilt(a, x, &left, &stands));
            } else {
                if !same_operation(&x, &y) {
                    return None;
                }
                stack.push((a, b, true));
                stack.extend(left.iter().zip(&right).map(|(&l, &r)| (l, r, false)));
            }
        }
        known.get(&(own, other)).copied()
    }

    /// A node over other operands.
    fn rebuilt(&mut self, own: ExprId, node: Node, old: &[ExprId], new: &[ExprId]) -> ExprId {
        if old == new {
            return own;
        }
        let base = self.own.base_of(own).unwrap_or(own);
        let mut operands = new.iter();
        // Operands come in the order in which `Exprs::each_operand` names them.
        let node = with_operands(node, || operands.next().copied());
        let expr = self.own.program.exprs.add(node);
        self.own.bases.insert(expr, base);
        expr
    }

    /// The parameter for a number (or parameter) of the base whose value in the other program is `wanted`.
    fn leaf(&mut self, own: ExprId, wanted: Const) -> Option<ExprId> {
        let exprs = &self.own.program.exprs;
        if exprs.ty(own) != wanted.ty || !is_number(wanted) {
            return None;
        }
        if exprs.as_const(own) == Some(wanted) {
            return Some(own);
        }
        if let Some(&known) = self.leaves.get(&(own, wanted)) {
            return Some(known);
        }
        let parameter = match exprs.node(own) {
            Node::Const(_) => None,
            Node::Local(local, _) => match self.own.program.place(local) {
                Place::Parameter(number) => Some(number as usize),
                _ => return None,
            },
            _ => return None,
        };
        let expr = match parameter {
            Some(number) if self.values[number].is_none() => {
                self.values[number] = Some(wanted);
                own
            }
            // Elsewhere it has another value.
            _ => {
                let expr = self.own.new_parameter(own)?;
                self.values.push(Some(wanted));
                expr
            }
        };
        self.leaves.insert((own, wanted), expr);
        Some(expr)
    }
}

/// Whether a constant can be a parameter. Kernels receive all of them as doubles.
fn is_number(value: Const) -> bool {
    match value.ty {
        Type::F64 => true,
        Type::I64 => value.as_i64().is_some_and(|v| v.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS),
        _ => false,
    }
}

fn same_length<T>(own: &[T], other: &[T]) -> Result<(), Difference> {
    if own.len() == other.len() { Ok(()) } else { Err(Difference::Commands) }
}

fn operands(node: &Node, into: &mut Vec<ExprId>) {
    into.clear();
    Exprs::each_operand(node, |operand| into.push(operand));
}

/// Whether two nodes apply the same operation to their operands. Sites are ignored.
fn same_operation(a: &Node, b: &Node) -> bool {
    match (a, b) {
        (Node::Load { buffer: x, ty: t, .. }, Node::Load { buffer: y, ty: u, .. }) => (x, t) == (y, u),
        (Node::Unary { op: x, .. }, Node::Unary { op: y, .. }) => x == y,
        (Node::Binary { op: x, .. }, Node::Binary { op: y, .. }) => x == y,
        (Node::Checked { op: x, .. }, Node::Checked { op: y, .. }) => x == y,
        (Node::Convert { to: x, .. }, Node::Convert { to: y, .. })
        | (Node::Reinterpret { to: x, .. }, Node::Reinterpret { to: y, .. })
        | (Node::CheckedConvert { to: x, .. }, Node::CheckedConvert { to: y, .. }) => x == y,
        (Node::Range { lo, hi, .. }, Node::Range { lo: low, hi: high, .. }) => (lo, hi) == (low, high),
        (Node::Math { f: x, .. }, Node::Math { f: y, .. }) => x == y,
        (Node::Select { .. }, Node::Select { .. })
        | (Node::MulAdd { .. }, Node::MulAdd { .. })
        | (Node::And { .. }, Node::And { .. })
        | (Node::Or { .. }, Node::Or { .. }) => true,
        _ => false,
    }
}

/// A node with other operands, in their order.
fn with_operands(mut node: Node, mut next: impl FnMut() -> Option<ExprId>) -> Node {
    let mut set = |operand: &mut ExprId| *operand = next().unwrap_or(*operand);
    match &mut node {
        Node::Const(_) | Node::Local(..) | Node::Len(_) => {}
        Node::Load { index: arg, .. }
        | Node::Unary { arg, .. }
        | Node::Convert { arg, .. }
        | Node::Reinterpret { arg, .. }
        | Node::CheckedConvert { arg, .. }
        | Node::Range { arg, .. } => set(arg),
        Node::Binary { lhs, rhs, .. }
        | Node::Checked { lhs, rhs, .. }
        | Node::And { lhs, rhs }
        | Node::Or { lhs, rhs } => {
            set(lhs);
            set(rhs);
        }
        Node::Select { cond, yes, no } => {
            set(cond);
            set(yes);
            set(no);
        }
        Node::MulAdd { args } => args.iter_mut().for_each(set),
        Node::Math { f, args } => {
            set(&mut args[0]);
            if f.arity() == 2 {
                set(&mut args[1]);
            } else {
                args[1] = args[0];
            }
        }
    }
    node
}
