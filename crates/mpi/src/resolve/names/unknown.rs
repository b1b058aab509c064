//! Names that nobody has declared: what was probably meant or forgotten.

use super::{Checker, Known, Need};
use crate::resolve::globals::Symbol;
use crate::syntax::{Expr, ExprKind, Name, Place};
use volvelle_diagnostics::{Diagnostic, Fix, Span, codes};

impl<'t> Checker<'_, 't> {
    /// A procedure that there is not.
    pub(super) fn no_procedure(&mut self, name: &Name, arguments: &[Expr], declared: Option<(Symbol, Span)>) {
        if let Some((symbol, span)) = declared {
            let message = format!("`{}` is {}, not a procedure", name.text, symbol.noun());
            let diagnostic = Diagnostic::error(codes::PRIMITIVE_NAME, message).at(name.span, "");
            return self.report.push(diagnostic.also(span, "declared here"));
        }
        let procedures = self.globals.procedures.iter().map(|procedure| procedure.name.text.as_str());
        let mut diagnostic =
            Diagnostic::error(codes::PRIMITIVE_NAME, format!("there is no procedure `{}`", name.text))
                .at_misspelt(name.span, &name.text, procedures.chain(["tas", "swap", "cas", "fetch_add"]));
        let similar = [
            ("test_and_set", "tas"),
            ("compare_and_swap", "cas"),
            ("exchange", "swap"),
            ("faa", "fetch_add"),
        ];
        if let Some((_, ours)) = similar.iter().find(|(theirs, _)| *theirs == name.text) {
            diagnostic = diagnostic.help(format!("the atomic operation is called `{ours}`"));
            diagnostic.fixes.insert(0, Fix::instead(name.span, &name.text, *ours).certain());
        } else if diagnostic.fixes.is_empty() {
            let parameters =
                ["a", "b", "c", "d"].iter().zip(arguments).map(|(name, argument)| match &argument.kind {
                    ExprKind::Place(place) if self.is_shared(place) => format!("shared {name}"),
                    _ => (*name).to_owned(),
                });
            let parameters = parameters.collect::<Vec<_>>().join(", ");
            diagnostic =
                diagnostic.help(format!("declare it: `procedure {}({parameters}) {{ }}`", name.text));
        }
        self.report.push(diagnostic);
    }

    /// Whether a place is a shared variable.
    fn is_shared(&self, place: &Place) -> bool {
        let name = place.name.text.as_str();
        match self.known(name) {
            Some((known, _)) => known == Known::Shared,
            None => matches!(self.globals.names.get(name), Some((Symbol::Shared(_), _))),
        }
    }

    /// A name that nobody has declared: what was probably forgotten.
    pub(super) fn undeclared(&mut self, place: &'t Place, need: Need) {
        let name = &place.name;
        let text = name.text.as_str();
        // Once for all uses in a procedure.
        let whole = self.body;
        if !self.said.insert((whole, text)) {
            return;
        }
        let own = self.scope.iter().map(|(known, ..)| *known);
        let mut known: Vec<&str> = self
            .globals
            .names
            .iter()
            .filter(|(_, (symbol, _))| fits(*symbol, need))
            .map(|(n, _)| *n)
            .collect();
        known.sort_unstable();
        let mut diagnostic = Diagnostic::error(codes::PRIMITIVE_NAME, format!("`{text}` is not declared"))
            .at_misspelt(name.span, text, own.chain(known));
        let has_near = !diagnostic.fixes.is_empty();
        if !has_near {
            diagnostic = diagnostic.at(name.span, "nothing of this name is known here");
        }
        let here = self.owner();
        let elsewhere = self.elsewhere.get(text).cloned().unwrap_or_default();
        let diagnostic = match elsewhere.iter().find(|(owner, _)| here == Some(owner)).or(elsewhere.first()) {
            Some(&(owner, span)) if here == Some(owner) && span.start > name.span.start => {
                diagnostic.also(span, "declared only here, behind its use")
            }
            Some(&(owner, span)) if here == Some(owner) => {
                diagnostic.also(span, "this one is known up to the end of its block").help("declare it before the block")
            }
            Some(&(owner, span)) => diagnostic.also(span, format!("this one belongs to `{owner}`, and is known only there")).help(
                format!("pass it as an argument, or declare a variable that procedures of a process have in common: `private {text};`"),
            ),
            None if has_near => diagnostic,
            None => diagnostic.help(self.declaration(place, need)),
        };
        self.report.push(diagnostic);
    }

    /// How a name could be declared.
    fn declaration(&self, place: &Place, need: Need) -> String {
        let text = &place.name.text;
        let last = self.globals.members.len().max(2) - 1;
        if let Some((field, inner)) = &place.field {
            let dimensions =
                ["i", "j", "k"].iter().take(place.indices.len()).map(|i| format!("[{i}: 0..{last}]"));
            let dimensions: String = dimensions.collect();
            let own: String = inner.iter().map(|_| "[k: 0..1]").collect();
            return format!(
                "declare a structure: `shared {text}{dimensions} {{ line {{ {}{own} : 0..1; }} }}`",
                field.text
            );
        }
        if !place.indices.is_empty() {
            let names = ["i", "j", "k"].iter().cycle().take(place.indices.len());
            let dimensions: String = names.map(|i| format!("[{i}: 0..{last}]")).collect();
            return format!("declare an array that processes share: `shared {text}{dimensions} : 0..1;`");
        }
        match need {
            Need::Access | Need::Argument => {
                format!("declare a variable that processes share: `shared {text} : 0..1;`")
            }
            Need::Read => format!(
                "declare it: `local {text};` here for a register, `shared {text} : 0..1;` at the top for a variable in memory, `const {text} = 0;` for a number"
            ),
            Need::Target => format!(
                "declare it: `local {text};` here for a register, `shared {text} : 0..1;` at the top for a variable in memory"
            ),
        }
    }
}

/// Whether something of the program may stand where something is needed.
fn fits(symbol: Symbol, need: Need) -> bool {
    match need {
        Need::Read => matches!(symbol, Symbol::Constant(_) | Symbol::Shared(_) | Symbol::Private(_)),
        Need::Target => matches!(symbol, Symbol::Shared(_) | Symbol::Private(_)),
        Need::Access | Need::Argument => matches!(symbol, Symbol::Shared(_)),
    }
}
