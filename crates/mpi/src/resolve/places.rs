//! Places: which variable, channel or local a text such as `packet[p].next` means.

use super::body::{Binding, Body, Key, LocalInfo, Reach};
use super::globals::{Array, Bounds, Symbol, Values};
use super::shared::brackets;
use crate::syntax::{self, Place};
use crate::system::{ChannelId, ChannelReference, Expr, Index, LocalId, Reference, VariableId};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// What a place is.
pub(super) enum Meaning {
    Constant(i64),
    Local(LocalId),
    Shared(Reach),
}

impl Body<'_, '_> {
    /// What a place means; `None` if that has been reported. Evaluates its indices.
    pub fn meaning(&mut self, place: &Place, then: &[&syntax::Expr]) -> Option<Meaning> {
        match self.binding(&place.name.text).cloned() {
            Some(Binding::Constant(value)) => return Some(Meaning::Constant(value)),
            Some(Binding::Local(local)) => return Some(Meaning::Local(local)),
            Some(Binding::Shared(reach)) => return self.extend(reach, place, then).map(Meaning::Shared),
            None => {}
        }
        match self.symbol(&place.name.text)? {
            Symbol::Constant(number) => {
                self.globals.constants.get(number).copied().flatten().map(Meaning::Constant)
            }
            Symbol::Private(number) => self.private(number, place).map(Meaning::Local),
            Symbol::Shared(array) => {
                let reach =
                    Reach { array, indices: Vec::new(), field: None, inner: Vec::new(), span: place.span };
                self.extend(reach, place, then).map(Meaning::Shared)
            }
            _ => None,
        }
    }

    /// A shared variable or a part of an array.
    pub fn reach(&mut self, place: &Place, then: &[&syntax::Expr]) -> Option<Reach> {
        match self.meaning(place, then)? {
            Meaning::Shared(reach) => Some(reach),
            _ => None,
        }
    }

    /// Adds the indices and the field of a place.
    fn extend(&mut self, mut reach: Reach, place: &Place, then: &[&syntax::Expr]) -> Option<Reach> {
        reach.span = place.span;
        let all: Vec<&syntax::Expr> = place.all_indices().collect();
        let mut values = Vec::with_capacity(all.len());
        for (number, index) in all.iter().enumerate() {
            let value = self.value(index);
            let later: Vec<&syntax::Expr> = all[number + 1..].iter().chain(then).copied().collect();
            values.push(self.settle(value, &later, index.span));
        }
        let rest = values.split_off(place.indices.len());
        match reach.field {
            Some(_) => reach.inner.extend(values),
            None => reach.indices.extend(values),
        }
        if let Some((field, _)) = &place.field {
            let array = self.array(&reach);
            let found =
                array.fields.iter().position(|known| known.name.as_deref() == Some(field.text.as_str()));
            let Some(found) = found.filter(|_| reach.field.is_none()) else {
                let name = self.text(&reach);
                let known: Vec<&str> =
                    array.fields.iter().filter_map(|field| field.name.as_deref()).collect();
                let mut diagnostic = Diagnostic::error(
                    codes::PRIMITIVE_NAME,
                    format!("`{name}` has no field `{}`", field.text),
                )
                .at_misspelt(field.span, &field.text, &known)
                .also(array.span, "declared here");
                if !known.is_empty() && reach.field.is_none() {
                    diagnostic = diagnostic.note(format!("its fields are {}", listed(&known)));
                }
                let diagnostic = self.called_from(diagnostic);
                self.report.push(diagnostic);
                return None;
            };
            reach.field = Some(found);
            reach.inner.extend(rest);
        } else if !array_is_structure(self.array(&reach)) {
            reach.field = Some(0);
        }
        // An array that is no structure may get its indices step by step.
        if !array_is_structure(self.array(&reach)) {
            let inner = std::mem::take(&mut reach.inner);
            reach.indices.extend(inner);
        }
        Some(reach)
    }

    /// How a part of an array is written.
    pub fn text(&self, reach: &Reach) -> String {
        let array = self.array(reach);
        let index = |expr: &Expr| match expr {
            Expr::Constant(value) => format!("[{value}]"),
            Expr::Local(local) => format!("[{}]", self.locals[local.index()].name),
            _ => "[..]".to_owned(),
        };
        let mut text = array.name.clone();
        text.extend(reach.indices.iter().map(index));
        if let Some(name) = reach.field.and_then(|field| array.fields[field].name.as_ref()) {
            text = format!("{text}.{name}");
            text.extend(reach.inner.iter().map(index));
        }
        text
    }

    /// The variable that a part of an array is, and its values; `None` if it is none, which is reported.
    pub fn reference(&mut self, reach: &Reach) -> Option<(Reference, Values)> {
        let array = self.array(reach);
        let Some(field) = reach.field.map(|field| &array.fields[field]) else {
            if array.fields.is_empty() {
                return None;
            }
            let known: Vec<&str> = array.fields.iter().filter_map(|field| field.name.as_deref()).collect();
            let message = format!("`{}` is a structure: which field of it?", self.text(reach));
            let diagnostic = Diagnostic::error(codes::PRIMITIVE_NAME, message)
                .at(reach.span, "")
                .also(array.span, "declared here")
                .note(format!("its fields are {}", listed(&known)));
            let diagnostic = self.called_from(diagnostic);
            self.report.push(diagnostic);
            return None;
        };
        let bounds: Vec<Bounds> = array.bounds.iter().chain(&field.bounds).copied().collect();
        let outer = reach.indices.len() == array.bounds.len();
        if !outer || reach.inner.len() != field.bounds.len() {
            let (there, wanted) = if outer {
                (reach.inner.len(), field.bounds.len())
            } else {
                (reach.indices.len(), array.bounds.len())
            };
            let diagnostic = number_of_indices(&self.text(reach), there, wanted, reach.span, array.span);
            let diagnostic = self.called_from(diagnostic);
            self.report.push(diagnostic);
            return None;
        }
        let indices = reach.indices.iter().chain(&reach.inner);
        let (base, indices) = self.offset(field.base, indices, &bounds, reach.span, array)?;
        Some((Reference { base: VariableId(base), indices }, field.values))
    }

    /// The number of the first element, and the indices that are no constants.
    fn offset<'e>(
        &mut self,
        first: u32,
        indices: impl Iterator<Item = &'e Expr>,
        bounds: &[Bounds],
        span: Span,
        array: &Array,
    ) -> Option<(u32, Vec<Index>)> {
        let mut stride = 1;
        let mut strides: Vec<u32> = bounds
            .iter()
            .rev()
            .map(|(lo, hi)| {
                let own = stride;
                stride *= (hi - lo + 1) as u32;
                own
            })
            .collect();
        strides.reverse();
        let (mut base, mut computed) = (first, Vec::new());
        for ((index, &(lo, hi)), stride) in indices.zip(bounds).zip(strides) {
            match index {
                Expr::Constant(value) if (lo..=hi).contains(value) => base += (value - lo) as u32 * stride,
                Expr::Constant(value) => {
                    let message =
                        format!("the index {value} is outside of `{}`, which has {lo} to {hi}", array.name);
                    let diagnostic = Diagnostic::error(codes::PRIMITIVE_VALUE, message)
                        .at(span, format!("the index is {value}"))
                        .also(array.span, "declared here");
                    let diagnostic = self.called_from(diagnostic);
                    self.report.push(diagnostic);
                    return None;
                }
                value => computed.push(Index { value: value.clone(), lo, hi, stride }),
            }
        }
        Some((base, computed))
    }

    /// The channel of a place, and the values of its messages.
    pub fn channel(&mut self, place: &Place, then: &[&syntax::Expr]) -> Option<(ChannelReference, Values)> {
        let Some(Symbol::Channel(number)) = self.symbol(&place.name.text) else { return None };
        let array = &self.globals.channels[number];
        let mut values = Vec::new();
        for (number, index) in place.indices.iter().enumerate() {
            let value = self.value(index);
            let later: Vec<&syntax::Expr> =
                place.indices[number + 1..].iter().chain(then.iter().copied()).collect();
            values.push(self.settle(value, &later, index.span));
        }
        let field = &array.fields[0];
        let (base, indices) = self.offset(field.base, values.iter(), &array.bounds, place.span, array)?;
        Some((ChannelReference { base: ChannelId(base), indices }, field.values))
    }

    /// The local of a private variable.
    fn private(&mut self, number: usize, place: &Place) -> Option<LocalId> {
        let private = &self.globals.privates[number];
        let mut element = 0;
        let mut indices = Vec::new();
        for (index, &(lo, hi)) in place.indices.iter().zip(&private.bounds) {
            let Expr::Constant(value) = self.value(index) else {
                let diagnostic = Diagnostic::error(
                    codes::PRIMITIVE_VALUE,
                    format!("an index of `{}` is a constant, also where procedures are called", private.name),
                )
                .at(index.span, "this is computed while the process runs")
                .also(private.span, "private variables are no memory, but registers of each process");
                let diagnostic = self.called_from(diagnostic);
                self.report.push(diagnostic);
                return None;
            };
            if !(lo..=hi).contains(&value) {
                let message =
                    format!("the index {value} is outside of `{}`, which has {lo} to {hi}", private.name);
                let diagnostic = Diagnostic::error(codes::PRIMITIVE_VALUE, message)
                    .at(index.span, format!("this is {value}"))
                    .also(private.span, "declared here");
                let diagnostic = self.called_from(diagnostic);
                self.report.push(diagnostic);
                return None;
            }
            element = element * (hi - lo + 1) as usize + (value - lo) as usize;
            indices.push(value);
        }
        let info = LocalInfo {
            name: format!("{}{}", private.name, brackets(&indices)),
            values: private.values,
            initial: private.initial.get(element).copied().flatten(),
            span: private.span,
        };
        Some(self.local(Key::Private(number, element), || info))
    }
}

fn array_is_structure(array: &Array) -> bool {
    array.is_structure()
}

/// `` `a`, `b` ``
pub(super) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A wrong number of indices.
pub(super) fn number_of_indices(
    name: &str,
    there: usize,
    wanted: usize,
    span: Span,
    declared: Span,
) -> Diagnostic {
    let plural = |count: usize| match count {
        0 => "no index".to_owned(),
        1 => "one index".to_owned(),
        _ => format!("{count} indices"),
    };
    Diagnostic::error(
        codes::PRIMITIVE_VALUE,
        format!("`{name}` has {}, and needs {}", plural(there), plural(wanted)),
    )
    .at(span, "")
    .also(declared, "declared here")
}
