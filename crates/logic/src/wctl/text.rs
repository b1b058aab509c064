//! Formulas of weighted CTL as text, which parses to the same formula again.
//!
//! Derived operators are written where a node has the form that lowering gives them; this also keeps texts short where lowering used an
//! operand twice.

use super::{AmountPart, Atom, AtomId, Quantifier, Wctl, WctlFormula, WctlId, WeightInterval};
use std::borrow::Cow;
use std::fmt;

impl WctlFormula {
    /// A condition as text.
    pub fn atom_text(&self, id: AtomId) -> String {
        match &self.atoms[id.index()] {
            Atom::Holds(name) => quoted_name(&self.names[*name as usize]).into_owned(),
            Atom::Compares(left, relational, right) => {
                format!("{} {} {}", self.amount_text(left), relational.symbol(), self.amount_text(right))
            }
        }
    }

    fn amount_text(&self, parts: &[AmountPart]) -> String {
        // Levels: 0 sum, 1 product, 2 operand.
        let mut stack: Vec<(String, u8)> = Vec::new();
        let inside =
            |(text, level): (String, u8), least: u8| if level < least { format!("({text})") } else { text };
        for part in parts {
            let text = match part {
                AmountPart::Name(name) => (quoted_name(&self.names[*name as usize]).into_owned(), 2),
                AmountPart::Number(number) if *number < 0 => (number.to_string(), 0),
                AmountPart::Number(number) => (number.to_string(), 2),
                AmountPart::Negate => {
                    let operand = stack.pop().unwrap_or_default();
                    // `-3` is a number, `-(3)` the amount 3 with the other sign.
                    let is_number = operand.0.starts_with(|c: char| c.is_ascii_digit());
                    (format!("-{}", inside(operand, if is_number { 3 } else { 2 })), 0)
                }
                AmountPart::Add | AmountPart::Subtract | AmountPart::Multiply => {
                    let right = stack.pop().unwrap_or_default();
                    let left = stack.pop().unwrap_or_default();
                    match part {
                        AmountPart::Add => (format!("{} + {}", inside(left, 0), inside(right, 1)), 0),
                        AmountPart::Subtract => (format!("{} - {}", inside(left, 0), inside(right, 1)), 0),
                        _ => (format!("{}*{}", inside(left, 1), inside(right, 2)), 1),
                    }
                }
            };
            stack.push(text);
        }
        stack.pop().unwrap_or_default().0
    }

    /// The text of a node, with derived operators where it has their form: as long as the text that it came from, however often that
    /// lowering used a part of it.
    pub fn text(&self, id: WctlId) -> String {
        let mut text = String::new();
        // What is still to be written, the next on top: no recursion over formulas of users.
        let mut rest = vec![Piece::Node(id, Place::Whole)];
        let mut pieces = Vec::new();
        while let Some(piece) = rest.pop() {
            match piece {
                Piece::Text(part) => text.push_str(part),
                Piece::Head(quantifier, operator, interval) => {
                    let interval = interval.map(WeightInterval::to_string).unwrap_or_default();
                    text.push_str(&format!("{quantifier}{operator}{interval}"));
                }
                Piece::Infix(operator, interval) => text.push_str(&format!(" {operator}{interval} ")),
                Piece::Node(id, place) => {
                    if let Wctl::Atom(atom) = self.node(id) {
                        let atom = self.atom_text(*atom);
                        match place.needs_parentheses(self.shape(id)) {
                            true => text.push_str(&format!("({atom})")),
                            false => text.push_str(&atom),
                        }
                        continue;
                    }
                    let is_inside = place.needs_parentheses(self.shape(id));
                    pieces.extend(is_inside.then_some(Piece::Text("(")));
                    self.pieces(id, &mut pieces);
                    pieces.extend(is_inside.then_some(Piece::Text(")")));
                    rest.extend(pieces.drain(..).rev());
                }
            }
        }
        text
    }

    /// An operator and its operands.
    fn pieces<'f>(&'f self, id: WctlId, pieces: &mut Vec<Piece<'f>>) {
        let tight = |id: WctlId| Piece::Node(id, Place::Tight);
        let mut infix = |left: WctlId, operator: &'static str, right: WctlId, sides: [Place; 2]| {
            pieces.extend([Piece::Node(left, sides[0]), Piece::Text(operator), Piece::Node(right, sides[1])]);
        };
        match self.node(id) {
            Wctl::Atom(_) => {}
            Wctl::Constant(true) => pieces.push(Piece::Text("true")),
            Wctl::Constant(false) => pieces.push(Piece::Text("false")),
            Wctl::And(left, right) => match self.equivalence(id) {
                Some((left, right)) => infix(left, " <-> ", right, [Place::Tight, Place::Tight]),
                None => infix(*left, " and ", *right, [Place::And, Place::BehindAnd]),
            },
            Wctl::Or(left, right) => infix(*left, " or ", *right, [Place::Or, Place::BehindOr]),
            Wctl::Not(inner) => match self.dual(*inner) {
                Some(Dual { quantifier, left: None, interval, right, .. }) => pieces.extend([
                    Piece::Head(quantifier, "G", Some(interval)),
                    Piece::Text(" "),
                    tight(right),
                ]),
                Some(Dual { quantifier, left: Some(left), operator, interval, right }) => pieces.extend([
                    Piece::Head(quantifier, "(", None),
                    tight(left),
                    Piece::Infix(operator, interval),
                    tight(right),
                    Piece::Text(")"),
                ]),
                None => pieces.extend([Piece::Text("not "), tight(*inner)]),
            },
            Wctl::Next(quantifier, interval, inner) => pieces.extend([
                Piece::Head(*quantifier, "X", Some(interval)),
                Piece::Text(" "),
                tight(*inner),
            ]),
            Wctl::Until(quantifier, left, interval, right) => match self.node(*left) {
                Wctl::Constant(true) => pieces.extend([
                    Piece::Head(*quantifier, "F", Some(interval)),
                    Piece::Text(" "),
                    tight(*right),
                ]),
                _ => pieces.extend([
                    Piece::Head(*quantifier, "(", None),
                    tight(*left),
                    Piece::Infix("U", interval),
                    tight(*right),
                    Piece::Text(")"),
                ]),
            },
        }
    }

    fn shape(&self, id: WctlId) -> Shape {
        match self.node(id) {
            Wctl::And(..) if self.equivalence(id).is_some() => Shape::Equivalence,
            Wctl::And(..) => Shape::And,
            Wctl::Or(..) => Shape::Or,
            Wctl::Atom(atom) if matches!(self.atoms[atom.index()], Atom::Compares(..)) => Shape::Comparison,
            _ => Shape::Tight,
        }
    }

    /// `f` under `not f`.
    fn negated(&self, id: WctlId) -> Option<WctlId> {
        match self.node(id) {
            Wctl::Not(inner) => Some(*inner),
            _ => None,
        }
    }

    /// `f` and `g` of `(not f or g) and (not g or f)`.
    fn equivalence(&self, id: WctlId) -> Option<(WctlId, WctlId)> {
        let Wctl::And(forth, back) = self.node(id) else { return None };
        let (Wctl::Or(not_left, right), Wctl::Or(not_right, left)) = (self.node(*forth), self.node(*back))
        else {
            return None;
        };
        let is_one = self.negated(*not_left) == Some(*left) && self.negated(*not_right) == Some(*right);
        is_one.then_some((*left, *right))
    }

    /// What the negation of an until says, where it has the form of a derived operator.
    fn dual(&self, id: WctlId) -> Option<Dual<'_>> {
        let Wctl::Until(quantifier, left, interval, right) = self.node(id) else { return None };
        let dual = |operator, left, right| {
            Some(Dual { quantifier: quantifier.dual(), operator, left, interval, right })
        };
        match (self.node(*left), self.node(*right)) {
            (Wctl::Constant(true), Wctl::Not(inner)) => dual("G", None, *inner),
            (Wctl::Not(until), Wctl::And(not_left, not_right))
                if interval.starts_at_zero() && self.negated(*not_right) == Some(*until) =>
            {
                dual("W", Some(self.negated(*not_left)?), *until)
            }
            (Wctl::Not(left), Wctl::Not(right)) => dual("R", Some(*left), *right),
            _ => None,
        }
    }
}

/// `G`, `W` or `R` with its operands; `G` has no left one.
struct Dual<'f> {
    quantifier: Quantifier,
    operator: &'static str,
    left: Option<WctlId>,
    interval: &'f WeightInterval,
    right: WctlId,
}

/// A part of a text that is to be written.
enum Piece<'f> {
    Text(&'static str),
    Head(Quantifier, &'static str, Option<&'f WeightInterval>),
    Infix(&'static str, &'f WeightInterval),
    Node(WctlId, Place),
}

/// Where an operand stands. Operators group to the left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Whole,
    And,
    BehindAnd,
    Or,
    BehindOr,
    /// Under any other operator.
    Tight,
}

/// What an operand is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Equivalence,
    And,
    Or,
    Comparison,
    /// Nothing that needs parentheses.
    Tight,
}

impl Place {
    fn needs_parentheses(self, shape: Shape) -> bool {
        match (self, shape) {
            (Place::Whole, _) | (_, Shape::Tight) => false,
            (Place::Tight, _) | (_, Shape::Equivalence) => true,
            (_, Shape::Comparison) => false,
            (Place::And, shape) => shape == Shape::Or,
            (Place::Or, shape) => shape == Shape::And,
            (Place::BehindAnd | Place::BehindOr, _) => true,
        }
    }
}

/// Words that are no names in formulas.
const RESERVED: [&str; 21] = [
    "true", "True", "TRUE", "false", "False", "FALSE", "not", "and", "or", "EX", "AX", "EF", "AF", "EG",
    "AG", "E", "A", "U", "W", "R", "inf",
];

/// Whether a word is no name in formulas of weighted CTL unless it stands in quotation marks.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// A name as it is written in formulas of weighted CTL: as it is, or in quotation marks, with `\"`, `\\`, `\n`, `\r` and `\t` inside.
pub fn quoted_name(name: &str) -> Cow<'_, str> {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_plain = name.starts_with(is_start)
        && name.chars().all(|c| is_start(c) || c.is_ascii_digit() || matches!(c, '.' | '\''))
        && !is_reserved(name);
    if is_plain {
        return Cow::Borrowed(name);
    }
    let mut text = String::with_capacity(name.len() + 2);
    text.push('"');
    for c in name.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            _ => text.push(c),
        }
    }
    text.push('"');
    Cow::Owned(text)
}

impl fmt::Display for WctlFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(self.root))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Relational;
    use super::*;
    use crate::cost::Limit;
    use dashu_ratio::RBig;

    fn id(index: usize) -> WctlId {
        WctlId::from_index(index)
    }

    #[test]
    fn texts() {
        let limit = |amount: u32, strict: bool| Limit { amount: RBig::from(amount), strict };
        let within = WeightInterval { lower: limit(0, false), upper: Some(limit(7, true)) };
        let between = WeightInterval { lower: limit(2, true), upper: Some(limit(5, false)) };
        let formula = WctlFormula {
            nodes: vec![
                Wctl::Constant(true),
                Wctl::Atom(AtomId::from_index(0)),
                Wctl::Atom(AtomId::from_index(1)),
                Wctl::Not(id(2)),
                Wctl::Until(Quantifier::Exists, id(0), within, id(3)),
                Wctl::Not(id(4)),
                Wctl::Or(id(1), id(5)),
                Wctl::Until(Quantifier::All, id(6), between, id(1)),
                Wctl::Next(Quantifier::Exists, WeightInterval::any(), id(7)),
            ],
            root: id(8),
            atoms: vec![
                Atom::Holds(0),
                Atom::Compares(
                    vec![
                        AmountPart::Name(1),
                        AmountPart::Number(1),
                        AmountPart::Subtract,
                        AmountPart::Number(2),
                        AmountPart::Multiply,
                    ],
                    Relational::Ge,
                    vec![AmountPart::Number(3)],
                ),
            ],
            names: vec!["p".to_owned(), "x".to_owned()],
        };
        assert_eq!(formula.to_string(), "EX A((p or AG[<7] ((x - 1)*2 >= 3)) U(2,5] p)");
        assert_eq!(formula.atoms[1].evaluate(|_| 3), Some(true));
        assert_eq!(formula.atoms[1].evaluate(|_| 2), Some(false));
        let large = Atom::Compares(
            vec![
                AmountPart::Name(0),
                AmountPart::Name(0),
                AmountPart::Multiply,
                AmountPart::Name(0),
                AmountPart::Multiply,
            ],
            Relational::Gt,
            vec![AmountPart::Number(0)],
        );
        assert_eq!(large.evaluate(|_| i64::MAX), None);
    }
}
