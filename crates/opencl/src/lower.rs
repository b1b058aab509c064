//! From the text of a kernel to its abstraction.
//!
//! Statements are executed symbolically. A scalar with a known value is an expression over parameters, ids of
//! the work-item and counters of loops; everything read from memory is *data*. A variable that a loop changes
//! by a constant step has a closed form over the counter of the loop. Data must not decide the time: if data
//! bounds a loop, an annotation must state the number of iterations (`// volvelle: trips = ...`). A condition
//! on data costs the longer branch.

mod access;
mod calls;
mod exits;
mod expressions;
mod functions;
mod loops;
mod lowerer;
mod request;
mod scan;
mod statements;
mod switch;
mod variants;

use request::NESTING_LIMIT;
pub use request::{Launched, Request};

use crate::expression::{Expr, NameId, Names, Op};
use crate::kernel::{Charge, Kernel};
use crate::launch::{self, Argument, Launch};
use crate::text::{self, Cleaned, Mark};
use lowerer::{End, Function, Lowerer, Space, Value};
use std::collections::{HashMap, HashSet};
use variants::Merged;
use volvelle_diagnostics::{Diagnostic, FileId, Severity, Span, codes};

/// Larger texts are no kernels.
const TEXT_LIMIT: usize = 4 << 20;

/// Reads a kernel. `None` if a diagnostic is an error.
pub fn read(file: FileId, text: &str, request: &Request) -> (Option<Kernel>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let kernel = read_into(file, text, request, &mut found);
    let failed = found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    (kernel.filter(|_| !failed), found)
}

fn read_into(file: FileId, text: &str, request: &Request, found: &mut Vec<Diagnostic>) -> Option<Kernel> {
    if text.len() > TEXT_LIMIT {
        found.push(Diagnostic::error(codes::KERNEL_TEXT, "the text is larger than 4 MiB"));
        return None;
    }
    let cleaned = text::without_comments(text);
    let mut names = Names::default();
    let size = names.intern("size");
    let place = launch::Place { file, text };
    let of_launch = launch_items(text, &cleaned);
    let mut launch = launch::read(&place, &of_launch, &mut names, found);
    let is_described = !launch.global.is_empty() || !launch.local.is_empty();
    if !is_described {
        let mut read = |texts: &[String]| -> Option<Vec<Expr>> {
            texts.iter().map(|text| crate::expression::parse(text, &mut names).ok()).collect()
        };
        let (global, local) = (read(&request.launch.global), read(&request.launch.local));
        if let (Some(global), Some(local)) = (global, local) {
            (launch.global, launch.local) = (global, local);
        }
    }
    let mut constants: HashMap<String, i64> = request.constants.iter().cloned().collect();
    choose_parameters(&mut launch, &mut names, &mut constants, request, found);
    let mut defined: HashSet<String> = constants.keys().cloned().collect();
    defined.extend(launch.parameters.iter().map(|parameter| names.text(parameter.name).to_owned()));
    let values = |name: &str| variants::values(name, &launch, &names, request);
    let unfolded = variants::unfold(&cleaned, file, &defined, &constants, &values, found);
    let mut known: HashSet<NameId> = launch.parameters.iter().map(|parameter| parameter.name).collect();
    known.insert(size);
    substitute(&mut launch, &constants, &names);
    let reader = Reader { place: &place, request, constants: &constants, known: &known };
    let is_alone = unfolded.variants.len() == 1;
    let mut merged = Merged::default();
    for variant in &unfolded.variants {
        let condition = if is_alone { Expr::Int(1) } else { variant.condition(&mut names) };
        let mut told = Vec::new();
        let read = reader.read(&variant.cleaned, &launch, &condition, &mut names, &mut merged, &mut told);
        // What several variants have in common is reported once.
        told.retain(|diagnostic| !found.contains(diagnostic));
        found.append(&mut told);
        read?;
    }
    let (name, span) = merged.kernel.take()?;
    statement_notes(text, &cleaned, &merged.used_notes, file, found);
    launch.constraints.append(&mut merged.constraints);
    launch.constraints.extend(unfolded.constraints(&mut names));
    // Elsewhere, `(size + WG - 1) / WG` groups are usual.
    if is_described {
        launch.add_divisions(&names);
    }
    merged.used.extend(unfolded.parameters(&mut names));
    let mut macros: Vec<NameId> = merged.used.iter().copied().collect();
    macros.sort_unstable();
    let dropped: Vec<&str> = constants.keys().map(String::as_str).collect();
    if !request.may_be_unused {
        unused_parameters(&launch, &macros, &names, &dropped, file, found);
    }
    let mut constants: Vec<(String, i64)> = constants.into_iter().collect();
    constants.sort();
    let counters = merged.counters;
    let (body, local_bytes) = merged.choice(span);
    Some(Kernel { name, span, constants, names, launch, body, counters, local_bytes, macros })
}

/// Reads texts that have no directives any more.
struct Reader<'r> {
    place: &'r launch::Place<'r>,
    request: &'r Request,
    constants: &'r HashMap<String, i64>,
    known: &'r HashSet<NameId>,
}

impl Reader<'_> {
    /// Reads the variant of the text for which `condition` holds, and adds it to the variants read before.
    fn read(
        &self,
        cleaned: &Cleaned,
        launch: &Launch,
        condition: &Expr,
        names: &mut Names,
        merged: &mut Merged,
        found: &mut Vec<Diagnostic>,
    ) -> Option<()> {
        let launch::Place { file, text } = *self.place;
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&tree_sitter_c::LANGUAGE.into()).ok()?;
        let tree = parser.parse(&cleaned.code, None)?;
        if !scan::is_well_formed(tree.root_node(), file, cleaned, found) {
            return None;
        }
        let functions = functions::collect(tree.root_node(), cleaned);
        let chosen = functions::choose(&functions, self.request, launch, (file, cleaned), found)?;
        let span = functions::span(chosen, cleaned, file);
        if launch.global.is_empty() || launch.local.len() != launch.global.len() {
            let message = match launch.global.is_empty() {
                true => "the text does not say how many work-items there are".to_owned(),
                false => "`global` and `local` have different numbers of dimensions".to_owned(),
            };
            let help = "describe the launch in a comment: `// volvelle: global = size / TS, local = WG`";
            found.push(Diagnostic::error(codes::KERNEL_LAUNCH, message).at(span, "this kernel").help(help));
            return None;
        }
        let mut lowerer = Lowerer {
            file,
            text,
            cleaned,
            functions: &functions,
            typedefs: functions::typedefs(tree.root_node(), cleaned),
            constants: self.constants,
            names: std::mem::take(names),
            known: self.known.clone(),
            launch,
            globals: Vec::new(),
            used: HashSet::new(),
            env: Vec::new(),
            reals: HashSet::new(),
            charge: Charge::default(),
            out: Vec::new(),
            counters: merged.counters,
            local_bytes: Expr::Int(0),
            calls: Vec::new(),
            depth: 0,
            inlined: 0,
            scopes: Vec::new(),
            path: Vec::new(),
            used_notes: HashSet::new(),
            open_numbers: Vec::new(),
            numbers: &self.request.launch.numbers,
            found,
        };
        lowerer.outside(tree.root_node());
        lowerer.arguments(chosen);
        let (body, _) = lowerer.function_body(chosen);
        merged.counters = lowerer.counters;
        merged.bodies.push((condition.clone(), body, lowerer.local_bytes.clone()));
        merged.used.extend(std::mem::take(&mut lowerer.used));
        merged.used_notes.extend(std::mem::take(&mut lowerer.used_notes));
        *names = std::mem::take(&mut lowerer.names);
        merged.kernel.get_or_insert_with(|| (chosen.name.clone(), span));
        for constraint in required_size(cleaned, chosen, self.place, launch, names, found) {
            let test = Expr::binary(Op::Or, condition.clone().negate(), constraint.test);
            merged.constraints.push(launch::Constraint { test, ..constraint });
        }
        Some(())
    }
}

/// Keeps the wanted parameters; all others become constants.
fn choose_parameters(
    launch: &mut Launch,
    names: &mut Names,
    constants: &mut HashMap<String, i64>,
    request: &Request,
    found: &mut Vec<Diagnostic>,
) {
    for name in &request.parameters {
        let name = names.intern(name);
        if !launch.parameters.iter().any(|known| known.name == name) {
            launch.parameters.push(launch::Parameter { name, span: None, choice: None });
        }
    }
    let mut values = vec![0; names.len()];
    if let (Some(size), Some(value)) = (names.find("size"), request.size) {
        values[size.0 as usize] = value;
    }
    for parameter in std::mem::take(&mut launch.parameters) {
        let name = names.text(parameter.name).to_owned();
        let is_wanted = request.parameters.is_empty() || request.parameters.contains(&name);
        if constants.contains_key(&name) {
            continue;
        }
        if is_wanted {
            launch.parameters.push(parameter);
            continue;
        }
        let reference = launch.reference.iter().find(|(of, _)| *of == parameter.name);
        let value =
            reference.and_then(|(_, value)| value.value(&crate::expression::Values::of(&values)).ok());
        match value {
            Some(value) => {
                constants.insert(name, value);
            }
            None => {
                let message = format!("`{name}` is no parameter to choose, and has no value");
                let mut diagnostic = Diagnostic::error(codes::KERNEL_PARAMETER, message);
                if let Some(span) = parameter.span {
                    diagnostic = diagnostic.at(span, "declared here");
                }
                found.push(
                    diagnostic.help(format!("name it: `--parameters {name}`, or define it: `-D {name}=64`")),
                );
            }
        }
    }
}

/// Items of annotations that describe the launch.
fn launch_items(text: &str, cleaned: &Cleaned) -> Vec<launch::Item> {
    let all = cleaned.notes.iter().flat_map(|note| launch::items(text, note.body.clone()));
    all.filter(|item| !is_of_statement(item)).collect()
}

/// Whether an item belongs to a statement.
fn is_of_statement(item: &launch::Item) -> bool {
    matches!(item.words.first().map(String::as_str), Some("trips" | "taken" | "cost"))
        && item.words.len() == 1
}

/// Annotations of statements that no statement has used.
fn statement_notes(
    text: &str,
    cleaned: &Cleaned,
    used: &HashSet<usize>,
    file: FileId,
    found: &mut Vec<Diagnostic>,
) {
    for (number, note) in cleaned.notes.iter().enumerate() {
        let item = launch::items(text, note.body.clone()).into_iter().find(is_of_statement);
        if let Some(item) = item.filter(|_| !used.contains(&number)) {
            let message = "this annotation belongs to no statement that it could describe";
            let help = "`trips` stands before a loop, `taken` before an `if`, `cost` before a statement";
            let span = Span::new(file, item.head.start, item.head.end);
            found.push(Diagnostic::warning(codes::KERNEL_ANNOTATION, message).at(span, "").help(help));
        }
    }
}

/// Puts constants of the build into the launch.
fn substitute(launch: &mut Launch, constants: &HashMap<String, i64>, names: &Names) {
    let mut constant = |leaf: &Expr| match leaf {
        Expr::Name(id) => constants.get(names.text(*id)).map(|value| Expr::Int(*value)),
        _ => None,
    };
    for expr in launch.global.iter_mut().chain(&mut launch.local) {
        *expr = expr.replace(&mut constant);
    }
    for constraint in &mut launch.constraints {
        constraint.test = constraint.test.replace(&mut constant);
    }
    for named in &mut launch.arguments {
        match &mut named.argument {
            Argument::Buffer { length: expr, .. }
            | Argument::Local { length: expr, .. }
            | Argument::Scalar { value: expr, .. } => *expr = expr.replace(&mut constant),
            Argument::Real { .. } => {}
        }
    }
}

/// `reqd_work_group_size(X, Y, Z)` is a constraint.
fn required_size(
    cleaned: &Cleaned,
    kernel: &Function<'_>,
    place: &launch::Place<'_>,
    launch: &Launch,
    names: &mut Names,
    found: &mut Vec<Diagnostic>,
) -> Vec<launch::Constraint> {
    let mut constraints = Vec::new();
    let head = cleaned.code_before(kernel.start)..kernel.name_at.end;
    let required: Vec<Mark> = cleaned.marks_in(head).collect();
    for mark in required {
        let Mark::RequiredSize(start, end) = mark else { continue };
        let all = cleaned.origins.of_range(&(start..end));
        let mut at = all.start;
        for (dimension, piece) in place.text[all.clone()].split(',').enumerate() {
            let range = at..at + piece.len();
            at = range.end + 1;
            let Some(size) = launch::read_expression(place, range, names, found) else { continue };
            let local = launch.local.get(dimension).cloned().unwrap_or(Expr::Int(1));
            let test = Expr::binary(Op::Eq, local, size);
            let reason = format!("the kernel requires work-groups of ({})", place.text[all.clone()].trim());
            constraints.push(launch::Constraint { test, reason });
        }
    }
    constraints
}

/// A parameter that occurs neither in the kernel nor in its launch changes nothing.
fn unused_parameters(
    launch: &Launch,
    macros: &[NameId],
    names: &Names,
    dropped: &[&str],
    file: FileId,
    found: &mut Vec<Diagnostic>,
) {
    let mut used: HashSet<NameId> = macros.iter().copied().collect();
    let lengths = launch.arguments.iter().filter_map(|named| match &named.argument {
        Argument::Buffer { length: expr, .. }
        | Argument::Local { length: expr, .. }
        | Argument::Scalar { value: expr, .. } => Some(expr),
        Argument::Real { .. } => None,
    });
    for expr in launch.global.iter().chain(&launch.local).chain(lengths) {
        expr.leaves(&mut |leaf| {
            if let Expr::Name(id) = leaf {
                used.insert(*id);
            }
        });
    }
    for parameter in &launch.parameters {
        if used.contains(&parameter.name) {
            continue;
        }
        let name = names.text(parameter.name);
        let message = format!("the parameter `{name}` occurs neither in the kernel nor in its launch");
        let mut diagnostic = Diagnostic::error(codes::KERNEL_PARAMETER, message);
        if let Some(span) = parameter.span {
            diagnostic = diagnostic.at(Span { file, ..span }, "");
        }
        let others = used.iter().map(|id| names.text(*id)).chain(dropped.iter().copied());
        found.push(diagnostic.misspelt_or(name, others, || {
            "parameters are macros that the text uses, such as `WG` in `i < WG`".to_owned()
        }));
    }
}
