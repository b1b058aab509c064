//! What a model and its property files declare.

use super::spaces::{Space, Spaces};
use crate::builder::{Builder, Declared};
use crate::index::{Kind, SymbolId};
use volvelle_diagnostics::Span;
use volvelle_prism::ast::{
    Broken, Command, Constant, Declares, Formula, LabelDecl, Model, Module, ModuleBody, Name, PropertyFile,
    Variable,
};

/// Everything that a model declares, but for copies of modules.
pub(super) fn model<'m>(builder: &mut Builder<'_>, spaces: &mut Spaces<'m>, model: &'m Model) {
    constants(builder, &mut spaces.values, &model.constants);
    formulas(builder, &mut spaces.values, &model.formulas);
    for variable in &model.globals {
        self::variable(builder, spaces, variable, None);
    }
    for module in &model.modules {
        let detail = match &module.body {
            ModuleBody::Plain { .. } => format!("module {}", module.name.text),
            ModuleBody::Renamed { base, .. } => format!("module {} = {}", module.name.text, base.text),
        };
        let id = named(builder, &module.name, Kind::Module, module.span, detail);
        spaces.modules.entry(&module.name.text).or_insert(id);
        spaces.module_ids.push(id);
        let ModuleBody::Plain { variables, commands, .. } = &module.body else { continue };
        for variable in variables {
            self::variable(builder, spaces, variable, Some(id));
        }
        for command in commands {
            action_of(builder, spaces, command);
        }
    }
    labels(builder, &mut spaces.labels, &model.labels);
    for rewards in &model.rewards {
        let detail = match &rewards.name {
            Some(name) => format!("rewards \"{}\"", name.text),
            None => "rewards".to_owned(),
        };
        match &rewards.name {
            Some(name) => {
                let id = named(builder, name, Kind::Rewards, rewards.span, detail);
                spaces.rewards.entry(&name.text).or_insert(id);
            }
            None => nameless(builder, Kind::Rewards, rewards.span, detail),
        }
    }
    for player in &model.players {
        let detail = format!("player {}", player.name.text);
        let id = named(builder, &player.name, Kind::Process, player.span, detail);
        spaces.players.entry(&player.name.text).or_insert(id);
    }
    for (name, _, span) in &model.systems {
        if let Some(name) = name {
            let detail = format!("system \"{}\"", name.text);
            let id = named(builder, name, Kind::Process, *span, detail);
            spaces.systems.entry(&name.text).or_insert(id);
        }
    }
}

/// Declarations of which only the name could be read. What lowering knows comes first.
pub(super) fn broken<'m>(
    builder: &mut Builder<'_>,
    spaces: &mut Spaces<'m>,
    declarations: &'m [Broken],
    modules: &[Module],
) {
    for Broken { kind, name, span } in declarations {
        let behind = modules.partition_point(|module| module.span.start <= span.start);
        let around = behind.checked_sub(1).filter(|&number| span.end <= modules[number].span.end);
        let is_variable = *kind == Declares::Variable;
        let container = around.filter(|_| is_variable).map(|number| spaces.module_ids[number]);
        let is_file = name.span.file.0 > 0;
        let (kind, space) = match kind {
            Declares::Constant if is_file => (Kind::Constant, &mut spaces.file_values),
            Declares::Constant => (Kind::Constant, &mut spaces.values),
            Declares::Formula if is_file => (Kind::Formula, &mut spaces.file_values),
            Declares::Formula => (Kind::Formula, &mut spaces.values),
            Declares::Label if is_file => (Kind::Label, &mut spaces.file_labels),
            Declares::Label => (Kind::Label, &mut spaces.labels),
            Declares::Variable => (Kind::Variable, &mut spaces.values),
            Declares::Module => (Kind::Module, &mut spaces.modules),
        };
        let (whole, detail) = (*span, builder.one_line(*span));
        let declared = Declared { name: &name.text, kind, span: name.span, whole, detail, container };
        let id = builder.declare(declared);
        space.entry(&name.text).or_insert(id);
    }
}

/// Everything that the next property file declares.
pub(super) fn properties<'m>(builder: &mut Builder<'_>, spaces: &mut Spaces<'m>, file: &'m PropertyFile) {
    constants(builder, &mut spaces.file_values, &file.constants);
    formulas(builder, &mut spaces.file_values, &file.formulas);
    let mut own = Space::default();
    labels(builder, &mut own, &file.labels);
    spaces.file_labels.extend(own);
    let mut own = Space::default();
    for property in &file.properties {
        let detail = builder.one_line(property.span);
        match &property.name {
            Some(name) => {
                let whole = name.span.to(property.span);
                let id = named(builder, name, Kind::Property, whole, detail);
                own.entry(&name.text).or_insert(id);
            }
            None => nameless(builder, Kind::Property, property.span, detail),
        }
    }
    spaces.properties.push(own);
}

/// Labels that all models have.
pub(super) fn built_in(builder: &mut Builder<'_>, spaces: &mut Spaces<'_>) {
    for (name, detail) in [("init", "the initial states"), ("deadlock", "states without a step")] {
        let id = builder.built_in(name, Kind::Label, detail);
        spaces.built_in.insert(name, id);
    }
}

fn constants<'m>(builder: &mut Builder<'_>, space: &mut Space<'m>, constants: &'m [Constant]) {
    for constant in constants {
        let detail = builder.one_line(constant.span);
        let id = named(builder, &constant.name, Kind::Constant, constant.span, detail);
        space.entry(&constant.name.text).or_insert(id);
    }
}

fn formulas<'m>(builder: &mut Builder<'_>, space: &mut Space<'m>, formulas: &'m [Formula]) {
    for formula in formulas {
        let detail = builder.one_line(formula.span);
        let id = named(builder, &formula.name, Kind::Formula, formula.span, detail);
        space.entry(&formula.name.text).or_insert(id);
    }
}

fn labels<'m>(builder: &mut Builder<'_>, space: &mut Space<'m>, labels: &'m [LabelDecl]) {
    for label in labels {
        let detail = builder.one_line(label.span);
        let id = named(builder, &label.name, Kind::Label, label.span, detail);
        space.entry(&label.name.text).or_insert(id);
    }
}

fn variable<'m>(
    builder: &mut Builder<'_>,
    spaces: &mut Spaces<'m>,
    variable: &'m Variable,
    container: Option<SymbolId>,
) {
    let Name { text, span } = &variable.name;
    let whole = builder.with_word_before(variable.span, "global");
    let detail = builder.one_line(whole);
    let declared = Declared { name: text, kind: Kind::Variable, span: *span, whole, detail, container };
    let id = builder.declare(declared);
    spaces.values.entry(text).or_insert(id);
}

/// The action of a command, if no command before has it.
fn action_of<'m>(builder: &mut Builder<'_>, spaces: &mut Spaces<'m>, command: &'m Command) {
    if let Some(name) = &command.action
        && !spaces.actions.contains_key(name.text.as_str())
    {
        action(builder, spaces, name, command.span);
    }
}

/// A new action.
pub(super) fn action<'m>(builder: &mut Builder<'_>, spaces: &mut Spaces<'m>, name: &'m Name, whole: Span) {
    let id = named(builder, name, Kind::Action, whole, format!("[{}]", name.text));
    spaces.actions.insert(&name.text, id);
}

fn named(builder: &mut Builder<'_>, name: &Name, kind: Kind, whole: Span, detail: String) -> SymbolId {
    // A name that is missing has the place of what stands there instead.
    let span = if name.text.is_empty() { Builder::nameless(whole) } else { name.span };
    builder.declare(Declared { name: &name.text, kind, span, whole, detail, container: None })
}

fn nameless(builder: &mut Builder<'_>, kind: Kind, whole: Span, detail: String) {
    let span = Builder::nameless(whole);
    builder.declare(Declared { name: "", kind, span, whole, detail, container: None });
}
