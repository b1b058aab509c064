//! Declarations of types to sorts, operations and rules.

use super::flatten::{Declarations, SHOWN_AS, flatten, operation_name};
use super::names::unknown_sort;
use super::{BOOL, Data, Meaning, NAT, Operation, OperationId, Ranges, SortId, SortKind};
use crate::syntax::{Name, OperationDeclaration, Tree, ValueKind};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_diagnostics::{Diagnostic, codes};

/// The data types of a specification.
pub(crate) fn declare(tree: &Tree, ranges: Ranges, diagnostics: &mut Vec<Diagnostic>) -> Data {
    let declarations = flatten(tree, diagnostics);
    let mut data = Data::with_builtins(ranges);
    let named = tree.types.iter().flat_map(|ty| &ty.imports).chain(&tree.libraries);
    data.has_numbers = named.into_iter().any(|name| super::builtin::has_numbers(&name.text));
    let heads: FxHashSet<String> = declarations
        .equations
        .iter()
        .filter_map(|(equation, renamings)| match &tree.values[equation.left].kind {
            ValueKind::Apply(name, _) => Some(operation_name(renamings, &name.text)),
            ValueKind::Of(..) => None,
        })
        .collect();
    let (marked, external) = (FxHashMap::default(), Vec::new());
    let mut declaring = Declaring { data: &mut data, diagnostics, marked, external };
    declaring.sorts(&declarations, &heads);
    declaring.operations(&declarations);
    let Declaring { marked, external, .. } = declaring;
    data.find_views();
    data.add_builtin_operations();
    super::rules::add(tree, &declarations.equations, &mut data, diagnostics);
    for &op in external.iter().filter(|op| !marked.contains_key(op)) {
        // Equations say what it does, whatever C code there is besides.
        if let Operation { name, meaning: Meaning::Defined(rules), span: Some(span), .. } =
            &data.operations[op]
            && rules.is_empty()
        {
            let message = format!("`{name}` is written in C (directive `external`), and has no equations");
            diagnostics.push(
                Diagnostic::error(codes::LOTOS_UNSUPPORTED, message)
                    .at(*span, "")
                    .help("give equations for it; the directive may stay"),
            );
        }
    }
    constructors(&mut data, &marked, &heads, diagnostics);
    data.classify_sorts(ranges);
    super::rules::check(&data, diagnostics);
    data
}

struct Declaring<'a> {
    data: &'a mut Data,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// Operations with the directive `constructor`.
    marked: FxHashMap<OperationId, ()>,
    /// Operations with the directive `external`.
    external: Vec<OperationId>,
}

impl Declaring<'_> {
    fn sorts(&mut self, declarations: &Declarations, heads: &FxHashSet<String>) {
        for name in &declarations.sorts {
            let Some(known) = self.data.sort(&name.text) else {
                self.data.add_sort(&name.text, Some(name.span), SortKind::Recursive);
                continue;
            };
            if known <= super::INT {
                if self.data.sorts[known].span.is_none() {
                    self.redeclared(known, name, declarations, heads);
                }
            } else if let Some(first) = self.data.sorts[known].span.filter(|&first| first != name.span) {
                let message = format!("the sort `{}` is declared twice", name.text);
                let diagnostic = Diagnostic::error(codes::LOTOS_DECLARATION, message).at(name.span, "");
                self.diagnostics.push(
                    diagnostic.also(first, "the first declaration").help(
                        "rename one of them: type NEW is OLD renamedby sortnames NEW_SORT for OLD_SORT",
                    ),
                );
            }
        }
    }

    /// A sort of the language that a text declares: the same, where it has the same constructors, or else another sort in its
    /// place.
    fn redeclared(&mut self, sort: SortId, name: &Name, from: &Declarations, heads: &FxHashSet<String>) {
        let builtin: &[&str] = match sort {
            BOOL => &["TRUE", "FALSE"],
            NAT => &["0", "SUCC"],
            _ => &[],
        };
        let own = from.operations.iter().filter(|op| op.result.text == name.text);
        let mut own = own.filter(|op| !heads.contains(&op.name.text));
        self.data.sorts[sort].span = Some(name.span);
        if own.all(|op| builtin.contains(&op.name.text.as_str())) {
            return;
        }
        if sort == BOOL {
            let message = "the sort `BOOL` has the values TRUE and FALSE";
            let diagnostic = Diagnostic::error(codes::LOTOS_DECLARATION, message).at(name.span, "");
            self.diagnostics.push(diagnostic.help("give the sort another name"));
            return;
        }
        self.data.sorts[sort].name = format!("{} of the language", name.text);
        self.data.add_sort(&name.text, Some(name.span), SortKind::Recursive);
    }

    fn sort(&mut self, name: &Name) -> Option<SortId> {
        let found = self.data.sort(&name.text);
        if found.is_none() {
            self.diagnostics.push(unknown_sort(self.data, name));
        }
        found
    }

    fn operations(&mut self, declarations: &Declarations) {
        let of_language: FxHashMap<&str, SortId> = [("TRUE", BOOL), ("FALSE", BOOL)].into_iter().collect();
        for op in &declarations.operations {
            let Some((arguments, result)) = self.signature(op) else { continue };
            let name = &op.name;
            if arguments.is_empty() && of_language.get(name.text.as_str()) == Some(&result) {
                continue;
            }
            // Zero and successor of the natural numbers are those of the language.
            if result == NAT
                && ["0", "SUCC"].contains(&name.text.as_str())
                && arguments.iter().all(|&s| s == NAT)
            {
                continue;
            }
            // `_f_` and `f` are two operations: values are written with the one or with the other.
            let is_same = |&&other: &&OperationId| {
                let other = &self.data.operations[other];
                let same_notation = other.infix == op.infix || other.span.is_none() || arguments.len() != 2;
                same_notation && other.arguments == arguments && other.result == result
            };
            if let Some(&other) = self.data.named(&name.text).iter().find(is_same) {
                if self.data.operations[other].span != Some(name.span) {
                    let message = format!("the operation `{}` is declared twice", name.text);
                    let mut diagnostic =
                        Diagnostic::error(codes::LOTOS_DECLARATION, message).at(name.span, "");
                    if let Some(first) = self.data.operations[other].span {
                        diagnostic = diagnostic.also(first, "the first declaration");
                    }
                    self.diagnostics.push(diagnostic);
                }
                continue;
            }
            if op.infix && arguments.len() != 2 {
                let message = format!("`_{}_` stands between two operands", name.text);
                self.diagnostics.push(Diagnostic::error(codes::LOTOS_DECLARATION, message).at(name.span, ""));
            }
            let id = self.data.add_operation(Operation {
                name: name.text.clone(),
                shown: op.directive.iter().skip_while(|word| *word != SHOWN_AS).nth(1).cloned(),
                infix: op.infix,
                arguments,
                result,
                meaning: Meaning::Defined(Vec::new()),
                span: Some(name.span),
            });
            if op.directive.iter().any(|word| word == "CONSTRUCTOR") {
                self.marked.insert(id, ());
            }
            if op.directive.iter().any(|word| word == "EXTERNAL") {
                self.external.push(id);
            }
        }
    }

    fn signature(&mut self, op: &OperationDeclaration) -> Option<(Vec<SortId>, SortId)> {
        let arguments: Vec<Option<SortId>> = op.arguments.iter().map(|sort| self.sort(sort)).collect();
        let result = self.sort(&op.result);
        Some((arguments.into_iter().collect::<Option<_>>()?, result?))
    }
}

impl Data {
    /// Finds the operations that stand for constructors.
    fn find_views(&mut self) {
        let find = |(id, op): (OperationId, &Operation)| {
            Some((self.find(op.shown.as_ref()?, &op.arguments, op.result)?, id))
        };
        self.views = self.operations.iter().enumerate().filter_map(find).collect();
    }
}

/// Operations without rules are constructors, unless others of the sort are marked as such.
fn constructors(
    data: &mut Data,
    marked: &FxHashMap<OperationId, ()>,
    heads: &FxHashSet<String>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let sorts_with_marks: FxHashSet<SortId> = marked.keys().map(|&op| data.operations[op].result).collect();
    for op in 0..data.operations.len() {
        let operation = &data.operations[op];
        let Meaning::Defined(rules) = &operation.meaning else { continue };
        let is_marked = marked.contains_key(&op);
        if let (true, Some(rule)) = (is_marked, rules.first()) {
            let message =
                format!("the constructor `{}` has an equation: constructors must be free", operation.name);
            let mut diagnostic = Diagnostic::error(codes::LOTOS_EQUATION, message).at(rule.span, "");
            if let Some(span) = operation.span {
                diagnostic = diagnostic.also(span, "declared as a constructor");
            }
            diagnostics.push(diagnostic.help(
                "declare another operation with these equations, which gives a normal form, and use that one",
            ));
        }
        if is_marked || (rules.is_empty() && !sorts_with_marks.contains(&operation.result)) {
            let result = operation.result;
            data.operations[op].meaning = Meaning::Constructor;
            if result > super::INT {
                data.sorts[result].constructors.push(op);
            } else if let Some(span) = data.operations[op].span
                // Equations that were refused are another mistake.
                && !heads.contains(&data.operations[op].name)
            {
                let message = format!(
                    "`{}` has no equations, and `{}` no values besides those of the language",
                    data.operations[op].name, data.sorts[result].name
                );
                let diagnostic = Diagnostic::error(codes::LOTOS_EQUATION, message).at(span, "");
                diagnostics.push(diagnostic.help("give equations for it"));
            }
        }
    }
    for sort in &data.sorts {
        if let (true, Some(span)) = (sort.constructors.is_empty(), sort.span)
            && data.sort(&sort.name).is_some_and(|id| id > super::INT)
        {
            let message =
                format!("the sort `{}` has no values: no operation of it is a constructor", sort.name);
            let diagnostic = Diagnostic::warning(codes::LOTOS_EQUATION, message).at(span, "");
            diagnostics.push(diagnostic.help("declare an operation of the sort without equations"));
        }
    }
}
