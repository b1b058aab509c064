//! T1, the format of problems, schema 1.0.0: parameters, conditions, and how a kernel is launched.

use super::Unreadable;
use super::json::{array, member, parse, text};
use crate::space::{Parameter, values};
use serde_json::Value as Json;

/// A problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Specification {
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// Conditions between them, as texts.
    pub conditions: Vec<String>,
    /// The language of the kernel: `OpenCL`, `CUDA`, …
    pub language: String,
    /// The name of the kernel.
    pub kernel: String,
    /// The file with its text, as written.
    pub file: String,
    /// Options of the compiler.
    pub options: Vec<String>,
    /// Work items in each dimension, as expressions.
    pub global: Vec<String>,
    /// Work items of a group in each dimension, as expressions.
    pub local: Vec<String>,
    /// Whether `global` counts groups, as in CUDA, instead of work items.
    pub counts_groups: bool,
    /// The arguments, in their order.
    pub arguments: Vec<Argument>,
    /// The most configurations that should be measured.
    pub budget: Option<u64>,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The name; may be empty.
    pub name: String,
    /// `int32`, `float`, …
    pub element: String,
    /// Where it lies.
    pub memory: Memory,
    /// The number of elements of a buffer, as an expression.
    pub size: String,
    /// What it contains.
    pub fill: Fill,
    /// Whether the kernel only reads it.
    pub is_read_only: bool,
}

/// The kind of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// A number.
    Scalar,
    /// A buffer.
    Vector,
    /// Local memory.
    Local,
}

/// The contents of a buffer, or the value of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// One number everywhere.
    Constant(f64),
    /// Random numbers.
    Random,
}

/// Reads a problem.
///
/// # Errors
/// It is no JSON, no problem, or one with parts that are not supported.
pub fn read(contents: &str) -> Result<Specification, Unreadable> {
    let json = parse(contents)?;
    let space = member(&json, "ConfigurationSpace", "the file")?;
    let mut parameters = Vec::new();
    for parameter in array(space, "TuningParameters", "`ConfigurationSpace`")? {
        let name = text(parameter, "Name", "a parameter")?;
        let list = text(parameter, "Values", name)?;
        let values = values(list).map_err(|mistake| {
            Unreadable::new(format!("`Values` of `{name}`, `{list}`: {}", mistake.message))
        })?;
        parameters.push(Parameter { name: name.to_owned(), values });
    }
    let mut conditions = Vec::new();
    for condition in space.get("Conditions").and_then(Json::as_array).into_iter().flatten() {
        conditions.push(text(condition, "Expression", "a condition")?.to_owned());
    }
    let kernel = member(&json, "KernelSpecification", "the file")?;
    let of = "`KernelSpecification`";
    let notation = Notation { problem: problem_size(kernel), parameters: &parameters };
    let sizes = |name: &str| -> Result<Vec<String>, Unreadable> {
        let size = member(kernel, name, of)?;
        let axes = ["X", "Y", "Z"].into_iter().map_while(|axis| size.get(axis).and_then(Json::as_str));
        Ok(axes.map(|text| notation.spelled_out(text)).collect())
    };
    let mut arguments = Vec::new();
    for argument in kernel.get("Arguments").and_then(Json::as_array).into_iter().flatten() {
        arguments.push(read_argument(argument, &notation)?);
    }
    let groups = notation.groups(kernel);
    let counts_groups =
        groups.is_some() || kernel.get("GlobalSizeType").and_then(Json::as_str) == Some("CUDA");
    let global = groups.map_or_else(|| sizes("GlobalSize"), Ok)?;
    let local = sizes("LocalSize")?;
    let options = kernel.get("CompilerOptions").and_then(Json::as_array).into_iter().flatten();
    let budget = json.get("Budget").and_then(Json::as_array).into_iter().flatten().find_map(|budget| {
        let is_count = budget.get("Type").and_then(Json::as_str) == Some("ConfigurationCount");
        budget.get("BudgetValue").and_then(Json::as_f64).filter(|_| is_count)
    });
    Ok(Specification {
        conditions,
        language: text(kernel, "Language", of)?.to_owned(),
        kernel: text(kernel, "KernelName", of)?.to_owned(),
        file: text(kernel, "KernelFile", of)?.to_owned(),
        options: options.filter_map(Json::as_str).map(str::to_owned).collect(),
        parameters,
        global,
        local,
        counts_groups,
        arguments,
        budget: budget.filter(|count| *count >= 1.0).map(|count| count as u64),
    })
}

/// The names that expressions of a problem may use besides parameters.
struct Notation<'p> {
    problem: Vec<i64>,
    parameters: &'p [Parameter],
}

/// `ProblemSize`: a number, or one for each dimension.
fn problem_size(kernel: &Json) -> Vec<i64> {
    let number = |json: &Json| json.as_i64().or_else(|| json.as_str()?.trim().parse().ok());
    match kernel.get("ProblemSize") {
        Some(Json::Array(all)) => all.iter().map_while(number).collect(),
        Some(one) => number(one).into_iter().collect(),
        None => Vec::new(),
    }
}

impl Notation<'_> {
    /// Replaces `ProblemSize[0]` by its number, and `max(p)` for a parameter by its greatest value.
    fn spelled_out(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for (dimension, size) in self.problem.iter().enumerate() {
            out = out.replace(&format!("ProblemSize[{dimension}]"), &size.to_string());
        }
        for parameter in self.parameters {
            let whole = || parameter.values.iter().filter_map(crate::Value::whole);
            let (Some(least), Some(greatest)) = (whole().min(), whole().max()) else { continue };
            for (function, value) in [("max", greatest), ("min", least)] {
                out = out.replace(&format!("{function}({})", parameter.name), &value.to_string());
            }
        }
        out
    }

    /// The groups in each dimension by `GridDivX` and so on, which Kernel Tuner prefers to `GlobalSize`: the
    /// problem's size divided by the product of the divisors, rounded up.
    fn groups(&self, kernel: &Json) -> Option<Vec<String>> {
        let mut groups = Vec::new();
        for (axis, size) in ["GridDivX", "GridDivY", "GridDivZ"].iter().zip(&self.problem) {
            let divisors = kernel.get(axis).and_then(Json::as_array);
            let shown = |divisor: &Json| match divisor {
                Json::String(text) => format!("({})", self.spelled_out(text)),
                other => other.to_string(),
            };
            let divisors: Vec<String> = divisors.into_iter().flatten().map(shown).collect();
            if divisors.is_empty() {
                break;
            }
            let product = divisors.join(" * ");
            groups.push(format!("({size} + {product} - 1) // ({product})"));
        }
        (!groups.is_empty()).then_some(groups)
    }
}

fn read_argument(json: &Json, notation: &Notation<'_>) -> Result<Argument, Unreadable> {
    let name = json.get("Name").and_then(Json::as_str).unwrap_or_default().to_owned();
    let shown = if name.is_empty() { "an argument".to_owned() } else { format!("argument `{name}`") };
    let memory = match text(json, "MemoryType", &shown)? {
        "Scalar" => Memory::Scalar,
        "Vector" => Memory::Vector,
        "Local" => Memory::Local,
        other => {
            return Err(Unreadable::new(format!("{shown} has the memory `{other}`, which is not supported")));
        }
    };
    let size = match json.get("Size") {
        Some(Json::String(size)) => notation.spelled_out(size),
        Some(Json::Number(size)) => size.to_string(),
        _ => "1".to_owned(),
    };
    let fill = match json.get("FillType").and_then(Json::as_str).unwrap_or("Constant") {
        "Constant" => Fill::Constant(json.get("FillValue").and_then(Json::as_f64).unwrap_or(0.0)),
        "Random" => Fill::Random,
        other => {
            return Err(Unreadable::new(format!("{shown} is filled by `{other}`, which is not supported")));
        }
    };
    Ok(Argument {
        element: text(json, "Type", &shown)?.to_owned(),
        memory,
        size,
        fill,
        is_read_only: json.get("AccessType").and_then(Json::as_str) == Some("ReadOnly"),
        name,
    })
}
