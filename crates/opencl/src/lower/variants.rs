//! The variants of a text: what `#if` leaves of it for each value of the parameters in its conditions.
//!
//! A compiler sees a text without directives, for one configuration. Here all configurations share a kernel:
//! each variant is read separately, and the kernel is a choice between them (`if (VW == 1) ... else ...`)
//! that costs nothing at run time. A parameter gets values only when a reached condition depends on it, so
//! there are no more variants than distinguishable combinations of branches.

use super::Request;
use crate::expression::{Expr, NameId, Names, Op};
use crate::kernel::{Node, Test};
use crate::launch::{Constraint, Launch};
use crate::table;
use crate::text::{self, Cleaned, Definitions};
use std::collections::{HashMap, HashSet};
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// Limit of tried combinations of values.
const LIMIT: usize = 1024;

/// Values of some parameters.
type Values = Vec<(String, i64)>;

/// A text that directives leave.
pub(super) struct Variant {
    /// For which values of parameters.
    values: Vec<Values>,
    /// The text.
    pub cleaned: Cleaned,
}

/// All that directives leave.
#[derive(Default)]
pub(super) struct Variants {
    pub variants: Vec<Variant>,
    /// Values for which the text has an `#error`, with the directive.
    errors: Vec<(Values, String)>,
    /// Texts of `#pragma`s.
    pragmas: Vec<String>,
}

/// The variants of a text, for all values that `values` gives for a parameter.
pub(super) fn unfold(
    cleaned: &Cleaned,
    file: FileId,
    defined: &HashSet<String>,
    constants: &HashMap<String, i64>,
    values: &dyn Fn(&str) -> Option<Vec<i64>>,
    found: &mut Vec<Diagnostic>,
) -> Variants {
    let mut unfolded = Variants::default();
    let mut open: Vec<Values> = vec![Vec::new()];
    let mut tried = 0;
    while let Some(assigned) = open.pop() {
        tried += 1;
        let mut constants = constants.clone();
        constants.extend(assigned.iter().cloned());
        let (mut left, mut told) = (cleaned.clone(), Vec::new());
        let definitions = Definitions { defined, constants: &constants };
        let reached = text::preprocess(&mut left, file, &definitions, &mut told);
        if let Some((name, span)) = reached.condition {
            let more = values(&name).filter(|more| tried + open.len() + more.len() <= LIMIT);
            let Some(more) = more else {
                found.push(depends(span, &name, values(&name).is_some()));
                return unfolded;
            };
            let with = |value: i64| assigned.iter().cloned().chain([(name.clone(), value)]).collect();
            open.extend(more.into_iter().rev().map(with));
            continue;
        }
        told.retain(|diagnostic| !found.contains(diagnostic));
        found.append(&mut told);
        unfolded.pragmas.extend(reached.pragmas);
        match reached.error {
            Some((message, span)) if assigned.is_empty() => {
                found.push(Diagnostic::error(codes::KERNEL_TEXT, message).at(span, ""));
            }
            Some((message, _)) => unfolded.errors.push((assigned, message)),
            None => {
                let is_same = |other: &&mut Variant| {
                    other.cleaned.code == left.code && other.cleaned.macros == left.macros
                };
                match unfolded.variants.iter_mut().find(is_same) {
                    Some(variant) => variant.values.push(assigned),
                    None => unfolded.variants.push(Variant { values: vec![assigned], cleaned: left }),
                }
            }
        }
    }
    unfolded
}

fn depends(span: Span, name: &str, has_values: bool) -> Diagnostic {
    let message = format!("this condition depends on the parameter `{name}`");
    let diagnostic = Diagnostic::error(codes::KERNEL_ABSTRACTION, message).at(span, "");
    match has_values {
        true => diagnostic
            .note(format!(
                "there are more than {LIMIT} combinations of values in conditions of the preprocessor"
            ))
            .help(format!("give fewer values: `--parameters {name}=1,2`, or one: `-D {name}=1`")),
        false => diagnostic.help(format!("give its values: `// volvelle: parameter {name} = 1, 2`")),
    }
}

/// The values of a parameter: those of the request, else those of the text.
pub(super) fn values(name: &str, launch: &Launch, names: &Names, request: &Request) -> Option<Vec<i64>> {
    if let Some((_, values)) = request.values.iter().find(|(known, _)| known == name) {
        return Some(values.clone());
    }
    let id = names.find(name)?;
    let mut numbers = vec![0; names.len()];
    let default = || launch.size.as_ref()?.value(&crate::expression::Values::of(&numbers)).ok();
    let size = request.size.or_else(default);
    let size_id = names.find("size")?;
    if let Some(size) = size {
        numbers[size_id.0 as usize] = size;
    }
    let parameters = launch.parameters.iter().filter(|parameter| parameter.name == id).cloned();
    let alone = Launch { parameters: parameters.collect(), ..Launch::default() };
    table::choices(&alone, size.map(|_| size_id), &numbers).ok()?.pop()
}

/// The condition that parameters have some values.
fn equal(values: &Values, names: &mut Names) -> Expr {
    let mut equal = |(name, value): &(String, i64)| {
        Expr::binary(Op::Eq, Expr::Name(names.intern(name)), Expr::Int(*value))
    };
    values.iter().map(&mut equal).fold(Expr::Int(1), |a, b| Expr::binary(Op::And, a, b))
}

/// The condition that one of several holds.
fn any(conditions: impl Iterator<Item = Expr>) -> Expr {
    conditions.fold(Expr::Int(0), |a, b| Expr::binary(Op::Or, a, b))
}

impl Variant {
    /// The condition that this is the text.
    pub fn condition(&self, names: &mut Names) -> Expr {
        any(self.values.iter().map(|values| equal(values, names)))
    }
}

impl Variants {
    /// The constraints on parameters under which the text is one of the variants.
    pub fn constraints(&self, names: &mut Names) -> Vec<Constraint> {
        let mut found = Vec::new();
        let mut all = Vec::new();
        for (values, message) in &self.errors {
            let test = equal(values, names);
            all.push(test.clone());
            found.push(Constraint { test: test.negate(), reason: message.clone() });
        }
        if self.variants.len() + self.errors.len() > 1 {
            all.extend(self.variants.iter().map(|variant| variant.condition(names)));
            let reason = "the directives were read for these values of the parameters".to_owned();
            found.push(Constraint { test: any(all.into_iter()), reason });
        }
        found
    }

    /// The parameters that select a variant, or that occur in directives for the compiler
    /// (`#pragma unroll N`).
    pub fn parameters(&self, names: &mut Names) -> Vec<NameId> {
        let values = self.variants.iter().flat_map(|variant| &variant.values);
        let all = values.chain(self.errors.iter().map(|(values, _)| values)).flatten();
        let mut found: Vec<NameId> = all.map(|(name, _)| names.intern(name)).collect();
        let words =
            self.pragmas.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'));
        found.extend(words.filter_map(|word| names.find(word)));
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The variants read so far, merged.
#[derive(Default)]
pub(super) struct Merged {
    /// The name of the kernel, and its place in the first variant.
    pub kernel: Option<(String, Span)>,
    /// Conditions; for each, the work of an item where it holds, and the bytes of local memory.
    pub bodies: Vec<(Expr, Vec<Node>, Expr)>,
    /// Loops of all of them.
    pub counters: u16,
    /// Names that they use.
    pub used: HashSet<NameId>,
    /// Annotations that their statements use.
    pub used_notes: HashSet<usize>,
    /// Constraints that hold for some of them.
    pub constraints: Vec<Constraint>,
}

impl Merged {
    /// The choice between the bodies, and between their bytes of local memory. One of the
    /// conditions holds, so the last body needs none.
    pub fn choice(&mut self, span: Span) -> (Vec<Node>, Expr) {
        let Some((_, mut body, mut bytes)) = self.bodies.pop() else { return (Vec::new(), Expr::Int(0)) };
        while let Some((condition, then, more)) = self.bodies.pop() {
            bytes = Expr::choose(condition.clone(), more, bytes);
            body = vec![Node::If { test: Test::Known(condition), span, then, other: body }];
        }
        (body, bytes)
    }
}
