//! The PRISM language as a [`Document`](super::Document).

use super::{Analysis, FrontEnd, Input, Listed};
use crate::constants::Given;
use crate::outline::{self, Outline};
use crate::text::decode;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, FileId, Severity, Sources, Span, codes};
use volvelle_kernel::Site;
use volvelle_logic::Property;
use volvelle_model::{Origin, Program};
use volvelle_prism::ast::{ConstType, ExprKind, Model, PropertyFile};
use volvelle_prism::lower::{self, Constants, Lowered};
use volvelle_prism::parse;
use volvelle_prism::properties::FileNumber;
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
    ) -> Result<Box<dyn super::Document>, Diagnostic> {
        let model = decode(&input.name, input.bytes)?;
        let model = sources.add(model.name, model.text);
        let properties: Vec<FileId> =
            input.properties.into_iter().map(|p| sources.add(p.name, p.text)).collect();
        Ok(Box::new(Document::read(sources, model, &properties, diagnostics)))
    }
}

/// A PRISM model with its property files.
struct Document {
    model: Arc<Model>,
    /// Those given as files, then the texts given since.
    files: Vec<Arc<PropertyFile>>,
    /// How many of `files` were given as files.
    given_files: usize,
    listed: Vec<Listed>,
    /// File and place in the file of each listed property.
    places: Vec<(usize, usize)>,
    /// What the parser says of each listed property.
    complaints: Vec<Vec<Diagnostic>>,
    constants: Constants,
    lowered: Option<Lowered>,
    /// The numbers of `files` in `lowered`.
    numbers: Vec<FileNumber>,
    /// The parser found errors: a program made from what it could read would be another model.
    broken: bool,
}

impl Document {
    /// Parses a model and property files; complaints are pushed.
    fn read(
        sources: &Sources,
        model: FileId,
        properties: &[FileId],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let (model, complaints) = parse::model(sources, model);
        let broken = complaints.iter().any(|d| d.severity == Severity::Error);
        diagnostics.extend(complaints);
        let mut document = Document {
            model: Arc::new(model),
            files: Vec::new(),
            given_files: properties.len(),
            listed: Vec::new(),
            places: Vec::new(),
            complaints: Vec::new(),
            constants: Constants::new(),
            lowered: None,
            numbers: Vec::new(),
            broken,
        };
        for &file in properties {
            let (tree, complaints) = parse::properties(sources, file);
            let first = document.listed.len();
            for (i, property) in tree.properties.iter().enumerate() {
                document.listed.push(Listed {
                    name: property.name.as_ref().map(|n| n.text.clone()),
                    text: one_line(sources.text(property.span)),
                    span: property.span,
                });
                document.places.push((document.files.len(), i));
                document.complaints.push(Vec::new());
            }
            // A property that cannot be read costs only itself.
            for complaint in complaints {
                let place = complaint.primary.as_ref().map(|label| label.span);
                let unread = tree.properties.iter().position(|p| {
                    let within = |at: Span| p.span.start <= at.start && at.start <= p.span.end;
                    tree.exprs.get(p.body).kind == ExprKind::Error && place.is_some_and(within)
                });
                match unread {
                    Some(i) => document.complaints[first + i].push(complaint),
                    None => diagnostics.push(complaint),
                }
            }
            document.files.push(Arc::new(tree));
        }
        document
    }
}

impl Document {
    /// Adds the property files to the lowered model, under the constants that are in force.
    fn add_files(&mut self) -> Vec<Diagnostic> {
        self.files.truncate(self.given_files);
        self.numbers.clear();
        let mut diagnostics = Vec::new();
        if let Some(lowered) = &mut self.lowered {
            for file in &self.files {
                let (number, complaints) = lowered.add_properties(file.clone(), &self.constants);
                self.numbers.push(number);
                diagnostics.extend(complaints);
            }
        }
        diagnostics
    }
}

/// A text that may go over several lines, as one: white space between words becomes a single space.
fn one_line(text: &str) -> String {
    let without_comments = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    let words = without_comments.flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}

impl super::Document for Document {
    fn outline(&self, sources: &Sources) -> Option<Outline> {
        let of_model = summary(sources, &self.model, &self.constants, self.lowered.as_ref());
        Some(outline(self, sources, of_model))
    }

    fn lower(&mut self, sources: &Sources, constants: &[Given]) -> Vec<Diagnostic> {
        self.constants = constants.iter().cloned().collect();
        if self.broken {
            return Vec::new();
        }
        let (lowered, mut diagnostics) = lower::lower(sources, self.model.clone(), &self.constants);
        self.lowered = lowered;
        diagnostics.extend(self.add_files());
        diagnostics
    }

    fn set_constants(&mut self, constants: &[Given]) -> Vec<Diagnostic> {
        self.constants = constants.iter().cloned().collect();
        if let Some(lowered) = &mut self.lowered {
            lowered.forget_properties();
        }
        self.add_files()
    }

    fn program(&self) -> Option<&Program> {
        self.lowered.as_ref().map(Lowered::program)
    }

    fn constants(&self) -> Vec<Given> {
        let open = self.model.constants.iter().filter(|c| c.value.is_none());
        let given =
            open.filter_map(|c| Some((c.name.text.clone(), self.constants.get(&c.name.text)?.to_owned())));
        given.collect()
    }

    fn listed(&self) -> &[Listed] {
        &self.listed
    }

    fn property(&mut self, sources: &Sources, index: usize) -> Result<Property, Vec<Diagnostic>> {
        let (file, place) = self.places[index];
        if !self.complaints[index].is_empty() {
            return Err(self.complaints[index].clone());
        }
        match (&mut self.lowered, self.numbers.get(file)) {
            (Some(lowered), Some(&number)) => lowered.property(sources, number, place),
            _ => Err(Vec::new()),
        }
    }

    fn text(&mut self, sources: &Sources, file: FileId) -> Result<Property, Vec<Diagnostic>> {
        let (tree, mut diagnostics) = parse::property(sources, file);
        let tree = Arc::new(tree);
        if diagnostics.iter().any(|d| d.severity == Severity::Error) || tree.properties.is_empty() {
            return Err(diagnostics);
        }
        self.files.push(tree.clone());
        let Some(lowered) = &mut self.lowered else { return Err(diagnostics) };
        let (number, complaints) = lowered.add_properties(tree, &self.constants);
        self.numbers.push(number);
        diagnostics.extend(complaints);
        if diagnostics.iter().any(|d| d.severity == Severity::Error) {
            return Err(diagnostics);
        }
        lowered.property(sources, number, 0)
    }

    fn unused_constants(&self) -> Vec<Diagnostic> {
        let files: Vec<&PropertyFile> = self.files.iter().map(|f| &**f).collect();
        lower::unknown_constants(&self.constants, &self.model, &files)
    }

    fn explain_failure(&self, sources: &Sources, site: Site, values: &[i64]) -> Diagnostic {
        match &self.lowered {
            Some(lowered) => lowered.explain_failure(sources, site, values),
            None => Diagnostic::error(codes::OUT_OF_RANGE, "evaluating the model failed"),
        }
    }

    fn explain_no_initial_state(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error(codes::NO_INITIAL_STATE, "no state fulfils the initial condition");
        match &self.model.init {
            Some((condition, _)) => diagnostic.at(self.model.exprs.span(*condition), ""),
            None => diagnostic,
        }
    }

    fn place(&self, origin: Origin) -> Option<Span> {
        self.lowered.as_ref().map(|lowered| lowered.span(origin))
    }

    fn analyses(&self) -> &'static [Analysis] {
        &[Analysis::Numbers, Analysis::Sampling, Analysis::Search]
    }

    fn state_text(&self, values: &[i64]) -> String {
        self.lowered.as_ref().map_or(String::new(), |lowered| lowered.state_text(values))
    }
}

/// The summary of a model, together with what the property files declare.
fn outline(document: &Document, sources: &Sources, model: Summary) -> Outline {
    let files = || document.files[..document.given_files].iter();
    let of_model = model.constants.into_iter().map(|c| outline::Constant {
        name: c.name,
        ty: c.ty,
        value: c.value,
        open: c.open,
        in_properties: false,
    });
    let of_files = files().flat_map(|file| file.constants.iter().map(move |c| (file, c))).map(|(file, c)| {
        let written = c.value.map(|value| one_line(sources.text(file.exprs.span(value))));
        outline::Constant {
            name: c.name.text.clone(),
            ty: match c.ty {
                ConstType::Int => "int",
                ConstType::Double => "double",
                ConstType::Bool => "bool",
            },
            open: c.value.is_none(),
            value: written.or_else(|| document.constants.get(&c.name.text).map(str::to_owned)),
            in_properties: true,
        }
    });
    let properties = document.listed.iter().enumerate();
    let mut labels = model.labels;
    labels.extend(files().flat_map(|file| &file.labels).map(|label| label.name.text.clone()));
    Outline {
        processes: Vec::new(),
        channels: Vec::new(),
        kind: model.kind.to_uppercase(),
        constants: of_model.chain(of_files).collect(),
        variables: (model.variables.into_iter())
            .map(|v| outline::Variable {
                name: v.name,
                component: v.module,
                range: v.domain,
                initial: v.initial,
            })
            .collect(),
        initial_condition: model.initial_condition,
        components: (model.modules.into_iter())
            .map(|m| outline::Component { name: m.name, copy_of: m.copy_of, commands: m.commands })
            .collect(),
        actions: model.actions,
        rewards: (model.rewards.into_iter())
            .map(|r| outline::Rewards { name: r.name, states: r.states, transitions: r.transitions })
            .collect(),
        labels,
        properties: properties
            .map(|(i, p)| outline::Property { number: i + 1, name: p.name.clone(), text: p.text.clone() })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn texts_over_several_lines() {
        assert_eq!(one_line("P=? [ F\n   x=1 // until\n ]"), "P=? [ F x=1 ]");
    }
}
