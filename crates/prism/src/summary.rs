//! The summary of a model that `volvelle info` prints: its parts as declared, with values where they are known.
//!
//! Works on the syntax tree, so that a model with open constants can be described too; ranges and values that
//! depend on them are shown as they are written.

use crate::ast::{ConstType, ExprId, Exprs, Model, ModelType, Module, ModuleBody, Rename, VarType, Variable};
use crate::lower::{Constants, Lowered, Value};
use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;
use volvelle_diagnostics::{Sources, Span};
use volvelle_logic::ConstantValue;
use volvelle_model::{Domain, Initial};

/// A description of a model.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Summary {
    /// `dtmc`, `ctmc`, `mdp`, or the keyword of an unsupported kind.
    pub kind: String,
    /// Constants in order.
    pub constants: Vec<ConstantSummary>,
    /// Variables in the order of the state.
    pub variables: Vec<VariableSummary>,
    /// `init … endinit` as written, where there is one.
    pub initial_condition: Option<String>,
    /// Modules in order.
    pub modules: Vec<ModuleSummary>,
    /// Names of actions, in the order of their first appearance.
    pub actions: Vec<String>,
    /// Reward structures in order.
    pub rewards: Vec<RewardSummary>,
    /// Names of labels in order.
    pub labels: Vec<String>,
    /// Names of formulas in order.
    pub formulas: Vec<String>,
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstantSummary {
    /// Name.
    pub name: String,
    /// Declared type.
    pub ty: ConstType,
    /// Value, or definition as written; `None` for an open constant without a value.
    pub value: Option<ConstantValue>,
    /// Whether the model leaves it open.
    pub open: bool,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableSummary {
    /// Name.
    pub name: String,
    /// Module; `None` for a global variable.
    pub module: Option<String>,
    /// `bool`, `int`, or a range such as `0..5`.
    pub domain: String,
    /// Initial value, where a single one is known.
    pub initial: Option<ConstantValue>,
}

/// A module.
#[derive(Clone, Debug, PartialEq)]
pub struct ModuleSummary {
    /// Name.
    pub name: String,
    /// The module it is a copy of.
    pub copy_of: Option<String>,
    /// Number of commands.
    pub commands: usize,
}

/// A reward structure.
#[derive(Clone, Debug, PartialEq)]
pub struct RewardSummary {
    /// Name, where it has one.
    pub name: Option<String>,
    /// Whether it has rewards of states.
    pub states: bool,
    /// Whether it has rewards of transitions.
    pub transitions: bool,
}

/// Describes a model; with the lowered model if there is one, so that ranges and values are numbers.
pub fn summary(
    sources: &Sources,
    model: &Model,
    constants: &Constants,
    lowered: Option<&Lowered>,
) -> Summary {
    Summary {
        kind: kind(model).to_owned(),
        constants: constant_summaries(sources, model, constants, lowered),
        variables: match lowered {
            Some(lowered) => lowered_variables(lowered),
            None => written_variables(sources, model),
        },
        initial_condition: model.init.map(|(condition, _)| written(sources, &model.exprs, condition)),
        modules: modules(model),
        actions: match lowered {
            Some(lowered) => lowered.program().actions[1..].iter().map(|a| a.name.clone()).collect(),
            None => written_actions(model),
        },
        rewards: model
            .rewards
            .iter()
            .map(|rewards| RewardSummary {
                name: rewards.name.as_ref().map(|name| name.text.clone()),
                states: rewards.items.iter().any(|item| item.action.is_none()),
                transitions: rewards.items.iter().any(|item| item.action.is_some()),
            })
            .collect(),
        labels: model.labels.iter().map(|label| label.name.text.clone()).collect(),
        formulas: model.formulas.iter().map(|formula| formula.name.text.clone()).collect(),
    }
}

fn kind(model: &Model) -> &'static str {
    match model.ty {
        Some((ModelType::Dtmc, _)) => "dtmc",
        Some((ModelType::Ctmc, _)) => "ctmc",
        Some((ModelType::Mdp, _)) | None => "mdp",
        Some((ModelType::Unsupported(keyword), _)) => keyword,
    }
}

fn constant_summaries(
    sources: &Sources,
    model: &Model,
    constants: &Constants,
    lowered: Option<&Lowered>,
) -> Vec<ConstantSummary> {
    let known: FxHashMap<String, Value> =
        lowered.map(Lowered::constants).unwrap_or_default().into_iter().collect();
    let declared = model.constants.iter();
    declared
        .map(|constant| {
            let name = &constant.name.text;
            let value = known.get(name).map(|&value| value.into());
            let value = value.or_else(|| match constant.value {
                Some(value) => Some(written(sources, &model.exprs, value).into()),
                None => constants.get(name).cloned(),
            });
            ConstantSummary { name: name.clone(), ty: constant.ty, value, open: constant.value.is_none() }
        })
        .collect()
}

fn lowered_variables(lowered: &Lowered) -> Vec<VariableSummary> {
    let program = lowered.program();
    let state = match &program.initial {
        Initial::States(states) if states.len() == 1 => Some(&states[0]),
        _ => None,
    };
    let fields = program.fields.iter().enumerate();
    fields
        .map(|(i, field)| {
            let initial = state.map(|state| match field.domain {
                Domain::Bool => (state[i] != 0).into(),
                _ => state[i].into(),
            });
            VariableSummary {
                name: field.name.clone(),
                module: field.component.map(|c| program.components[c.index()].name.clone()),
                domain: match field.domain {
                    Domain::Bool => "bool".to_owned(),
                    Domain::Int { lo, hi } => format!("{lo}..{hi}"),
                    Domain::Growing { .. } => "int".to_owned(),
                },
                initial,
            }
        })
        .collect()
}

/// Variables as declared, those of copies under their new names. Ranges are shown as they are written.
fn written_variables(sources: &Sources, model: &Model) -> Vec<VariableSummary> {
    let describe = |variable: &Variable, name: &str, module: Option<&str>| VariableSummary {
        name: name.to_owned(),
        module: module.map(str::to_owned),
        domain: match variable.ty {
            VarType::Range { lo, hi } => {
                let [lo, hi] = [lo, hi].map(|end| written(sources, &model.exprs, end));
                format!("{lo}..{hi}")
            }
            VarType::Int => "int".to_owned(),
            VarType::Bool => "bool".to_owned(),
            VarType::Double => "double".to_owned(),
            VarType::Clock => "clock".to_owned(),
        },
        initial: variable.init.map(|init| written(sources, &model.exprs, init).into()),
    };
    let globals = model.globals.iter();
    let mut variables: Vec<VariableSummary> =
        globals.map(|variable| describe(variable, &variable.name.text, None)).collect();
    for module in &model.modules {
        let Some((ModuleBody::Plain { variables: locals, .. }, renames)) = written_out(model, module) else {
            continue;
        };
        variables.extend(locals.iter().map(|variable| {
            describe(variable, renamed(&variable.name.text, &renames), Some(&module.name.text))
        }));
    }
    variables
}

/// The body at the end of a module's chain of copies (its own, if it is written out), and the renamings on the way.
/// `None` where the chain of copies does not end in a module that is written out.
fn written_out<'m>(model: &'m Model, module: &'m Module) -> Option<(&'m ModuleBody, Vec<&'m [Rename]>)> {
    let mut renames = Vec::new();
    let mut body = &module.body;
    // Along the chain of copies, at most once through all modules.
    for _ in 0..=model.modules.len() {
        let ModuleBody::Renamed { base, renames: pairs } = body else { return Some((body, renames)) };
        renames.push(pairs.as_slice());
        body = &model.modules.iter().find(|module| module.name.text == base.text)?.body;
    }
    None
}

/// The name in a renamed copy of a module for a name of the module that is written out.
fn renamed<'m>(name: &'m str, renames: &[&'m [Rename]]) -> &'m str {
    renames.iter().rev().fold(name, |name, pairs| {
        pairs.iter().find(|pair| pair.from.text == name).map_or(name, |pair| pair.to.text.as_str())
    })
}

fn modules(model: &Model) -> Vec<ModuleSummary> {
    let commands = |module: &Module| match written_out(model, module) {
        Some((ModuleBody::Plain { commands, .. }, _)) => commands.len(),
        _ => 0,
    };
    let declared = model.modules.iter();
    declared
        .map(|module| ModuleSummary {
            name: module.name.text.clone(),
            copy_of: match &module.body {
                ModuleBody::Plain { .. } => None,
                ModuleBody::Renamed { base, .. } => Some(base.text.clone()),
            },
            commands: commands(module),
        })
        .collect()
}

fn written_actions(model: &Model) -> Vec<String> {
    let mut seen = FxHashSet::default();
    let mut actions = Vec::new();
    for module in &model.modules {
        let Some((ModuleBody::Plain { commands, .. }, renames)) = written_out(model, module) else {
            continue;
        };
        for action in commands.iter().filter_map(|command| command.action.as_ref()) {
            let name = renamed(&action.text, &renames);
            if seen.insert(name) {
                actions.push(name.to_owned());
            }
        }
    }
    actions
}

fn written(sources: &Sources, exprs: &Exprs, id: ExprId) -> String {
    let span: Span = exprs.span(id);
    sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
}
