//! Modules: written out, or copies of others with names changed.
//!
//! A copy shares the syntax tree of the module that is written out; what differs is the map of names under
//! which its expressions are lowered. As in PRISM, every variable needs a new name, anything else may have
//! one, and formulas are expanded before names change, so the names inside of a formula change and its own
//! cannot. A copy may be made of a copy, and of a module that stands further down.

use super::Lowering;
use super::context::{Context, ContextId, Renames};
use super::names::{Tree, declared_twice};
use crate::ast::{self, ModuleBody};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{Diagnostic, codes};

/// Names in all maps together: chains of copies of copies could make them grow without bound.
const MOST_RENAMES: usize = 4_000_000;

/// A module with its names resolved.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// Its number among the model's modules.
    pub module: usize,
    /// The number of the module whose text it shares; itself if it is written out.
    pub original: usize,
    /// The context in which its expressions are lowered.
    pub context: ContextId,
}

/// A module under construction.
#[derive(Clone)]
enum Resolved {
    Not,
    /// The module, or the module that it copies, has an error.
    Failed,
    Copy {
        original: usize,
        renames: Renames,
    },
}

impl Lowering {
    /// Resolves all modules, in order; wrong ones are left out.
    pub(crate) fn instances(&mut self) -> Vec<Instance> {
        let model = self.model.clone();
        let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
        for (i, module) in model.modules.iter().enumerate() {
            if let Some(&first) = by_name.get(module.name.text.as_str()) {
                let first = model.modules[first].name.span;
                self.report(declared_twice(&module.name.text, Some(first), Some(module.name.span)));
            } else {
                by_name.insert(&module.name.text, i);
            }
        }
        let mut resolved = vec![Resolved::Not; model.modules.len()];
        let mut size = 0;
        for start in 0..model.modules.len() {
            // From the module to the first one on its chain that is resolved, then back.
            let mut chain = vec![start];
            loop {
                let at = chain[chain.len() - 1];
                let module = &model.modules[at];
                if !matches!(resolved[at], Resolved::Not) {
                    chain.pop();
                    break;
                }
                let ModuleBody::Renamed { base, .. } = &module.body else { break };
                match by_name.get(base.text.as_str()) {
                    Some(&next) if chain.contains(&next) => {
                        self.report(
                            Diagnostic::error(
                                codes::CYCLIC_DEFINITION,
                                format!("the module `{}` is a copy of itself", model.modules[next].name.text),
                            )
                            .at(base.span, ""),
                        );
                        chain.iter().for_each(|&i| resolved[i] = Resolved::Failed);
                        break;
                    }
                    Some(&next) => chain.push(next),
                    None => {
                        let diagnostic = unknown_module(&model, base);
                        self.report(diagnostic);
                        resolved[at] = Resolved::Failed;
                        break;
                    }
                }
            }
            for &at in chain.iter().rev() {
                if !matches!(resolved[at], Resolved::Not) {
                    continue;
                }
                resolved[at] = match &model.modules[at].body {
                    ModuleBody::Plain { .. } => Resolved::Copy { original: at, renames: Renames::default() },
                    ModuleBody::Renamed { base, renames } => {
                        let before = resolved[by_name[base.text.as_str()]].clone();
                        match before {
                            Resolved::Copy { original, renames: inner } => {
                                self.copy(&model, &model.modules[at], original, inner, renames, &mut size)
                            }
                            _ => Resolved::Failed,
                        }
                    }
                };
            }
        }
        let mut instances = Vec::new();
        for (module, resolved) in resolved.into_iter().enumerate() {
            if let Resolved::Copy { original, renames } = resolved {
                let context = if module == original {
                    ContextId::MODEL
                } else {
                    self.contexts.push(Context { tree: Tree::Model, renames: Some(renames) })
                };
                instances.push(Instance { module, original, context });
            }
        }
        instances
    }

    /// Adds one renaming to what is a copy of `original` under `inner`.
    fn copy(
        &mut self,
        model: &ast::Model,
        module: &ast::Module,
        original: usize,
        inner: Renames,
        renames: &[ast::Rename],
        size: &mut usize,
    ) -> Resolved {
        let mut ok = true;
        let mut outer = Renames::default();
        for rename in renames {
            let from = &rename.from;
            if outer.insert(from.text.clone(), rename.to.text.clone()).is_some() {
                self.report(
                    Diagnostic::error(codes::DUPLICATE_NAME, format!("`{}` is renamed twice", from.text))
                        .at(from.span, "renamed again here"),
                );
                ok = false;
            }
            if let Some(formula) = model.formulas.iter().find(|f| f.name.text == from.text) {
                self.report(
                    Diagnostic::error(
                        codes::RENAMING_INCOMPLETE,
                        format!("the formula `{}` cannot be renamed", from.text),
                    )
                    .at(from.span, "formulas are expanded before names are changed")
                    .also(formula.name.span, "declared here")
                    .help("rename the variables and constants inside it"),
                );
                ok = false;
            }
        }
        let ModuleBody::Renamed { base, .. } = &module.body else { return Resolved::Failed };
        for variable in self.locals(model, original) {
            let name = inner.get(&variable.name.text).unwrap_or(&variable.name.text);
            if !outer.contains_key(name) {
                self.report(
                    Diagnostic::error(
                        codes::RENAMING_INCOMPLETE,
                        format!("renaming module `{}` must give the variable `{name}` a new name", base.text),
                    )
                    .at(
                        renames.first().map_or(base.span, |first| {
                            renames.last().map_or(first.from.span, |last| first.from.span.to(last.to.span))
                        }),
                        format!("`{name}` is missing here"),
                    )
                    .also(variable.name.span, "declared here")
                    .help(format!("add `{name}=` and an unused name")),
                );
                ok = false;
            }
        }
        // First the inner renaming, then the outer.
        let mut composed: Renames = inner
            .into_iter()
            .map(|(from, to)| {
                let to = outer.get(&to).cloned().unwrap_or(to);
                (from, to)
            })
            .collect();
        for (from, to) in outer {
            composed.entry(from).or_insert(to);
        }
        *size += composed.len();
        if *size > MOST_RENAMES {
            self.report(
                Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, "modules rename too many names")
                    .at(module.span, ""),
            );
            ok = false;
        }
        if ok { Resolved::Copy { original, renames: composed } } else { Resolved::Failed }
    }

    /// The local variables in the text of a module that is written out.
    pub(crate) fn locals<'m>(&self, model: &'m ast::Model, original: usize) -> &'m [ast::Variable] {
        match &model.modules[original].body {
            ModuleBody::Plain { variables, .. } => variables,
            ModuleBody::Renamed { .. } => &[],
        }
    }

    /// The commands in the text of a module that is written out.
    pub(crate) fn commands<'m>(&self, model: &'m ast::Model, original: usize) -> &'m [ast::Command] {
        match &model.modules[original].body {
            ModuleBody::Plain { commands, .. } => commands,
            ModuleBody::Renamed { .. } => &[],
        }
    }
}

/// The diagnostic for a module that is not declared.
pub(crate) fn unknown_module(model: &ast::Model, name: &ast::Name) -> Diagnostic {
    let known = model.modules.iter().map(|m| m.name.text.as_str());
    Diagnostic::error(codes::UNKNOWN_MODULE, format!("there is no module `{}`", name.text))
        .at_misspelt(name.span, &name.text, known)
}
