//! A report as JSON: the shape that `docs/json.md` documents, version 1.
//!
//! A [`Document`] has what all answers share: the model, results of properties, diagnostics. What only answers of one kind have is a
//! section, which the crate of that kind adds under its name ([`Document::with`]).
//!
//! Fields that do not apply are absent. Numbers have enough digits to read back as the same number; JSON has no
//! infinity, so that `inf` and `-inf` are strings.

mod counterexample;
mod devices;
mod diagnostic;
mod evidence;
mod model;
mod outline;
mod part;
mod result;
mod statistics;
pub mod values;

use crate::devices::DeviceListing;
use crate::outline::Outline;
use crate::points::Experiment;
use crate::report::{ModelReport, PropertyReport, Report};
use crate::trace::Counterexample;
use diagnostic::{DiagnosticShape, diagnostic};
use model::{Model, explanation, model};
use outline::outline_shape;
use result::{ResultShape, result};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use values::constant;
use volvelle_campaign::Part;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_media as media;

/// Version of the shape.
pub const SCHEMA: u32 = 1;

/// Something that only answers of one kind have.
type Section<'a> = Box<dyn erased_serde::Serialize + 'a>;

/// The whole answer.
pub struct Document<'a> {
    model: Option<Model<'a>>,
    models: Option<Vec<Model<'a>>>,
    /// By name, in the order in which they are written.
    sections: Vec<(&'static str, Section<'a>)>,
    results: Option<Vec<ResultShape<'a>>>,
    diagnostics: Vec<DiagnosticShape<'a>>,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("volvelle", env!("CARGO_PKG_VERSION"))?;
        map.serialize_entry("schema", &SCHEMA)?;
        if let Some(model) = &self.model {
            map.serialize_entry("model", model)?;
        }
        if let Some(models) = &self.models {
            map.serialize_entry("models", models)?;
        }
        for (name, section) in &self.sections {
            map.serialize_entry(name, section)?;
        }
        if let Some(results) = &self.results {
            map.serialize_entry("results", results)?;
        }
        map.serialize_entry("diagnostics", &self.diagnostics)?;
        map.end()
    }
}

impl<'a> Document<'a> {
    /// An answer with nothing but diagnostics.
    pub fn new(diagnostics: impl IntoIterator<Item = &'a Diagnostic>, sources: &'a Sources) -> Self {
        Self::of_shapes(diagnostics.into_iter().map(|d| diagnostic(d, sources)).collect())
    }

    /// An answer whose diagnostics are of several texts.
    pub fn of_several(diagnostics: &'a [(Vec<Diagnostic>, Sources)]) -> Self {
        let all =
            diagnostics.iter().flat_map(|(found, sources)| found.iter().map(|d| diagnostic(d, sources)));
        Self::of_shapes(all.collect())
    }

    fn of_shapes(diagnostics: Vec<DiagnosticShape<'a>>) -> Self {
        Document { model: None, models: None, sections: Vec::new(), results: None, diagnostics }
    }

    /// The model and the diagnostics of a report.
    pub fn of_report(report: &'a Report, sources: &'a Sources) -> Self {
        Self::new(report.all_diagnostics(), sources).about(report.model.as_ref())
    }

    /// The answer to `check`.
    pub fn of_check(report: &'a Report, sources: &'a Sources) -> Self {
        let results = report.results.iter().map(|r| result(r, sources)).collect();
        Document { results: Some(results), ..Self::of_report(report, sources) }
    }

    /// The answer to `check` with ranges of values: results in the order of the grid.
    pub fn of_experiment(experiment: &'a Experiment, sources: &'a Sources) -> Self {
        let constants = experiment
            .axes
            .iter()
            .map(|axis| AxisShape { name: &axis.name, values: axis.values.iter().map(constant).collect() });
        let shape = ExperimentShape {
            constants: constants.collect(),
            points: experiment.total,
            done: experiment.done(),
        };
        Self::of_points(experiment, sources).with("experiment", shape)
    }

    /// Results at several values of constants, whatever made them interesting.
    pub fn of_points(experiment: &'a Experiment, sources: &'a Sources) -> Self {
        let results = experiment.points.iter().flat_map(|p| &p.results).map(|r| result(r, sources)).collect();
        let (one, several) = match experiment.models.as_slice() {
            [one] => (Some(model(one)), None),
            [] => (None, None),
            several => (None, Some(several.iter().map(model).collect())),
        };
        Document {
            model: one,
            models: several,
            results: Some(results),
            ..Self::new(experiment.all_diagnostics(), sources)
        }
    }

    /// The answer to `explore`, with the files written.
    pub fn of_exploration(report: &'a Report, exports: &'a [String], sources: &'a Sources) -> Self {
        Self::of_report(report, sources).exported(exports)
    }

    /// A part of a run, in a file.
    pub fn of_part(file: &str, of: &Part, diagnostics: &'a [Diagnostic], sources: &'a Sources) -> Self {
        Self::new(diagnostics, sources).with("part", part::part(file, of))
    }

    /// A run of processes, step by step.
    pub fn of_run(
        file: &'a str,
        run: &'a Counterexample,
        faults: &'a [Diagnostic],
        sources: &'a Sources,
    ) -> Self {
        let shape = counterexample::RunShape::of(run);
        Self::new(faults, sources).of_file(file, Some("processes".into())).with("run", shape)
    }

    /// The answer to `info`.
    pub fn of_outline(
        file: &'a str,
        kind: Option<String>,
        outline: Option<&'a Outline>,
        diagnostics: &'a [Diagnostic],
        sources: &'a Sources,
    ) -> Self {
        let document = Self::new(diagnostics, sources).of_file(file, kind);
        document.with_some("outline", outline.map(outline_shape))
    }

    /// The devices of a machine, and technologies that serve none with the reason.
    pub fn of_devices(
        listed: &'a [DeviceListing],
        absent: &'a [(String, String)],
        sources: &'a Sources,
    ) -> Self {
        let devices: Vec<_> = listed.iter().map(devices::DeviceShape::of).collect();
        let absent: Vec<_> = absent.iter().map(devices::AbsentShape::of).collect();
        Self::new([], sources).with("devices", devices).with("absent", absent)
    }

    /// The same about an explored model, if there is one.
    #[must_use]
    pub fn about(self, space: Option<&'a ModelReport>) -> Self {
        Document { model: space.map(model), ..self }
    }

    /// The same about the model in a file, whose states are not known.
    #[must_use]
    pub fn of_file(self, file: &'a str, kind: Option<String>) -> Self {
        Document { model: Some(Model::without_space(file, kind)), ..self }
    }

    /// The same with a section.
    #[must_use]
    pub fn with(mut self, name: &'static str, section: impl Serialize + 'a) -> Self {
        self.sections.push((name, Box::new(section)));
        self
    }

    /// The same with a section, if there is one.
    #[must_use]
    pub fn with_some(self, name: &'static str, section: Option<impl Serialize + 'a>) -> Self {
        match section {
            Some(section) => self.with(name, section),
            None => self,
        }
    }

    /// The same with the names of files that were written.
    #[must_use]
    pub fn exported(self, exports: &'a [String]) -> Self {
        self.with_some("exports", (!exports.is_empty()).then_some(exports))
    }

    /// The same with what was done and why, of each state space and of each result.
    #[must_use]
    pub fn explained(
        mut self,
        spaces: impl IntoIterator<Item = &'a ModelReport>,
        results: impl Iterator<Item = &'a PropertyReport>,
    ) -> Self {
        let models = self.model.iter_mut().chain(self.models.iter_mut().flatten());
        for (model, space) in models.zip(spaces) {
            model.explain = Some(explanation(&space.facts));
        }
        for (shape, report) in self.results.iter_mut().flatten().zip(results) {
            shape.explain = Some(explanation(&report.facts));
        }
        self
    }

    /// As text, ending with a newline.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_else(|error| {
            // Nothing in the shape can fail: keys are strings, and numbers are finite or strings.
            format!("{{ \"schema\": {SCHEMA}, \"error\": \"{error}\" }}")
        });
        text.push('\n');
        media::json::harmless(&text).into_owned()
    }
}

#[derive(Serialize)]
struct ExperimentShape<'a> {
    constants: Vec<AxisShape<'a>>,
    points: usize,
    done: usize,
}

#[derive(Serialize)]
struct AxisShape<'a> {
    name: &'a str,
    values: Vec<serde_json::Value>,
}
