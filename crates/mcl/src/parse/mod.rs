//! Texts to formulas, with diagnostics.
//!
//! Binding, tightest first, for action and for state formulas alike: `not`, modalities, `mu` and `nu`; `and`; `or`; `implies`; `equ`.
//! `implies` associates to the right, the others to the left. In regular formulas `*`, `+`, `?` and `{…}` bind tighter than `.`,
//! and `.` tighter than `|`; an action formula is a single step, so its operators bind tighter than all of these.
//!
//! A macro is expanded where it is called: the tokens of its body are parsed as the sort of formula that is expected there, and
//! so are those of its arguments where the body names a parameter. Variables are hygienic: an argument sees those of the place of
//! the call, a body only its own.

mod build;
mod cursor;
mod frame;
mod macros;
mod mcrl2;
mod regular;
mod signs;
mod state;

use crate::library::LIBRARY;
use crate::token::{Dialect, Kind, T, tokens};
use crate::tree::Formula;
use build::{Builder, NESTING_LIMIT};
use frame::{Call, Frame, Macro, Scope, TokenList};
use volvelle_diagnostics::{Diagnostic, FileId, Severity, Span, codes};

/// Why parsing of a part ended; the reason is reported already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failed {
    /// The part is no formula; parsing goes on behind the bracket that closes it.
    Syntax,
    /// A limit is passed; parsing ends.
    Limit,
}

type Parsed<T> = Result<T, Failed>;

/// Parses a formula with macro definitions before it. Gives no formula where one of the diagnostics is an error.
pub fn parse(file: FileId, text: &str) -> (Option<Formula>, Vec<Diagnostic>) {
    parse_as(Dialect::Mcl, file, text)
}

/// The same in a notation.
pub fn parse_as(dialect: Dialect, file: FileId, text: &str) -> (Option<Formula>, Vec<Diagnostic>) {
    // Library bodies have no file; diagnostics about them point to the call.
    let (library, _) = tokens(file, LIBRARY, Dialect::Mcl);
    let (own, diagnostics) = tokens(file, text, dialect);
    let end = own.len() - 1;
    let mut parser = Parser {
        lists: vec![
            TokenList { text: LIBRARY, tokens: library, is_library: true },
            TokenList { text, tokens: own, is_library: false },
        ],
        file,
        dialect,
        frame: Frame::outermost(0, 0),
        macros: Vec::new(),
        calls: Vec::new(),
        scopes: Vec::new(),
        tree: Builder::default(),
        depth: 0,
        diagnostics,
    };
    parser.frame.end = parser.lists[0].tokens.len() - 1;
    parser.definitions();
    parser.frame = Frame::outermost(1, end);
    match dialect {
        Dialect::Mcl => parser.definitions(),
        Dialect::Mcrl2 => parser.sections(),
    }
    let root = parser.whole();
    let mut diagnostics = parser.diagnostics;
    let formula = root.ok().map(|root| parser.tree.finish(root));
    if let Some(formula) = &formula {
        diagnostics.extend(signs::negated_variables(formula));
    }
    let has_errors = diagnostics.iter().any(|d| d.severity == Severity::Error);
    (formula.filter(|_| !has_errors), diagnostics)
}

/// What is known while parsing.
struct Parser<'t> {
    /// The library's tokens and the text's.
    lists: Vec<TokenList<'t>>,
    file: FileId,
    dialect: Dialect,
    /// The tokens that are being read.
    frame: Frame,
    macros: Vec<Macro>,
    calls: Vec<Call>,
    scopes: Vec<Scope>,
    tree: Builder,
    depth: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Parser<'_> {
    /// The formula behind the definitions.
    fn whole(&mut self) -> Parsed<crate::tree::StateId> {
        if self.at_end() {
            let span = self.here();
            self.diagnostics.push(
                Diagnostic::error(codes::FORMULA_SYNTAX, "there is no formula")
                    .at(span, "")
                    .help("for example `[true*] <true> true`: no deadlock"),
            );
            return Err(Failed::Syntax);
        }
        let root = self.state()?;
        if self.dialect == Dialect::Mcrl2 {
            self.accept(T![";"]);
        }
        if !self.at_end() {
            return Err(self.unexpected("the end of the formula"));
        }
        Ok(root)
    }

    /// Runs a parser one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= NESTING_LIMIT {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self) -> Failed {
        let span = self.here();
        self.diagnostics.push(
            Diagnostic::error(codes::FORMULA_TOO_LARGE, "the formula nests too deep")
                .at(span, format!("more than {NESTING_LIMIT} levels"))
                .help("write chains of `and` and `or` without parentheses"),
        );
        Failed::Limit
    }

    /// The id that a builder gives, or a report that the limit is passed.
    fn built<T>(&mut self, result: Result<T, build::Limit>) -> Parsed<T> {
        match result {
            Ok(id) => Ok(id),
            Err(build::Limit::Height) => Err(self.too_deep()),
            Err(build::Limit::Size) => {
                let span = self.here();
                self.diagnostics.push(
                    Diagnostic::error(codes::FORMULA_TOO_LARGE, "the formula is too large")
                        .at(
                            span,
                            format!(
                                "more than {} parts with macros and repetitions expanded",
                                build::SIZE_LIMIT
                            ),
                        )
                        .help("bind a smaller number of repetitions, or split the formula"),
                );
                Err(Failed::Limit)
            }
        }
    }

    /// Reports an error with a place.
    fn error(
        &mut self,
        code: volvelle_diagnostics::Code,
        message: impl Into<String>,
        span: Span,
        label: &str,
    ) -> Failed {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, label));
        Failed::Syntax
    }
}
