//! A report as JSON: the shape that `docs/json.md` documents, version 1.
//!
//! Fields that do not apply are absent. Numbers have enough digits to read back as the same number; JSON has no
//! infinity, so that `inf` and `-inf` are strings.

mod counterexample;
mod devices;
mod diagnostic;
mod distribution;
mod evidence;
mod find;
mod model;
mod mpi;
mod nbody;
mod outline;
mod part;
mod path;
mod performance;
mod pipeline;
mod result;
mod statistics;
mod systems;
mod tuning;
mod values;
mod weighted;

use crate::devices::DeviceListing;
use crate::distribution::Distributions;
use crate::find::Found;
use crate::lint::Lint;
use crate::outline::Outline;
use crate::points::Experiment;
use crate::report::{ModelReport, PropertyReport, Report};
use crate::sampling::{PathEnd, PathPlan, PathStep};
use crate::systems::{CompareReport, FormulasReport, ReduceReport};
use crate::trace::Counterexample;
use crate::weighted::{
    AllDistances, Closeness, WctlReport, WeightedComparison, WeightedDistance, WeightedOptimum,
    WeightedReduction,
};
use counterexample::RunShape;
use diagnostic::{DiagnosticShape, diagnostic};
use distribution::{DistributionShape, distributions};
use find::FindShape;
use model::{Model, explanation, model};
use outline::{OutlineShape, outline_shape};
use path::PathShape;
use result::{ResultShape, result};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;
use systems::{ComparisonShape, FormulaShape, ReductionShape};
use tuning::TuningShape;
use values::constant;
use volvelle_campaign::Part;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_media as media;
use volvelle_tune::Tuning;
use weighted::{DistanceShape, DistancesShape, OptimumShape, WctlShape, WeightedComparisonShape};

/// Version of the shape.
pub const SCHEMA: u32 = 1;

/// The whole answer.
#[derive(Serialize)]
pub struct Document<'a> {
    volvelle: &'static str,
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<Model<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    models: Option<Vec<Model<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    experiment: Option<ExperimentShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    find: Option<FindShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distributions: Option<Vec<DistributionShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outline: Option<OutlineShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<ResultShape<'a>>>,
    /// Results that another crate has written.
    #[serde(rename = "results", skip_serializing_if = "Option::is_none")]
    simulated: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    means: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<part::PartShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statements: Option<StatementsShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    devices: Option<Vec<devices::DeviceShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    absent: Option<Vec<devices::AbsentShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exports: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tuning: Option<TuningShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reduction: Option<ReductionShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<ComparisonShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    formulas: Option<Vec<FormulaShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    performance: Option<performance::PerformanceShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<pipeline::StepShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    study: Option<mpi::StudyShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nbody: Option<nbody::NbodyShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weighted_comparison: Option<WeightedComparisonShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<DistanceShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distances: Option<DistancesShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    optimum: Option<OptimumShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wctl: Option<Vec<WctlShape<'a>>>,
    diagnostics: Vec<DiagnosticShape<'a>>,
}

impl<'a> Document<'a> {
    /// An answer with nothing but diagnostics.
    pub fn new(diagnostics: impl IntoIterator<Item = &'a Diagnostic>, sources: &'a Sources) -> Self {
        Document {
            volvelle: env!("CARGO_PKG_VERSION"),
            schema: SCHEMA,
            model: None,
            models: None,
            experiment: None,
            find: None,
            distributions: None,
            outline: None,
            results: None,
            simulated: None,
            means: None,
            run: None,
            path: None,
            part: None,
            statements: None,
            devices: None,
            absent: None,
            exports: None,
            tuning: None,
            reduction: None,
            comparison: None,
            formulas: None,
            performance: None,
            steps: None,
            study: None,
            nbody: None,
            weighted_comparison: None,
            distance: None,
            distances: None,
            optimum: None,
            wctl: None,
            diagnostics: diagnostics.into_iter().map(|d| diagnostic(d, sources)).collect(),
        }
    }

    /// The answer to `compare` with a relation of weighted systems.
    pub fn of_weighted_comparison(
        report: &'a Report,
        found: Option<&'a WeightedComparison>,
        sources: &'a Sources,
    ) -> Self {
        Document {
            weighted_comparison: found.map(WeightedComparisonShape::of),
            ..Self::of_report(report, sources)
        }
    }

    /// The answer to `check --wctl`.
    pub fn of_wctl(found: &'a WctlReport, sources: &'a Sources) -> Self {
        let formulas = found.formulas.iter().map(WctlShape::of).collect();
        Document { wctl: Some(formulas), ..Self::of_report(&found.report, sources) }
    }

    /// The answer to `distance`.
    pub fn of_distance(
        report: &'a Report,
        found: Option<&'a WeightedDistance>,
        sources: &'a Sources,
    ) -> Self {
        Document { distance: found.map(DistanceShape::of), ..Self::of_report(report, sources) }
    }

    /// The answer to `distance` between all states, with the files written.
    pub fn of_all_distances(
        report: &'a Report,
        found: Option<(&'a AllDistances, Option<&'a Closeness>)>,
        exports: &'a [String],
        sources: &'a Sources,
    ) -> Self {
        Document {
            distances: found.map(|(distances, groups)| DistancesShape::of(distances, groups)),
            ..Self::of_exploration(report, exports, sources)
        }
    }

    /// The answer to `distance` with a question about parameters.
    pub fn of_optimum(report: &'a Report, found: Option<&'a WeightedOptimum>, sources: &'a Sources) -> Self {
        Document { optimum: found.map(OptimumShape::of), ..Self::of_report(report, sources) }
    }

    /// The answer to `check`.
    pub fn of_check(report: &'a Report, sources: &'a Sources) -> Self {
        let results = report.results.iter().map(|r| result(r, sources)).collect();
        Document { results: Some(results), ..Self::of_report(report, sources) }
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

    /// The answer to `check` with ranges of values: results in the order of the grid.
    pub fn of_experiment(experiment: &'a Experiment, sources: &'a Sources) -> Self {
        let results = experiment.points.iter().flat_map(|p| &p.results).map(|r| result(r, sources)).collect();
        let shape = ExperimentShape {
            constants: (experiment.axes.iter())
                .map(|axis| AxisShape {
                    name: &axis.name,
                    values: axis.values.iter().map(constant).collect(),
                })
                .collect(),
            points: experiment.total,
            done: experiment.done(),
        };
        let (one, several) = match experiment.models.as_slice() {
            [one] => (Some(model(one)), None),
            [] => (None, None),
            several => (None, Some(several.iter().map(model).collect())),
        };
        Document {
            model: one,
            models: several,
            experiment: Some(shape),
            results: Some(results),
            ..Self::new(experiment.all_diagnostics(), sources)
        }
    }

    /// The answer to `check --find`: results in the order of the values that were tried.
    pub fn of_threshold(found: &'a Found, sources: &'a Sources) -> Self {
        let document = Self::of_experiment(&found.evaluated, sources);
        Document { experiment: None, find: Some(FindShape::of(found)), ..document }
    }

    /// The answer to `check --transient` and `check --steady-state`.
    pub fn of_distributions(found: &'a Distributions, sources: &'a Sources) -> Self {
        let model = found.model.as_ref().map(model);
        let distributions = Some(distributions(found));
        Document { model, distributions, ..Self::new(&found.diagnostics, sources) }
    }

    /// The answer to `steady`.
    pub fn of_long_run(
        report: &'a crate::performance::PerformanceReport<crate::performance::LongRunFound>,
        sources: &'a Sources,
    ) -> Self {
        let performance = Some(performance::of_long_run(report));
        Document { performance, ..Self::new(&report.diagnostics, sources) }
    }

    /// The answer to `transient`.
    pub fn of_course(
        report: &'a crate::performance::PerformanceReport<crate::performance::CourseFound>,
        sources: &'a Sources,
    ) -> Self {
        let performance = Some(performance::of_course(report));
        Document { performance, ..Self::new(&report.diagnostics, sources) }
    }

    /// The answer to `mpi`, with the files written.
    pub fn of_study(
        report: &'a crate::mpi::StudyReport,
        exports: &'a [String],
        sources: &'a Sources,
    ) -> Self {
        let exports = (!exports.is_empty()).then_some(exports);
        let study = Some(mpi::StudyShape::of(report));
        Document { study, exports, ..Self::new(&report.diagnostics, sources) }
    }

    /// The answer to `nbody`, with the files written.
    pub fn of_nbody(
        report: &'a crate::nbody::NbodyReport,
        exports: &'a [String],
        diagnostics: &'a [Diagnostic],
        sources: &'a Sources,
    ) -> Self {
        let exports = (!exports.is_empty()).then_some(exports);
        let nbody = Some(nbody::NbodyShape::of(report));
        Document { nbody, exports, ..Self::new(diagnostics, sources) }
    }

    /// The answer to `multicore`: results, means over programs where there are several, and the files written.
    pub fn of_multicore(
        results: Vec<Value>,
        means: Vec<Value>,
        exports: &'a [String],
        diagnostics: &'a [Diagnostic],
        sources: &'a Sources,
    ) -> Self {
        Document {
            simulated: Some(results),
            means: (!means.is_empty()).then_some(means),
            exports: (!exports.is_empty()).then_some(exports),
            ..Self::new(diagnostics, sources)
        }
    }

    /// The answer to `explore`, with the files written.
    pub fn of_exploration(report: &'a Report, exports: &'a [String], sources: &'a Sources) -> Self {
        let exports = (!exports.is_empty()).then_some(exports);
        Document { exports, ..Self::of_report(report, sources) }
    }

    /// The answer to `reduce`, with the files written.
    pub fn of_reduction(
        report: &'a Report,
        reduced: Option<&ReduceReport>,
        exports: &'a [String],
        sources: &'a Sources,
    ) -> Self {
        Document {
            reduction: reduced.map(ReductionShape::of),
            ..Self::of_exploration(report, exports, sources)
        }
    }

    /// The answer to `reduce` by a relation of weighted systems.
    pub fn of_weighted_reduction(
        report: &'a Report,
        reduced: Option<&WeightedReduction>,
        exports: &'a [String],
        sources: &'a Sources,
    ) -> Self {
        Document {
            reduction: reduced.map(ReductionShape::of_weighted),
            ..Self::of_exploration(report, exports, sources)
        }
    }

    /// The answer to `compare`.
    pub fn of_comparison(report: &'a Report, found: Option<&'a CompareReport>, sources: &'a Sources) -> Self {
        Document { comparison: found.map(ComparisonShape::of), ..Self::of_report(report, sources) }
    }

    /// The answer to `check --mcl`.
    pub fn of_formulas(found: &'a FormulasReport, sources: &'a Sources) -> Self {
        let formulas = Some(found.formulas.iter().map(FormulaShape::of).collect());
        Document { formulas, ..Self::of_report(&found.report, sources) }
    }

    /// The answer to `run`, with the files written. Diagnostics are of several texts.
    pub fn of_pipeline(
        steps: &'a [crate::pipeline::StepReport],
        exports: &'a [String],
        diagnostics: &'a [(Vec<Diagnostic>, Sources)],
        sources: &'a Sources,
    ) -> Self {
        let all =
            diagnostics.iter().flat_map(|(found, sources)| found.iter().map(|d| diagnostic(d, sources)));
        Document {
            steps: Some(steps.iter().map(pipeline::StepShape::of).collect()),
            exports: (!exports.is_empty()).then_some(exports),
            diagnostics: all.collect(),
            ..Self::new([], sources)
        }
    }

    /// The answer to `simulate`.
    pub fn of_run(
        file: &'a str,
        run: &'a Counterexample,
        faults: &'a [Diagnostic],
        sources: &'a Sources,
    ) -> Self {
        let model = Some(Model::without_space(file, Some("processes".into())));
        Document { model, run: Some(RunShape::of(run)), ..Self::new(faults, sources) }
    }

    /// The answer to `trace`: the states of a path in their order, and why it ends (`None`: it was cut short).
    pub fn of_path(
        file: &'a str,
        plan: &'a PathPlan,
        steps: &'a [PathStep],
        end: Option<&'a PathEnd>,
        complaints: &'a [Diagnostic],
        sources: &'a Sources,
    ) -> Self {
        let model = Some(Model::without_space(file, Some(plan.kind().into())));
        Document { model, path: Some(PathShape::of(plan, steps, end)), ..Self::new(complaints, sources) }
    }

    /// A part of a run, in a file.
    pub fn of_part(file: &str, of: &Part, diagnostics: &'a [Diagnostic], sources: &'a Sources) -> Self {
        Document { part: Some(part::part(file, of)), ..Self::new(diagnostics, sources) }
    }

    /// The answer to `tune`; without a result where there is nothing but diagnostics.
    pub fn of_tuning(
        file: &'a str,
        tuning: Option<&Tuning>,
        elapsed: Duration,
        diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
        sources: &'a Sources,
    ) -> Self {
        let model = Some(Model::without_space(file, None));
        let tuning = tuning.map(|tuning| TuningShape::of(tuning, elapsed));
        Document { model, tuning, ..Self::new(diagnostics, sources) }
    }

    /// The answer to `lint`.
    pub fn of_lint(file: &'a str, lint: &'a Lint, sources: &'a Sources) -> Self {
        let model = Some(Model::without_space(file, Some("processes".into())));
        let statements = lint.executed.map(|(executed, all)| StatementsShape { all, executed });
        Document { model, statements, ..Self::new(&lint.diagnostics, sources) }
    }

    /// The answer to `info`.
    pub fn of_outline(
        file: &'a str,
        outline: Option<&'a Outline>,
        diagnostics: &'a [Diagnostic],
        sources: &'a Sources,
    ) -> Self {
        let kind = outline.map(|o| o.kind.to_lowercase());
        let model = Some(Model::without_space(file, kind));
        Document { model, outline: outline.map(outline_shape), ..Self::new(diagnostics, sources) }
    }

    /// The devices of a machine, and technologies that serve none with the reason.
    pub fn of_devices(
        listed: &'a [DeviceListing],
        absent: &'a [(String, String)],
        sources: &'a Sources,
    ) -> Self {
        Document {
            devices: Some(listed.iter().map(devices::DeviceShape::of).collect()),
            absent: Some(absent.iter().map(devices::AbsentShape::of).collect()),
            ..Self::new([], sources)
        }
    }

    /// The model and the diagnostics of a report.
    pub fn of_report(report: &'a Report, sources: &'a Sources) -> Self {
        Document { model: report.model.as_ref().map(model), ..Self::new(report.all_diagnostics(), sources) }
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

/// Statements of a Promela model.
#[derive(Serialize)]
struct StatementsShape {
    all: usize,
    executed: usize,
}
