//! What should be measured: from files and options to a task.

use crate::measuring::{Condition, Device, NoTask, Predictor, Subject, Task, Wanted};
use crate::options::Tune;
use std::path::Path;
use volvelle_console::files;
use volvelle_diagnostics::{Diagnostic, FileId, Severity, Sources, Span, codes};
use volvelle_opencl::Platform;
use volvelle_opencl::expression::{Expr, Names, Values, parse};
use volvelle_opencl::launch::described;
use volvelle_tune::formats::t1;
use volvelle_tune::space::{Mistake, Space};
use volvelle_tune::{Value, space, strategy};

/// A task with what files say about the search.
pub struct Input {
    pub task: Task,
    /// What a model of the kernel on `--platform` predicts.
    pub predictor: Option<Predictor>,
    pub budget: Option<u64>,
    /// Conditions before this number come from files, others from options.
    conditions_of_files: usize,
}

/// Reads the files.
pub fn read(
    args: &Tune,
    sources: &mut Sources,
    remarks: &mut Vec<Diagnostic>,
) -> Result<Input, Vec<Diagnostic>> {
    let mut input = match &args.measure.t1 {
        Some(path) => from_t1(args, path, sources)?,
        None => from_kernel(args, sources)?,
    };
    for define in &args.define {
        input.task.options.push(format!("-D {define}"));
    }
    input.conditions_of_files = input.task.conditions.len();
    if let Some(path) = &args.kernel.platform {
        input.predictor = predictor(args, path, &input.task, sources, remarks)?;
    }
    for text in &args.kernel.constraint {
        let condition = Condition { text: text.clone(), reason: format!("`{text}`") };
        input.task.conditions.push(condition);
    }
    Ok(input)
}

fn from_kernel(args: &Tune, sources: &mut Sources) -> Result<Input, Vec<Diagnostic>> {
    let text = files::read(&args.file).map_err(|diagnostic| vec![diagnostic])?;
    let wanted = wanted(args, sources)?;
    let size = args.kernel.size.as_deref().map(|text| size(text, sources)).transpose()?;
    let file = sources.add(text.name, text.text.clone());
    let (described, diagnostics) = described(file, &text.text, args.kernel.kernel.as_deref(), size.as_ref());
    let Some(described) = described.filter(|_| diagnostics.is_empty()) else { return Err(diagnostics) };
    let task = Task::from_launch(&described, &text.text, &wanted)?;
    Ok(Input { task, predictor: None, budget: None, conditions_of_files: 0 })
}

/// The model of the kernel on a platform. A kernel without a model can be measured all the same.
fn predictor(
    args: &Tune,
    path: &Path,
    task: &Task,
    sources: &mut Sources,
    remarks: &mut Vec<Diagnostic>,
) -> Result<Option<Predictor>, Vec<Diagnostic>> {
    let text = files::read(path).map_err(|diagnostic| vec![diagnostic])?;
    let file = sources.add(text.name, text.text.clone());
    let (platform, diagnostics) = Platform::read(file, &text.text);
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(diagnostics);
    }
    remarks.extend(diagnostics);
    let platform = if args.kernel.no_warps { platform.without_warps() } else { platform };
    let names: Vec<String> = task.parameters.iter().map(|parameter| parameter.name.clone()).collect();
    let size = problem_size(task).first().copied();
    let subject = Subject { kernel: Some(&task.kernel), parameters: &names, size, task: Some(task) };
    let name = args.file.display().to_string();
    let file = sources.add(name, task.text.clone());
    match Predictor::new(file, &task.text, subject, &platform) {
        Ok(predictor) => Ok(Some(predictor)),
        Err(diagnostics) => {
            let without = |mut diagnostic: Diagnostic| {
                diagnostic.severity = Severity::Warning;
                diagnostic.note("without a model, configurations are measured without a prediction")
            };
            remarks.extend(diagnostics.into_iter().map(without));
            Ok(None)
        }
    }
}

fn from_t1(args: &Tune, path: &Path, sources: &mut Sources) -> Result<Input, Vec<Diagnostic>> {
    let wrong = |path: &Path, why: String| {
        vec![Diagnostic::error(codes::TUNER_FILE, format!("`{}`: {why}", path.display()))]
    };
    let text = files::read(path).map_err(|diagnostic| vec![diagnostic])?;
    let problem = t1::read(&text.text).map_err(|error| wrong(path, error.to_string()))?;
    // The kernel lies beside the problem, unless the command line names it.
    let is_problem = args.file == *path;
    let kernel = match is_problem {
        true => path.with_file_name(&problem.file),
        false => args.file.clone(),
    };
    let kernel = files::read(&kernel).map_err(|diagnostic| vec![diagnostic])?;
    let mut task = Task::from_t1(&problem, &kernel.text).map_err(|why| wrong(path, why))?;
    sources.add(kernel.name, kernel.text);
    for wanted in wanted(args, sources)? {
        let Some(parameter) = task.parameters.iter_mut().find(|parameter| parameter.name == wanted.name)
        else {
            let message = format!("the problem has no parameter `{}`", wanted.name);
            return Err(vec![Diagnostic::error(codes::KERNEL_PARAMETER, message)]);
        };
        if let Some(values) = wanted.values {
            parameter.values = values;
        }
    }
    Ok(Input { task, predictor: None, budget: problem.budget, conditions_of_files: 0 })
}

fn size(text: &str, sources: &mut Sources) -> Result<Expr, Vec<Diagnostic>> {
    let mut names = Names::default();
    let value = parse(text, &mut names).map_err(|mistake| (mistake.message, mistake.at)).and_then(|expr| {
        let value = if names.is_empty() { expr.value(&Values::of(&[])).ok() } else { None };
        let is_size = |value: &i64| *value > 0;
        value.filter(is_size).ok_or(("this is no size".to_owned(), 0..text.len()))
    });
    value.map(Expr::Int).map_err(|(message, at)| {
        let file = sources.add("--size", text);
        let span = Span::new(file, at.start, at.end);
        let help = "a size is a positive whole number, such as 4096 or 2^20";
        vec![Diagnostic::error(codes::BAD_USAGE, message).at(span, "").help(help)]
    })
}

/// `--parameters WG=2:64,TS=1,2,4`: names, each with values if they follow.
fn wanted(args: &Tune, sources: &mut Sources) -> Result<Vec<Wanted>, Vec<Diagnostic>> {
    let mut found: Vec<(String, Option<String>)> = Vec::new();
    for list in &args.parameters {
        for piece in pieces(list) {
            let piece = piece.trim();
            if let Some((name, values)) = piece.split_once('=') {
                found.push((name.trim().to_owned(), Some(values.trim().to_owned())));
            } else if let (Some((_, Some(values))), false) = (found.last_mut(), is_name(piece)) {
                values.push(',');
                values.push_str(piece);
            } else if !piece.is_empty() {
                found.push((piece.to_owned(), None));
            }
        }
    }
    let mut all = Vec::with_capacity(found.len());
    for (name, values) in found {
        let values = values.map(|text| {
            space::values(&spelled(&text)).map_err(|mistake| {
                let file = sources.add("--parameters", text.clone());
                let span = Span::new(file, 0, text.len());
                let message = format!("the values of `{name}`: {}", mistake.message);
                let help = "write 1,2,4, or 1:64, or 16:16:64 (from, step, to), or powers(1, 64)";
                vec![Diagnostic::error(codes::BAD_USAGE, message).at(span, "").help(help)]
            })
        });
        all.push(Wanted { name, values: values.transpose()? });
    }
    Ok(all)
}

/// Splits at commas outside parentheses.
fn pieces(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth <= 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found
}

/// Values in the notation of this command in that of lists: `1:64`, `16:16:64` (from, step, to), `powers(1, 64)`.
fn spelled(text: &str) -> String {
    let inner = text.strip_prefix("powers").map(str::trim_start).and_then(|rest| rest.strip_prefix('('));
    if let Some((first, last)) =
        inner.and_then(|rest| rest.strip_suffix(')')).and_then(|rest| rest.split_once(','))
    {
        return format!("{}..{}:*2", first.trim(), last.trim());
    }
    match text.split(':').map(str::trim).collect::<Vec<_>>().as_slice() {
        [first, last] => format!("{first}..{last}"),
        [first, step, last] => format!("{first}..{last}:{step}"),
        _ => text.to_owned(),
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

impl Input {
    /// The space on a device, whose limits are conditions as well.
    pub fn space(
        &mut self,
        device: &Device,
        threads: usize,
        sources: &mut Sources,
    ) -> Result<Space, Diagnostic> {
        let items: Vec<String> = self.task.local.iter().map(|size| format!("({size})")).collect();
        let most = device.work_group_max;
        self.task.conditions.push(Condition {
            text: format!("{} <= {most}", items.join(" * ")),
            reason: format!("a work-group of the device has at most {most} items"),
        });
        self.task.space(threads).map_err(|error| match error {
            NoTask::Condition(number, mistake) => {
                let text = self.task.conditions[number].text.clone();
                let name = if number < self.conditions_of_files { "condition" } else { "--constraint" };
                at_mistake(&mistake, sources.add(name, text))
            }
            NoTask::Empty(culprit) => {
                let diagnostic =
                    Diagnostic::error(codes::KERNEL_SPACE, "no configuration meets all conditions");
                match culprit {
                    Some(number) => {
                        let reason = &self.task.conditions[number].reason;
                        diagnostic.note(format!("alone this one excludes all: {reason}"))
                    }
                    None => diagnostic.note("each condition alone can be met, but not all of them together"),
                }
                .help("give the parameters other values, or another --size")
            }
            NoTask::TooLarge => Diagnostic::error(codes::KERNEL_SPACE, "there are too many configurations")
                .help("give the parameters fewer values, or add a --constraint"),
        })
    }
}

fn at_mistake(mistake: &Mistake, file: FileId) -> Diagnostic {
    let span = Span::new(file, mistake.place.start, mistake.place.end);
    let diagnostic = Diagnostic::error(codes::CONDITION, mistake.message.clone()).at(span, "");
    match &mistake.help {
        Some(help) => diagnostic.help(help.clone()),
        None => diagnostic,
    }
}

/// The strategy of the options.
pub fn strategy_name(args: &Tune) -> Result<&str, Diagnostic> {
    let Some(name) = args.measure.strategy.as_deref() else {
        // Whoever measures a part wants the best of it.
        return Ok(if args.measure.evaluations.is_some() { "guided" } else { "exhaustive" });
    };
    let known = strategy::NAMES.contains(&name) || name == "model";
    known.then_some(name).ok_or_else(|| {
        let message = format!("there is no strategy `{name}`");
        Diagnostic::error(codes::BAD_USAGE, message)
            .help(format!("strategies are {}", strategy::NAMES.join(", ")))
    })
}

/// `size` of the problem, for files of other tuners.
pub fn problem_size(task: &Task) -> Vec<i64> {
    let size = task.sizes.iter().find(|(name, _)| name == "size");
    match size {
        Some((_, Value::Int(size))) => vec![*size],
        _ => Vec::new(),
    }
}
