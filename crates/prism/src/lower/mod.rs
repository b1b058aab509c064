//! Lowering: the syntax tree of a model, with values for its open constants, becomes a [`Program`].
//!
//! All errors of a run are reported, unless one follows from another; without errors, lowering returns a
//! program. The semantics is PRISM's (manual, *The PRISM Language*; PRISM 4.8 where the manual is
//! silent); the modules below document deviations.
//!
//! The result stays in [`Lowered`], so that properties can be lowered against it afterwards
//! ([`crate::properties`]).

pub mod bounds;
mod commands;
mod compose;
mod constant;
mod context;
pub mod exact;
mod explain;
mod expression;
mod foreign;
mod functions;
mod irrational;
mod modules;
mod names;
mod numbers;
mod operators;
mod players;
mod rewards;
mod typed;
mod values;
mod variables;

pub(crate) use context::{Context, ContextId, Place};
pub(crate) use expression::Part;
pub use foreign::Foreign;
pub(crate) use names::built_in;
pub(crate) use names::{Entity, Named, Tree, declared_twice};
pub(crate) use operators::describe;
pub(crate) use rewards::built_in_label;
pub(crate) use typed::{Ty, Typed};
pub(crate) use values::parse_any;
pub use values::{Constants, OpenConstant, Value, number, open_constants, unknown_constants};

use crate::ast::{self, Model, ModelType, PropertyFile};
use bounds::Bounds;
use names::{Cycles, Names};
use numbers::{Numbers, Quoted};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Distinct, Severity, Sources, Span, codes};
use volvelle_entity::EntityVec;
use volvelle_kernel::{Const, FailKind, Site};
use volvelle_model::rounding::Surroundings;
use volvelle_model::{Choice, Component, ComponentId, Origin, Program, SiteInfo, SiteSubject};

/// A lowered model.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub(crate) inner: Lowering,
}

impl Lowered {
    /// The program. Properties add observations to it.
    pub fn program(&self) -> &Program {
        &self.inner.program
    }

    /// The text behind an origin of the program.
    pub fn span(&self, origin: Origin) -> Span {
        self.inner.origins[origin.0 as usize]
    }

    /// The syntax tree of the model.
    pub fn model(&self) -> &Model {
        &self.inner.model
    }

    /// The model's constants with their values, in the order of their declarations.
    pub fn constants(&self) -> Vec<(String, Value)> {
        let values = self.inner.model.constants.iter().enumerate().filter_map(|(i, constant)| {
            let entity = Entity::Constant(Tree::Model, i as u32);
            let typed = self.inner.constants.get(&entity)?.as_ref()?;
            Some((constant.name.text.clone(), self.inner.value_of(typed)?))
        });
        values.collect()
    }
}

/// Lowers a model that was parsed without errors. Without a program, at least one diagnostic is an error; with
/// one, there may be warnings. (A model with syntax errors is lowered as far as it was parsed: its diagnostics
/// are useful, its program is not.)
pub fn lower(
    sources: &Sources,
    model: Arc<Model>,
    constants: &Constants,
) -> (Option<Lowered>, Vec<Diagnostic>) {
    let mut lowering = Lowering::new(model, constants.clone());
    lowering.model(sources);
    lowering.report_scaled();
    let mut diagnostics = lowering.diagnostics.take();
    // A part that the parser reported fails here without another diagnostic.
    let failed = !lowering.failed.is_empty() || diagnostics.iter().any(|d| d.severity == Severity::Error);
    if failed {
        // A range whose bounds have no value makes conditions look false.
        diagnostics.retain(|d| d.code != codes::NEVER_TRUE);
    }
    ((!failed).then_some(Lowered { inner: lowering }), diagnostics)
}

/// The state of lowering, kept for later properties.
#[derive(Clone, Debug)]
pub(crate) struct Lowering {
    pub(crate) model: Arc<Model>,
    pub(crate) files: Vec<Arc<PropertyFile>>,
    /// The first file that counts: those before it were forgotten.
    pub(crate) first_file: u32,
    pub(crate) file_contexts: Vec<ContextId>,
    pub(crate) names: Names,
    /// The labels and the properties with names of each tree, the first of each name.
    quoted: FxHashMap<Tree, Quoted>,
    pub(crate) numbers: Numbers,
    pub(crate) cycles: Cycles,
    /// Names that property files declare though they are taken; labels and properties in quotation marks.
    pub(crate) ambiguous: FxHashSet<String>,
    pub(crate) contexts: EntityVec<ContextId, Context>,
    pub(crate) program: Program,
    pub(crate) diagnostics: Distinct,
    /// Warnings about commands whose probabilities are scaled; one is shown.
    scaled: Distinct,
    /// What estimates of weights depend on, for so many fields.
    surroundings: Option<(usize, Surroundings)>,
    /// Warnings about properties that were lowered.
    pub(crate) warnings: Vec<Diagnostic>,
    /// Constants that only the command line and a property mention.
    pub(crate) given: Vec<Value>,
    pub(crate) values: Constants,
    /// Declared constants that were requested; `None` if they have no value.
    constants: FxHashMap<Entity, Option<Typed>>,
    memo: FxHashMap<(ContextId, ast::ExprId), Typed>,
    failed: FxHashSet<(ContextId, ast::ExprId)>,
    /// Per variable; the bounds follow when ranges are known.
    variable_types: Vec<Ty>,
    variable_bounds: Vec<Option<Bounds>>,
    /// Operations of every expression of the arena, written out.
    operations: Vec<u32>,
    origins: Vec<Span>,
    origin_of: FxHashMap<Span, Origin>,
    /// The command that is being lowered.
    command: Option<Origin>,
    /// The expression that is being lowered belongs to a definition, not to a command.
    shared: bool,
}

impl Lowering {
    fn new(model: Arc<Model>, values: Constants) -> Self {
        let choice = match model.ty {
            Some((ModelType::Dtmc, _)) => Choice::Uniform,
            Some((ModelType::Ctmc, _)) => Choice::Race,
            _ => Choice::Probabilistic,
        };
        Lowering {
            quoted: FxHashMap::from_iter([(Tree::Model, Quoted::of(&model.labels, &[]))]),
            numbers: Numbers::default(),
            model,
            files: Vec::new(),
            first_file: 0,
            file_contexts: Vec::new(),
            names: Names::default(),
            cycles: Cycles::default(),
            ambiguous: FxHashSet::default(),
            contexts: vec![Context { tree: Tree::Model, renames: None }].into(),
            program: Program::new(choice),
            diagnostics: Distinct::default(),
            scaled: Distinct::default(),
            surroundings: None,
            warnings: Vec::new(),
            given: Vec::new(),
            values,
            constants: FxHashMap::default(),
            memo: FxHashMap::default(),
            failed: FxHashSet::default(),
            variable_types: Vec::new(),
            variable_bounds: Vec::new(),
            operations: Vec::new(),
            origins: Vec::new(),
            origin_of: FxHashMap::default(),
            command: None,
            shared: false,
        }
    }

    fn model(&mut self, sources: &Sources) {
        let model = self.model.clone();
        if !self.supported(&model) {
            return;
        }
        let named = |entity, span| Named { entity, span: Some(span), in_model: true };
        let constants = model
            .constants
            .iter()
            .enumerate()
            .map(|(i, c)| (&c.name, Entity::Constant(Tree::Model, i as u32)));
        let formulas =
            model.formulas.iter().enumerate().map(|(i, f)| (&f.name, Entity::Formula(Tree::Model, i as u32)));
        for (name, entity) in constants.chain(formulas) {
            if let Some(diagnostic) = self.names.add(&name.text, named(entity, name.span)) {
                self.report(diagnostic);
            }
        }
        let instances = self.instances();
        let declared = self.declared(&model, &instances);
        self.name_variables(&declared);
        let mut cycles = std::mem::take(&mut self.cycles);
        let diagnostics = cycles.of_model(&model, &self.names);
        self.cycles = cycles;
        diagnostics.into_iter().for_each(|d| self.report(d));

        self.all_constants(sources);
        self.program.components = instances
            .iter()
            .map(|instance| Component { name: model.modules[instance.module].name.text.clone() })
            .collect();
        self.fields(sources, &declared);
        self.initial_condition(sources);
        let commands: Vec<_> = instances
            .iter()
            .enumerate()
            .map(|(i, instance)| self.module_commands(sources, ComponentId(i as u32), instance))
            .collect();
        self.compose(&instances, &commands);
        self.players();
        self.labels(sources);
        self.rewards(sources);
    }

    /// Refuses models of kinds that are not supported.
    fn supported(&mut self, model: &Model) -> bool {
        match model.ty {
            None => {
                let first = model.modules.first().map(|module| {
                    let start = module.span.start as usize;
                    Span::new(module.span.file, start, start + "module".len())
                });
                let mut diagnostic =
                    Diagnostic::warning(codes::NO_MODEL_TYPE, "the model has no type; mdp is assumed")
                        .help("write `mdp`, `dtmc` or `ctmc` on the first line");
                if let Some(span) = first {
                    diagnostic = diagnostic.at(span, "");
                }
                self.report(diagnostic);
            }
            Some((ModelType::Unsupported(keyword), span)) => {
                self.report(
                    Diagnostic::error(
                        codes::UNSUPPORTED_MODEL_TYPE,
                        format!("{} are not supported", describe_type(keyword)),
                    )
                    .at(span, "")
                    .help("the supported types are dtmc, ctmc and mdp"),
                );
                return false;
            }
            Some(_) => {}
        }
        for (what, span) in &model.unsupported {
            self.report(
                Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, format!("{what} is not supported"))
                    .at(*span, ""),
            );
        }
        for module in &model.modules {
            if let ast::ModuleBody::Plain { invariant: Some(span), .. } = &module.body {
                self.report(
                    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, "invariants are not supported")
                        .at(*span, "")
                        .help("they belong to timed automata; the supported types are dtmc, ctmc and mdp"),
                );
            }
        }
        model.unsupported.is_empty()
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        // Copies of a module share its text: one diagnostic is enough.
        self.diagnostics.push(diagnostic);
    }

    /// Notes a command whose probabilities are scaled.
    fn scaled_command(&mut self, warning: Diagnostic) {
        self.scaled.push(warning);
    }

    /// Reports the first of these commands, and how many there are.
    fn report_scaled(&mut self) {
        let mut scaled = self.scaled.take().into_iter();
        let Some(first) = scaled.next() else { return };
        let more = scaled.len();
        let first = match more {
            0 => first,
            1 => first.note("so are those of another command"),
            _ => first.note(format!("so are those of {more} other commands")),
        };
        self.report(first);
    }

    pub(crate) fn origin(&mut self, span: Span) -> Origin {
        let origins = &mut self.origins;
        *self.origin_of.entry(span).or_insert_with(|| {
            origins.push(span);
            Origin(origins.len() as u32 - 1)
        })
    }

    pub(crate) fn site(&mut self, kind: FailKind, subject: SiteSubject, span: Span) -> Site {
        let origin = self.origin(span);
        let command = if self.shared { None } else { self.command };
        self.program.site(SiteInfo { kind, subject, origin, command })
    }

    pub(crate) fn constants_of(&self, tree: Tree) -> &[ast::Constant] {
        match tree {
            Tree::Model => &self.model.constants,
            Tree::File(file) => &self.files[file as usize].constants,
        }
    }

    pub(crate) fn formulas_of(&self, tree: Tree) -> &[ast::Formula] {
        match tree {
            Tree::Model => &self.model.formulas,
            Tree::File(file) => &self.files[file as usize].formulas,
        }
    }

    pub(crate) fn label_decls(&self, tree: Tree) -> &[ast::LabelDecl] {
        match tree {
            Tree::Model => &self.model.labels,
            Tree::File(file) => &self.files[file as usize].labels,
        }
    }

    pub(crate) fn context_of_tree(&self, tree: Tree) -> ContextId {
        match tree {
            Tree::Model => ContextId::MODEL,
            Tree::File(file) => self.file_contexts[file as usize],
        }
    }

    /// The label that a quoted name refers to in a tree; a model cannot refer to labels.
    pub(crate) fn find_label(&self, tree: Tree, name: &str) -> Option<(Tree, u32)> {
        let Tree::File(_) = tree else { return None };
        let files = (self.first_file..self.files.len() as u32).rev().map(Tree::File);
        files.chain([Tree::Model]).find_map(|tree| {
            let number = self.quoted.get(&tree)?.labels.get(name)?;
            Some((tree, *number))
        })
    }

    /// Adds a property file whose names are entered.
    pub(crate) fn add_file(&mut self, file: Arc<PropertyFile>) {
        let tree = Tree::File(self.files.len() as u32);
        self.quoted.insert(tree, Quoted::of(&file.labels, &file.properties));
        self.files.push(file);
    }

    /// The property that a name means in a file.
    pub(crate) fn find_property(&self, tree: Tree, name: &str) -> Option<(Tree, u32)> {
        let Tree::File(last) = tree else { return None };
        (self.first_file..=last).rev().map(Tree::File).find_map(|tree| {
            let number = self.quoted.get(&tree)?.properties.get(name)?;
            Some((tree, *number))
        })
    }

    /// Whether an expression has names, and all of them are variables.
    fn only_variables(&self, context: ContextId, id: ast::ExprId) -> bool {
        let (mut variables, mut others) = (0, 0);
        names::for_each_identifier(self.exprs(context), id, |name, _| {
            let tree = self.contexts[context].tree;
            let entity = self.names.get(tree, self.renamed(context, name)).map(|named| named.entity);
            match entity {
                Some(Entity::Variable(_)) => variables += 1,
                _ => others += 1,
            }
        });
        variables > 0 && others == 0
    }

    /// Sentences on the ranges of the variables that an expression mentions.
    fn ranges_in(&self, context: ContextId, id: ast::ExprId) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        names::for_each_identifier(self.exprs(context), id, |name, _| {
            let tree = self.contexts[context].tree;
            let Some(named) = self.names.get(tree, self.renamed(context, name)) else { return };
            if let Entity::Variable(field) = named.entity {
                let field = &self.program.fields[field.index()];
                if let volvelle_model::Domain::Int { lo, hi } = field.domain {
                    let sentence = format!("the range of `{}` is {lo}..{hi}", field.name);
                    if !found.contains(&sentence) {
                        found.push(sentence);
                    }
                }
            }
        });
        found
    }

    /// Warns of a condition that no state fulfils. Constants switch conditions off on purpose: only one on variables alone is
    /// suspicious.
    pub(crate) fn warn_never_true(&mut self, context: ContextId, condition: ast::ExprId, message: &str) {
        if !self.only_variables(context, condition) {
            return;
        }
        let ranges = self.ranges_in(context, condition);
        let text = ranges[..ranges.len().min(3)].join(", ");
        let span = self.span(context, condition);
        self.report(Diagnostic::warning(codes::NEVER_TRUE, message).at(span, text));
    }

    /// Gives a constant the double nearest to its exact value, in place of one that several roundings made.
    fn round_once(&mut self, typed: &mut Typed) {
        if typed.ty == Ty::Double
            && let Some(exact) = &typed.exact
            && let Some(double) = self.program.exprs.as_const(typed.expr).and_then(Const::as_f64)
        {
            let nearest = exact::to_f64(exact);
            // Zeros keep their sign, by which division decides.
            if nearest != double && nearest.is_finite() {
                typed.expr = self.program.exprs.f64(nearest);
                typed.bounds = bounds::Bounds::point(nearest);
            }
            if nearest.is_finite() {
                self.keep_apart(typed);
            }
        }
    }

    /// Numbers that share a double would have no exact values: another one gets the next double. So does, from the beginning, what
    /// is very near to a number with few digits.
    fn keep_apart(&mut self, typed: &mut Typed) {
        let Some(exact) = &typed.exact else { return };
        let double = exact::to_f64(exact);
        let (mut below, mut above) = (double, double);
        for _ in 0..4 {
            for place in [&mut below, &mut above] {
                let expr = self.program.exprs.f64(*place);
                let taken = match self.program.exact.get(expr) {
                    Some(known) => known != Some(&**exact),
                    None => exact::is_short(*place) && exact::of_f64(*place).is_some_and(|p| p != **exact),
                };
                if !taken {
                    if *place != double {
                        typed.expr = expr;
                        typed.bounds = bounds::Bounds::point(*place);
                    }
                    return;
                }
            }
            (below, above) = (below.next_down(), above.next_up());
        }
    }

    /// Records the exact value of a double constant in the program.
    pub(crate) fn note_exact(&mut self, typed: &Typed) {
        // A condition on variables may not matter, `(x>0 ? 1 : 1)`: what its constants are is known by now.
        if typed.ty == Ty::Double
            && (typed.constant || typed.exact.is_some())
            && let Some(double) = self.program.exprs.as_const(typed.expr).and_then(Const::as_f64)
        {
            self.program.exact.note(typed.expr, double, typed.exact.as_deref());
        }
    }

    /// The lowered form of a node; `None` if it is wrong.
    pub(crate) fn remember(&mut self, place: Place, typed: Option<Typed>) {
        match typed {
            Some(mut typed) => {
                self.round_once(&mut typed);
                self.note_exact(&typed);
                self.memo.insert(place, typed);
            }
            None => {
                self.failed.insert(place);
            }
        }
    }

    /// Forgets which parts failed, so that they are reported again for the next property.
    pub(crate) fn forget_failures(&mut self) {
        self.failed.clear();
        self.constants.retain(|_, value| value.is_some());
    }
}

/// The models behind a keyword.
fn describe_type(keyword: &str) -> String {
    let name = match keyword {
        "pta" => "probabilistic timed automata",
        "pomdp" => "partially observable Markov decision processes",
        "popta" => "partially observable timed automata",
        "smg" => "stochastic multi-player games",
        "csg" => "concurrent stochastic games",
        "tsg" | "stpg" => "turn-based stochastic games",
        "idtmc" => "interval Markov chains",
        "imdp" => "interval Markov decision processes",
        "ctmdp" => "continuous-time Markov decision processes",
        "ma" => "Markov automata",
        "lts" => "labelled transition systems",
        other => return format!("models of type {other}"),
    };
    format!("{name} ({keyword})")
}
