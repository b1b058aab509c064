//! Published explicit models with the values of their properties.
//!
//! Switched on by `VOLVELLE_EXCHANGE_CORPUS`, a folder with `cases.tsv`. Of every legal file whose kind of model has an engine all
//! properties are computed, as the file stands and again after it was written in each format that can carry the model: in rational
//! arithmetic where the file has rationals, else within the bounds that doubles allow. Paths of chains agree with them. Kinds without an engine are refused by name.

mod facts;
mod paths;
mod row;
mod trips;

use crate::table;
use row::{Asked, Expected, Row};
use std::path::{Path, PathBuf};
use volvelle_control::Control;
use volvelle_diagnostics::{Severity, codes};
use volvelle_explicit::Format;
use volvelle_logic::Value;
use volvelle_verify::{Analysis, Input, NoFolder, Part, Session, Settings};

/// The files of a model: that of its transitions, and those beside it.
#[derive(Clone)]
pub struct Files {
    /// Name and content.
    main: (String, Vec<u8>),
    parts: Vec<(Part, String, Vec<u8>)>,
}

impl Files {
    fn session(&self, exact: bool) -> Session {
        let control = Control::unlimited();
        let (name, bytes) = self.main.clone();
        let input = Input {
            name,
            bytes,
            properties: Vec::new(),
            defines: &[],
            parts: self.parts.clone(),
            exact,
            overrides: volvelle_verify::language::Overrides::default(),
            standard_input: None,
            system: None,
            folder: &mut NoFolder,
            named: std::rc::Rc::new(NoFolder),
            control: &control,
        };
        Session::open_files::<&str>(None, input, &[])
    }
}

/// What was looked at.
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    values: usize,
    exact_values: usize,
    facts: usize,
    refused: usize,
    /// Values that simulated paths were compared with.
    simulated: usize,
    /// Values and facts after a file was written in each format and read again.
    again: [usize; Format::ALL.len()],
}

pub fn corpus() -> Result<bool, String> {
    let Some(folder) = std::env::var_os("VOLVELLE_EXCHANGE_CORPUS").map(PathBuf::from) else {
        println!("exchange_corpus: skipped, VOLVELLE_EXCHANGE_CORPUS is not set");
        println!("{}", table::result_line(true, 0, 0, 1));
        return Ok(true);
    };
    let (mut tally, mut failures) = (Tally::default(), Vec::new());
    for row in row::rows(&folder)?.into_iter().filter(Row::is_legal) {
        let files = row.files(&folder)?;
        let mut fail = |what: String| failures.push(format!("{}: {what}", row.file));
        if row.has_engine() {
            tally.files += 1;
            check(&row, &files, &mut tally, &mut fail);
        } else {
            tally.refused += 1;
            refused(&row, &files).into_iter().for_each(&mut fail);
        }
    }
    failures.iter().for_each(|failure| println!("{failure}"));
    println!("{tally:?}");
    // A corpus that lost its properties, or of which nothing is read, is none. ALDEBARAN has no labels: few rows survive it.
    let [umb, drn, transitions, combined, aut] = tally.again;
    let enough = tally.files >= 55
        && tally.values >= 125
        && tally.exact_values >= 45
        && tally.facts >= 15
        && tally.refused >= 19
        && tally.simulated >= 60
        && [umb, drn, transitions, combined].iter().all(|&rows| rows >= 125)
        && aut >= 5;
    if !enough {
        println!("this is less than the corpus has");
    }
    let passed = failures.is_empty() && enough;
    println!("{}", table::result_line(passed, u64::from(passed), u64::from(!passed), 0));
    Ok(passed)
}

/// All properties of a model with an engine.
fn check(row: &Row, files: &Files, tally: &mut Tally, fail: &mut impl FnMut(String)) {
    let asked = match row.asked() {
        Ok(asked) => asked,
        Err(why) => return fail(why),
    };
    for asked in &asked {
        match asked {
            Asked::Value { text, expected } => {
                let found = differences(row, files, text, expected);
                tally.values += 1;
                tally.exact_values += usize::from(row.is_exact() && expected.is_exact());
                found.into_iter().for_each(&mut *fail);
                if let Some(value) = paths::value(row, expected) {
                    tally.simulated += 1;
                    paths::difference(files, text, value).into_iter().for_each(&mut *fail);
                }
            }
            Asked::Unknown { text } => {
                tally.facts += 1;
                let refused = differences(row, files, text, &Expected::default());
                if refused.is_none_or(|why| !why.contains("no label")) {
                    fail(format!("{text}: the label is not missed"));
                }
            }
            Asked::Fact { what, value } => {
                tally.facts += 1;
                let session = files.session(false);
                let model = session.model.explicit();
                model
                    .and_then(|model| facts::difference(model, what, value))
                    .into_iter()
                    .for_each(&mut *fail);
            }
        }
    }
    let session = files.session(row.is_exact());
    let Some(model) = session.model.explicit() else { return fail("is not read".to_owned()) };
    for (place, format) in Format::ALL.into_iter().enumerate() {
        let trip = match trips::written(model, format) {
            Ok(Some(trip)) => trip,
            Ok(None) => continue,
            Err(why) => {
                fail(format!("as {}: {why}", format.name()));
                continue;
            }
        };
        for asked in &asked {
            let found = match asked {
                Asked::Value { text, expected } if trip.carries(text) => {
                    differences(row, &trip.files, text, expected)
                }
                Asked::Fact { what, value } if facts::are_held(format, what) => {
                    let session = trip.files.session(false);
                    session.model.explicit().and_then(|model| facts::difference(model, what, value))
                }
                _ => continue,
            };
            tally.again[place] += 1;
            found.into_iter().for_each(|what| fail(format!("as {}: {what}", format.name())));
        }
    }
}

/// How the value of a property differs from what it should be.
fn differences(row: &Row, files: &Files, text: &str, expected: &Expected) -> Option<String> {
    let exact = row.is_exact() && expected.is_exact();
    let mut session = files.session(exact);
    let settings = Settings { exact, ..Settings::default() };
    let report = volvelle_verify::check(&mut session, &[text.to_owned()], &settings, &Control::unlimited());
    let Some(Ok(answer)) = report.results.first().map(|result| &result.outcome) else {
        let all = report.all_diagnostics();
        let error = all.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        return Some(format!("{text}: {}", error.map_or("there is no result", |d| &d.message)));
    };
    let values: Vec<f64> = match &answer.value {
        Value::Number(value) => vec![*value],
        Value::States(states) => states.iter().map(|(_, value)| value.middle()).collect(),
        other => return Some(format!("{text}: {other:?} is no number")),
    };
    let found = if exact {
        let fractions: Vec<String> = answer.exact.iter().map(ToString::to_string).collect();
        expected.differs_from_fractions(&fractions)
    } else {
        expected.differs_from(&values)
    };
    found.map(|what| format!("{text}: {what}"))
}

/// What is wrong with the refusal of a kind without an engine.
fn refused(row: &Row, files: &Files) -> Option<String> {
    let session = files.session(false);
    let Some(model) = session.model.explicit() else { return Some("is not read".to_owned()) };
    let kind = model.kind().name();
    let Some(refusal) = session.model.refusal(Analysis::Numbers) else {
        return Some(format!("a {kind} is not refused"));
    };
    let is_named = refusal.message.contains(&kind) && row::short(&kind) == row.kind;
    (refusal.code != codes::EXPLICIT_UNSUPPORTED || !is_named)
        .then(|| format!("{} is refused without its kind: {}", row.kind, refusal.message))
}

/// The part that an ending of a companion says.
fn part_of(name: &str) -> Option<Part> {
    let ending = Path::new(name).extension()?.to_str()?;
    Part::ALL.into_iter().find(|part| part.ending() == ending)
}
