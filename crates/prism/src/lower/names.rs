//! Name resolution: the meaning of the names of a model and of property files, and the order in which definitions depend
//! on each other.
//!
//! Constants, formulas and variables of a model share one name space, as in PRISM; a property file adds
//! constants and formulas to it. Labels, properties, modules and reward structures have their own.

use crate::ast::{self, ExprId, ExprKind, Exprs, Model, PropertyFile};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{Diagnostic, Span, codes, suggest};
use volvelle_model::FieldId;

/// The syntax tree that an expression belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tree {
    /// The model.
    Model,
    /// A property file, by number.
    File(u32),
}

/// The entity that an identifier stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entity {
    /// A declared constant, by number in its tree.
    Constant(Tree, u32),
    /// A formula, by number in its tree.
    Formula(Tree, u32),
    /// A variable of the model.
    Variable(FieldId),
    /// A constant that only the command line and a property mention, by number.
    Given(u32),
    /// A label of a property file, by number.
    Label(Tree, u32),
    /// A property of a file, by number.
    Property(Tree, u32),
}

/// A named thing.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// The entity.
    pub entity: Entity,
    /// The span of its declaration; none if only the command line names it.
    pub span: Option<Span>,
    /// Visible in the model, not only in properties.
    pub in_model: bool,
}

/// The name space of constants, formulas and variables.
#[derive(Clone, Debug, Default)]
pub struct Names {
    table: FxHashMap<String, Named>,
    order: Vec<String>,
}

impl Names {
    /// Adds a name; a diagnostic if there is one already. A declaration takes the place of a name that only
    /// the command line gives.
    pub fn add(&mut self, name: &str, named: Named) -> Option<Diagnostic> {
        match self.table.get_mut(name) {
            Some(known) if matches!(known.entity, Entity::Given(_)) => *known = named,
            Some(first) => return Some(declared_twice(name, first.span, named.span)),
            None => {
                self.table.insert(name.to_owned(), named);
                self.order.push(name.to_owned());
            }
        }
        None
    }

    /// Forgets what only properties see: names of property files, and of the command line.
    pub fn keep_model(&mut self) {
        self.table.retain(|_, named| named.in_model);
        let table = &self.table;
        self.order.retain(|name| table.contains_key(name));
    }

    /// The entity that a name stands for in a tree.
    pub fn get(&self, tree: Tree, name: &str) -> Option<Named> {
        self.table.get(name).copied().filter(|named| named.in_model || tree != Tree::Model)
    }

    /// Whether no name is nearly the same.
    pub fn has_no_neighbour(&self, name: &str) -> bool {
        suggest(name, self.order.iter().map(String::as_str)).is_none()
    }

    /// The diagnostic for a name that is not declared.
    pub fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        let near = suggest(name, self.order.iter().map(String::as_str));
        let mut diagnostic = Diagnostic::error(
            codes::UNKNOWN_NAME,
            format!("`{name}` is not a variable, constant or formula"),
        )
        .at_misspelt(span, name, &self.order);
        if let Some(near) = near
            && let Some(declared) = self.table[near].span
        {
            diagnostic = diagnostic.also(declared, format!("`{near}` is declared here"));
        }
        diagnostic
    }
}

/// `"init"` and `"deadlock"` exist in every model.
pub(crate) fn built_in(label: &str) -> bool {
    label == "init" || label == "deadlock"
}

/// Two declarations of one name.
pub fn declared_twice(name: &str, first: Option<Span>, second: Option<Span>) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(codes::DUPLICATE_NAME, format!("`{name}` is declared twice"));
    if let Some(second) = second {
        diagnostic = diagnostic.at(second, "declared again here");
    }
    if let Some(first) = first {
        diagnostic = diagnostic.also(first, "first declared here");
    }
    diagnostic
}

/// A list whose names must be unique: labels, modules, reward structures, properties.
pub fn duplicates<'a>(names: impl IntoIterator<Item = &'a ast::Name>, diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
    for name in names {
        if let Some(&first) = seen.get(name.text.as_str()) {
            diagnostics.push(declared_twice(&name.text, Some(first), Some(name.span)));
        } else {
            seen.insert(&name.text, name.span);
        }
    }
}

/// Constants and formulas of a tree whose definitions depend on themselves.
#[derive(Clone, Debug, Default)]
pub struct Cycles {
    on_cycle: FxHashMap<Entity, ()>,
}

impl Cycles {
    /// Whether a definition leads back to itself.
    pub fn contains(&self, entity: Entity) -> bool {
        self.on_cycle.contains_key(&entity)
    }

    /// Finds the cycles among the definitions of a model, and reports each once.
    pub fn of_model(&mut self, model: &Model, names: &Names) -> Vec<Diagnostic> {
        let definitions = definitions(Tree::Model, &model.constants, &model.formulas);
        let quoted = FxHashMap::default();
        self.find(Tree::Model, &model.exprs, &definitions, names, &quoted)
    }

    /// The same for a property file, where labels and properties are definitions too; what it refers to
    /// elsewhere cannot refer back.
    pub fn of_file(&mut self, tree: Tree, file: &PropertyFile, names: &Names) -> Vec<Diagnostic> {
        let mut all = definitions(tree, &file.constants, &file.formulas);
        let mut quoted = FxHashMap::default();
        for (i, label) in file.labels.iter().enumerate() {
            let entity = Entity::Label(tree, i as u32);
            quoted.entry(label.name.text.as_str()).or_insert(entity);
            all.push(Definition { entity, name: &label.name, body: Some(label.body) });
        }
        for (i, property) in file.properties.iter().enumerate() {
            if let Some(name) = &property.name {
                let entity = Entity::Property(tree, i as u32);
                quoted.entry(name.text.as_str()).or_insert(entity);
                all.push(Definition { entity, name, body: Some(property.body) });
            }
        }
        self.find(tree, &file.exprs, &all, names, &quoted)
    }

    /// Depth-first search with an explicit stack. A definition on the path that is met again closes a
    /// cycle; everything on the path from there on lies on it.
    fn find(
        &mut self,
        tree: Tree,
        exprs: &Exprs,
        definitions: &[Definition<'_>],
        names: &Names,
        quoted: &FxHashMap<&str, Entity>,
    ) -> Vec<Diagnostic> {
        let index: FxHashMap<Entity, usize> =
            definitions.iter().enumerate().map(|(i, d)| (d.entity, i)).collect();
        let successors: Vec<Vec<usize>> = definitions
            .iter()
            .map(|definition| {
                let mut next = Vec::new();
                if let Some(body) = definition.body {
                    for_each_node(exprs, body, |kind, _| {
                        // A property may be referred to without quotes.
                        let entity = match kind {
                            ExprKind::Ident(name) => match names.get(tree, name) {
                                Some(named) => Some(named.entity),
                                None => quoted.get(name.as_str()).copied(),
                            },
                            ExprKind::Label(name) => quoted.get(name.as_str()).copied(),
                            _ => None,
                        };
                        next.extend(entity.and_then(|entity| index.get(&entity)));
                    });
                }
                next
            })
            .collect();
        let mut diagnostics = Vec::new();
        let mut state = vec![Visit::New; definitions.len()];
        for start in 0..definitions.len() {
            let mut path: Vec<(usize, usize)> = Vec::new();
            if state[start] == Visit::New {
                state[start] = Visit::OnPath;
                path.push((start, 0));
            }
            while let Some((at, next)) = path.last_mut() {
                let Some(&to) = successors[*at].get(*next) else {
                    state[*at] = Visit::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                match state[to] {
                    Visit::New => {
                        state[to] = Visit::OnPath;
                        path.push((to, 0));
                    }
                    Visit::OnPath => {
                        let from = path.iter().position(|(i, _)| *i == to).unwrap_or(0);
                        let cycle: Vec<&Definition<'_>> =
                            path[from..].iter().map(|(i, _)| &definitions[*i]).collect();
                        if cycle.iter().any(|d| !self.contains(d.entity)) {
                            diagnostics.push(cyclic(&cycle));
                        }
                        self.on_cycle.extend(cycle.iter().map(|d| (d.entity, ())));
                    }
                    Visit::Done => {}
                }
            }
        }
        diagnostics
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    OnPath,
    Done,
}

struct Definition<'a> {
    entity: Entity,
    name: &'a ast::Name,
    body: Option<ExprId>,
}

fn definitions<'a>(
    tree: Tree,
    constants: &'a [ast::Constant],
    formulas: &'a [ast::Formula],
) -> Vec<Definition<'a>> {
    let constants = constants.iter().enumerate().map(|(i, c)| Definition {
        entity: Entity::Constant(tree, i as u32),
        name: &c.name,
        body: c.value,
    });
    let formulas = formulas.iter().enumerate().map(|(i, f)| Definition {
        entity: Entity::Formula(tree, i as u32),
        name: &f.name,
        body: Some(f.body),
    });
    constants.chain(formulas).collect()
}

fn cyclic(cycle: &[&Definition<'_>]) -> Diagnostic {
    let by_means = |i: usize| {
        let next = cycle[(i + 1) % cycle.len()];
        format!("`{}` is defined using `{}`", cycle[i].name.text, next.name.text)
    };
    let mut diagnostic = Diagnostic::error(
        codes::CYCLIC_DEFINITION,
        format!("the definition of `{}` is cyclic", cycle[0].name.text),
    )
    .at(cycle[0].name.span, by_means(0));
    for (i, definition) in cycle.iter().enumerate().skip(1).take(8) {
        diagnostic = diagnostic.also(definition.name.span, by_means(i));
    }
    diagnostic
}

/// Calls `visit` with every identifier of an expression and its place, in no particular order, once per
/// node.
pub fn for_each_identifier(exprs: &Exprs, root: ExprId, mut visit: impl FnMut(&str, Span)) {
    for_each_node(exprs, root, |kind, span| {
        if let ExprKind::Ident(name) = kind {
            visit(name, span);
        }
    });
}

/// Calls `visit` with every node of an expression and its place.
pub fn for_each_node(exprs: &Exprs, root: ExprId, mut visit: impl FnMut(&ExprKind, Span)) {
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        let expr = exprs.get(id);
        visit(&expr.kind, expr.span);
        expr.kind.for_each_child(|child| stack.push(child));
    }
}
