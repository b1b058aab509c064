//! What is tuned: a kernel, its parameters, and how it is launched for each configuration.
//!
//! Sizes are expressions in the notation of conditions ([`volvelle_tune::space`]), whatever they were written in.

use super::{Compared, Contents, Job, JobArgument, Results};
use volvelle_tune::Value;
use volvelle_tune::formats::t1::{Fill, Memory, Specification};
use volvelle_tune::space::{ConfigurationId, Mistake, NoSpace, Parameter, Problem, Space, evaluate, number};

/// A kernel to tune.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// Text in OpenCL C.
    pub text: String,
    /// Name of the kernel.
    pub kernel: String,
    /// Options of the compiler besides the parameters.
    pub options: Vec<String>,
    /// The parameters: macros of the build.
    pub parameters: Vec<Parameter>,
    /// Conditions on them, with the reasons that a user understands.
    pub conditions: Vec<Condition>,
    /// Names with a value, such as `size`.
    pub sizes: Vec<(String, Value)>,
    /// Work items in each dimension.
    pub global: Vec<String>,
    /// Work items of a group in each dimension.
    pub local: Vec<String>,
    /// The arguments.
    pub arguments: Vec<TaskArgument>,
    /// The configuration whose results are right.
    pub reference: Option<Vec<Value>>,
}

/// A condition on parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its text.
    pub text: String,
    /// Its meaning in words.
    pub reason: String,
}

/// An argument whose size may depend on the configuration.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskArgument {
    /// A buffer in global memory.
    Buffer {
        /// Type of the elements, as OpenCL C names it.
        element: String,
        /// Number of elements.
        length: String,
        /// Contents before the launch.
        contents: Contents,
        /// How it is compared, if it is a result.
        compared: Option<Compared>,
    },
    /// Local memory.
    Local {
        /// Type of the elements.
        element: String,
        /// Number of elements.
        length: String,
    },
    /// A number.
    Scalar {
        /// Its type.
        element: String,
        /// Its value.
        value: String,
    },
}

/// Why there is no space of configurations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTask {
    /// A mistake in the condition with this number.
    Condition(usize, Mistake),
    /// No configuration meets the conditions; the number of one that excludes all on its own, if there is one.
    Empty(Option<usize>),
    /// There are too many configurations.
    TooLarge,
}

/// Elements of a buffer, at most: beyond this, sizes are mistakes.
const MOST_ELEMENTS: f64 = (1_u64 << 36) as f64;

impl Task {
    /// The configurations that meet the conditions.
    ///
    /// # Errors
    /// A condition is wrong, or there is no configuration.
    pub fn space(&self, threads: usize) -> Result<Space, NoTask> {
        const MOST: usize = 1 << 26;
        let mut problem = Problem::new(self.parameters.clone());
        for (name, value) in &self.sizes {
            problem.define(name, value.clone());
        }
        for (i, condition) in self.conditions.iter().enumerate() {
            problem.require(&condition.text).map_err(|mistake| NoTask::Condition(i, mistake))?;
        }
        problem.build(threads, MOST).map_err(|error| match error {
            NoSpace::Empty(culprit) => NoTask::Empty(culprit),
            NoSpace::TooLarge => NoTask::TooLarge,
        })
    }

    /// The values of a configuration, in the order of the parameters.
    pub fn values(space: &Space, configuration: ConfigurationId) -> Vec<Value> {
        (0..space.parameters().len()).map(|i| space.value(configuration, i).clone()).collect()
    }

    /// The launch of a configuration.
    ///
    /// # Errors
    /// A size that has no value or cannot be one.
    pub fn job(
        &self,
        values: &[Value],
        repetitions: u32,
        enough_ms: f64,
        results: Results,
    ) -> Result<Job, String> {
        let of_name = |name: &str| {
            let parameter = self.parameters.iter().position(|parameter| parameter.name == name);
            let size = || self.sizes.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
            parameter.map(|i| values[i].clone()).or_else(size)
        };
        let value = |text: &str| {
            let value =
                evaluate(text, &of_name).map_err(|mistake| format!("`{text}`: {}", mistake.message))?;
            number(&value).ok_or_else(|| format!("`{text}` is no number"))
        };
        let count = |text: &str| {
            let found = value(text)?;
            let is_count = found >= 0.0 && found.fract() == 0.0 && found <= MOST_ELEMENTS;
            if is_count { Ok(found as usize) } else { Err(format!("`{text}` is {found}, which is no size")) }
        };
        let mut options = self.options.clone();
        for (parameter, value) in self.parameters.iter().zip(values) {
            let text = match value {
                Value::Bool(value) => i64::from(*value).to_string(),
                value => value.to_string(),
            };
            options.push(format!("-D {}={text}", parameter.name));
        }
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            arguments.push(match argument {
                TaskArgument::Buffer { element, length, contents, compared } => JobArgument::Buffer {
                    element: element.clone(),
                    length: count(length)?,
                    contents: *contents,
                    compared: *compared,
                },
                TaskArgument::Local { element, length } => {
                    let bytes = super::contents::size(element).unwrap_or(8);
                    JobArgument::Local { bytes: count(length)? * bytes }
                }
                TaskArgument::Scalar { element, value: text } => {
                    JobArgument::Scalar { element: element.clone(), value: value(text)? }
                }
            });
        }
        let sizes = |texts: &[String]| texts.iter().map(|text| count(text)).collect::<Result<Vec<_>, _>>();
        let (global, local) = (sizes(&self.global)?, sizes(&self.local)?);
        if global.is_empty() || global.len() > 3 || global.len() != local.len() {
            return Err(
                "a launch has one to three dimensions, as many for a group as for all work items".to_owned()
            );
        }
        let shown = |sizes: &[usize]| sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
        let fits = |(global, local): (&usize, &usize)| *local > 0 && *global > 0 && global % local == 0;
        if !global.iter().zip(&local).all(fits) {
            return Err(format!(
                "{} work items cannot be divided into groups of {}",
                shown(&global),
                shown(&local)
            ));
        }
        Ok(Job {
            text: self.text.clone(),
            kernel: self.kernel.clone(),
            options: options.join(" "),
            global,
            local,
            arguments,
            repetitions,
            enough_ms,
            results,
        })
    }

    /// The task of a problem in T1 format, whose kernel has this text.
    ///
    /// # Errors
    /// A part that is not supported, in one sentence.
    pub fn from_t1(problem: &Specification, text: &str) -> Result<Task, String> {
        if problem.language != "OpenCL" {
            return Err(format!("kernels in {} are not supported, only OpenCL", problem.language));
        }
        let mut local = problem.local.clone();
        let mut global = problem.global.clone();
        let dimensions = global.len().max(local.len());
        local.resize(dimensions, "1".to_owned());
        global.resize(dimensions, "1".to_owned());
        if problem.counts_groups {
            global =
                global.iter().zip(&local).map(|(groups, items)| format!("({groups}) * ({items})")).collect();
        }
        let argument = |argument: &volvelle_tune::formats::t1::Argument| {
            let element = opencl_name(&argument.element)
                .ok_or_else(|| format!("arguments of type `{}` are not supported", argument.element))?;
            let contents = match argument.fill {
                Fill::Constant(value) => Contents::Constant(value),
                Fill::Random => Contents::Random,
            };
            let (element, length) = (element.to_owned(), argument.size.clone());
            Ok(match argument.memory {
                Memory::Vector => TaskArgument::Buffer {
                    element,
                    length,
                    contents,
                    compared: (!argument.is_read_only).then_some(Compared::Each),
                },
                Memory::Local => TaskArgument::Local { element, length },
                Memory::Scalar => match argument.fill {
                    Fill::Constant(value) => TaskArgument::Scalar { element, value: format!("{value:?}") },
                    Fill::Random => return Err("a scalar needs a constant value".to_owned()),
                },
            })
        };
        Ok(Task {
            text: text.to_owned(),
            kernel: problem.kernel.clone(),
            options: problem.options.clone(),
            parameters: problem.parameters.clone(),
            conditions: problem
                .conditions
                .iter()
                .map(|text| Condition { text: text.clone(), reason: text.clone() })
                .collect(),
            sizes: Vec::new(),
            global,
            local,
            arguments: problem.arguments.iter().map(argument).collect::<Result<_, String>>()?,
            reference: None,
        })
    }
}

/// The name of a type of T1 in OpenCL C.
fn opencl_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "bool" | "uint8" => "uchar",
        "int8" => "char",
        "int16" => "short",
        "uint16" => "ushort",
        "int32" | "int" => "int",
        "uint32" => "uint",
        "int64" => "long",
        "uint64" => "ulong",
        "float" => "float",
        "double" => "double",
        _ => return None,
    })
}
