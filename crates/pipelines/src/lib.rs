//! Pipelines: systems that are made from models and from each other, and questions about them, declared once in a file.
//!
//! Text in, (pipeline, diagnostics) out: [`read`] parses and checks a declaration, resolves the names in it and finds an order of
//! the steps; it opens no files. [`ask`] makes the systems, in [`Pipeline::order`], for each of [`Pipeline::points_of`] a step: only
//! constants that a model takes ask for several systems, names of rates do not.

pub mod ask;
mod document;
mod form;
pub mod json;
pub mod options;
mod read;
mod report;
mod resolve;
mod steps;
mod table;
#[cfg(test)]
mod tests;
mod values;

pub use form::PIPELINE;
pub use read::read;
pub use report::{Made, PointReport, StepAnswer, StepReport};
pub use table::Table;

use volvelle_diagnostics::Span;
use volvelle_logic::{Constant, ConstantValue};
use volvelle_lts::ReduceOptions;
use volvelle_space::Lts;
use volvelle_systems::Relabelling;

/// Points of a sweep beyond which it is refused.
const MOST_POINTS: usize = 100_000;

/// A declaration.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// Constants with their values, in the order of the text.
    pub constants: Vec<Declared>,
    /// Steps in the order of the text; behind them the files that are compared with.
    pub steps: Vec<Step>,
    /// All steps, each behind those that it needs.
    pub order: Vec<usize>,
}

/// A constant.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// Its values, at least one.
    pub values: Vec<ConstantValue>,
    /// Where it is declared.
    pub span: Span,
}

/// A step: a system, and perhaps a question about it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Where its system comes from.
    pub source: Source,
    /// Renaming rules as written.
    pub rename: Vec<String>,
    /// Hidden labels as written.
    pub hide: Option<String>,
    /// The same, read.
    pub relabelling: Relabelling,
    /// The equivalence modulo which the system is reduced.
    pub reduce: Option<ReduceOptions>,
    /// The file that the system is written to, with constants in braces.
    pub write: Option<String>,
    /// The question.
    pub question: Option<Question>,
    /// The answer that is expected, for questions of yes or no.
    pub expect: Option<bool>,
    /// The file for the table of numbers.
    pub csv: Option<String>,
    /// Constants that the system depends on: indices into [`Pipeline::constants`], ascending.
    pub depends: Vec<usize>,
}

/// Where a system comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A file.
    Model {
        /// Its path from the folder of the pipeline.
        file: String,
        /// Where it is named.
        span: Span,
        /// Values for constants of the model.
        constants: Vec<Setting>,
        /// Macros for the preprocessor.
        defines: Vec<Setting>,
    },
    /// Another step, by its index.
    Step(usize),
}

/// What a model is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// The value of a constant of the pipeline, by its index.
    Constant(usize),
    /// A text such as `N=4`.
    Text(String),
}

/// A question about a system.
#[derive(Clone, Debug)]
pub enum Question {
    /// Whether it is equivalent to that of another step.
    Compare {
        /// The other step.
        with: usize,
        /// The equivalence.
        options: ReduceOptions,
    },
    /// Whether a formula of the mu-calculus holds.
    Check {
        /// The formula, or the name of its file.
        formula: String,
    },
    /// Throughputs in the long run.
    Steady(Measure),
    /// Throughputs over time, or a first passage.
    Transient {
        /// What is measured.
        measure: Measure,
        /// Times, as `--times` takes them.
        times: Option<String>,
        /// Expected counts too.
        counts: bool,
        /// Actions whose first occurrence ends a passage.
        until: Vec<String>,
    },
}

/// What is measured of a system with rates.
#[derive(Clone, Debug, Default)]
pub struct Measure {
    /// The actions; all where there are none.
    pub actions: Vec<String>,
    /// Derivatives with respect to rates.
    pub sensitivity: bool,
    /// The least and the greatest values over all schedulers.
    pub bounds: bool,
}

impl Pipeline {
    /// The points for which the system of a step is made: indices of values, in the order of its constants; the last changes
    /// fastest.
    pub fn points_of(&self, step: usize) -> Vec<Vec<usize>> {
        let depends = &self.steps[step].depends;
        let sizes: Vec<usize> = depends.iter().map(|&at| self.constants[at].values.len()).collect();
        let mut points = vec![Vec::new()];
        for size in sizes {
            points = points
                .iter()
                .flat_map(|point: &Vec<usize>| (0..size).map(move |value| [&point[..], &[value]].concat()))
                .collect();
        }
        points
    }

    /// The number of the point of `other` that agrees with a point of `step`, which depends on all that `other` depends on.
    pub fn point_within(&self, step: usize, point: &[usize], other: usize) -> usize {
        let depends = &self.steps[step].depends;
        self.steps[other].depends.iter().fold(0, |number, constant| {
            let value = depends.iter().position(|own| own == constant).map_or(0, |place| point[place]);
            number * self.constants[*constant].values.len() + value
        })
    }

    /// The values of constants at a point of a step.
    pub fn constants_at(&self, step: usize, point: &[usize]) -> Vec<Constant> {
        let depends = self.steps[step].depends.iter();
        depends.zip(point).map(|(&at, &value)| self.constant(at, value)).collect()
    }

    fn constant(&self, at: usize, value: usize) -> Constant {
        let declared = &self.constants[at];
        Constant { name: declared.name.clone(), value: declared.values[value].clone() }
    }

    /// The constants that names of rates of a system need at a point of a step, as `--const` takes them: one value where the system
    /// depends on the constant, all values otherwise. With the indices of these constants.
    pub fn rates_at(&self, step: usize, point: &[usize], lts: &Lts) -> (Vec<String>, Vec<usize>) {
        let rates: Vec<&str> = lts.labels.texts().iter().filter_map(|label| rate(label)).collect();
        let mut texts = Vec::new();
        let mut used = Vec::new();
        for (at, declared) in self.constants.iter().enumerate() {
            if !rates.iter().any(|rate| mentions(rate, &declared.name)) {
                continue;
            }
            used.push(at);
            let place = self.steps[step].depends.iter().position(|&own| own == at);
            let values = match place {
                Some(place) => &declared.values[point[place]..=point[place]],
                None => &declared.values[..],
            };
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            texts.push(format!("{}={}", declared.name, values.join(",")));
        }
        (texts, used)
    }

    /// The texts that a model is given at a point of its step: `NAME=VALUE`.
    pub fn settings_at(&self, step: usize, point: &[usize], settings: &[Setting]) -> Vec<String> {
        let text = |setting: &Setting| match setting {
            Setting::Text(text) => text.clone(),
            Setting::Constant(at) => {
                let place = self.steps[step].depends.iter().position(|own| own == at);
                let constant = self.constant(*at, place.map_or(0, |place| point[place]));
                format!("{}={}", constant.name, constant.value)
            }
        };
        settings.iter().map(text).collect()
    }

    /// The name of a file at a point of a step: constants in braces are replaced by their values.
    pub fn file_at(&self, step: usize, point: &[usize], file: &str) -> String {
        self.constants_at(step, point).iter().fold(file.to_owned(), |file, constant| {
            file.replace(&format!("{{{}}}", constant.name), constant.value.text())
        })
    }
}

impl Step {
    /// Whether its system differs from the one it starts from.
    pub fn makes_system(&self) -> bool {
        matches!(self.source, Source::Model { .. })
            || !self.rename.is_empty()
            || self.hide.is_some()
            || self.reduce.is_some()
    }

    /// The steps that it needs.
    pub fn needs(&self) -> impl Iterator<Item = usize> {
        let source = match self.source {
            Source::Step(step) => Some(step),
            Source::Model { .. } => None,
        };
        let other = match self.question {
            Some(Question::Compare { with, .. }) => Some(with),
            _ => None,
        };
        source.into_iter().chain(other)
    }
}

/// The number of a label with a rate, as written; it may be a name.
fn rate(label: &str) -> Option<&str> {
    label.rsplit_once(';').map_or(label, |(_, last)| last).trim().strip_prefix("rate ")
}

/// Whether a rate such as `2*LAMBDA` has this name in it.
fn mentions(rate: &str, name: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    rate.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&rate[..at], &rate[at + name.len()..]);
        !before.ends_with(in_name) && !behind.starts_with(in_name)
    })
}
