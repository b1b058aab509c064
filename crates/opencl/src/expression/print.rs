//! Expressions as text with the same meaning in C and Promela, except for choices.

use super::{Expr, Names, Op};
use std::fmt::{self, Display, Write as _};

/// An expression with what is needed to write it. In Promela `a ? b : c` is written `(a -> b : c)`, and so are minima.
#[derive(Clone, Copy)]
pub struct Printer<'a> {
    /// The expression.
    pub expr: &'a Expr,
    /// The names in it.
    pub names: &'a Names,
}

impl Display for Printer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self.expr, self.names, 0)
    }
}

/// Spelling and strength; comparisons and shifts put compounds in parentheses, as few readers know their order.
fn spelling(op: Op) -> (&'static str, u8) {
    match op {
        Op::Or => ("||", 1),
        Op::And => ("&&", 2),
        Op::BitOr => ("|", 3),
        Op::BitXor => ("^", 3),
        Op::BitAnd => ("&", 3),
        Op::Eq => ("==", 5),
        Op::Ne => ("!=", 5),
        Op::Lt => ("<", 5),
        Op::Le => ("<=", 5),
        Op::Gt => (">", 5),
        Op::Ge => (">=", 5),
        Op::Shl => ("<<", 7),
        Op::Shr => (">>", 7),
        Op::Add => ("+", 8),
        Op::Sub => ("-", 8),
        Op::Mul => ("*", 9),
        Op::Div => ("/", 9),
        Op::Rem => ("%", 9),
        Op::Min | Op::Max | Op::Pow => ("", 10),
    }
}

fn write(f: &mut fmt::Formatter<'_>, expr: &Expr, names: &Names, outside: u8) -> fmt::Result {
    match expr {
        Expr::Int(value) if *value < 0 => write!(f, "({value})"),
        Expr::Int(value) => write!(f, "{value}"),
        Expr::Name(id) => f.write_str(names.text(*id)),
        Expr::Local(dimension) => write!(f, "lid{dimension}"),
        Expr::Group(dimension) => write!(f, "grp{dimension}"),
        Expr::Counter(counter) => write!(f, "k{counter}"),
        Expr::Not(inner, _) => {
            f.write_str("!(")?;
            write(f, inner, names, 0)?;
            f.write_char(')')
        }
        Expr::Binary(op @ (Op::Min | Op::Max), both, _) => {
            let sign = if *op == Op::Min { "<" } else { ">" };
            f.write_char('(')?;
            write(f, &both.0, names, 5)?;
            write!(f, " {sign} ")?;
            write(f, &both.1, names, 5)?;
            f.write_str(" -> ")?;
            write(f, &both.0, names, 0)?;
            f.write_str(" : ")?;
            write(f, &both.1, names, 0)?;
            f.write_char(')')
        }
        // A power of two is a shift; the constructors have folded powers of constants.
        Expr::Binary(Op::Pow, both, _) if both.0 == Expr::Int(2) => {
            f.write_str("(1 << ")?;
            write(f, &both.1, names, 8)?;
            f.write_char(')')
        }
        Expr::Binary(op, both, _) => {
            let (sign, strength) = spelling(*op);
            let sign = if sign.is_empty() { "^" } else { sign };
            // `a - (b - c)` needs its parentheses, `a + b + c` none.
            let (left, right) = match strength {
                3 | 5 | 7 => (strength + 1, strength + 1),
                _ => (strength, strength + 1),
            };
            let parentheses = strength < outside;
            if parentheses {
                f.write_char('(')?;
            }
            write(f, &both.0, names, left)?;
            write!(f, " {sign} ")?;
            write(f, &both.1, names, right)?;
            if parentheses {
                f.write_char(')')?;
            }
            Ok(())
        }
        Expr::Choose(all, _) => {
            f.write_char('(')?;
            write(f, &all.0, names, 1)?;
            f.write_str(" -> ")?;
            write(f, &all.1, names, 0)?;
            f.write_str(" : ")?;
            write(f, &all.2, names, 0)?;
            f.write_char(')')
        }
    }
}
