//! What a model of the kernel predicts, for comparison with what is measured and as a guide to it.

use super::{Task, TaskArgument};
use volvelle_diagnostics::{Diagnostic, FileId};
use volvelle_opencl::compose::time;
use volvelle_opencl::features::features;
use volvelle_opencl::processor::{Cache, KIND_COUNT};
use volvelle_opencl::tally::tally;
use volvelle_opencl::{Launched, Model, Platform, Request, nanoseconds, read};
use volvelle_tune::Value;
use volvelle_tune::space::Parameter;

/// A kernel on a platform.
#[derive(Clone, Debug)]
pub struct Predictor {
    model: Model,
    /// The values of the names of the model that are no parameters.
    known: Vec<i64>,
}

/// What is predicted for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subject<'a> {
    /// The kernel, if the text has several.
    pub kernel: Option<&'a str>,
    /// Macros that are parameters, besides those of the text.
    pub parameters: &'a [String],
    /// The number of elements.
    pub size: Option<i64>,
    /// What is measured: the values of its parameters, and how the kernel is launched where the text does not say so.
    pub task: Option<&'a Task>,
}

/// The values of the parameters of a task that are whole numbers.
fn whole_values(task: &Task) -> Vec<(String, Vec<i64>)> {
    let of = |parameter: &Parameter| {
        let values = parameter.values.iter().filter_map(Value::whole).collect();
        (parameter.name.clone(), values)
    };
    task.parameters.iter().map(of).collect()
}

/// The launch of a task in the notation of annotations, where numbers are whole.
fn launched(task: &Task) -> Launched {
    let whole = |text: &String| text.replace("//", "/");
    let number = |(place, argument): (usize, &TaskArgument)| match argument {
        TaskArgument::Scalar { value, .. } => {
            let value = value.parse::<f64>().ok().filter(|value| value.fract() == 0.0)?;
            Some((place, value as i64))
        }
        TaskArgument::Buffer { .. } | TaskArgument::Local { .. } => None,
    };
    Launched {
        global: task.global.iter().map(whole).collect(),
        local: task.local.iter().map(whole).collect(),
        numbers: task.arguments.iter().enumerate().filter_map(number).collect(),
    }
}

impl Predictor {
    /// The model of a kernel of a text.
    ///
    /// # Errors
    /// What cannot be abstracted.
    pub fn new(
        file: FileId,
        text: &str,
        subject: Subject<'_>,
        platform: &Platform,
    ) -> Result<Self, Vec<Diagnostic>> {
        let request = Request {
            kernel: subject.kernel.map(str::to_owned),
            parameters: subject.parameters.to_vec(),
            size: subject.size,
            values: subject.task.map(whole_values).unwrap_or_default(),
            launch: subject.task.map(launched).unwrap_or_default(),
            may_be_unused: subject.task.is_some(),
            ..Request::default()
        };
        let (kernel, diagnostics) = read(file, text, &request);
        let Some(kernel) = kernel else { return Err(diagnostics) };
        let model = Model::new(&kernel, platform)?;
        let mut known = vec![0; model.names.len()];
        if let (Some(id), Some(size)) = (model.names.find("size"), subject.size) {
            known[id.0 as usize] = size;
        }
        Ok(Predictor { model, known })
    }

    /// The values of all names, where parameters have the given ones.
    fn names(&self, parameters: &[(String, Value)]) -> Option<Vec<i64>> {
        let mut names = self.known.clone();
        for (name, value) in parameters {
            let Some(id) = self.model.names.find(name) else { continue };
            names[id.0 as usize] = value.whole()?;
        }
        Some(names)
    }

    /// The features of a configuration, in the order of [`volvelle_opencl::features::NAMES`].
    pub fn features(&self, parameters: &[(String, Value)]) -> Option<Vec<f64>> {
        features(&self.model, &self.names(parameters)?).ok()
    }

    /// The time of a configuration: milliseconds if the platform is calibrated, else units of the model.
    pub fn predict(&self, parameters: &[(String, Value)]) -> Option<f64> {
        let names = self.names(parameters)?;
        match nanoseconds(&self.model, &names).ok()? {
            Some(nanoseconds) => Some(nanoseconds / 1e6),
            None => time(&self.model, &names).ok().map(|time| time as f64),
        }
    }

    /// Whether predictions are in milliseconds.
    pub fn is_calibrated(&self) -> bool {
        self.model.platform.is_calibrated()
    }

    /// The work of a configuration on a processor, by kind, and the items of a group.
    pub fn work(&self, parameters: &[(String, Value)], caches: &[Cache]) -> Option<([f64; KIND_COUNT], i64)> {
        tally(&self.model, &self.names(parameters)?, caches).ok()
    }
}
