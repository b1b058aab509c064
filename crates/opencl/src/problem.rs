//! Questions about a kernel: its text and the command line, prepared for tables, models and measurements.

use crate::expression::{Expr, Names, Values, parse};
use crate::kernel::Kernel;
use crate::launch::{Choice, Constraint};
use crate::lower::{Request, read};
use crate::table::{self, NoTable};
use volvelle_diagnostics::{Diagnostic, FileId, Severity, Sources, Span, codes};

/// What the command line says.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The kernel, if the text has several.
    pub kernel: Option<String>,
    /// Parameters with or without values: `WG`, `WG,TS`, `WG=2:64`, `TS=1,2,4`, `TS=powers(1, size)`.
    pub parameters: Vec<String>,
    /// Macros of the build: `NAME` or `NAME=TEXT`.
    pub defines: Vec<String>,
    /// The number of elements: `2^20`.
    pub size: Option<String>,
    /// Conditions on the parameters.
    pub constraints: Vec<String>,
}

/// A kernel with all configurations that satisfy the constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The kernel.
    pub kernel: Kernel,
    /// The number of elements, if there is one.
    pub size: Option<i64>,
    /// The value of each name of the kernel, 0 for parameters.
    pub names: Vec<i64>,
    /// The values of each parameter.
    pub choices: Vec<Vec<i64>>,
    /// The configurations: values of the parameters, in their order.
    pub configurations: Vec<Vec<i64>>,
}

impl Problem {
    /// The names of the parameters.
    pub fn parameters(&self) -> Vec<&str> {
        let parameters = self.kernel.launch.parameters.iter();
        parameters.map(|parameter| self.kernel.names.text(parameter.name)).collect()
    }

    /// The value of each name for a configuration.
    pub fn values(&self, configuration: &[i64]) -> Vec<i64> {
        let mut names = self.names.clone();
        for (parameter, value) in self.kernel.launch.parameters.iter().zip(configuration) {
            names[parameter.name.0 as usize] = *value;
        }
        names
    }

    /// Macros with which a configuration is compiled.
    pub fn macros(&self, configuration: &[i64]) -> Vec<(String, i64)> {
        let values = self.values(configuration);
        let mut macros = self.kernel.constants.clone();
        let used = self.kernel.macros.iter();
        macros.extend(used.map(|id| (self.kernel.names.text(*id).to_owned(), values[id.0 as usize])));
        macros
    }
}

/// Prepares a question. Texts of the command line are added to `sources`. `None` if a diagnostic is an error.
pub fn problem(
    sources: &mut Sources,
    file: FileId,
    text: &str,
    question: &Question,
) -> (Option<Problem>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let problem = prepare(sources, file, text, question, &mut found);
    let failed = found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    (problem.filter(|_| !failed), found)
}

fn prepare(
    sources: &mut Sources,
    file: FileId,
    text: &str,
    question: &Question,
    found: &mut Vec<Diagnostic>,
) -> Option<Problem> {
    let wanted = parameters(&question.parameters);
    let mut texts = Texts { sources, found };
    let size = question.size.as_ref().map(|size| texts.number("--size", size));
    if size == Some(None) {
        return None;
    }
    let size = size.flatten();
    let mut constants = Vec::new();
    for define in &question.defines {
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        constants.push((name.trim().to_owned(), texts.number("--define", value)?));
    }
    let (kernel, more) = {
        let parameters = wanted.iter().map(|(name, _)| name.clone()).collect();
        let kernel = question.kernel.clone();
        let mut request = Request { kernel, parameters, size, constants, ..Request::default() };
        // The text may give a default of `size`, and values of dropped parameters may need it.
        if request.size.is_none() {
            request.size = default_size(file, text);
        }
        request.values = values(&wanted, request.size);
        read(file, text, &request)
    };
    found.extend(more);
    let mut kernel = kernel?;
    let mut texts = Texts { sources, found };
    for (name, values) in &wanted {
        let Some(values) = values else { continue };
        let choice = texts.choice(values, &mut kernel.names)?;
        let id = kernel.names.intern(name);
        if let Some(parameter) = kernel.launch.parameters.iter_mut().find(|parameter| parameter.name == id) {
            parameter.choice = Some(choice);
        }
    }
    for constraint in &question.constraints {
        let test = texts.expression("--constraint", constraint, &mut kernel.names)?;
        let parameters: Vec<&str> =
            kernel.launch.parameters.iter().map(|parameter| kernel.names.text(parameter.name)).collect();
        texts.known(&test, "--constraint", constraint, &kernel.names, &parameters)?;
        kernel.launch.constraints.push(Constraint { test, reason: format!("`{constraint}`") });
    }
    let size = match (size, &kernel.launch.size) {
        (Some(size), _) => Some(size),
        (None, Some(size)) => size.value(&Values::of(&vec![0; kernel.names.len()])).ok(),
        (None, None) => None,
    };
    let mut names = vec![0; kernel.names.len()];
    let size_id = kernel.names.find("size");
    for (name, value) in &kernel.constants {
        if let Some(id) = kernel.names.find(name) {
            names[id.0 as usize] = *value;
        }
    }
    match (size, size_id) {
        (Some(value), Some(id)) => names[id.0 as usize] = value,
        _ => {
            if uses_size(&kernel) {
                let message = "the number of elements is not known";
                let help = "give it: `--size 2^20`, or in the text: `// volvelle: size = 2^20`";
                found.push(Diagnostic::error(codes::KERNEL_LAUNCH, message).at(kernel.span, "").help(help));
                return None;
            }
        }
    }
    let tables = table::choices(&kernel.launch, size.and(size_id), &names).and_then(|choices| {
        let configurations = table::configurations(&kernel.launch, &names, &choices)?;
        Ok((choices, configurations))
    });
    match tables {
        Ok((choices, configurations)) => {
            if configurations.is_empty() {
                found.push(empty(&kernel, &names, &choices));
            }
            Some(Problem { kernel, size, names, choices, configurations })
        }
        Err(reason) => {
            found.push(no_table(&reason, &kernel));
            None
        }
    }
}

/// The values that the command line gives parameters. Mistakes are reported later, when the kernel is read
/// with them.
fn values(wanted: &[(String, Option<String>)], size: Option<i64>) -> Vec<(String, Vec<i64>)> {
    let mut found = Vec::new();
    for (name, text) in wanted {
        let Some(text) = text else { continue };
        let mut names = Names::default();
        names.intern("size");
        let mut texts = Texts { sources: &mut Sources::new(), found: &mut Vec::new() };
        let Some(choice) = texts.choice(text, &mut names) else { continue };
        let mut numbers = vec![0; names.len()];
        numbers[0] = size.unwrap_or(0);
        if let Ok(values) = choice.values(&numbers) {
            found.push((name.clone(), values));
        }
    }
    found
}

fn default_size(file: FileId, text: &str) -> Option<i64> {
    let (kernel, _) = read(file, text, &Request { size: Some(0), ..Request::default() });
    let kernel = kernel?;
    let size = kernel.launch.size.as_ref()?;
    size.value(&Values::of(&vec![0; kernel.names.len()])).ok()
}

fn uses_size(kernel: &Kernel) -> bool {
    let Some(size) = kernel.names.find("size") else { return false };
    let mut found = kernel.macros.contains(&size);
    for expr in kernel.launch.global.iter().chain(&kernel.launch.local) {
        expr.leaves(&mut |leaf| found |= *leaf == Expr::Name(size));
    }
    found || kernel.launch.parameters.iter().any(|parameter| parameter.choice.is_none())
}

/// Reports which constraints exclude every configuration.
fn empty(kernel: &Kernel, names: &[i64], choices: &[Vec<i64>]) -> Diagnostic {
    let combinations: usize = choices.iter().map(Vec::len).product();
    let message = format!("none of the {combinations} combinations of values satisfies the constraints");
    let mut diagnostic = Diagnostic::error(codes::KERNEL_SPACE, message).at(kernel.span, "of this kernel");
    // A constraint that no combination satisfies by itself is the culprit.
    for constraint in &kernel.launch.constraints {
        let mut launch = kernel.launch.clone();
        launch.constraints = vec![constraint.clone()];
        if table::configurations(&launch, names, choices).is_ok_and(|rest| rest.is_empty()) {
            diagnostic = diagnostic.note(format!("no combination satisfies: {}", constraint.reason));
        }
    }
    diagnostic.help("give other values, `--parameters WG=1:64`, or another `--size`")
}

fn no_table(reason: &NoTable, kernel: &Kernel) -> Diagnostic {
    let (id, message) = match reason {
        NoTable::TooMany => {
            let message = "there are more than four million configurations";
            let help = "give fewer values, `--parameters WG=32,64,128`, or constraints";
            return Diagnostic::error(codes::KERNEL_SPACE, message).help(help);
        }
        NoTable::NoValues(id) => (id, format!("the parameter `{}` has no values", kernel.names.text(*id))),
        NoTable::Fault(id, fault) => {
            let name = kernel.names.text(*id);
            (id, format!("the values of the parameter `{name}` cannot be computed: {fault}"))
        }
    };
    let mut diagnostic = Diagnostic::error(codes::KERNEL_SPACE, message);
    let parameter = kernel.launch.parameters.iter().find(|parameter| parameter.name == *id);
    if let Some(span) = parameter.and_then(|parameter| parameter.span) {
        diagnostic = diagnostic.at(span, "");
    }
    let name = kernel.names.text(*id);
    diagnostic
        .help(format!("give values: `--parameters {name}=1,2,4`, or `--size`, for powers of two up to it"))
}

/// Splits the value of `--parameters` into names and the texts of their values.
fn parameters(texts: &[String]) -> Vec<(String, Option<String>)> {
    let mut found: Vec<(String, Option<String>)> = Vec::new();
    for text in texts {
        let (mut depth, mut start) = (0_i32, 0);
        let mut pieces = Vec::new();
        for (at, c) in text.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                ',' if depth <= 0 => {
                    pieces.push(&text[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        pieces.push(&text[start..]);
        for piece in pieces.into_iter().map(str::trim).filter(|piece| !piece.is_empty()) {
            let is_name = piece.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            match (piece.split_once('='), found.last_mut()) {
                (Some((name, values)), _) => {
                    found.push((name.trim().to_owned(), Some(values.trim().to_owned())));
                }
                (None, Some((_, Some(values)))) if !is_name => {
                    values.push(',');
                    values.push_str(piece);
                }
                _ => found.push((piece.to_owned(), None)),
            }
        }
    }
    found
}

/// Texts of the command line, which get places for their diagnostics.
struct Texts<'a> {
    sources: &'a mut Sources,
    found: &'a mut Vec<Diagnostic>,
}

impl Texts<'_> {
    fn expression(&mut self, option: &str, text: &str, names: &mut Names) -> Option<Expr> {
        match parse(text, names) {
            Ok(expr) => Some(expr),
            Err(mistake) => {
                let file = self.sources.add(option, text);
                let span = Span::new(file, mistake.at.start, mistake.at.end);
                let help = "numbers, names, `+ - * / %`, comparisons, `and`, `or`, and powers `2^20`";
                self.found.push(
                    Diagnostic::error(codes::KERNEL_ANNOTATION, mistake.message).at(span, "").help(help),
                );
                None
            }
        }
    }

    fn number(&mut self, option: &str, text: &str) -> Option<i64> {
        let mut names = Names::default();
        let expr = self.expression(option, text, &mut names)?;
        let value = if names.is_empty() { expr.value(&Values::of(&[])).ok() } else { None };
        if value.is_none() {
            let file = self.sources.add(option, text);
            let message = format!("`{option}` is a whole number");
            let span = Span::new(file, 0, text.len());
            self.found
                .push(Diagnostic::error(codes::BAD_USAGE, message).at(span, "").help("write 4096, or 2^20"));
        }
        value
    }

    /// Whether all names of a condition have values.
    fn known(
        &mut self,
        test: &Expr,
        option: &str,
        text: &str,
        names: &Names,
        parameters: &[&str],
    ) -> Option<()> {
        let mut unknown = None;
        test.leaves(&mut |leaf| {
            if let Expr::Name(id) = leaf {
                let name = names.text(*id);
                if name != "size" && !parameters.contains(&name) {
                    unknown = Some(name.to_owned());
                }
            }
        });
        let Some(name) = unknown else { return Some(()) };
        let file = self.sources.add(option, text);
        let at = text.find(&name).unwrap_or(0);
        let message = format!("`{name}` is neither a parameter nor `size`");
        let mut diagnostic = Diagnostic::error(codes::KERNEL_PARAMETER, message);
        diagnostic = diagnostic.at(Span::new(file, at, at + name.len()), "");
        let all = || format!("the parameters are `{}`", parameters.join("`, `"));
        self.found.push(diagnostic.misspelt_or(&name, parameters, all));
        None
    }

    /// `1,2,4`, `2:64`, `0:16:64`, `powers(1, size)`.
    fn choice(&mut self, text: &str, names: &mut Names) -> Option<Choice> {
        let pieces = |inner: &str, separator: char| -> Vec<String> {
            inner.split(separator).map(|piece| piece.trim().to_owned()).collect()
        };
        let inner = text.strip_prefix("powers").map(str::trim_start).and_then(|rest| rest.strip_prefix('('));
        if let Some(inner) = inner.and_then(|rest| rest.strip_suffix(')')) {
            let mut list = Vec::new();
            for piece in pieces(inner, ',') {
                list.push(self.expression("--parameters", &piece, names)?);
            }
            if let Ok([first, last]) = <[Expr; 2]>::try_from(list) {
                return Some(Choice::Powers(first, last));
            }
            return self.bad_values(text);
        }
        if text.contains(':') {
            let mut list = Vec::new();
            for piece in pieces(text, ':') {
                list.push(self.expression("--parameters", &piece, names)?);
            }
            return match list.as_slice() {
                [first, last] => Some(Choice::Range(first.clone(), last.clone(), Expr::Int(1))),
                [first, step, last] => Some(Choice::Range(first.clone(), last.clone(), step.clone())),
                _ => self.bad_values(text),
            };
        }
        let mut list = Vec::new();
        for piece in pieces(text, ',') {
            list.push(self.expression("--parameters", &piece, names)?);
        }
        Some(Choice::List(list))
    }

    fn bad_values(&mut self, text: &str) -> Option<Choice> {
        let file = self.sources.add("--parameters", text);
        let message = "these are no values of a parameter";
        let help = "write `1,2,4`, `1:64`, `16:16:64` (from, step, to), or `powers(1, 64)`";
        let span = Span::new(file, 0, text.len());
        self.found.push(Diagnostic::error(codes::BAD_USAGE, message).at(span, "").help(help));
        None
    }
}
