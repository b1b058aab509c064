//! Promela as a [`ProcessDocument`].

mod condition;
mod coverage;
mod evaluate;
mod failures;
mod formatter;
mod outline;
mod steps;
mod vacuous;

use super::{
    Analysis, Claimed, Console, Covered, Document, FrontEnd, GlobalPlace, Input, Listed, ObservedText,
    Offers, ProcessDocument, Reading, ShowSteps, StateCondition, StatementNumbers,
};
use crate::folder::Folder;
use crate::outline::Outline;
use crate::text::decode;
use formatter::Formatter;
use std::collections::BTreeMap;
use std::sync::Arc;
use steps::StepPrinter;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes, has_errors, suggest};
use volvelle_kernel::{ExprId, Site};
use volvelle_logic::{Constant, Property};
use volvelle_model::claim::Claim;
use volvelle_model::{NetworkLayout, Origin, Program};
use volvelle_promela::{
    Include, Lowered, Observed, ast, lower_observing, lower_printing, lower_with_input, parse,
    parse_expression, parse_formula, reads_input,
};

/// The front end of Promela.
pub struct Promela;

impl FrontEnd for Promela {
    fn name(&self) -> &'static str {
        "promela"
    }

    fn title(&self) -> &'static str {
        "Promela"
    }

    fn offers(&self) -> &'static [Offers] {
        &[Offers::PROCESSES]
    }

    fn endings(&self) -> &'static [&'static str] {
        &["pml", "promela", "spin"]
    }

    fn first_words(&self) -> &'static [&'static str] {
        &[
            "active",
            "proctype",
            "init",
            "mtype",
            "chan",
            "typedef",
            "inline",
            "bit",
            "bool",
            "byte",
            "pid",
            "short",
            "int",
            "unsigned",
            "hidden",
            "local",
            "show",
            "ltl",
            "never",
            "trace",
            "notrace",
            "D_proctype",
            "#",
        ]
    }

    fn read(
        &self,
        input: Input<'_>,
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Box<dyn Document>> {
        let text = decode(&input.name, input.bytes).map_err(|d| diagnostics.push(d)).ok()?;
        let name = text.name.clone();
        let file = sources.add(text.name, text.text);
        let parsed = parse(sources, file, &mut Texts(input.folder), input.defines);
        let is_broken = has_errors(&parsed.diagnostics);
        diagnostics.extend(parsed.diagnostics);
        let (model, formulas, observed) = (Arc::new(parsed.model), Vec::new(), Vec::new());
        let source = input.standard_input.filter(|_| reads_input(&model));
        let characters = source.map(|read| read()).filter(|characters| !characters.is_empty());
        let macros = input.defines.iter().map(|(name, _)| name.clone()).collect();
        let lowered = None;
        Some(Box::new(Model { name, model, formulas, observed, macros, characters, is_broken, lowered }))
    }
}

/// The texts in a folder.
struct Texts<'a>(&'a mut dyn Folder);

impl Include for Texts<'_> {
    fn read(&mut self, name: &str) -> Option<String> {
        String::from_utf8(self.0.read(name)?).ok()
    }
}

/// A Promela model.
struct Model {
    /// Name of its file.
    name: String,
    model: Arc<ast::Model>,
    /// Texts of the claims given from outside.
    formulas: Vec<FileId>,
    /// The expressions that are observed.
    observed: Vec<Observed>,
    /// Names of the macros given from outside.
    macros: Vec<String>,
    /// What the model reads from the standard input.
    characters: Option<Vec<u8>>,
    /// The parser found errors: a program made from what it could read would be another model.
    is_broken: bool,
    lowered: Option<Lowered>,
}

impl Model {
    fn claim_names(&self) -> impl Iterator<Item = &str> {
        self.model.units.iter().filter_map(|unit| match unit {
            ast::Unit::Ltl { name: Some(name), .. } | ast::Unit::Never { name: Some(name), .. } => {
                Some(name.text.as_str())
            }
            _ => None,
        })
    }
}

impl Document for Model {
    fn outline(&self, sources: &Sources) -> Option<Outline> {
        Some(outline::outline(sources, &self.model, self.lowered.as_ref()?))
    }

    fn lower(&mut self, sources: &Sources, _: &[Constant]) -> Vec<Diagnostic> {
        if self.is_broken {
            return Vec::new();
        }
        let (lowered, mut diagnostics) = match &self.characters {
            Some(characters) => lower_with_input(&self.model, characters),
            None => lower_observing(&self.model, &self.observed),
        };
        diagnostics.extend(vacuous::no_process(&self.name, &self.model));
        diagnostics.extend(vacuous::unused_macros(&self.macros, sources));
        self.lowered = lowered.filter(|_| !has_errors(&diagnostics));
        diagnostics
    }

    fn set_constants(&mut self, _: &[Constant]) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn program(&self) -> Option<&Program> {
        self.lowered.as_ref().map(|lowered| &lowered.program)
    }

    fn constants(&self) -> Vec<Constant> {
        Vec::new()
    }

    fn listed(&self) -> &[Listed] {
        &[]
    }

    fn property(&mut self, _: &Sources, _: usize) -> Result<Property, Vec<Diagnostic>> {
        Err(vec![no_properties()])
    }

    fn text(&mut self, _: &Sources, _: FileId) -> Result<Property, Vec<Diagnostic>> {
        Err(vec![no_properties()])
    }

    fn unused_constants(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn explain_failure(&self, _: &Sources, site: Site, _: &[i64]) -> Diagnostic {
        match &self.lowered {
            Some(lowered) => failures::failure(&self.model.places, lowered, site.0),
            None => Diagnostic::error(codes::OUT_OF_RANGE, "evaluating the model failed"),
        }
    }

    fn explain_no_initial_state(&self) -> Diagnostic {
        Diagnostic::error(codes::NO_INITIAL_STATE, "no process can start")
    }

    fn place(&self, origin: Origin) -> Option<Span> {
        let place = *self.lowered.as_ref()?.origins.get(origin.0 as usize)?;
        Some(self.model.places.span(place))
    }

    fn state_text(&self, values: &[i64]) -> String {
        let fields = self.program().map_or([].as_slice(), |program| &program.fields);
        let texts = fields.iter().zip(values).map(|(field, value)| format!("{}={value}", field.name));
        texts.collect::<Vec<_>>().join(" ")
    }

    fn offers(&self) -> Offers {
        Offers::PROCESSES
    }

    fn refusal(&self, analysis: Analysis) -> Diagnostic {
        let name = &self.name;
        let diagnostic = super::refused(name, "is a Promela model", analysis);
        match analysis {
            Analysis::Sampling => diagnostic.help(format!("run it: volvelle simulate {name}")),
            _ => diagnostic.help(format!("check it: volvelle check {name}")),
        }
    }

    fn processes(&self) -> Option<&dyn ProcessDocument> {
        Some(self)
    }

    fn observe(&mut self, sources: &mut Sources, texts: &[ObservedText<'_>]) -> Vec<Diagnostic> {
        self.observed.clear();
        let mut diagnostics = Vec::new();
        for &ObservedText { option, text, is_condition } in texts {
            let file = sources.add(option, text);
            let (expr, problems) = parse_expression(sources, file, Arc::make_mut(&mut self.model));
            diagnostics.extend(problems);
            self.observed.push(Observed { expr, is_condition });
        }
        diagnostics
    }

    fn add_claim(&mut self, sources: &mut Sources, text: &str) -> Vec<Diagnostic> {
        if self.claim_names().any(|name| name == text) {
            return Vec::new();
        }
        let is_word = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_word && let Some(near) = suggest(text, self.claim_names()) {
            let diagnostic =
                Diagnostic::error(codes::UNKNOWN_PROPERTY, format!("there is no claim `{text}`"));
            return vec![diagnostic.help(format!("did you mean `{near}`?"))];
        }
        let file = sources.add("--ltl", text);
        self.formulas.push(file);
        let model = Arc::make_mut(&mut self.model);
        let (formula, diagnostics) = parse_formula(sources, file, model);
        let place = model.exprs.get(formula).place;
        let name = Some(ast::Name { text: text.to_owned(), place });
        model.units.push(ast::Unit::Ltl { name, formula, place });
        diagnostics
    }
}

fn no_properties() -> Diagnostic {
    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, "a Promela model has claims instead of properties")
        .help("write a claim in the model, or give a formula with --ltl")
}

impl ProcessDocument for Model {
    fn claims<'a>(&'a self, sources: &'a Sources) -> Vec<Claimed<'a>> {
        let Some(lowered) = &self.lowered else { return Vec::new() };
        let claimed = lowered.claims.iter().map(|claim| {
            let name = claim.name.as_deref().unwrap_or("never");
            let span = self.model.places.span(claim.place);
            let text = match &claim.claim {
                Claim::Never(_) => "no run that the claim accepts",
                // A formula from outside is its own name; the place of an expression is less than all of it.
                Claim::Ltl(_) if self.is_formula(span.file) => name,
                Claim::Ltl(_) => sources.text(span),
            };
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let place = |origin: Origin| lowered.origins.get(origin.0 as usize).copied();
            let line = |place| sources.line_column(self.model.places.span(place)).line;
            let lines = match &claim.claim {
                Claim::Never(states) => {
                    states.iter().map(|state| state.origin.and_then(place).map(line)).collect()
                }
                Claim::Ltl(_) => Vec::new(),
            };
            Claimed { name, text, claim: &claim.claim, lines }
        });
        claimed.collect()
    }

    fn observed(&self) -> &[ExprId] {
        self.lowered.as_ref().map_or(&[], |lowered| &lowered.observed)
    }

    fn counters(&self) -> Vec<GlobalPlace> {
        self.lowered.as_ref().map_or(Vec::new(), steps::global_places)
    }

    fn is_formula(&self, file: FileId) -> bool {
        self.formulas.contains(&file)
    }

    fn at_claim(&self, diagnostic: Diagnostic, number: usize) -> Diagnostic {
        match self.lowered.as_ref().and_then(|lowered| lowered.claims.get(number)) {
            Some(claim) => volvelle_promela::at(diagnostic, &self.model.places, claim.place, ""),
            None => diagnostic,
        }
    }

    fn at_origin(&self, diagnostic: Diagnostic, origin: Origin) -> Diagnostic {
        match self.lowered.as_ref().and_then(|lowered| lowered.origins.get(origin.0 as usize)) {
            Some(&place) => volvelle_promela::at(diagnostic, &self.model.places, place, ""),
            None => diagnostic,
        }
    }

    fn is_end(&self, site: Site) -> bool {
        self.lowered.as_ref().is_some_and(|lowered| failures::is_end(lowered, site.0))
    }

    fn without_unread(&self) -> Option<Program> {
        Some(self.lowered.as_ref()?.without_unread())
    }

    fn truncations(&self, notes: &BTreeMap<u32, i64>) -> Vec<Diagnostic> {
        let lowered = self.lowered.as_ref();
        lowered.map_or(Vec::new(), |lowered| failures::truncations(&self.model.places, lowered, notes))
    }

    fn steps<'a>(
        &'a self,
        sources: &'a Sources,
        layout: &'a NetworkLayout,
    ) -> Option<Box<dyn ShowSteps + 'a>> {
        let (places, lowered) = (&self.model.places, self.lowered.as_ref()?);
        Some(Box::new(StepPrinter::new(Formatter { sources, places, lowered, layout })))
    }

    fn coverage(&self, covered: &Covered) -> (Vec<Diagnostic>, (usize, usize)) {
        let lowered = self.lowered.as_ref();
        lowered.map_or_else(Default::default, |lowered| coverage::judge(&self.model, lowered, covered))
    }

    fn for_runs(&self) -> (Option<Box<dyn Document>>, Vec<Diagnostic>) {
        if self.is_broken {
            return (None, Vec::new());
        }
        let (lowered, diagnostics) = lower_printing(&self.model, &[]);
        let lowered = lowered.filter(|_| !has_errors(&diagnostics));
        let document = lowered.map(|lowered| {
            let lowered = Some(lowered);
            let (name, model, formulas) = (self.name.clone(), self.model.clone(), self.formulas.clone());
            let (observed, macros, characters, is_broken) = (Vec::new(), Vec::new(), None, false);
            Box::new(Model { name, model, formulas, observed, macros, characters, is_broken, lowered })
                as Box<dyn Document>
        });
        (document, diagnostics)
    }

    fn condition(
        &self,
        sources: &mut Sources,
        text: &str,
    ) -> Result<Box<dyn StateCondition>, Vec<Diagnostic>> {
        let condition = condition::Condition::read(&self.model, sources, text)?;
        Ok(Box::new(condition))
    }

    fn console(&self) -> Console<'_> {
        let Some(lowered) = &self.lowered else { return Console::default() };
        let printing = lowered.printing.as_ref().and_then(|printing| printing.length.zip(printing.log));
        let reading = lowered.input.as_ref().map(|input| Reading {
            field: input.field,
            end: volvelle_promela::Input::END,
            readers: &input.readers,
        });
        Console { printing, reading }
    }

    fn printed(&self, noted: &[i64]) -> String {
        self.lowered.as_ref().map_or(String::new(), |lowered| lowered.printed(noted))
    }

    fn statement_numbers(&self) -> Option<StatementNumbers<'_>> {
        let lowered = self.lowered.as_ref()?;
        Some(StatementNumbers { of_steps: &lowered.statement_numbers, count: lowered.statement_count })
    }
}
