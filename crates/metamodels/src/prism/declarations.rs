//! Declarations as nodes.

use super::classes::Kind;
use super::expressions;
use crate::builder::{Builder, flag};
use crate::comments::Comments;
use volvelle_diagnostics::Span;
use volvelle_prism::ast::{
    Command, ConstType, ExprId, Model, ModelType, Module, ModuleBody, Name, RewardItem, Rewards, System,
    Update, VarType, Variable,
};
use volvelle_trees::{NodeId, Placed};

/// The declarations of a model, one after the other.
pub(super) struct Declarations<'d> {
    builder: Builder<'d>,
    model: &'d Model,
    comments: &'d Comments<'d>,
    text: &'d str,
    /// By the number of the expression.
    exprs: Vec<Option<NodeId>>,
}

type Fields = Vec<(&'static str, Placed)>;

impl<'d> Declarations<'d> {
    pub(super) fn new(
        mut builder: Builder<'d>,
        model: &'d Model,
        comments: &'d Comments<'d>,
        text: &'d str,
    ) -> Self {
        let exprs = expressions::nodes(&mut builder, &model.exprs, &roots(model), text);
        Declarations { builder, model, comments, text, exprs }
    }

    /// The node of all of it.
    pub(super) fn model(mut self, whole: Span) -> NodeId {
        let model = self.model;
        let mut fields: Fields = Vec::new();
        if let Some((kind, span)) = model.ty {
            let word = match kind {
                ModelType::Dtmc => "dtmc",
                ModelType::Ctmc => "ctmc",
                ModelType::Mdp => "mdp",
                ModelType::Unsupported(word) => word,
            };
            let all = vec![("kind", self.builder.text(word, span)), self.simple(span)];
            let node = self.builder.node(Kind::ModelType.id(), span, &all);
            fields.push(("type", self.builder.child(node)));
        }
        let all: Vec<NodeId> = model
            .constants
            .iter()
            .map(|one| {
                let ty = match one.ty {
                    ConstType::Int => "int",
                    ConstType::Double => "double",
                    ConstType::Bool => "bool",
                };
                let before = Span { end: one.name.span.start, ..one.span };
                let ty = ("type", self.builder.text(ty, before));
                let mut fields = vec![self.name(&one.name), ty, self.simple(one.span)];
                fields.extend(self.expr("value", one.value));
                self.builder.node(Kind::Constant.id(), one.span, &fields)
            })
            .collect();
        fields.push(("constants", self.builder.children(all)));
        let formulas = model.formulas.iter().map(|one| (Kind::Formula, &one.name, one.body, one.span));
        let all: Vec<NodeId> = formulas.map(|one| self.defined(one)).collect();
        fields.push(("formulas", self.builder.children(all)));
        let labels = model.labels.iter().map(|one| (Kind::Label, &one.name, one.body, one.span));
        let all: Vec<NodeId> = labels.map(|one| self.defined(one)).collect();
        fields.push(("labels", self.builder.children(all)));
        let all: Vec<NodeId> = model.globals.iter().map(|one| self.variable(one, true)).collect();
        fields.push(("globals", self.builder.children(all)));
        let all: Vec<NodeId> = model.modules.iter().map(|one| self.module(one)).collect();
        fields.push(("modules", self.builder.children(all)));
        let all: Vec<NodeId> = model.rewards.iter().map(|one| self.rewards(one)).collect();
        fields.push(("rewards", self.builder.children(all)));
        let all: Vec<NodeId> = model
            .players
            .iter()
            .map(|one| {
                let names = |all: &'d [Name]| all.iter().map(|name| (name.text.as_str(), name.span));
                let modules = self.builder.texts(names(&one.modules));
                let actions = self.builder.texts(names(&one.actions));
                let fields = [self.name(&one.name), ("modules", modules), ("actions", actions)];
                self.builder.node(Kind::Player.id(), one.span, &fields)
            })
            .collect();
        fields.push(("players", self.builder.children(all)));
        if let Some((states, span)) = model.init {
            let inner: Fields = self.expr("states", Some(states)).into_iter().collect();
            let node = self.builder.node(Kind::Init.id(), span, &inner);
            fields.push(("init", self.builder.child(node)));
        }
        let all: Vec<NodeId> = model
            .systems
            .iter()
            .map(|(name, system, span)| {
                let modules = self.builder.texts(named(system));
                let mut fields = vec![("modules", modules)];
                fields.extend(name.as_ref().map(|name| self.name(name)));
                self.builder.node(Kind::System.id(), *span, &fields)
            })
            .collect();
        fields.push(("systems", self.builder.children(all)));
        self.builder.node(Kind::Model.id(), whole, &fields)
    }

    fn name(&mut self, name: &Name) -> (&'static str, Placed) {
        ("name", self.builder.text(&name.text, name.span))
    }

    fn expr(&self, field: &'static str, expr: Option<ExprId>) -> Option<(&'static str, Placed)> {
        let node = self.exprs[expr?.index()]?;
        Some((field, self.builder.child(node)))
    }

    /// Comments about something that ends in its last line.
    fn simple(&mut self, span: Span) -> (&'static str, Placed) {
        let comments = self.comments.about(span, span.end);
        ("comments", self.builder.texts(comments))
    }

    /// Comments about something that has a first line of its own, which `head` is part of.
    fn block(&mut self, span: Span, head: Option<&Name>) -> (&'static str, Placed) {
        // Without a name: the word that it begins with.
        let word = self.text[span.start as usize..span.end as usize]
            .find(|c: char| !c.is_alphanumeric())
            .map_or(span.end, |length| span.start + length as u32);
        let up_to = head.map_or(word, |name| name.span.end);
        let comments = self.comments.about(span, up_to);
        ("comments", self.builder.texts(comments))
    }

    fn defined(&mut self, (kind, name, body, span): (Kind, &Name, ExprId, Span)) -> NodeId {
        let mut fields = vec![self.name(name), self.simple(span)];
        fields.extend(self.expr("value", Some(body)));
        self.builder.node(kind.id(), span, &fields)
    }

    fn variable(&mut self, one: &Variable, is_global: bool) -> NodeId {
        let mut fields =
            vec![self.name(&one.name), self.simple(one.span), ("isGlobal", flag(is_global, one.name.span))];
        let word = match one.ty {
            VarType::Range { lo, hi } => {
                fields.extend(self.expr("low", Some(lo)));
                fields.extend(self.expr("high", Some(hi)));
                None
            }
            VarType::Int => Some("int"),
            VarType::Bool => Some("bool"),
            VarType::Double => Some("double"),
            VarType::Clock => Some("clock"),
        };
        if let Some(word) = word {
            let behind = one.name.span.end as usize;
            let at =
                self.text[behind..one.span.end as usize].find(word).map_or(behind, |at| behind + at) as u32;
            let place = Span { start: at, end: (at + word.len() as u32).min(one.span.end), ..one.span };
            fields.push(("type", self.builder.text(word, place)));
        }
        fields.extend(self.expr("initial", one.init));
        self.builder.node(Kind::Variable.id(), one.span, &fields)
    }

    fn module(&mut self, one: &Module) -> NodeId {
        let mut fields = vec![self.name(&one.name), self.block(one.span, Some(&one.name))];
        let kind = match &one.body {
            ModuleBody::Plain { variables, commands, .. } => {
                let all: Vec<NodeId> = variables.iter().map(|one| self.variable(one, false)).collect();
                fields.push(("variables", self.builder.children(all)));
                let all: Vec<NodeId> = commands.iter().map(|one| self.command(one)).collect();
                fields.push(("commands", self.builder.children(all)));
                Kind::PlainModule
            }
            ModuleBody::Renamed { base, renames } => {
                fields.push(("base", self.builder.text(&base.text, base.span)));
                let all: Vec<NodeId> = renames
                    .iter()
                    .map(|pair| {
                        let original = self.builder.text(&pair.from.text, pair.from.span);
                        let fields = [self.name(&pair.to), ("original", original)];
                        self.builder.node(Kind::Renaming.id(), pair.from.span.to(pair.to.span), &fields)
                    })
                    .collect();
                fields.push(("renamings", self.builder.children(all)));
                Kind::RenamedModule
            }
        };
        self.builder.node(kind.id(), one.span, &fields)
    }

    fn command(&mut self, one: &Command) -> NodeId {
        let all: Vec<NodeId> = one.updates.iter().map(|update| self.update(update)).collect();
        let mut fields = vec![("updates", self.builder.children(all)), self.simple(one.span)];
        fields.extend(self.action(one.action.as_ref()));
        fields.extend(self.expr("guard", Some(one.guard)));
        self.builder.node(Kind::Command.id(), one.span, &fields)
    }

    fn action(&mut self, action: Option<&Name>) -> Option<(&'static str, Placed)> {
        action.map(|name| ("action", self.builder.text(&name.text, name.span)))
    }

    fn update(&mut self, one: &Update) -> NodeId {
        let all: Vec<NodeId> = one
            .assignments
            .iter()
            .map(|assignment| {
                let mut fields = vec![self.name(&assignment.target)];
                fields.extend(self.expr("value", Some(assignment.value)));
                self.builder.node(Kind::Assignment.id(), assignment.span, &fields)
            })
            .collect();
        let mut fields =
            vec![("assignments", self.builder.children(all)), ("isInterval", flag(one.interval, one.span))];
        fields.extend(self.expr("weight", one.weight));
        self.builder.node(Kind::Update.id(), one.span, &fields)
    }

    fn rewards(&mut self, one: &Rewards) -> NodeId {
        let all: Vec<NodeId> = one.items.iter().map(|item| self.item(item)).collect();
        let mut fields = vec![("items", self.builder.children(all)), self.block(one.span, one.name.as_ref())];
        fields.extend(one.name.as_ref().map(|name| self.name(name)));
        self.builder.node(Kind::Rewards.id(), one.span, &fields)
    }

    fn item(&mut self, one: &RewardItem) -> NodeId {
        let mut fields = vec![self.simple(one.span)];
        fields.extend(self.expr("guard", Some(one.guard)));
        fields.extend(self.expr("value", Some(one.value)));
        let kind = match &one.action {
            None => Kind::StateReward,
            Some(action) => {
                fields.extend(self.action(action.as_ref()));
                Kind::TransitionReward
            }
        };
        self.builder.node(kind.id(), one.span, &fields)
    }
}

/// The expressions that declarations hold.
fn roots(model: &Model) -> Vec<ExprId> {
    let mut all: Vec<ExprId> = model.constants.iter().filter_map(|one| one.value).collect();
    all.extend(model.formulas.iter().map(|one| one.body));
    all.extend(model.labels.iter().map(|one| one.body));
    let of_module = |module: &Module| match &module.body {
        ModuleBody::Plain { variables, .. } => variables.clone(),
        ModuleBody::Renamed { .. } => Vec::new(),
    };
    for variable in model.globals.iter().cloned().chain(model.modules.iter().flat_map(of_module)) {
        if let VarType::Range { lo, hi } = variable.ty {
            all.extend([lo, hi]);
        }
        all.extend(variable.init);
    }
    for module in &model.modules {
        let ModuleBody::Plain { commands, .. } = &module.body else { continue };
        for command in commands {
            all.push(command.guard);
            for update in &command.updates {
                all.extend(update.weight);
                all.extend(update.assignments.iter().map(|one| one.value));
            }
        }
    }
    all.extend(model.rewards.iter().flat_map(|one| &one.items).flat_map(|item| [item.guard, item.value]));
    all.extend(model.init.map(|(states, _)| states));
    all
}

/// The names in a composition, in the order of the text. Its depth is limited by the parser.
fn named(system: &System) -> Vec<(&str, Span)> {
    match system {
        System::Name(name) => vec![(&name.text, name.span)],
        System::Parallel(all) | System::Interleave(all) => all.iter().flat_map(named).collect(),
        System::Sync(one, _, two) => named(one).into_iter().chain(named(two)).collect(),
        System::Hide(one, _) | System::Rename(one, _) => named(one),
    }
}
