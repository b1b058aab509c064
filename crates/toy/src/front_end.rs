//! The language as sessions see it: how its files are recognised, and a document that answers what analyses ask.

use crate::lower::{Lowered, lower, property};
use crate::parse;
use crate::syntax::{Model, Question};
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_kernel::Site;
use volvelle_logic::{Constant, Property};
use volvelle_model::{Origin, Program};
use volvelle_verify::language::{Analysis, Document, FrontEnd, Input, LanguageOption, Listed, Offers};
use volvelle_verify::{Component, Outline, Variable, decode};

/// The front end of Tally.
pub struct Tally;

/// Models in Tally are explored and sampled; they have constants, and files of questions.
const OFFERS: Offers = Offers {
    analyses: &[Analysis::Numbers, Analysis::Sampling],
    options: &[LanguageOption::Constants, LanguageOption::PropertyFiles],
    ..Offers::MODULES
};

impl FrontEnd for Tally {
    fn name(&self) -> &'static str {
        "tally"
    }

    fn title(&self) -> &'static str {
        "Tally"
    }

    fn offers(&self) -> &'static [Offers] {
        &[OFFERS]
    }

    fn endings(&self) -> &'static [&'static str] {
        &["tally"]
    }

    fn first_words(&self) -> &'static [&'static str] {
        &["counter"]
    }

    fn read(
        &self,
        input: Input<'_>,
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Box<dyn Document>> {
        let text = decode(&input.name, input.bytes).map_err(|error| diagnostics.push(error)).ok()?;
        let file = sources.add(text.name, text.text.clone());
        let (model, errors) = parse::model(file, &text.text);
        let mut tally = TallyDocument { model, is_broken: !errors.is_empty(), ..TallyDocument::default() };
        diagnostics.extend(errors);
        for file in input.properties {
            let id = sources.add(file.name, file.text.clone());
            let (questions, errors) = parse::questions(id, &file.text);
            diagnostics.extend(errors);
            tally.add(sources, questions);
        }
        Some(Box::new(tally))
    }
}

/// A model with its questions.
#[derive(Default)]
struct TallyDocument {
    model: Model,
    /// The parser found errors: the rest would be another model.
    is_broken: bool,
    questions: Vec<Question>,
    listed: Vec<Listed>,
    given: Vec<Constant>,
    lowered: Option<Lowered>,
}

impl TallyDocument {
    fn add(&mut self, sources: &Sources, questions: Vec<Question>) {
        for question in questions {
            let (span, text) = (question.span, sources.text(question.span).to_owned());
            self.listed.push(Listed { name: None, text, span });
            self.questions.push(question);
        }
    }
}

impl Document for TallyDocument {
    fn outline(&self, _: &Sources) -> Option<Outline> {
        let variables = self.model.counters.iter().map(|counter| Variable {
            name: counter.name.text.clone(),
            component: None,
            range: format!("{}..{}", counter.lo, counter.hi),
            initial: Some(counter.initial.into()),
        });
        let rules = Component { name: "rules".to_owned(), copy_of: None, commands: self.model.rules.len() };
        Some(Outline {
            kind: "DTMC".to_owned(),
            variables: variables.collect(),
            components: vec![rules],
            actions: self.model.rules.iter().map(|rule| rule.name.text.clone()).collect(),
            labels: self.model.goals.iter().map(|goal| goal.name.text.clone()).collect(),
            ..Outline::default()
        })
    }

    fn lower(&mut self, _: &Sources, constants: &[Constant]) -> Vec<Diagnostic> {
        self.given = constants.to_vec();
        if self.is_broken {
            return Vec::new();
        }
        let (lowered, diagnostics) = lower(&self.model);
        self.lowered = lowered;
        diagnostics
    }

    fn set_constants(&mut self, constants: &[Constant]) -> Vec<Diagnostic> {
        self.given = constants.to_vec();
        Vec::new()
    }

    fn program(&self) -> Option<&Program> {
        self.lowered.as_ref().map(|lowered| &lowered.program)
    }

    fn constants(&self) -> Vec<Constant> {
        Vec::new()
    }

    fn listed(&self) -> &[Listed] {
        &self.listed
    }

    fn property(&mut self, _: &Sources, index: usize) -> Result<Property, Vec<Diagnostic>> {
        let text = &self.listed[index].text;
        property(&self.model, &self.questions[index], text).map_err(|diagnostic| vec![diagnostic])
    }

    fn text(&mut self, sources: &Sources, file: FileId) -> Result<Property, Vec<Diagnostic>> {
        let text = &sources.file(file).text;
        let (questions, diagnostics) = parse::questions(file, text);
        match &questions[..] {
            _ if !diagnostics.is_empty() => Err(diagnostics),
            [question] => property(&self.model, question, text).map_err(|diagnostic| vec![diagnostic]),
            _ => {
                Err(vec![Diagnostic::error(codes::PROPERTY_SYNTAX, "expected one question: chance of GOAL")])
            }
        }
    }

    fn unused_constants(&self) -> Vec<Diagnostic> {
        let unknown = |Constant { name, .. }: &Constant| {
            let message = format!("there is no constant `{name}`: Tally has none");
            Diagnostic::error(codes::UNKNOWN_CONSTANT_OPTION, message)
        };
        self.given.iter().map(unknown).collect()
    }

    fn explain_failure(&self, _: &Sources, site: Site, _: &[i64]) -> Diagnostic {
        let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, "a rule leaves the range of its counter");
        let info = self.program().and_then(|program| program.sites.get(site.index()));
        match info.and_then(|info| self.place(info.origin)) {
            Some(span) => diagnostic.at(span, ""),
            None => diagnostic,
        }
    }

    fn explain_no_initial_state(&self) -> Diagnostic {
        Diagnostic::error(codes::NO_INITIAL_STATE, "the model has no initial state")
    }

    fn place(&self, origin: Origin) -> Option<Span> {
        self.lowered.as_ref()?.spans.get(origin.0 as usize).copied()
    }

    fn state_text(&self, values: &[i64]) -> String {
        let counters = self.model.counters.iter().zip(values);
        counters
            .map(|(counter, value)| format!("{}={value}", counter.name.text))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn offers(&self) -> Offers {
        OFFERS
    }

    fn refusal(&self, analysis: Analysis) -> Diagnostic {
        let message = format!("a model in Tally does not allow this analysis ({analysis:?})");
        Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message).help("ask for a chance: chance of GOAL")
    }
}
