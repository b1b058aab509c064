//! The tables of steps, with names as written.

use super::form::{STEADY, STEP, TRANSIENT};
use super::values;
use super::{Measure, Step};
use std::ops::Range;
use volvelle_declarations::form::{self, Entry};
use volvelle_declarations::{Key, Reader, Value, entries};
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_lts::{ReduceOptions, Relation};
use volvelle_systems::Relabelling;

/// Keys that had another name in the version before, and their names now.
const RENAMED: &[(&str, &str)] = &[("epsilon", "rounding"), ("until", "first_passage")];

/// The name of a key; an old one is replaced if the new one is among those `known`, with a warning. Empty after a diagnostic.
fn name_of(reader: &mut Reader<'_>, key: &Key<'_>, known: &'static [Entry]) -> &'static str {
    let name = &**key.get_ref();
    let renamed = RENAMED.iter().find(|(old, new)| *old == name && form::find(known, new).is_some());
    let Some((old, new)) = renamed else {
        return reader.known(key, known).map_or("", |entry| entry.name);
    };
    let warning = Diagnostic::warning(codes::PIPELINE_KEY, format!("`{old}` is now `{new}`"));
    let span = reader.span(key.span());
    reader
        .found
        .push(warning.at(span, "").help(format!("write `{new}`: the old name is read for one version")));
    new
}

/// A text and its place.
pub(super) type Placed = (String, Range<usize>);

/// A step whose names are not resolved yet.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) model: Option<Placed>,
    pub(super) from: Option<Placed>,
    pub(super) constants: Vec<Placed>,
    pub(super) defines: Vec<Placed>,
    pub(super) rename: Vec<String>,
    pub(super) hide: Option<String>,
    pub(super) relabelling: Relabelling,
    pub(super) reduce: Option<ReduceOptions>,
    pub(super) write: Option<Placed>,
    pub(super) check: Option<Placed>,
    pub(super) compare: Option<(Placed, ReduceOptions)>,
    pub(super) steady: Option<Measure>,
    pub(super) transient: Option<Course>,
    pub(super) expect: Option<bool>,
    pub(super) csv: Option<Placed>,
}

#[derive(Debug, Default)]
pub(super) struct Course {
    pub(super) measure: Measure,
    pub(super) times: Option<String>,
    pub(super) counts: bool,
    pub(super) first_passage: Vec<String>,
}

/// A step; `None` where it is no table.
pub(super) fn step(reader: &mut Reader<'_>, key: &Key<'_>, value: &Value<'_>) -> Option<Raw> {
    let name = key.get_ref().to_string();
    let table = reader.table(&name, value, &format!("a table: `[step.{name}]`"))?;
    let mut raw = Raw::new(name, reader.span(key.span()));
    if raw.name.is_empty() || raw.name.contains(['/', '\\', '.']) || raw.name.chars().any(char::is_control) {
        let help = "names have no `.` and no `/`, so that files and steps are told apart";
        reader.report(
            codes::PIPELINE_VALUE,
            format!("`{}` cannot be the name of a step", raw.name),
            key.span(),
            help,
        );
    }
    let (mut relation, mut reduce, mut epsilon) = (None, None, None);
    let mut other = None;
    let mut given: Vec<(&str, Range<usize>)> = Vec::new();
    for (key, value) in entries(table) {
        let name = name_of(reader, key, STEP);
        if !name.is_empty() {
            given.push((name, key.span()));
        }
        let text = |reader: &mut Reader<'_>, example: &str| -> Option<Placed> {
            let text = reader.string(name, value, &format!("`{name} = \"{example}\"`"))?;
            Some((text, value.span()))
        };
        match name {
            "model" => raw.model = text(reader, "queue.lotos"),
            "from" => raw.from = text(reader, "queue"),
            "constants" => {
                raw.constants = reader.strings(name, value, "names: `constants = [\"N\", \"K=4\"]`")
            }
            "define" => raw.defines = reader.strings(name, value, "macros: `define = [\"N\", \"SAFE=1\"]`"),
            "rename" => rename(reader, value, &mut raw),
            "hide" => hide(reader, value, &mut raw),
            "reduce" => reduce = values::relation(reader, name, value),
            "rounding" => epsilon = values::positive(reader, name, value),
            "write" => raw.write = text(reader, "small.aut"),
            "check" => raw.check = text(reader, "[true* . 'ERROR'] false"),
            "compare" => other = text(reader, "service.lotos"),
            "relation" => relation = values::relation(reader, name, value),
            "steady" => raw.steady = steady(reader, value),
            "transient" => raw.transient = transient(reader, value),
            "expect" => raw.expect = values::verdict(reader, value),
            "csv" => raw.csv = text(reader, "results.csv"),
            _ => {}
        }
    }
    let options = |relation: Relation| ReduceOptions {
        relation,
        epsilon: epsilon.filter(|_| relation.is_stochastic()),
    };
    raw.reduce = reduce.map(options);
    raw.compare = other.map(|other| (other, options(relation.unwrap_or(Relation::Branching))));
    fits_together(reader, &raw, &given, [reduce, relation]);
    Some(raw)
}

/// Complains about keys that mean nothing beside the others: to ignore them would answer another question.
fn fits_together(
    reader: &mut Reader<'_>,
    raw: &Raw,
    given: &[(&str, Range<usize>)],
    relations: [Option<Relation>; 2],
) {
    let has = |key: &str| given.iter().any(|(name, _)| *name == key);
    if has("model") == has("from") {
        let (message, help) = match has("model") {
            true => ("has two systems", "keep one of them: `model` names a file, `from` another step"),
            false => (
                "has no system",
                "say where it comes from: `model = \"queue.lotos\"`, or `from = \"other step\"`",
            ),
        };
        reader.report_at(codes::PIPELINE_KEY, format!("the step `{}` {message}", raw.name), raw.span, help);
    }
    let questions = ["check", "compare", "steady", "transient"];
    let mut asked = given.iter().filter(|(name, _)| questions.contains(name));
    if let (Some((first, _)), Some((second, place))) = (asked.next(), asked.next()) {
        let message = format!("the step `{}` asks two questions: `{first}` and `{second}`", raw.name);
        let help = format!("ask one of them in a step of its own, with `from = \"{}\"`", raw.name);
        reader.report(codes::PIPELINE_KEY, message, place.clone(), &help);
    }
    let is_stochastic = relations.iter().flatten().any(|relation| relation.is_stochastic());
    let needed: [(&str, bool, &str); 6] = [
        ("constants", has("model"), "a step with `model`"),
        ("define", has("model"), "a step with `model`"),
        ("relation", has("compare"), "a step with `compare`"),
        ("expect", has("compare") || has("check"), "a step with `check` or `compare`"),
        ("csv", has("steady") || has("transient"), "a step with `steady` or `transient`"),
        ("rounding", is_stochastic, "a stochastic relation, which adds up numbers"),
    ];
    for (key, fits, needs) in needed {
        if let Some((_, place)) = given.iter().find(|(name, _)| *name == key && !fits) {
            let message = format!("`{key}` means nothing here");
            reader.report(
                codes::PIPELINE_KEY,
                message,
                place.clone(),
                &format!("it belongs to {needs}: move it there, or leave it out"),
            );
        }
    }
}

fn rename(reader: &mut Reader<'_>, value: &Value<'_>, raw: &mut Raw) {
    for (rule, place) in
        reader.strings("rename", value, r"rules: `rename = ['/LATENCY !(.*)/\1; rate 2.5/']`")
    {
        if let Err(found) = Relabelling::read(std::slice::from_ref(&rule), None) {
            bad_pattern(reader, found, place);
        }
        raw.rename.push(rule);
    }
    reread(raw);
}

fn hide(reader: &mut Reader<'_>, value: &Value<'_>, raw: &mut Raw) {
    let Some(text) = reader.string("hide", value, "`hide = \"all but START, STOP !.*\"`") else { return };
    if let Err(found) = Relabelling::read(&[], Some(&text)) {
        bad_pattern(reader, found, value.span());
    }
    raw.hide = Some(text);
    reread(raw);
}

fn reread(raw: &mut Raw) {
    // Errors are told rule by rule.
    raw.relabelling = Relabelling::read(&raw.rename, raw.hide.as_deref()).unwrap_or_default();
}

fn bad_pattern(reader: &mut Reader<'_>, found: Vec<volvelle_diagnostics::Diagnostic>, place: Range<usize>) {
    let span = reader.span(place);
    for mut diagnostic in found {
        diagnostic.message = diagnostic.message.trim_start_matches("--").to_owned();
        reader.found.push(diagnostic.at(span, ""));
    }
}

/// One of the keys that both kinds of measurement have.
fn measure(reader: &mut Reader<'_>, name: &str, value: &Value<'_>, measure: &mut Measure) {
    match name {
        "actions" => measure.actions = texts(reader, name, value),
        "sensitivity" => measure.sensitivity = reader.flag(name, value),
        "bounds" => measure.bounds = reader.flag(name, value),
        _ => {}
    }
}

fn texts(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Vec<String> {
    let found = reader.strings(name, value, &format!("actions: `{name} = [\"LOSS\"]`"));
    found.into_iter().map(|(text, _)| text).collect()
}

fn steady(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Measure> {
    let table = reader.table("steady", value, "`steady = { throughput = true }`")?;
    let mut wanted = Measure::default();
    for (key, value) in entries(table) {
        let Some(&Entry { name, .. }) = reader.known(key, STEADY) else { continue };
        if name == "throughput" {
            if !reader.flag(name, value) {
                let message = "throughputs are what is computed".to_owned();
                reader.report(
                    codes::PIPELINE_VALUE,
                    message,
                    value.span(),
                    "leave the key out, or write `throughput = true`",
                );
            }
        } else {
            measure(reader, name, value, &mut wanted);
        }
    }
    if wanted.bounds && wanted.sensitivity {
        let message = "bounds over schedulers have no derivatives".to_owned();
        reader.report(codes::PIPELINE_VALUE, message, value.span(), "leave out `sensitivity` or `bounds`");
    }
    Some(wanted)
}

fn transient(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Course> {
    let table = reader.table("transient", value, "`transient = { times = \"0:0.1:10\" }`")?;
    let mut course = Course::default();
    for (key, value) in entries(table) {
        let name = name_of(reader, key, TRANSIENT);
        match name {
            "times" => {
                let text = reader.string(name, value, "`times = \"0:0.1:10\"`, or `times = \"1,2,5\"`");
                if let Some(Err(diagnostic)) =
                    text.as_deref().map(|text| volvelle_session::times::times_of(Some(text), "times"))
                {
                    let help = "write `times = \"2.5\"`, `times = \"1,2,5\"` or `times = \"0:0.5:10\"`";
                    reader.report(codes::PIPELINE_VALUE, diagnostic.message, value.span(), help);
                }
                course.times = text;
            }
            "counts" => course.counts = reader.flag(name, value),
            "first_passage" => course.first_passage = texts(reader, name, value),
            _ => measure(reader, name, value, &mut course.measure),
        }
    }
    let passage = !course.first_passage.is_empty();
    let wrong = match (&course, passage) {
        (Course { times: None, .. }, false) => Some((
            "neither times nor the end of a passage are given",
            "write `times = \"0:0.1:10\"`, or `first_passage = [\"LOSS\"]`",
        )),
        (Course { measure: Measure { sensitivity: true, .. }, .. }, false) => Some((
            "over time, only the mean of a first passage has derivatives",
            "give the action whose first occurrence is awaited: `first_passage = [\"LOSS\"]`",
        )),
        (Course { measure: Measure { bounds: true, .. }, .. }, false) => Some((
            "over all schedulers, only first passages have bounds",
            "give the action whose first occurrence is awaited: `first_passage = [\"LOSS\"]`",
        )),
        (Course { counts: true, .. }, true) => {
            Some(("a first passage has no counts", "leave out `counts` or `first_passage`"))
        }
        (Course { measure: Measure { bounds: true, sensitivity: true, .. }, .. }, true) => {
            Some(("bounds over schedulers have no derivatives", "leave out `sensitivity` or `bounds`"))
        }
        (Course { measure: Measure { bounds: true, .. }, times: Some(_), .. }, true) => {
            Some(("bounds over schedulers have no times", "leave out `times` or `bounds`"))
        }
        _ => None,
    };
    if let Some((message, help)) = wrong {
        reader.report(codes::PIPELINE_VALUE, message.to_owned(), value.span(), help);
    }
    Some(course)
}

impl Raw {
    /// A step without keys.
    pub(super) fn new(name: String, span: Span) -> Self {
        Raw {
            name,
            span,
            model: None,
            from: None,
            constants: Vec::new(),
            defines: Vec::new(),
            rename: Vec::new(),
            hide: None,
            relabelling: Relabelling::default(),
            reduce: None,
            write: None,
            check: None,
            compare: None,
            steady: None,
            transient: None,
            expect: None,
            csv: None,
        }
    }

    /// The step with what needs no resolution.
    pub(super) fn plain(&self) -> Step {
        Step {
            name: self.name.clone(),
            span: self.span,
            source: super::Source::Step(0),
            rename: self.rename.clone(),
            hide: self.hide.clone(),
            relabelling: self.relabelling.clone(),
            reduce: self.reduce,
            write: self.write.as_ref().map(|(text, _)| text.clone()),
            question: None,
            expect: self.expect,
            csv: self.csv.as_ref().map(|(text, _)| text.clone()),
            depends: Vec::new(),
        }
    }
}
