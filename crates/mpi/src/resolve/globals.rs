//! What a program declares: names, values of constants, ranges of types and arrays.

use super::report::Report;
use super::{MOST_VALUE, fold};
use crate::syntax::{Dimension, Expr, ExprKind, Item, Name, Procedure, Process, Range, Tree, Type, TypeKind};
use crate::system::Binary;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{Diagnostic, Fix, Span, codes};

/// What a name is declared as; numbers are places in the lists of [`Globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Constant(usize),
    Type(usize),
    Shared(usize),
    Private(usize),
    Channel(usize),
    Procedure(usize),
    Process,
}

impl Symbol {
    pub fn noun(self) -> &'static str {
        match self {
            Symbol::Constant(_) => "a constant",
            Symbol::Type(_) => "a type",
            Symbol::Shared(_) => "a shared variable",
            Symbol::Private(_) => "a private variable",
            Symbol::Channel(_) => "a channel",
            Symbol::Procedure(_) => "a procedure",
            Symbol::Process => "a process",
        }
    }
}

/// The values of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Values {
    pub lo: i64,
    pub hi: i64,
    pub wraps: bool,
}

impl Values {
    pub const DATA: Values = Values { lo: 0, hi: 0, wraps: false };

    pub fn contains(self, value: i64) -> bool {
        (self.lo..=self.hi).contains(&value)
    }

    /// The value that a variable has if nobody says another one.
    pub fn default(self) -> i64 {
        if self.contains(0) { 0 } else { self.lo }
    }
}

/// The least and greatest index.
pub(super) type Bounds = (i64, i64);

/// Shared variables or channels under a name: an array of structures, of one field without a name if they are none.
#[derive(Debug)]
pub(super) struct Array {
    pub name: String,
    pub span: Span,
    pub bounds: Vec<Bounds>,
    pub fields: Vec<Field>,
}

impl Array {
    pub fn is_structure(&self) -> bool {
        self.fields.first().is_none_or(|field| field.name.is_some())
    }
}

/// A field of an array.
#[derive(Debug)]
pub(super) struct Field {
    pub name: Option<String>,
    /// Its own indices, which follow those of the array.
    pub bounds: Vec<Bounds>,
    pub values: Values,
    /// The number of its first variable.
    pub base: u32,
}

/// Private variables under a name.
pub(super) struct Private {
    pub name: String,
    pub span: Span,
    pub bounds: Vec<Bounds>,
    pub values: Option<Values>,
    /// By element, the last index runs fastest.
    pub initial: Vec<Option<i64>>,
}

/// A process of the program.
pub(super) struct Member<'t> {
    pub name: String,
    pub process: &'t Process,
    pub index: Option<i64>,
}

/// Values of the indices of a declaration.
pub(super) type Indices<'a> = &'a [(&'a str, i64)];

#[derive(Default)]
pub(super) struct Globals<'t> {
    pub names: FxHashMap<&'t str, (Symbol, Span)>,
    pub constants: Vec<Option<i64>>,
    pub types: Vec<Option<Values>>,
    pub shared: Vec<Array>,
    pub privates: Vec<Private>,
    pub channels: Vec<Array>,
    pub procedures: Vec<&'t Procedure>,
    pub members: Vec<Member<'t>>,
}

impl<'t> Globals<'t> {
    /// Names, constants, types and processes; arrays follow.
    pub fn declare(tree: &'t Tree, overrides: &[(String, i64)], report: &mut Report) -> Self {
        let mut globals = Globals::default();
        globals.names(tree, report);
        for item in &tree.items {
            if let Item::Constant(constant) = item {
                let given = overrides.iter().rev().find(|(name, _)| *name == constant.name.text);
                let value = match given {
                    Some(&(_, value)) => Some(value),
                    None => globals.constant(&constant.value, &[], report),
                };
                globals.constants.push(value);
            }
        }
        for item in &tree.items {
            if let Item::Type(_, kind) = item {
                let values = globals.values(kind, report);
                globals.types.push(values);
            }
        }
        for item in &tree.items {
            if let Item::Process(process) = item {
                globals.family(process, report);
            }
        }
        globals
    }

    fn names(&mut self, tree: &'t Tree, report: &mut Report) {
        let mut numbers = [0; 6];
        let mut next = |kind: usize| {
            numbers[kind] += 1;
            numbers[kind] - 1
        };
        for item in &tree.items {
            let (name, symbol): (&'t Name, Symbol) = match item {
                Item::Constant(constant) => (&constant.name, Symbol::Constant(next(0))),
                Item::Type(name, _) => (name, Symbol::Type(next(1))),
                Item::Shared(shared) => (&shared.name, Symbol::Shared(next(2))),
                Item::Private(private) => (&private.name, Symbol::Private(next(3))),
                Item::Channel(channel) => (&channel.name, Symbol::Channel(next(4))),
                Item::Procedure(procedure) => {
                    self.procedures.push(procedure);
                    (&procedure.name, Symbol::Procedure(next(5)))
                }
                Item::Process(process) => (&process.name, Symbol::Process),
            };
            if let Some((_, first)) = self.names.get(name.text.as_str()) {
                report.push(twice(name, *first));
            } else {
                self.names.insert(&name.text, (symbol, name.span));
            }
        }
    }

    fn family(&mut self, process: &'t Process, report: &mut Report) {
        let Some(family) = &process.family else {
            return self.member(process, process.name.text.clone(), None, report);
        };
        let Some((lo, hi)) = self.range(&family.range, report) else { return };
        if hi - lo >= i64::from(super::MOST_PROCESSES) {
            let message = format!("there are more than {} processes", super::MOST_PROCESSES);
            return report.error(codes::PRIMITIVE_VALUE, message, family.range.span, "");
        }
        for index in lo..=hi {
            let name = format!("{}{index}", process.name.text);
            self.member(process, name, Some(index), report);
        }
    }

    fn member(&mut self, process: &'t Process, name: String, index: Option<i64>, report: &mut Report) {
        if let Some(first) = self.members.iter().find(|member| member.name == name) {
            let message = format!("there are two processes `{name}`");
            // Two without an index have been reported by their names.
            if index.is_some() || first.index.is_some() {
                report.push(
                    Diagnostic::error(codes::PRIMITIVE_NAME, message)
                        .at(process.name.span, "")
                        .also(first.process.name.span, "this is the first one"),
                );
            }
        }
        self.members.push(Member { name, process, index });
    }

    /// The value of a constant expression, with names of the indices of a declaration; `None` if there is none, which is reported.
    pub fn constant(&self, expr: &Expr, indices: Indices, report: &mut Report) -> Option<i64> {
        let value = match &expr.kind {
            ExprKind::Number(value) => return Some(*value),
            ExprKind::Place(place) if place.indices.is_empty() && place.field.is_none() => {
                return self.constant_name(&place.name, indices, report);
            }
            ExprKind::Place(_) | ExprKind::Call(..) | ExprKind::Operation(..) => {
                report.push(
                    Diagnostic::error(codes::PRIMITIVE_VALUE, "this is computed before any process starts")
                        .at(expr.span, "nothing can be read or called here")
                        .help("use numbers, constants and the indices of the declaration"),
                );
                return None;
            }
            ExprKind::Unary(operator, a) => fold::unary(*operator, self.constant(a, indices, report)?),
            ExprKind::Binary(operator, a, b) => {
                let a = self.constant(a, indices, report)?;
                match operator {
                    Binary::And if a == 0 => Some(0),
                    Binary::Or if a != 0 => Some(1),
                    _ => fold::binary(*operator, a, self.constant(b, indices, report)?),
                }
            }
            ExprKind::Conditional(condition, yes, no) => {
                let way = if self.constant(condition, indices, report)? != 0 { yes } else { no };
                return self.constant(way, indices, report);
            }
        };
        if value.is_none() {
            report.push(without_value(expr.span));
        }
        value
    }

    fn constant_name(&self, name: &Name, indices: Indices, report: &mut Report) -> Option<i64> {
        if let Some(&(_, value)) = indices.iter().find(|(index, _)| *index == name.text) {
            return Some(value);
        }
        match self.names.get(name.text.as_str()) {
            Some(&(Symbol::Constant(number), span)) => match self.constants.get(number) {
                Some(value) => *value,
                None => {
                    report.push(
                        Diagnostic::error(
                            codes::PRIMITIVE_NAME,
                            format!("`{}` is declared further down", name.text),
                        )
                        .at(name.span, "a constant knows those before it")
                        .also(span, "here"),
                    );
                    None
                }
            },
            Some(&(symbol, span)) => {
                report.push(
                    Diagnostic::error(
                        codes::PRIMITIVE_NAME,
                        format!("`{}` is {}, not a constant", name.text, symbol.noun()),
                    )
                    .at(name.span, "this is computed before any process starts")
                    .also(span, "declared here"),
                );
                None
            }
            None => {
                let constants =
                    self.names.iter().filter(|(_, (symbol, _))| matches!(symbol, Symbol::Constant(_)));
                let mut known: Vec<&str> = constants.map(|(name, _)| *name).collect();
                known.extend(indices.iter().map(|(index, _)| *index));
                known.sort_unstable();
                let mut diagnostic =
                    Diagnostic::error(codes::PRIMITIVE_NAME, format!("`{}` is not declared", name.text))
                        .at_misspelt(name.span, &name.text, known);
                if diagnostic.fixes.is_empty() {
                    let declared = format!("const {} = 1;", name.text);
                    let top = Span::new(name.span.file, 0, 0);
                    diagnostic = diagnostic
                        .help(format!("declare a constant: `{declared}`"))
                        .fix(Fix::before(format!("declare it: `{declared}`"), top, format!("{declared}\n")));
                }
                report.push(diagnostic);
                None
            }
        }
    }

    /// A range with at least one value.
    pub fn range(&self, range: &Range, report: &mut Report) -> Option<Bounds> {
        let lo = self.constant(&range.lo, &[], report)?;
        let hi = self.constant(&range.hi, &[], report)?;
        check_range(lo, hi, range.span, report)
    }

    /// The values of a type.
    pub fn values(&self, kind: &Type, report: &mut Report) -> Option<Values> {
        match &kind.kind {
            TypeKind::Range(range) => {
                self.range(range, report).map(|(lo, hi)| Values { lo, hi, wraps: false })
            }
            TypeKind::Data => Some(Values::DATA),
            TypeKind::Bool => Some(Values { lo: 0, hi: 1, wraps: false }),
            TypeKind::Modulo(modulus) => {
                let value = self.constant(modulus, &[], report)?;
                if !(1..=MOST_VALUE).contains(&value) {
                    let message = format!("there are no values modulo {value}");
                    report.error(codes::PRIMITIVE_VALUE, message, modulus.span, "this is at least 1");
                    return None;
                }
                Some(Values { lo: 0, hi: value - 1, wraps: true })
            }
            TypeKind::Name(name) => match self.names.get(name.as_str()) {
                Some(&(Symbol::Type(number), first)) => match self.types.get(number) {
                    Some(values) => *values,
                    None => {
                        report.push(
                            Diagnostic::error(
                                codes::PRIMITIVE_NAME,
                                format!("type `{name}` is declared further down"),
                            )
                            .at(kind.span, "a type knows those before it")
                            .also(first, "here"),
                        );
                        None
                    }
                },
                Some(&(symbol, span)) => {
                    let message = format!("`{name}` is {}, not a type", symbol.noun());
                    let mut diagnostic = Diagnostic::error(codes::PRIMITIVE_NAME, message).at(kind.span, "");
                    if matches!(symbol, Symbol::Constant(_)) {
                        diagnostic = diagnostic.help(format!("a range has two ends: `0 .. {name}`"));
                    }
                    report.push(diagnostic.also(span, "declared here"));
                    None
                }
                None => {
                    let types =
                        self.names.iter().filter(|(_, (symbol, _))| matches!(symbol, Symbol::Type(_)));
                    let mut known: Vec<&str> = types.map(|(name, _)| *name).chain(["data", "bool"]).collect();
                    known.sort_unstable();
                    let mut diagnostic =
                        Diagnostic::error(codes::PRIMITIVE_NAME, format!("there is no type `{name}`"))
                            .at_misspelt(kind.span, name, known);
                    if diagnostic.fixes.is_empty() {
                        let help = format!("declare it, `type {name} = 0 .. 1;`, or write the range itself");
                        diagnostic = diagnostic.help(help);
                    }
                    report.push(diagnostic);
                    None
                }
            },
        }
    }

    /// Bounds of the indices of an array.
    pub fn bounds(&self, dimensions: &[Dimension], report: &mut Report) -> Option<Vec<Bounds>> {
        // All are looked at, so that all mistakes are found.
        let bounds: Vec<_> =
            dimensions.iter().map(|dimension| self.range(&dimension.range, report)).collect();
        for (number, dimension) in dimensions.iter().enumerate() {
            let before = dimensions[..number].iter().find(|other| other.name.text == dimension.name.text);
            if let Some(before) = before {
                report.push(twice(&dimension.name, before.name.span));
            }
        }
        bounds.into_iter().collect()
    }
}

/// A name that is declared twice.
pub(super) fn twice(name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error(codes::PRIMITIVE_NAME, format!("`{}` is declared twice", name.text))
        .at(name.span, "the second time")
        .also(first, "the first time")
}

/// An expression of constants that has no value.
pub(super) fn without_value(span: Span) -> Diagnostic {
    Diagnostic::error(codes::PRIMITIVE_VALUE, "this has no value")
        .at(span, "a division by zero, or a number that is too large")
}

/// A range with at least one value, none of them too large.
pub(super) fn check_range(lo: i64, hi: i64, span: Span, report: &mut Report) -> Option<Bounds> {
    if lo > hi {
        report.push(
            Diagnostic::error(codes::PRIMITIVE_VALUE, format!("the range {lo} .. {hi} has no values"))
                .at(span, "the least value stands first"),
        );
        return None;
    }
    if lo < -MOST_VALUE || hi > MOST_VALUE {
        let message = format!("values are between -{MOST_VALUE} and {MOST_VALUE}");
        report.error(codes::PRIMITIVE_VALUE, message, span, format!("this is {lo} .. {hi}"));
        return None;
    }
    Some((lo, hi))
}
