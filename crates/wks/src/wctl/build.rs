//! A formula while it is made: equal nodes, conditions and names are made once.

use super::ParsedFormula;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;
use volvelle_logic::{
    AmountPart, Atom, AtomId, Quantifier, Relational, Wctl, WctlFormula, WctlId, WeightInterval,
};

/// What a node is made of: an operator, operands, the number of an interval.
type Key = (u8, u32, u32, u32);

/// An end of an interval, and whether it is excluded.
type End = (RBig, bool);

#[derive(Default)]
pub(super) struct Builder {
    nodes: Vec<Wctl>,
    node_spans: Vec<Span>,
    node_of: FxHashMap<Key, WctlId>,
    atoms: Vec<Atom>,
    comparison_of: FxHashMap<(Vec<AmountPart>, Relational, Vec<AmountPart>), WctlId>,
    names: Vec<String>,
    name_spans: Vec<Span>,
    name_of: FxHashMap<String, u32>,
    interval_of: FxHashMap<(End, Option<End>), u32>,
}

impl Builder {
    pub fn num_nodes(&self) -> usize {
        self.nodes.len()
    }

    pub fn name(&mut self, name: &str, span: Span) -> u32 {
        if let Some(&number) = self.name_of.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.name_spans.push(span);
        self.name_of.insert(name.to_owned(), number);
        number
    }

    pub fn constant(&mut self, value: bool, span: Span) -> WctlId {
        self.node((0, u32::from(value), 0, 0), span, |_| Wctl::Constant(value))
    }

    pub fn holds(&mut self, name: u32, span: Span) -> WctlId {
        self.node((1, name, 0, 0), span, |builder| {
            builder.atoms.push(Atom::Holds(name));
            Wctl::Atom(AtomId::from_index(builder.atoms.len() - 1))
        })
    }

    pub fn compares(
        &mut self,
        left: &[AmountPart],
        relational: Relational,
        right: &[AmountPart],
        span: Span,
    ) -> WctlId {
        let key = (left.to_vec(), relational, right.to_vec());
        if let Some(&id) = self.comparison_of.get(&key) {
            return id;
        }
        self.atoms.push(Atom::Compares(key.0.clone(), relational, key.2.clone()));
        let atom = AtomId::from_index(self.atoms.len() - 1);
        let id = self.node((2, atom.0, 0, 0), span, |_| Wctl::Atom(atom));
        self.comparison_of.insert(key, id);
        id
    }

    pub fn not(&mut self, inner: WctlId, span: Span) -> WctlId {
        self.node((3, inner.0, 0, 0), span, |_| Wctl::Not(inner))
    }

    pub fn and(&mut self, left: WctlId, right: WctlId, span: Span) -> WctlId {
        self.node((4, left.0, right.0, 0), span, |_| Wctl::And(left, right))
    }

    pub fn or(&mut self, left: WctlId, right: WctlId, span: Span) -> WctlId {
        self.node((5, left.0, right.0, 0), span, |_| Wctl::Or(left, right))
    }

    pub fn implies(&mut self, left: WctlId, right: WctlId, span: Span) -> WctlId {
        let not_left = self.not(left, span);
        self.or(not_left, right, span)
    }

    pub fn equivalent(&mut self, left: WctlId, right: WctlId, span: Span) -> WctlId {
        let forth = self.implies(left, right, span);
        let back = self.implies(right, left, span);
        self.and(forth, back, span)
    }

    pub fn next(
        &mut self,
        quantifier: Quantifier,
        interval: WeightInterval,
        inner: WctlId,
        span: Span,
    ) -> WctlId {
        let tag = if quantifier == Quantifier::Exists { 6 } else { 7 };
        let key = (tag, inner.0, 0, self.interval(&interval));
        self.node(key, span, |_| Wctl::Next(quantifier, interval, inner))
    }

    pub fn until(
        &mut self,
        quantifier: Quantifier,
        left: WctlId,
        interval: WeightInterval,
        right: WctlId,
        span: Span,
    ) -> WctlId {
        let tag = if quantifier == Quantifier::Exists { 8 } else { 9 };
        let key = (tag, left.0, right.0, self.interval(&interval));
        self.node(key, span, |_| Wctl::Until(quantifier, left, interval, right))
    }

    pub fn finally(
        &mut self,
        quantifier: Quantifier,
        interval: WeightInterval,
        inner: WctlId,
        span: Span,
    ) -> WctlId {
        let anything = self.constant(true, span);
        self.until(quantifier, anything, interval, inner, span)
    }

    pub fn globally(
        &mut self,
        quantifier: Quantifier,
        interval: WeightInterval,
        inner: WctlId,
        span: Span,
    ) -> WctlId {
        let not_inner = self.not(inner, span);
        let fails = self.finally(quantifier.dual(), interval, not_inner, span);
        self.not(fails, span)
    }

    pub fn release(
        &mut self,
        quantifier: Quantifier,
        left: WctlId,
        interval: WeightInterval,
        right: WctlId,
        span: Span,
    ) -> WctlId {
        let (not_left, not_right) = (self.not(left, span), self.not(right, span));
        let fails = self.until(quantifier.dual(), not_left, interval, not_right, span);
        self.not(fails, span)
    }

    pub fn weak_until(
        &mut self,
        quantifier: Quantifier,
        left: WctlId,
        interval: WeightInterval,
        right: WctlId,
        span: Span,
    ) -> WctlId {
        let (not_left, not_right) = (self.not(left, span), self.not(right, span));
        let neither = self.and(not_left, not_right, span);
        let fails = self.until(quantifier.dual(), not_right, interval, neither, span);
        self.not(fails, span)
    }

    pub fn finish(self, root: WctlId, asks: bool) -> ParsedFormula {
        ParsedFormula {
            formula: WctlFormula { nodes: self.nodes, root, atoms: self.atoms, names: self.names },
            asks,
            name_spans: self.name_spans,
            node_spans: self.node_spans,
        }
    }

    fn interval(&mut self, interval: &WeightInterval) -> u32 {
        let upper = interval.upper.as_ref().map(|upper| (upper.amount.clone(), upper.strict));
        let next = self.interval_of.len() as u32;
        let key = ((interval.lower.amount.clone(), interval.lower.strict), upper);
        *self.interval_of.entry(key).or_insert(next)
    }

    fn node(&mut self, key: Key, span: Span, node: impl FnOnce(&mut Self) -> Wctl) -> WctlId {
        if let Some(&id) = self.node_of.get(&key) {
            return id;
        }
        let node = node(self);
        let id = WctlId::from_index(self.nodes.len());
        self.nodes.push(node);
        self.node_spans.push(span);
        self.node_of.insert(key, id);
        id
    }
}
