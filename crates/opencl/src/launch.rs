//! Launch descriptions: how a kernel is launched, with which arguments, for which values of its parameters.
//!
//! A description stands in comments of the kernel's text that begin with `volvelle:`, one item after another, separated by
//! semicolons or by commas before the next `name =`. Parameters are macros of the build (`-D WG=64`).
//!
//! ```c
//! // volvelle: kernel = minimum                        the kernel, if the file has several
//! // volvelle: size = 2^20                              if the command line gives none
//! // volvelle: parameter WG = powers(1, 1024)           values; also `1, 2, 4`, `range(1, 8)`, `range(0, 64, 16)`
//! // volvelle: parameter TS = powers(1, size)
//! // volvelle: constraint WG * TS <= size
//! // volvelle: global = size / TS, local = WG           up to three dimensions: `global = N, N`
//! // volvelle: argument data = random int[size]         a buffer: `random`, `iota`, `zero`
//! // volvelle: argument result = zero int[size / (WG * TS)] -> min
//! // volvelle: argument scratch = local int[WG]         local memory
//! // volvelle: argument n = int size                    a scalar
//! // volvelle: reference WG = 1; reference TS = 1       the configuration whose results are right
//! ```
//!
//! An argument with `->` is an output. Results are compared element by element (`each`). If their number
//! depends on the configuration, they are combined first, by `min`, `max` or `sum`. Divisions in `global`,
//! `local` and lengths of buffers must leave no remainder: each one is a constraint.

mod alone;
mod read;

use crate::expression::{Expr, Fault, NameId, Names, Op, Values, floored};
use volvelle_diagnostics::Span;

pub use alone::{Described, described, sizes};
pub(crate) use read::{Item, Place, items, read, read_expression};

/// The type of an element of a buffer, or of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // their names say it
pub enum Element {
    Char,
    Uchar,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
    Ulong,
    Float,
    Double,
}

impl Element {
    /// All types with the name in OpenCL C and their size in bytes.
    pub const ALL: [(Element, &'static str, u32); 10] = [
        (Element::Char, "char", 1),
        (Element::Uchar, "uchar", 1),
        (Element::Short, "short", 2),
        (Element::Ushort, "ushort", 2),
        (Element::Int, "int", 4),
        (Element::Uint, "uint", 4),
        (Element::Long, "long", 8),
        (Element::Ulong, "ulong", 8),
        (Element::Float, "float", 4),
        (Element::Double, "double", 8),
    ];

    /// Size in bytes.
    pub fn bytes(self) -> u32 {
        Self::ALL.iter().find(|(element, ..)| *element == self).map_or(4, |row| row.2)
    }

    /// The type with this name.
    pub fn named(name: &str) -> Option<Element> {
        Self::ALL.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// The element type of a number or a vector such as `float4`, with the number of elements that it
    /// occupies in memory.
    pub fn of_vector(name: &str) -> Option<(Element, i64)> {
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let lanes = match &name[base.len()..] {
            "" => 1,
            "2" => 2,
            "3" | "4" => 4,
            "8" => 8,
            "16" => 16,
            _ => return None,
        };
        Some((Element::named(base)?, lanes))
    }
}

/// Contents of a buffer before the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// All zero.
    Zero,
    /// 0, 1, 2, ...
    Iota,
    /// Pseudo-random numbers from a fixed seed: whole numbers from 0 to 2^20 - 1 (less for narrow types), reals from 0 to 1.
    Random,
}

/// How an output is compared with that of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Element by element.
    Each,
    /// The smallest element only.
    Min,
    /// The largest element only.
    Max,
    /// The sum only.
    Sum,
}

/// An argument of the kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A buffer in global (or constant) memory.
    Buffer {
        /// Type of its elements.
        element: Element,
        /// Number of its elements.
        length: Expr,
        /// Contents at the start.
        fill: Fill,
        /// How to compare it, if it is an output.
        output: Option<Compare>,
    },
    /// Local memory.
    Local {
        /// Type of its elements.
        element: Element,
        /// Number of its elements.
        length: Expr,
    },
    /// A whole number.
    Scalar {
        /// Its type.
        element: Element,
        /// Its value.
        value: Expr,
    },
    /// A number with a fraction.
    Real {
        /// Its type.
        element: Element,
        /// Its value.
        value: f64,
    },
}

/// An argument by the name that the kernel gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedArgument {
    /// Name of the parameter of the kernel function.
    pub name: String,
    /// Where the description names it.
    pub span: Span,
    /// The argument.
    pub argument: Argument,
}

/// Values that a parameter may take.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// These.
    List(Vec<Expr>),
    /// Powers of two from the first to the second.
    Powers(Expr, Expr),
    /// From the first to the second, by steps of the third.
    Range(Expr, Expr, Expr),
}

/// A parameter and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, a macro of the build.
    pub name: NameId,
    /// Where it is declared; `None` if the command line did.
    pub span: Option<Span>,
    /// Its values; if absent, powers of two up to `size`.
    pub choice: Option<Choice>,
}

/// A condition that configurations must satisfy.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Not 0 for valid configurations.
    pub test: Expr,
    /// Its meaning in words: the text of the condition, or the reason for it.
    pub reason: String,
}

/// How a kernel is launched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    /// The kernel, if the description names one.
    pub kernel: Option<(String, Span)>,
    /// The default of `size`.
    pub size: Option<Expr>,
    /// The parameters, in the order of their declaration.
    pub parameters: Vec<Parameter>,
    /// Conditions on them.
    pub constraints: Vec<Constraint>,
    /// Number of work-items by dimension.
    pub global: Vec<Expr>,
    /// Size of a work-group by dimension.
    pub local: Vec<Expr>,
    /// The arguments.
    pub arguments: Vec<NamedArgument>,
    /// The values of parameters in the configuration whose results are correct.
    pub reference: Vec<(NameId, Expr)>,
}

impl Launch {
    /// The argument of this name.
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|a| a.name == name).map(|a| &a.argument)
    }

    /// Adds a constraint for every division in the launch: it must leave no remainder.
    pub(crate) fn add_divisions(&mut self, names: &Names) {
        let mut divisions: Vec<(Expr, Expr)> = Vec::new();
        let lengths = self.arguments.iter().filter_map(|named| match &named.argument {
            Argument::Buffer { length, .. } | Argument::Local { length, .. } => Some(length),
            Argument::Scalar { .. } | Argument::Real { .. } => None,
        });
        for expr in self.global.iter().chain(&self.local).chain(lengths) {
            find_divisions(expr, &mut divisions);
            // `size / WG + (size % WG != 0)` is rounded up.
            let mut rests = Vec::new();
            find_rests(expr, &mut rests);
            divisions.retain(|division| !rests.contains(division));
        }
        for (global, local) in self.global.iter().zip(&self.local) {
            divisions.push((global.clone(), local.clone()));
        }
        for (a, b) in divisions {
            let show = |expr| crate::expression::Printer { expr, names }.to_string();
            let reason = format!("`{}` is a multiple of `{}`", show(&a), show(&b));
            // A divisor of 0 has no multiples.
            let rest = Expr::binary(Op::Eq, Expr::binary(Op::Rem, a, b.clone()), Expr::Int(0));
            let test = Expr::binary(Op::And, Expr::binary(Op::Gt, b, Expr::Int(0)), rest);
            let known = self.constraints.iter().any(|c| c.test == test);
            if !known && test != Expr::Int(1) {
                self.constraints.push(Constraint { test, reason });
            }
        }
    }
}

/// Remainders in an expression: what is divided, and by what.
fn find_rests(expr: &Expr, found: &mut Vec<(Expr, Expr)>) {
    match expr {
        Expr::Binary(op, both, _) => {
            find_rests(&both.0, found);
            find_rests(&both.1, found);
            if *op == Op::Rem {
                found.push((both.0.clone(), both.1.clone()));
            }
        }
        Expr::Choose(all, _) => [&all.0, &all.1, &all.2].into_iter().for_each(|part| find_rests(part, found)),
        Expr::Not(inner, _) => find_rests(inner, found),
        _ => {}
    }
}

/// Whether a quotient is rounded up: `(n + d - 1) / d`, or the `(n - 1) / d` of `(n - 1) / d + 1`.
fn is_rounded_up(dividend: &Expr, divisor: &Expr) -> bool {
    let (mut plus, mut constant) = (0, 0_i64);
    let mut open = vec![(dividend, 1_i64)];
    while let Some((term, sign)) = open.pop() {
        match term {
            Expr::Int(value) => constant = constant.saturating_add(sign.saturating_mul(*value)),
            _ if term == divisor => plus += sign,
            Expr::Binary(Op::Add, both, _) => open.extend([(&both.0, sign), (&both.1, sign)]),
            Expr::Binary(Op::Sub, both, _) => open.extend([(&both.0, sign), (&both.1, -sign)]),
            _ => {}
        }
    }
    match divisor {
        Expr::Int(divisor) => constant == -1 || (*divisor > 1 && constant == divisor - 1),
        _ => constant == -1 && (plus == 0 || plus == 1),
    }
}

fn find_divisions(expr: &Expr, found: &mut Vec<(Expr, Expr)>) {
    match expr {
        Expr::Binary(op, both, _) => {
            find_divisions(&both.0, found);
            find_divisions(&both.1, found);
            if *op == Op::Div && !is_rounded_up(&both.0, &both.1) {
                found.push((both.0.clone(), both.1.clone()));
            }
        }
        // A quotient that is to be rounded may leave a remainder.
        _ if let Some((a, b)) = floored(expr) => {
            find_divisions(a, found);
            find_divisions(b, found);
        }
        Expr::Choose(all, _) => {
            find_divisions(&all.1, found);
            find_divisions(&all.2, found);
        }
        Expr::Not(inner, _) => find_divisions(inner, found),
        _ => {}
    }
}

/// More values of one parameter are a mistake.
const VALUES_LIMIT: usize = 1 << 16;

impl Choice {
    /// The values in order, without duplicates. Names other than parameters have the given values.
    pub fn values(&self, names: &[i64]) -> Result<Vec<i64>, Fault> {
        let env = Values::of(names);
        let mut found: Vec<i64> = match self {
            Choice::List(list) => list.iter().map(|expr| expr.value(&env)).collect::<Result<_, _>>()?,
            Choice::Powers(first, last) => {
                let (first, last) = (first.value(&env)?, last.value(&env)?);
                (0..62).map(|n| 1_i64 << n).filter(|power| (first..=last).contains(power)).collect()
            }
            Choice::Range(first, last, step) => {
                let (first, last, step) = (first.value(&env)?, last.value(&env)?, step.value(&env)?);
                if step <= 0 {
                    return Err(Fault::Undefined);
                }
                let numbers = std::iter::successors(Some(first), |at| at.checked_add(step));
                numbers.take_while(|&at| at <= last).take(VALUES_LIMIT + 1).collect()
            }
        };
        found.sort_unstable();
        found.dedup();
        if found.len() > VALUES_LIMIT { Err(Fault::Overflow) } else { Ok(found) }
    }
}
