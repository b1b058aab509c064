//! The PRISM language as a [`Document`](super::Document).

use super::properties::{Properties, constant_type};
use super::{Analysis, FrontEnd, Input, Listed, Offers, ReadAs};
use crate::outline::{self, Outline};
use crate::text::decode;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, FileId, Severity, Sources, Span, codes};
use volvelle_kernel::Site;
use volvelle_logic::{Constant, Property};
use volvelle_model::{Origin, Program};
use volvelle_prism::ast::{Model, ModelType};
use volvelle_prism::lower::{self, Lowered};
use volvelle_prism::parse;
use volvelle_prism::summary::{Summary, summary};

/// The front end of the PRISM language.
pub struct Prism;

impl FrontEnd for Prism {
    fn name(&self) -> &'static str {
        "prism"
    }

    fn title(&self) -> &'static str {
        "The PRISM language"
    }

    fn offers(&self) -> &'static [Offers] {
        &[Offers::MODULES]
    }

    fn endings(&self) -> &'static [&'static str] {
        &["prism", "pm", "nm", "sm", "mm", "smg", "pomdp", "pta"]
    }

    fn first_words(&self) -> &'static [&'static str] {
        &[
            "dtmc",
            "ctmc",
            "mdp",
            "probabilistic",
            "stochastic",
            "nondeterministic",
            "pta",
            "pomdp",
            "popta",
            "smg",
            "csg",
            "idtmc",
            "imdp",
        ]
    }

    fn read(
        &self,
        input: Input<'_>,
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Box<dyn super::Document>> {
        let text = decode(&input.name, input.bytes).map_err(|d| diagnostics.push(d)).ok()?;
        let name = text.name.clone();
        let file = sources.add(text.name, text.text);
        let files: Vec<FileId> = input.properties.into_iter().map(|p| sources.add(p.name, p.text)).collect();
        let (mut model, found) = parse::model(sources, file);
        if let Some(kind) = input.overrides.kind {
            let ty = match kind {
                ReadAs::Dtmc => ModelType::Dtmc,
                ReadAs::Ctmc => ModelType::Ctmc,
                ReadAs::Mdp => ModelType::Mdp,
            };
            let span = model.ty.map_or(Span::new(file, 0, 0), |(_, span)| span);
            model.ty = Some((ty, span));
        }
        model.unchecked_sums = input.overrides.unchecked_sums;
        let is_broken = found.iter().any(|d| d.severity == Severity::Error);
        diagnostics.extend(found);
        let properties = Properties::read(sources, &files, input.named.clone(), diagnostics);
        Some(Box::new(Document { name, model: Arc::new(model), properties, lowered: None, is_broken }))
    }
}

/// A PRISM model with its properties.
struct Document {
    /// Name of its file.
    name: String,
    model: Arc<Model>,
    properties: Properties,
    lowered: Option<Lowered>,
    /// The parser found errors: a program made from what it could read would be another model.
    is_broken: bool,
}

impl super::Document for Document {
    fn outline(&self, sources: &Sources) -> Option<Outline> {
        let constants = self.properties.constants();
        let mut outline = of_model(summary(sources, &self.model, constants, self.lowered.as_ref()));
        self.properties.outline(sources, &mut outline);
        Some(outline)
    }

    fn lower(&mut self, sources: &Sources, constants: &[Constant]) -> Vec<Diagnostic> {
        self.properties.set_constants(constants);
        if self.is_broken {
            return Vec::new();
        }
        let constants = self.properties.constants();
        let (lowered, mut diagnostics) = lower::lower(sources, self.model.clone(), constants);
        self.lowered = lowered;
        if let Some(lowered) = &mut self.lowered {
            diagnostics.extend(self.properties.add_to(lowered));
        }
        diagnostics
    }

    fn set_constants(&mut self, constants: &[Constant]) -> Vec<Diagnostic> {
        self.properties.set_constants(constants);
        let Some(lowered) = &mut self.lowered else { return Vec::new() };
        lowered.forget_properties();
        self.properties.add_to(lowered)
    }

    fn program(&self) -> Option<&Program> {
        self.lowered.as_ref().map(Lowered::program)
    }

    fn constants(&self) -> Vec<Constant> {
        let values = self.properties.constants();
        let open = self.model.constants.iter().filter(|c| c.value.is_none());
        let given = open.filter_map(|c| {
            let value = values.get(&c.name.text)?.clone();
            Some(Constant { name: c.name.text.clone(), value })
        });
        given.collect()
    }

    fn listed(&self) -> &[Listed] {
        self.properties.listed()
    }

    fn property(&mut self, sources: &Sources, index: usize) -> Result<Property, Vec<Diagnostic>> {
        self.properties.property(self.lowered.as_mut(), sources, index)
    }

    fn text(&mut self, sources: &Sources, file: FileId) -> Result<Property, Vec<Diagnostic>> {
        self.properties.text(self.lowered.as_mut(), sources, file)
    }

    fn formula(&mut self, sources: &Sources, file: FileId) -> Result<Property, Vec<Diagnostic>> {
        self.properties.formula(self.lowered.as_mut(), sources, file)
    }

    fn take_warnings(&mut self) -> Vec<Diagnostic> {
        self.lowered.as_mut().map_or_else(Vec::new, Lowered::take_warnings)
    }

    fn unused_constants(&self) -> Vec<Diagnostic> {
        self.properties.unused_constants(&self.model)
    }

    fn explain_failure(&self, sources: &Sources, site: Site, values: &[i64]) -> Diagnostic {
        match &self.lowered {
            Some(lowered) => lowered.explain_site(sources, site, values),
            None => Diagnostic::error(codes::OUT_OF_RANGE, "evaluating the model failed"),
        }
    }

    fn explain_no_initial_state(&self) -> Diagnostic {
        let diagnostic =
            Diagnostic::error(codes::NO_INITIAL_STATE, "no state satisfies the initial condition");
        match &self.model.init {
            Some((condition, _)) => diagnostic.at(self.model.exprs.span(*condition), ""),
            None => diagnostic,
        }
    }

    fn place(&self, origin: Origin) -> Option<Span> {
        self.lowered.as_ref().map(|lowered| lowered.span(origin))
    }

    fn offers(&self) -> Offers {
        Offers::MODULES
    }

    fn refusal(&self, analysis: Analysis) -> Diagnostic {
        super::refused(&self.name, "is a stochastic model", analysis)
            .help(format!("check its properties: volvelle check {} --prop PROPERTY", self.name))
    }

    fn state_text(&self, values: &[i64]) -> String {
        self.lowered.as_ref().map_or(String::new(), |lowered| lowered.state_text(values))
    }
}

/// The summary of a model as an outline.
fn of_model(model: Summary) -> Outline {
    let constants = model.constants.into_iter().map(|c| outline::Constant {
        name: c.name,
        ty: constant_type(c.ty),
        value: c.value,
        open: c.open,
        in_properties: false,
    });
    let variables = model.variables.into_iter().map(|v| outline::Variable {
        name: v.name,
        component: v.module,
        range: v.domain,
        initial: v.initial,
    });
    let modules = model.modules.into_iter();
    let rewards = model.rewards.into_iter();
    Outline {
        kind: model.kind.to_uppercase(),
        constants: constants.collect(),
        variables: variables.collect(),
        initial_condition: model.initial_condition,
        components: modules
            .map(|m| outline::Component { name: m.name, copy_of: m.copy_of, commands: m.commands })
            .collect(),
        actions: model.actions,
        rewards: rewards
            .map(|r| outline::Rewards { name: r.name, states: r.states, transitions: r.transitions })
            .collect(),
        labels: model.labels,
        ..Outline::default()
    }
}
