//! Names and types of rule files.

mod declarations;
mod expressions;
mod members;
mod premises;
mod scope;
mod tables;

use crate::ast::{ExprId, File, Name, TypeRef};
use crate::ir::{Expr, FunctionId, Global, GlobalId, Judgment, Kind, Purpose, Routine, RoutineId, System};
use crate::language::Language;
use crate::types::{Ty, Universe};
use crate::value::Value;
use scope::Scope;
use std::collections::HashMap;
use volvelle_diagnostics::{Code, Diagnostic, Span, codes};
use volvelle_entity::EntityVec;
use volvelle_trees::Interner;

/// Resolves a system. The files are those that it is made of, the one that extends all others last; `texts` are theirs, `inherited` the
/// names of checks of another system that are made, too.
pub fn check(
    files: &[File],
    texts: &dyn Fn(Span) -> String,
    language: &dyn Language,
    inherited: &[&str],
) -> (Option<System>, Vec<Diagnostic>) {
    let universe = match Universe::new(language.classes().clone()) {
        Ok(universe) => universe,
        Err(name) => {
            let message = format!("the grammar has a class `{name}`, a name that all systems use");
            let at = files.last().and_then(|file| file.language.as_ref()).map(|language| language.name.span);
            let flaw = Diagnostic::error(codes::RULE_DECLARATION, message);
            return (None, vec![at.into_iter().fold(flaw, |flaw, span| flaw.at(span, ""))]);
        }
    };
    let mut checker = Checker {
        files,
        hosts: language.functions(),
        source: texts,
        file: 0,
        found: Vec::new(),
        universe,
        texts: Interner::new(),
        judgments: EntityVec::new(),
        functions: EntityVec::new(),
        function_names: HashMap::new(),
        routines: EntityVec::new(),
        globals: EntityVec::new(),
        global_names: HashMap::new(),
        checks: Vec::new(),
        candidates: HashMap::new(),
        scope: Scope::default(),
    };
    checker.data();
    checker.globals();
    checker.judgments();
    checker.functions();
    checker.rules();
    checker.bodies();
    checker.checks(inherited);
    checker.blames();
    checker.tables();
    let name = files.last().and_then(|file| file.system.clone()).map_or_else(String::new, |name| name.text);
    let Checker {
        found,
        universe,
        texts,
        judgments,
        functions,
        function_names,
        routines,
        globals,
        checks,
        ..
    } = checker;
    let show = function_names.get("show").copied();
    if volvelle_diagnostics::has_errors(&found) {
        return (None, found);
    }
    let system = System { name, universe, texts, judgments, functions, routines, globals, checks, show };
    (Some(system), found)
}

/// Where a rule or a body stands among those that may be chosen.
struct Entry {
    routine: RoutineId,
    candidate: crate::dispatch::Candidate,
    name: Name,
}

pub(crate) struct Checker<'f> {
    files: &'f [File],
    /// Names of functions of the language.
    hosts: &'static [&'static str],
    source: &'f dyn Fn(Span) -> String,
    /// The file of the expressions that are being read.
    file: usize,
    found: Vec<Diagnostic>,
    universe: Universe,
    texts: Interner,
    judgments: EntityVec<crate::ir::JudgmentId, Judgment>,
    functions: EntityVec<FunctionId, crate::ir::Function>,
    function_names: HashMap<String, FunctionId>,
    routines: EntityVec<RoutineId, Routine>,
    globals: EntityVec<GlobalId, Global>,
    global_names: HashMap<String, GlobalId>,
    checks: Vec<RoutineId>,
    candidates: HashMap<Target, Vec<Entry>>,
    scope: Scope,
}

/// What a rule or a body belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Target {
    Judgment(crate::ir::JudgmentId),
    Function(FunctionId),
}

impl Checker<'_> {
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.found.push(Diagnostic::error(code, message).at(span, ""));
    }

    fn error_with_help(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.found.push(Diagnostic::error(code, message).at(span, "").help(help));
    }

    fn type_error(&mut self, span: Span, message: impl Into<String>) {
        self.error(codes::RULE_TYPE, span, message);
    }

    fn unknown<'n>(&mut self, what: &str, span: Span, name: &str, known: impl IntoIterator<Item = &'n str>) {
        let message = format!("there is no {what} `{name}`");
        self.found.push(Diagnostic::error(codes::RULE_NAME, message).at_misspelt(span, name, known));
    }

    /// The type that is written.
    fn ty(&mut self, written: &TypeRef) -> Ty {
        let TypeRef { name, args } = written;
        let mut arguments: Vec<Ty> = args.iter().map(|arg| self.ty(arg)).collect();
        let wanted = match name.text.as_str() {
            "=>" => {
                let result = arguments.pop().unwrap_or(Ty::Void);
                return Ty::Function(arguments, Box::new(result));
            }
            "List" if !args.is_empty() => 1,
            "Pair" | "Map" if !args.is_empty() => 2,
            _ => 0,
        };
        if arguments.len() != wanted {
            let message = format!("`{}` has {wanted} arguments, found {}", name.text, arguments.len());
            self.type_error(name.span, message);
            return Ty::Nothing;
        }
        let mut next = || Box::new(arguments.remove(0));
        // Names of languages come before all others.
        if let Some(class) = self.universe.classes.find(&name.text).filter(|_| wanted == 0)
            && class.0 < self.universe.nodes
        {
            return Ty::Class(class);
        }
        match name.text.as_str() {
            "Any" => Ty::Any,
            "Void" => Ty::Void,
            "List" if wanted == 1 => Ty::List(next()),
            "Pair" if wanted == 2 => Ty::Pair(next(), next()),
            "Map" if wanted == 2 => Ty::Map(next(), next()),
            text => match (self.universe.classes.find(text), text) {
                (Some(class), _) => Ty::Class(class),
                // Names of languages come before these.
                (None, "Text") => self.text(),
                (None, "Bool") => self.truth(),
                (None, "Int") => self.number(),
                (None, "List" | "Pair" | "Map") => {
                    let message = format!("`{text}` needs arguments, such as `{text}<…>`");
                    self.type_error(name.span, message);
                    Ty::Nothing
                }
                (None, _) => {
                    let known: Vec<String> =
                        self.universe.classes.iter().map(|(_, class)| class.name.clone()).collect();
                    self.unknown("type", name.span, text, known.iter().map(String::as_str));
                    Ty::Nothing
                }
            },
        }
    }

    fn truth(&self) -> Ty {
        Ty::Class(self.universe.common.truth)
    }

    fn number(&self) -> Ty {
        Ty::Class(self.universe.common.number)
    }

    fn text(&self) -> Ty {
        Ty::Class(self.universe.common.text)
    }

    fn env(&self) -> Ty {
        Ty::Class(self.universe.common.env)
    }

    fn failure(&self) -> Ty {
        Ty::Class(self.universe.common.failure)
    }

    /// An expression in place of one that is wrong: it fits everywhere, so that the mistake is told once.
    fn nothing(&self, span: Span) -> Expr {
        Expr { kind: Kind::Const(Value::Null), ty: Ty::Nothing, span }
    }

    fn constant(&mut self, text: &str) -> Value {
        Value::Text(self.texts.intern(text))
    }

    /// Reports where a value is not of the wanted type.
    fn fit(&mut self, expr: Expr, into: &Ty, what: &str) -> Expr {
        if !self.universe.fits(&expr.ty, into) {
            let message = format!(
                "{what} has type `{}`, wanted is `{}`",
                self.universe.name(&expr.ty),
                self.universe.name(into)
            );
            self.type_error(expr.span, message);
        }
        expr
    }

    /// Begins a routine; [`Checker::finish`] makes it.
    fn begin(&mut self, file: usize) {
        self.file = file;
        self.scope = Scope::default();
    }

    fn finish(
        &mut self,
        name: &Name,
        purpose: Purpose,
        params: usize,
        body: Option<Expr>,
        results: Vec<Expr>,
        blame: Option<RoutineId>,
    ) -> RoutineId {
        let classes = results.iter().map(|_| None).collect();
        self.routines.push(Routine {
            name: name.text.clone(),
            purpose,
            params,
            locals: self.scope.count(),
            body,
            results,
            classes,
            blame,
            span: name.span,
            accepts: Vec::new(),
            level: 0,
        })
    }

    fn expr_kind(&self, id: ExprId) -> &crate::ast::ExprKind {
        &self.files[self.file].exprs[id].kind
    }

    fn place(&self, id: ExprId) -> Span {
        self.files[self.file].exprs[id].span
    }
}
