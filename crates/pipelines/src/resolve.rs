//! Names of steps and constants, the order of steps, and what they depend on.

use super::steps::{Placed, Raw};
use super::values::is_name;
use super::{Declared, Pipeline, Question, Setting, Source, Step};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Range;
use volvelle_declarations::Reader;
use volvelle_diagnostics::{Diagnostic, codes, has_errors};

/// A pipeline whose names are resolved, as far as they can be.
pub(super) fn resolve(reader: &mut Reader<'_>, constants: Vec<Declared>, raw: Vec<Raw>) -> Pipeline {
    let mut pipeline = Pipeline { constants, steps: raw.iter().map(Raw::plain).collect(), order: Vec::new() };
    let mut names = Names { all: Vec::new(), numbers: HashMap::new() };
    for step in &raw {
        names.numbers.entry(step.name.clone()).or_insert(names.all.len());
        names.all.push(step.name.as_str());
    }
    for (at, step) in raw.iter().enumerate() {
        if let Some((file, place)) = &step.model {
            let constants = settings(reader, &pipeline.constants, &step.constants, true);
            let defines = settings(reader, &pipeline.constants, &step.defines, false);
            let span = reader.span(place.clone());
            pipeline.steps[at].source = Source::Model { file: file.clone(), span, constants, defines };
        } else if let Some((name, place)) = &step.from {
            match names.numbers.get(name).copied() {
                Some(source) => pipeline.steps[at].source = Source::Step(source),
                None => unknown(reader, name, place, &names.all, "a file is read with `model`"),
            }
        }
        pipeline.steps[at].question = question(reader, &mut pipeline, step, &mut names);
    }
    if !has_errors(&reader.found) {
        order(reader, &mut pipeline, &raw);
    }
    if !has_errors(&reader.found) {
        written_once(reader, &pipeline, &raw);
    }
    pipeline
}

/// The names of the steps.
struct Names<'a> {
    /// Those of the text.
    all: Vec<&'a str>,
    /// The number of the first step with a name, and of files that are compared with.
    numbers: HashMap<String, usize>,
}

fn question(
    reader: &mut Reader<'_>,
    pipeline: &mut Pipeline,
    raw: &Raw,
    names: &mut Names<'_>,
) -> Option<Question> {
    if let Some((text, _)) = &raw.check {
        return Some(Question::Check { formula: text.clone() });
    }
    if let Some(((name, place), options)) = &raw.compare {
        let with = match names.numbers.get(name).copied() {
            Some(step) => step,
            None if name.contains(['.', '/', '\\']) => {
                let step = file(reader, pipeline, name, place);
                names.numbers.insert(name.clone(), step);
                step
            }
            None => {
                unknown(reader, name, place, &names.all, "the name of a file has an extension");
                return None;
            }
        };
        return Some(Question::Compare { with, options: *options });
    }
    if let Some(measure) = &raw.steady {
        return Some(Question::Steady(measure.clone()));
    }
    raw.transient.as_ref().map(|course| Question::Transient {
        measure: course.measure.clone(),
        times: course.times.clone(),
        counts: course.counts,
        until: course.first_passage.clone(),
    })
}

/// A step that reads a file which is compared with.
fn file(reader: &Reader<'_>, pipeline: &mut Pipeline, name: &str, place: &Range<usize>) -> usize {
    let span = reader.span(place.clone());
    let step = Raw::new(name.to_owned(), span).plain();
    let source = Source::Model { file: name.to_owned(), span, constants: Vec::new(), defines: Vec::new() };
    pipeline.steps.push(Step { source, ..step });
    pipeline.steps.len() - 1
}

fn unknown(reader: &mut Reader<'_>, name: &str, place: &Range<usize>, names: &[&str], about_files: &str) {
    let all = || format!("the steps are `{}`; {about_files}", names.join("`, `"));
    let message = format!("there is no step `{name}`");
    reader.misspelt(codes::UNKNOWN_STEP, message, place.clone(), name, names, all);
}

/// What a model is given: names of constants of the pipeline, or texts with values.
fn settings(
    reader: &mut Reader<'_>,
    constants: &[Declared],
    given: &[Placed],
    needs_value: bool,
) -> Vec<Setting> {
    let mut settings = Vec::new();
    for (text, place) in given {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value)),
            None => (text.trim(), None),
        };
        if !is_name(name) {
            let message = format!("`{text}` is neither the name of a constant nor NAME=VALUE");
            let help = "write `\"N\"` for a constant of `[constants]`, or `\"N=4\"`";
            reader.report(codes::PIPELINE_VALUE, message, place.clone(), help);
        } else if value.is_some() {
            settings.push(Setting::Text(text.clone()));
        } else if let Some(at) = constants.iter().position(|constant| constant.name == name) {
            settings.push(Setting::Constant(at));
        } else if !needs_value {
            settings.push(Setting::Text(format!("{name}=1")));
        } else {
            let known = constants.iter().map(|constant| constant.name.as_str());
            let message = format!("there is no constant `{name}`");
            reader.misspelt(codes::PIPELINE_VALUE, message, place.clone(), name, known, || {
                format!("declare it in `[constants]`, or give it a value here: `\"{name}=4\"`")
            });
        }
    }
    settings
}

/// An order in which each step is behind those that it needs, as near to that of the text as can be, and on which constants they
/// depend. Complains of a circle.
fn order(reader: &mut Reader<'_>, pipeline: &mut Pipeline, raw: &[Raw]) {
    let count = pipeline.steps.len();
    let mut is_placed = vec![false; count];
    // For each step, those that need it, and how many needs of its own are not met.
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut missing = vec![0; count];
    for (at, step) in pipeline.steps.iter().enumerate() {
        for needed in step.needs() {
            needed_by[needed].push(at);
            missing[at] += 1;
        }
    }
    // A file that is compared with is read when it is needed: of the steps that could be next, the first.
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..count).filter(|&at| missing[at] == 0).map(Reverse).collect();
    while let Some(Reverse(next)) = ready.pop() {
        for &later in &needed_by[next] {
            missing[later] -= 1;
            if missing[later] == 0 {
                ready.push(Reverse(later));
            }
        }
        is_placed[next] = true;
        pipeline.order.push(next);
        let step = &pipeline.steps[next];
        let mut depends: Vec<usize> =
            step.needs().flat_map(|needed| pipeline.steps[needed].depends.clone()).collect();
        if let Source::Model { constants, defines, .. } = &step.source {
            depends.extend(constants.iter().chain(defines).filter_map(|setting| match setting {
                Setting::Constant(at) => Some(*at),
                Setting::Text(_) => None,
            }));
        }
        depends.sort_unstable();
        depends.dedup();
        pipeline.steps[next].depends = depends;
    }
    if pipeline.order.len() < count {
        circle(reader, pipeline, raw, &is_placed);
    }
}

/// Steps that need each other: from any step that is not placed, the first such step that it needs leads on, and at last round.
fn circle(reader: &mut Reader<'_>, pipeline: &Pipeline, raw: &[Raw], is_placed: &[bool]) {
    let next = |at: usize| pipeline.steps[at].needs().find(|needed| !is_placed[*needed]);
    let Some(mut at) = (0..is_placed.len()).find(|at| !is_placed[*at]) else { return };
    let mut path = Vec::new();
    let mut is_met = vec![false; is_placed.len()];
    while !std::mem::replace(&mut is_met[at], true) {
        path.push(at);
        let Some(needed) = next(at) else { return };
        at = needed;
    }
    let begin = path.iter().position(|step| *step == at).unwrap_or(0);
    let round = &path[begin..];
    let name = |at: usize| format!("`{}`", pipeline.steps[at].name);
    let chain: Vec<String> = round.iter().chain([&at]).map(|step| name(*step)).collect();
    let message = format!("the step {} needs itself", name(at));
    let placed = |step: usize| {
        let raw = raw.get(step)?;
        let other = raw.compare.as_ref().map(|((text, place), _)| (text, place));
        let wanted = &pipeline.steps[next(step)?].name;
        let named = raw.from.as_ref().map(|(text, place)| (text, place)).into_iter().chain(other);
        named.into_iter().find(|(text, _)| *text == wanted).map(|(_, place)| place.clone())
    };
    let mut found = Diagnostic::error(codes::CIRCULAR_STEPS, message);
    for (i, &step) in round.iter().enumerate() {
        let span = placed(step).map_or(pipeline.steps[step].span, |place| reader.span(place));
        let text = format!("{} needs {}", name(step), chain[i + 1]);
        found = if i == 0 { found.at(span, text) } else { found.also(span, text) };
    }
    found = if round.len() > 1 { found.note(format!("{} need each other", chain.join(", "))) } else { found };
    reader.found.push(found.help("let one of them begin with a file: `model = \"queue.lotos\"`"));
}

/// Complains about files that would be written several times.
fn written_once(reader: &mut Reader<'_>, pipeline: &Pipeline, raw: &[Raw]) {
    let mut names: HashSet<&str> = HashSet::new();
    let read: HashSet<&str> = pipeline
        .steps
        .iter()
        .filter_map(|step| match &step.source {
            Source::Model { file, .. } => Some(file.as_str()),
            Source::Step(_) => None,
        })
        .collect();
    for (at, step) in raw.iter().enumerate() {
        if let Some((file, place)) = &step.write {
            let missing = pipeline.steps[at].depends.iter().map(|&constant| &pipeline.constants[constant]);
            let mut missing = missing.filter(|constant| {
                constant.values.len() > 1 && !file.contains(&format!("{{{}}}", constant.name))
            });
            if let Some(constant) = missing.next() {
                let message = format!("`{file}` would be written for each value of `{}`", constant.name);
                let help =
                    format!("put the value into the name: `write = \"small-{{{}}}.aut\"`", constant.name);
                reader.report(codes::PIPELINE_VALUE, message, place.clone(), &help);
            }
        }
        for (file, place) in [&step.write, &step.csv].into_iter().flatten() {
            let is_read = read.contains(file.as_str());
            if is_read || !names.insert(file) {
                let message = match is_read {
                    true => format!("`{file}` is read by this pipeline, and would be overwritten"),
                    false => format!("`{file}` would be written twice"),
                };
                reader.report(codes::PIPELINE_VALUE, message, place.clone(), "give each file its own name");
            }
        }
    }
}
