//! Formulas that hold in one state and not in another.

use std::fmt::{self, Display, Write};

/// A formula of the modal mu-calculus, in the shapes that tell states apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// Holds in no state of the other side: the negation of the formula.
    Not(Box<Formula>),
    /// All of them hold; none at all is true.
    And(Vec<Formula>),
    /// A transition with the label leads to a state in which the formula holds.
    Can(String, Box<Formula>),
    /// The same behind internal transitions to states in which the first formula holds.
    Until(Box<Formula>, String, Box<Formula>),
    /// The same with internal transitions before and after it; the internal action stands for no transition as well.
    Weakly(String, Box<Formula>),
    /// Internal transitions to states in which the formula holds can go on for ever.
    Diverges(Box<Formula>),
}

impl Formula {
    /// The formula that holds everywhere.
    pub const TRUE: Formula = Formula::And(Vec::new());

    /// How many operators it has.
    pub fn size(&self) -> usize {
        1 + match self {
            Formula::Not(inner)
            | Formula::Can(_, inner)
            | Formula::Weakly(_, inner)
            | Formula::Diverges(inner) => inner.size(),
            Formula::And(parts) => parts.iter().map(Formula::size).sum(),
            Formula::Until(stay, _, inner) => stay.size() + inner.size(),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let label = |label: &str| format!("\"{}\"", label.replace('\\', "\\\\").replace('"', "\\\""));
        match self {
            Formula::Not(inner) => {
                f.write_str("not ")?;
                inner.write(f, depth)
            }
            Formula::And(parts) => match &parts[..] {
                [] => f.write_str("true"),
                [only] => only.write(f, depth),
                [first, rest @ ..] => {
                    f.write_char('(')?;
                    first.write(f, depth)?;
                    for part in rest {
                        f.write_str(" and ")?;
                        part.write(f, depth)?;
                    }
                    f.write_char(')')
                }
            },
            Formula::Can(action, inner) => {
                write!(f, "<{}> ", label(action))?;
                inner.write(f, depth)
            }
            Formula::Weakly(action, inner) => {
                match action.as_str() {
                    "i" => f.write_str("<\"i\"*> ")?,
                    action => write!(f, "<\"i\"* . {} . \"i\"*> ", label(action))?,
                }
                inner.write(f, depth)
            }
            Formula::Until(stay, action, inner) => {
                if **stay == Formula::TRUE {
                    write!(f, "<\"i\"* . {}> ", label(action))?;
                    return inner.write(f, depth);
                }
                write!(f, "mu X{depth} . (<{}> ", label(action))?;
                inner.write(f, depth + 1)?;
                f.write_str(" or <\"i\"> (")?;
                stay.write(f, depth + 1)?;
                write!(f, " and X{depth}))")
            }
            Formula::Diverges(stay) => {
                if **stay == Formula::TRUE {
                    return f.write_str("@(\"i\")");
                }
                write!(f, "nu X{depth} . <\"i\"> (")?;
                stay.write(f, depth + 1)?;
                write!(f, " and X{depth})")
            }
        }
    }
}

/// The formula as MCL text.
impl Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let a = Formula::Can("A !1".into(), Box::new(Formula::TRUE));
        let not_b = Formula::Not(Box::new(Formula::Can("B".into(), Box::new(Formula::TRUE))));
        let both = Formula::And(vec![a.clone(), not_b.clone()]);
        assert_eq!(both.to_string(), "(<\"A !1\"> true and not <\"B\"> true)");
        let until = Formula::Until(Box::new(not_b), "C".into(), Box::new(a));
        assert_eq!(
            until.to_string(),
            "mu X0 . (<\"C\"> <\"A !1\"> true or <\"i\"> (not <\"B\"> true and X0))"
        );
        let plain = Formula::Until(Box::new(Formula::TRUE), "C".into(), Box::new(Formula::TRUE));
        assert_eq!(plain.to_string(), "<\"i\"* . \"C\"> true");
        assert_eq!(Formula::Diverges(Box::new(Formula::TRUE)).to_string(), "@(\"i\")");
    }
}
