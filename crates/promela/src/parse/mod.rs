//! Parser: the tokens of a preprocessed model in, a tree and diagnostics out.
//!
//! The grammar is that of SPIN 6.5. A construct that cannot be parsed is reported once and skipped up to the next `;`,
//! `->`, `::` or closing keyword, where parsing continues. Semicolons at the ends of lines are implied where SPIN implies
//! them (`cursor.rs`). Inlines are expanded here, since their names are known only from their definitions on
//! (`inline.rs`). Statements and parentheses nest up to a limit; operators use an explicit stack.
//!
//! Calls run one way, from units down to tokens, except for expressions and operands, which contain each other.

mod cursor;
mod declaration;
mod embedded;
mod ends;
mod expect;
mod expr;
mod inline;
mod mistakes;
mod operand;
pub(crate) mod operators;
mod recover;
mod report;
mod statement;
mod unexpected;
mod unit;

pub(crate) use declaration::TYPE_NAMES;
pub use expect::NESTING_LIMIT;

use crate::ast::{ExprId, ExprKind, Model};
use crate::preprocess::Preprocessor;
use crate::{Include, Parsed};
use cursor::Parser;
use volvelle_diagnostics::{Diagnostic, FileId, Sources};

/// Parses a model. The texts of included files come from `include` and are added to the sources; `defines` are
/// macros from outside, as `-D` gives them.
pub fn parse(
    sources: &mut Sources,
    file: FileId,
    include: &mut dyn Include,
    defines: &[(String, String)],
) -> Parsed {
    let mut preprocessor = Preprocessor::new(sources, include, Default::default(), Default::default());
    for (name, value) in defines {
        preprocessor.predefine(name, value);
    }
    let tokens = preprocessor.run(file);
    let mut model = Model { places: preprocessor.places, ..Model::default() };
    model.definitions.macros = preprocessor.macros;
    model.definitions.written = preprocessor.written;
    let diagnostics = preprocessor.diagnostics;
    let mut parser = Parser::new(model, tokens, diagnostics);
    parser.correct_ends();
    parser.model();
    let (model, diagnostics) = parser.finish();
    Parsed { model, diagnostics }
}

/// No file can be included from a formula.
struct Nothing;

impl Include for Nothing {
    fn read(&mut self, _: &str) -> Option<String> {
        None
    }
}

/// Parses a formula of linear temporal logic, with the macros of a model, into the model's arena.
pub fn parse_formula(sources: &mut Sources, file: FileId, model: &mut Model) -> (ExprId, Vec<Diagnostic>) {
    parse_text(sources, file, model, true)
}

/// Parses an expression in the same way. In one that is no formula, `X`, `always` and the like are names.
pub fn parse_expression(sources: &mut Sources, file: FileId, model: &mut Model) -> (ExprId, Vec<Diagnostic>) {
    parse_text(sources, file, model, false)
}

fn parse_text(
    sources: &mut Sources,
    file: FileId,
    model: &mut Model,
    is_formula: bool,
) -> (ExprId, Vec<Diagnostic>) {
    let mut include = Nothing;
    let macros = model.definitions.macros.clone();
    let places = std::mem::take(&mut model.places);
    let mut preprocessor = Preprocessor::new(sources, &mut include, macros, places);
    let tokens = preprocessor.run(file);
    model.places = preprocessor.places;
    let diagnostics = preprocessor.diagnostics;
    let mut parser = Parser::new(std::mem::take(model), tokens, diagnostics);
    parser.know_names();
    parser.formula = is_formula;
    let formula = parser.whole_text();
    let (parsed, diagnostics) = parser.finish();
    *model = parsed;
    (formula, diagnostics)
}

impl Parser {
    /// A formula, or an expression, that extends to the end of the text.
    fn whole_text(&mut self) -> ExprId {
        let start = self.info();
        let formula = self.expression().and_then(|formula| {
            while self.eat_separator() {}
            if self.at_end() {
                Ok(formula)
            } else {
                let wanted =
                    if self.formula { "an operator, or the end of the formula" } else { "an operator" };
                Err(self.unexpected(wanted))
            }
        });
        formula.unwrap_or_else(|_| {
            let place = self.model.places.add(start);
            self.model.exprs.add(ExprKind::Error, place)
        })
    }
}
