//! Types to one signature: imports, renaming, and actual sorts and operations for formal ones.
//!
//! A type with formal sorts or operations, its own or imported, declares nothing by itself. `actualizedby` copies what it says
//! with other names; `renamedby` copies what the new names change.

use super::builtin;
use crate::syntax::{Equation, Instance, Name, OperationDeclaration, Tree, ValueKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use volvelle_diagnostics::{Diagnostic, codes};

/// The directive before the name by which labels show a constructor of the library. The operation with that name stands for it on left
/// sides of equations.
pub(super) const SHOWN_AS: &str = "SHOWNAS";

/// New names of sorts and operations.
#[derive(Debug, Default)]
pub(crate) struct Renamed {
    sorts: FxHashMap<String, String>,
    operations: FxHashMap<String, String>,
}

/// Names as an equation of a copy has them: the first renaming is applied first.
pub(crate) type Renamings = Vec<Rc<Renamed>>;

pub(super) fn sort_name(renamings: &Renamings, name: &str) -> String {
    let new = |name: String, r: &Rc<Renamed>| r.sorts.get(&name).cloned().unwrap_or(name);
    renamings.iter().fold(name.to_owned(), new)
}

pub(super) fn operation_name(renamings: &Renamings, name: &str) -> String {
    let new = |name: String, r: &Rc<Renamed>| r.operations.get(&name).cloned().unwrap_or(name);
    renamings.iter().fold(name.to_owned(), new)
}

/// What types declare, in the order of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Declarations {
    pub sorts: Vec<Name>,
    pub formal_sorts: Vec<Name>,
    pub operations: Vec<OperationDeclaration>,
    pub formal_operations: Vec<OperationDeclaration>,
    pub equations: Vec<(Equation, Renamings)>,
}

impl Declarations {
    fn extend(&mut self, other: Declarations) {
        self.sorts.extend(other.sorts);
        self.formal_sorts.extend(other.formal_sorts);
        self.operations.extend(other.operations);
        self.formal_operations.extend(other.formal_operations);
        self.equations.extend(other.equations);
    }
}

/// Copies of a declaration beyond which types are refused: instances of instances multiply.
const MOST_DECLARATIONS: usize = 100_000;

/// The declarations of all types that have no formal parts.
pub(super) fn flatten(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) -> Declarations {
    let mut flattening =
        Flattening { tree, by_name: FxHashMap::default(), diagnostics, left: MOST_DECLARATIONS };
    flattening.names();
    let mut all = Declarations::default();
    let order = flattening.order();
    let mut known: FxHashMap<usize, Known> = FxHashMap::default();
    for number in order {
        let made = flattening.declarations(number, &known);
        if !made.is_formal {
            all.extend(made.own.clone());
        }
        known.insert(number, made);
    }
    all
}

/// A type whose imports are known.
#[derive(Clone, Default)]
struct Known {
    /// What it adds to its imports, and what it repeats of formal ones.
    own: Declarations,
    /// Everything, imports included.
    full: Declarations,
    is_formal: bool,
}

struct Flattening<'t, 'd> {
    tree: &'t Tree,
    by_name: FxHashMap<&'t str, usize>,
    diagnostics: &'d mut Vec<Diagnostic>,
    left: usize,
}

impl<'t> Flattening<'t, '_> {
    fn names(&mut self) {
        for (number, ty) in self.tree.types.iter().enumerate() {
            if let Some(&other) = self.by_name.get(ty.name.text.as_str()) {
                let message = format!("the type `{}` is declared twice", ty.name.text);
                self.diagnostics.push(
                    Diagnostic::error(codes::LOTOS_DECLARATION, message)
                        .at(ty.name.span, "")
                        .also(self.tree.types[other].name.span, "the first declaration"),
                );
                continue;
            }
            self.by_name.insert(&ty.name.text, number);
        }
    }

    /// Types behind those that they import. Types that import each other are reported.
    fn order(&mut self) -> Vec<usize> {
        let (mut order, mut state) = (Vec::new(), vec![0u8; self.tree.types.len()]);
        for root in 0..self.tree.types.len() {
            let mut stack = vec![(root, 0)];
            while let Some((number, next)) = stack.pop() {
                if next == 0 {
                    if state[number] != 0 {
                        continue;
                    }
                    state[number] = 1;
                }
                let ty = &self.tree.types[number];
                let Some(import) = ty.imports.get(next) else {
                    state[number] = 2;
                    order.push(number);
                    continue;
                };
                stack.push((number, next + 1));
                match self.by_name.get(import.text.as_str()) {
                    Some(&other) if state[other] == 1 => {
                        let message = format!("the type `{}` imports itself", import.text);
                        let diagnostic = Diagnostic::error(codes::LOTOS_DECLARATION, message);
                        self.diagnostics.push(diagnostic.at(import.span, ""));
                    }
                    Some(&other) => stack.push((other, 0)),
                    None if builtin::TYPES.contains(&import.text.as_str()) => {}
                    None => {
                        let message = format!("there is no type `{}`", import.text);
                        let diagnostic = Diagnostic::error(codes::LOTOS_NAME, message).at_misspelt(
                            import.span,
                            &import.text,
                            self.by_name.keys().copied(),
                        );
                        self.diagnostics.push(
                            diagnostic.help(
                                "types of a library need `library NAME endlib`, or a text of their own",
                            ),
                        );
                    }
                }
            }
        }
        order
    }

    fn declarations(&mut self, number: usize, known: &FxHashMap<usize, Known>) -> Known {
        let ty = &self.tree.types[number];
        let imports = ty.imports.iter().filter_map(|name| known.get(self.by_name.get(name.text.as_str())?));
        let imports: Vec<&Known> = imports.collect();
        let mut own = Declarations {
            sorts: ty.sorts.clone(),
            formal_sorts: ty.formal_sorts.clone(),
            operations: ty.operations.clone(),
            formal_operations: ty.formal_operations.clone(),
            equations: ty.equations.iter().map(|equation| (equation.clone(), Vec::new())).collect(),
        };
        let mut full = Declarations::default();
        let mut is_formal = !ty.formal_sorts.is_empty() || !ty.formal_operations.is_empty();
        match &ty.instance {
            None => {
                is_formal |= imports.iter().any(|import| import.is_formal);
                for import in imports {
                    full.extend(import.full.clone());
                    if import.is_formal {
                        // Instances of this type copy what it says about formal sorts.
                        let own_operations = std::mem::take(&mut own);
                        own.extend(import.own.clone());
                        own.extend(own_operations);
                    }
                }
            }
            Some(instance) => {
                let Some((base, others)) = imports.split_first() else { return Known::default() };
                own.extend(self.copy(base, instance));
                is_formal |= if instance.actualises {
                    others.iter().any(|import| import.is_formal)
                } else {
                    base.is_formal
                };
                for import in others {
                    full.extend(import.full.clone());
                }
                if !instance.actualises {
                    full.extend(base.full.clone());
                }
            }
        }
        full.extend(own.clone());
        let size = full.operations.len() + full.equations.len() + full.sorts.len();
        if size > self.left {
            let message = "instances of types multiply to more declarations than are kept";
            let diagnostic = Diagnostic::error(codes::LOTOS_DECLARATION, message);
            self.diagnostics.push(diagnostic.at(ty.name.span, ""));
            return Known::default();
        }
        self.left -= size;
        Known { own, full, is_formal }
    }

    fn copy(&mut self, base: &Known, instance: &Instance) -> Declarations {
        let names = |list: &[crate::syntax::Renaming]| {
            list.iter().map(|r| (r.old.text.clone(), r.new.text.clone())).collect::<FxHashMap<_, _>>()
        };
        let renamed =
            Rc::new(Renamed { sorts: names(&instance.sorts), operations: names(&instance.operations) });
        let new = |name: &Name, map: &FxHashMap<String, String>| {
            let text = map.get(&name.text).unwrap_or(&name.text).clone();
            Name { text, span: name.span }
        };
        let operation = |op: &OperationDeclaration| OperationDeclaration {
            name: new(&op.name, &renamed.operations),
            arguments: op.arguments.iter().map(|sort| new(sort, &renamed.sorts)).collect(),
            result: new(&op.result, &renamed.sorts),
            directive: {
                let mut words = op.directive.clone();
                let shown = words.iter().position(|word| word == SHOWN_AS);
                if let Some(name) = shown.and_then(|at| words.get_mut(at + 1)) {
                    *name = renamed.operations.get(name).unwrap_or(name).clone();
                }
                words
            },
            ..op.clone()
        };
        let from = if base.is_formal { &base.own } else { &base.full };
        self.unknown_names(from, instance);
        let mut made = Declarations::default();
        let is_changed_sort = |sort: &Name| renamed.sorts.contains_key(&sort.text);
        let is_changed = |op: &&OperationDeclaration| {
            base.is_formal
                || renamed.operations.contains_key(&op.name.text)
                || op.arguments.iter().chain([&op.result]).any(is_changed_sort)
        };
        let sorts = from.sorts.iter().filter(|sort| base.is_formal || is_changed_sort(sort));
        made.sorts.extend(sorts.map(|sort| new(sort, &renamed.sorts)));
        let changed: Vec<&OperationDeclaration> = from.operations.iter().filter(is_changed).collect();
        let heads: FxHashSet<&str> = changed.iter().map(|op| op.name.text.as_str()).collect();
        made.operations.extend(changed.iter().map(|op| operation(op)));
        for (equation, renamings) in &from.equations {
            let head = match &self.tree.values[equation.left].kind {
                ValueKind::Apply(name, _) => operation_name(renamings, &name.text),
                ValueKind::Of(..) => String::new(),
            };
            if base.is_formal || heads.contains(head.as_str()) {
                let mut renamings = renamings.clone();
                renamings.push(renamed.clone());
                made.equations.push((equation.clone(), renamings));
            }
        }
        if !instance.actualises {
            made.formal_sorts.extend(from.formal_sorts.iter().map(|sort| new(sort, &renamed.sorts)));
            made.formal_operations.extend(from.formal_operations.iter().map(operation));
        }
        made
    }

    fn unknown_names(&mut self, from: &Declarations, instance: &Instance) {
        let sorts: FxHashSet<&str> =
            from.sorts.iter().chain(&from.formal_sorts).map(|sort| sort.text.as_str()).collect();
        let operations = from.operations.iter().chain(&from.formal_operations);
        let operations: FxHashSet<&str> = operations.map(|op| op.name.text.as_str()).collect();
        let unknown = |list: &[crate::syntax::Renaming], known: &FxHashSet<&str>, what: &str| {
            let missing = list.iter().filter(|r| !known.contains(r.old.text.as_str()));
            missing
                .map(|r| {
                    let message = format!("the type has no {what} `{}` that could be renamed", r.old.text);
                    Diagnostic::error(codes::LOTOS_NAME, message)
                        .at(r.old.span, "")
                        .help("write NEW for OLD: the name behind `for` is that of the type that is renamed")
                })
                .collect::<Vec<_>>()
        };
        // Sorts and operations of the language may be named: they stay as they are.
        let builtin = |r: &&Diagnostic| !r.message.contains("`BOOL`") && !r.message.contains("`NAT`");
        let found = unknown(&instance.sorts, &sorts, "sort");
        let all = found.into_iter().chain(unknown(&instance.operations, &operations, "operation"));
        self.diagnostics.extend(all.filter(|d| builtin(&d)));
    }
}
