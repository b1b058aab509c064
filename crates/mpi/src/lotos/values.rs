//! Values: expressions over locals as LOTOS writes them, and the numbers that they may be.

use crate::system::{Binary, Expr, Unary};
use std::cell::Cell;

/// An expression in which locals are numbers or names of LOTOS variables.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A number.
    Number(i64),
    /// A variable of the specification, with its least and greatest value.
    Variable(String, i64, i64),
    /// An operation on one term.
    Unary(Unary, Box<Term>),
    /// An operation on two terms.
    Binary(Binary, Box<Term>, Box<Term>),
}

/// Whether something holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// It holds.
    Always,
    /// It does not hold.
    Never,
    /// A condition of LOTOS.
    If(String),
}

impl Truth {
    /// Whether both hold.
    pub fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::Never, _) | (_, Truth::Never) => Truth::Never,
            (Truth::Always, truth) | (truth, Truth::Always) => truth,
            (Truth::If(a), Truth::If(b)) => Truth::If(format!("({a}) and ({b})")),
        }
    }

    /// Whether one of both holds.
    pub fn or(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::Always, _) | (_, Truth::Always) => Truth::Always,
            (Truth::Never, truth) | (truth, Truth::Never) => truth,
            (Truth::If(a), Truth::If(b)) => Truth::If(format!("({a}) or ({b})")),
        }
    }

    /// Whether it does not hold.
    pub fn negated(self) -> Truth {
        match self {
            Truth::Always => Truth::Never,
            Truth::Never => Truth::Always,
            Truth::If(condition) => Truth::If(format!("not ({condition})")),
        }
    }
}

/// The values of locals: numbers or variables.
pub(super) type Env = Vec<Term>;

/// An expression with the values of locals; what is known is a number. Recursion is as deep as expressions nest, which the parser limits.
pub(super) fn term(expr: &Expr, env: &Env) -> Term {
    match expr {
        Expr::Constant(number) => Term::Number(*number),
        Expr::Local(local) => env[local.index()].clone(),
        Expr::Unary(op, operand) => unary(*op, term(operand, env)),
        Expr::Binary(op, left, right) => binary(*op, term(left, env), term(right, env)),
    }
}

fn unary(op: Unary, operand: Term) -> Term {
    match (op, &operand) {
        (Unary::Negate, Term::Number(number)) => match number.checked_neg() {
            Some(number) => Term::Number(number),
            None => Term::Unary(op, Box::new(operand)),
        },
        (Unary::Not, Term::Number(number)) => Term::Number(i64::from(*number == 0)),
        _ => Term::Unary(op, Box::new(operand)),
    }
}

/// An operation on two terms.
pub fn binary(op: Binary, left: Term, right: Term) -> Term {
    let known = match (&left, &right) {
        (&Term::Number(a), &Term::Number(b)) => apply(op, a, b),
        // The second operand may have no value then, but nobody asks for it.
        (&Term::Number(0), _) if op == Binary::And => Some(0),
        (&Term::Number(a), _) if op == Binary::Or && a != 0 => Some(1),
        _ if is_comparison(op) => compared(op, bounds(&left), bounds(&right))
            .filter(|_| exists_always(&left) && exists_always(&right)),
        _ => None,
    };
    known.map_or_else(|| Term::Binary(op, Box::new(left), Box::new(right)), Term::Number)
}

fn apply(op: Binary, a: i64, b: i64) -> Option<i64> {
    let floor = |a: i64, b: i64| a.checked_div(b).map(|q| q - i64::from(a % b != 0 && (a < 0) != (b < 0)));
    match op {
        Binary::Add => a.checked_add(b),
        Binary::Subtract => a.checked_sub(b),
        Binary::Multiply => a.checked_mul(b),
        Binary::Divide => floor(a, b),
        Binary::Remainder => floor(a, b).map(|q| a - q * b),
        Binary::Equal => Some(i64::from(a == b)),
        Binary::NotEqual => Some(i64::from(a != b)),
        Binary::Less => Some(i64::from(a < b)),
        Binary::LessEqual => Some(i64::from(a <= b)),
        Binary::Greater => Some(i64::from(a > b)),
        Binary::GreaterEqual => Some(i64::from(a >= b)),
        Binary::And => Some(i64::from(a != 0 && b != 0)),
        Binary::Or => Some(i64::from(a != 0 || b != 0)),
    }
}

fn is_comparison(op: Binary) -> bool {
    use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

/// The least and the greatest number.
pub type Bounds = (i128, i128);

/// The result of a comparison that ranges decide.
fn compared(op: Binary, a: Bounds, b: Bounds) -> Option<i64> {
    let (below, above) = (a.1 < b.0, a.0 > b.1);
    let (at_most, at_least) = (a.1 <= b.0, a.0 >= b.1);
    let decided = match op {
        Binary::Equal => (false, below || above),
        Binary::NotEqual => (below || above, false),
        Binary::Less => (below, at_least),
        Binary::LessEqual => (at_most, above),
        Binary::Greater => (above, at_most),
        _ => (at_least, below),
    };
    match decided {
        (true, _) => Some(1),
        (_, true) => Some(0),
        _ => None,
    }
}

/// The least and the greatest value that a term may have, or beyond.
pub fn bounds(term: &Term) -> Bounds {
    match term {
        Term::Number(number) => (i128::from(*number), i128::from(*number)),
        Term::Variable(_, lo, hi) => (i128::from(*lo), i128::from(*hi)),
        Term::Unary(Unary::Not, _) => (0, 1),
        Term::Unary(Unary::Negate, operand) => {
            let (lo, hi) = bounds(operand);
            (hi.saturating_neg(), lo.saturating_neg())
        }
        Term::Binary(op, left, right) => {
            let (a, b) = (bounds(left), bounds(right));
            let size = |(lo, hi): Bounds| lo.saturating_abs().max(hi.saturating_abs());
            match op {
                Binary::Add => (a.0.saturating_add(b.0), a.1.saturating_add(b.1)),
                Binary::Subtract => (a.0.saturating_sub(b.1), a.1.saturating_sub(b.0)),
                Binary::Multiply => {
                    let all =
                        [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)].map(|(a, b)| a.saturating_mul(b));
                    let least = all.into_iter().min().unwrap_or(0);
                    (least, all.into_iter().max().unwrap_or(0))
                }
                Binary::Divide if a.0 >= 0 && b.0 >= 0 => (0, a.1),
                Binary::Divide => (-size(a), size(a)),
                Binary::Remainder => ((b.0 + 1).min(0), (b.1 - 1).max(0)),
                _ => (0, 1),
            }
        }
    }
}

/// Whether a term has a value at all: no division by zero, and no number that is too large.
fn exists_always(term: &Term) -> bool {
    let (least, greatest) = bounds(term);
    if i64::try_from(least).is_err() || i64::try_from(greatest).is_err() {
        return false;
    }
    match term {
        Term::Number(_) | Term::Variable(..) => true,
        Term::Unary(_, operand) => exists_always(operand),
        Term::Binary(op, left, right) => {
            let divides = matches!(op, Binary::Divide | Binary::Remainder);
            let (lo, hi) = bounds(right);
            exists_always(left) && exists_always(right) && !(divides && lo <= 0 && hi >= 0)
        }
    }
}

/// How values are written, and what numbers there are.
#[derive(Debug)]
pub struct Values {
    /// `NAT` or `INT`.
    pub sort: &'static str,
    least: Cell<i128>,
    greatest: Cell<i128>,
    /// Whether truth values are used as numbers.
    pub uses_number: Cell<bool>,
}

impl Values {
    /// Values of a sort; no number is noted but 0 and 1.
    pub fn new(sort: &'static str) -> Self {
        Values { sort, least: Cell::new(0), greatest: Cell::new(1), uses_number: Cell::new(false) }
    }

    /// The least and the greatest number that was noted.
    pub fn extent(&self) -> (i128, i128) {
        (self.least.get(), self.greatest.get())
    }

    /// Notes that there are numbers of a range.
    pub fn note(&self, (lo, hi): Bounds) {
        self.least.set(self.least.get().min(lo));
        self.greatest.set(self.greatest.get().max(hi));
    }

    /// A term as a value.
    pub fn text(&self, term: &Term) -> String {
        self.note(bounds(term));
        match term {
            Term::Number(number) if *number < 0 => format!("- ({})", number.unsigned_abs()),
            Term::Number(number) => number.to_string(),
            Term::Variable(name, ..) => name.clone(),
            Term::Unary(Unary::Negate, operand) => format!("- ({})", self.text(operand)),
            Term::Binary(op, left, right)
                if !is_comparison(*op) && !matches!(op, Binary::And | Binary::Or) =>
            {
                let (a, b) = (self.operand(left), self.operand(right));
                match op {
                    Binary::Add => format!("{a} + {b}"),
                    Binary::Subtract => format!("{a} - {b}"),
                    Binary::Multiply => format!("{a} * {b}"),
                    Binary::Remainder => format!("{a} mod {b}"),
                    _ if bounds(left).0 >= 0 && bounds(right).0 >= 0 => format!("{a} div {b}"),
                    // `div` rounds to zero, and division down.
                    _ => {
                        let rest = Term::Binary(Binary::Remainder, left.clone(), right.clone());
                        self.note(bounds(&binary(Binary::Subtract, (**left).clone(), rest)));
                        format!("({a} - ({a} mod {b})) div {b}")
                    }
                }
            }
            _ => {
                self.uses_number.set(true);
                format!("NUMBER ({})", self.condition(term))
            }
        }
    }

    /// A term as an operand of an infix operation: these have one precedence.
    fn operand(&self, term: &Term) -> String {
        match term {
            Term::Number(0..) | Term::Variable(..) => self.text(term),
            _ => format!("({})", self.text(term)),
        }
    }

    /// A value in an action, where nothing else tells the sort of a number.
    pub fn offer(&self, term: &Term) -> String {
        match term {
            Term::Variable(..) => self.text(term),
            Term::Number(_) if self.sort == "NAT" => self.text(term),
            Term::Number(_) => format!("({} of {})", self.text(term), self.sort),
            _ => format!("({})", self.text(term)),
        }
    }

    /// Whether a term is not zero, as a condition.
    pub fn condition(&self, term: &Term) -> String {
        match term {
            Term::Number(number) => if *number == 0 { "false" } else { "true" }.to_owned(),
            Term::Unary(Unary::Not, operand) => format!("not ({})", self.condition(operand)),
            Term::Binary(op @ (Binary::And | Binary::Or), left, right) => {
                let sign = if *op == Binary::And { "and" } else { "or" };
                format!("({}) {sign} ({})", self.condition(left), self.condition(right))
            }
            Term::Binary(op, left, right) if is_comparison(*op) => {
                let sign = match op {
                    Binary::Equal => "==",
                    Binary::NotEqual => "<>",
                    Binary::Less => "<",
                    Binary::LessEqual => "<=",
                    Binary::Greater => ">",
                    _ => ">=",
                };
                format!("{} {sign} {}", self.operand(left), self.operand(right))
            }
            _ => format!("{} <> 0", self.operand(term)),
        }
    }

    /// Whether a term is zero.
    pub fn fails(&self, term: &Term) -> Truth {
        let opposite = |op| match op {
            Binary::Equal => Some(Binary::NotEqual),
            Binary::NotEqual => Some(Binary::Equal),
            Binary::Less => Some(Binary::GreaterEqual),
            Binary::LessEqual => Some(Binary::Greater),
            Binary::Greater => Some(Binary::LessEqual),
            Binary::GreaterEqual => Some(Binary::Less),
            _ => None,
        };
        match term {
            Term::Unary(Unary::Not, operand) => self.holds(operand),
            Term::Binary(op, left, right) => match opposite(*op) {
                Some(op) => self.holds(&Term::Binary(op, left.clone(), right.clone())),
                None => self.holds(term).negated(),
            },
            Term::Variable(..) => match self.holds(term) {
                Truth::If(_) => Truth::If(format!("{} == 0", self.operand(term))),
                known => known.negated(),
            },
            _ => self.holds(term).negated(),
        }
    }

    /// Whether a term is not zero.
    pub fn holds(&self, term: &Term) -> Truth {
        let (lo, hi) = bounds(term);
        match term {
            Term::Number(0) => Truth::Never,
            Term::Number(_) => Truth::Always,
            _ if lo > 0 || hi < 0 => Truth::Always,
            _ => Truth::If(self.condition(term)),
        }
    }

    /// Whether a term has a value. Of `and` and `or` the second operand counts only where the first one does not decide.
    pub fn exists(&self, term: &Term) -> Truth {
        // Numbers that are too large are refused, so that they need no condition.
        self.note(bounds(term));
        match term {
            Term::Number(_) | Term::Variable(..) => Truth::Always,
            Term::Unary(_, operand) => self.exists(operand),
            Term::Binary(op, left, right) => {
                let (first, second) = (self.exists(left), self.exists(right));
                match op {
                    Binary::Divide | Binary::Remainder => first.and(second).and(self.holds(&binary(
                        Binary::NotEqual,
                        (**right).clone(),
                        Term::Number(0),
                    ))),
                    Binary::And if second != Truth::Always => {
                        first.and(self.holds(left).negated().or(second))
                    }
                    Binary::Or if second != Truth::Always => first.and(self.holds(left).or(second)),
                    _ => first.and(second),
                }
            }
        }
    }

    /// Whether a term lies in a range.
    pub fn within(&self, term: &Term, lo: i64, hi: i64) -> Truth {
        let at = |op, bound| {
            let test = Term::Number(bound);
            match compared(op, bounds(term), bounds(&test)) {
                Some(known) => self.holds(&Term::Number(known)),
                None => Truth::If(self.condition(&Term::Binary(op, Box::new(term.clone()), Box::new(test)))),
            }
        };
        at(Binary::GreaterEqual, lo).and(at(Binary::LessEqual, hi))
    }
}
