//! Answers to properties: a table of several, and for each its value, its guarantee, and what shows that it is right.

use super::value::{
    POINTS_INLINE, compared, coordinate_texts, decimal, meaning, of_state, trust, trust_short, value, verdict,
};
use super::{evidence, facts, number, paths, runs};
use volvelle_control::FactValue;
use volvelle_logic::{Answer, FormulaValue, Guarantee, Ratio, Value, gate};
use volvelle_present::document::{
    Block, Cell, Column, Digest, Document, Entry, Finding, Heading, Interval, Layout, Mark, Medium, Note,
    Row, Table, Text, Tone, bad, doubtful, faint, name, strong, took,
};
use volvelle_present::format::{LONGEST_PROPERTY, count, shortened};
use volvelle_present::text;
use volvelle_session::fractions;
use volvelle_session::report::PropertyReport;

/// Properties that a page shows one by one; of more, the table says it all.
const MOST_DETAILED: usize = 200;

/// States that a terminal shows at first.
const STATES_SHOWN: usize = 20;

/// Digits of a fraction that a page shows.
const MOST_DIGITS: usize = 2_000;

/// The question of a page: the property, or how many there are.
pub fn title(results: &[PropertyReport], file: &str) -> String {
    match results {
        [single] => match &single.name {
            Some(name) if *name != single.text && !single.text.is_empty() => {
                format!("{name}: {}", single.text)
            }
            Some(name) => name.clone(),
            None => single.text.clone(),
        },
        [] => file.to_owned(),
        several => format!("{} properties of {file}", several.len()),
    }
}

/// Answers of properties of a file. Of several, a terminal shows a table, or each of them `one_by_one`.
pub fn document(results: &[PropertyReport], one_by_one: bool, file: &str) -> Document {
    let mut document = Document::new(title(results, file));
    let media = |on_terminals: bool, blocks: Vec<Block>| match on_terminals {
        true => blocks,
        false => vec![Block::On(Medium::Page, blocks)],
    };
    let is_table = results.len() > 1;
    if is_table {
        document.blocks.extend(media(!one_by_one, vec![Block::Gap, table(results, false)]));
        if !one_by_one {
            document.push(Block::On(Medium::Terminal, remarks(results)));
        }
        document.blocks.extend(media(!one_by_one, summary(results, false)));
    }
    let cards = results.iter().take(MOST_DETAILED).map(|result| finding(result).into()).collect();
    document.blocks.extend(media(one_by_one || !is_table, cards));
    document.blocks.extend(left_out(results));
    document
}

/// Verdicts of a search of a file.
pub fn verdicts(results: &[PropertyReport], file: &str) -> Document {
    let mut document = Document::new(title(results, file));
    let several = results.len() > 1;
    if several {
        document.push(Block::On(Medium::Page, [summary(results, true), vec![table(results, true)]].concat()));
    }
    let mut charts = 0;
    for result in results {
        document.push(searched(result, several, &mut charts));
    }
    document
}

fn left_out(results: &[PropertyReport]) -> Option<Block> {
    let left = results.len().checked_sub(MOST_DETAILED).filter(|&left| left > 0)?;
    let note = Note { text: faint(format!("{left} more appear only in the table above")), ..Note::default() };
    Some(Block::On(Medium::Page, vec![note.into()]))
}

/// How many properties are false or have no answer.
fn summary(results: &[PropertyReport], searched: bool) -> Vec<Block> {
    let is_false = results.iter().filter(|r| r.is_false()).count();
    let failed = results.iter().filter(|r| r.outcome.is_err()).count();
    let word = if searched { "violated" } else { "false" };
    let mut parts = Vec::new();
    match is_false {
        0 => {}
        1 => parts.push(format!("1 property is {word}")),
        n => parts.push(format!("{n} properties are {word}")),
    }
    if failed > 0 {
        parts.push(format!("{failed} could not be checked"));
    }
    if parts.is_empty() {
        return Vec::new();
    }
    vec![Block::Gap, Note { text: strong(Text::separated(parts)), ..Note::default() }.into()]
}

/// Remarks on the answers, each behind the number or name of its property.
fn remarks(results: &[PropertyReport]) -> Vec<Block> {
    let of = |report: &PropertyReport| {
        let name = match (report.number, &report.name) {
            (Some(number), _) => number.to_string(),
            (None, Some(name)) => name.clone(),
            (None, None) => shortened(&report.text, LONGEST_PROPERTY),
        };
        let remark = |remark: &String| {
            remarked(2, text![volvelle_present::document::name(&name), ": ", remark.as_str()])
        };
        report.remarks.iter().map(remark).collect::<Vec<_>>()
    };
    let all: Vec<Block> = results.iter().flat_map(of).collect();
    if all.is_empty() { all } else { [vec![Block::Gap], all].concat() }
}

fn remarked(indent: usize, text: Text) -> Block {
    Note { text: doubtful(text), indent, further: indent + 2 }.into()
}

fn constants(report: &PropertyReport, between: &str) -> Text {
    let constants: Vec<String> = report.constants.iter().map(|constant| constant.to_string()).collect();
    if constants.is_empty() { Text::default() } else { name(constants.join(between)) }
}

/// Why there is no answer. The message itself is among the diagnostics.
fn code(report: &PropertyReport) -> String {
    let diagnostics = report.outcome.as_ref().err();
    diagnostics.and_then(|all| all.first()).map_or(String::new(), |diagnostic| diagnostic.code.to_string())
}

fn table(results: &[PropertyReport], searched: bool) -> Block {
    // Texts from the command line have no number.
    let numbered = results.iter().any(|result| result.number.is_some());
    let mut columns = vec![
        Column::numbers("#"),
        Column::words("property"),
        Column::words("answer"),
        Column::words("guarantee"),
        Column::numbers("time"),
    ];
    let row = |result: &PropertyReport| {
        let mut label = text![name(shortened(&result.text, LONGEST_PROPERTY))];
        if !result.constants.is_empty() {
            label = text![label, "  ", constants(result, ",")];
        }
        if let Some(title) = result.name.as_ref().filter(|title| **title != result.text) {
            label = if result.text.is_empty() { name(title) } else { text![name(title), ": ", label] };
        }
        let number = result.number.map_or(Cell::Empty, |number| Cell::Count(number as u64));
        let mut cells = vec![number, label.into()];
        match &result.outcome {
            Ok(answer) => {
                let word = if searched { verdict(result) } else { value(answer) };
                cells.extend([word.into(), Text::from(trust_short(answer)).into()]);
                cells.push(faint(took(result.time)).into());
            }
            Err(_) => {
                let why = result.unanswered().map_or(String::new(), |why| format!(" {why}"));
                cells.extend([Cell::Missing, bad(format!("{}{why}", code(result))).into(), Cell::Empty]);
            }
        }
        cells.drain(..usize::from(!numbered));
        Row { cells, tone: Tone::Plain }
    };
    columns.drain(..usize::from(!numbered));
    let layout = Layout::Fitted(usize::from(numbered));
    let keys = 1 + usize::from(numbered);
    Table { layout, rows: results.iter().map(row).collect(), ..Table::new(columns, keys, []) }.into()
}

/// Everything about one property.
pub fn finding(report: &PropertyReport) -> Finding {
    let mut finding = Finding {
        name: report.name.as_ref().map_or(Text::default(), name),
        question: name(shortened(&report.text, LONGEST_PROPERTY)),
        constants: constants(report, ", "),
        ..Finding::default()
    };
    let inside = &mut finding.inside;
    match &report.outcome {
        Ok(answer) => {
            finding.sign = "= ";
            finding.verdict = text![value(answer), decimal(answer)];
            finding.about =
                vec![trust(answer), faint(text![answer.method.as_str(), ", ", took(report.time)])];
            inside.extend(report.remarks.iter().map(|remark| remarked(0, remark.as_str().into())));
            inside.extend(bounds(report, answer));
            inside.extend(
                report.verification.iter().flat_map(|verification| paths::verification(verification)),
            );
            inside.extend(points(answer));
            if let Value::States(states) = &answer.value {
                let rows = states.iter().zip(&report.states).enumerate();
                let rows = rows.map(|(i, (&(number, value), state))| {
                    (number, value, answer.exact.get(i), state.as_str())
                });
                let mut table = states_table(rows, &answer.guarantee, 2, "-v shows all");
                // That all of them are exact, the answer says.
                table.columns[TRUST].is_detail = !answer.exact.is_empty();
                inside.push(table.into());
            }
            inside.extend(report.evidence.iter().flat_map(|found| evidence::blocks(found)));
        }
        Err(_) => {
            finding.verdict = bad("no answer");
            finding.about =
                [code(report), report.unanswered().unwrap_or_default().to_owned()].map(Text::from).to_vec();
            if let Some([lo, hi]) = report.known {
                let known =
                    Entry::named("known so far", format!("between {} and {}", number(lo), number(hi)));
                inside.push(Digest { entries: vec![known], ..Digest::default() }.into());
            }
        }
    }
    finding.inside.extend(explanation(report));
    finding
}

/// A verdict, with its counterexamples; one of `several` says how many states its search visited. `charts` counts pictures of the page.
fn searched(report: &PropertyReport, several: bool, charts: &mut usize) -> Finding {
    let title = report.name.as_deref().unwrap_or("");
    // A formula of the command line is its own name.
    let text = if super::one_line(title) == report.text { "" } else { report.text.as_str() };
    let mut costs: Vec<Text> = report.outcome.iter().map(|answer| answer.method.as_str().into()).collect();
    costs.extend(visited(report).filter(|_| several).map(Text::from));
    costs.push(took(report.time));
    let mut inside: Vec<Block> =
        report.remarks.iter().map(|remark| remarked(0, remark.as_str().into())).collect();
    inside.extend(report.counterexamples.iter().flat_map(|example| {
        *charts += 1;
        runs::counterexample(example, *charts)
    }));
    if let Ok(Guarantee::Partial { omission }) = report.outcome.as_ref().map(|answer| &answer.guarantee)
        && report.counterexamples.is_empty()
        && !report.is_cut()
    {
        let how_much = match omission {
            Some(0.0) => ", as far as can be measured: each was found repeatedly".to_owned(),
            Some(omission) => format!(": a state was overlooked with a probability of about {omission:.1e}"),
            None => String::new(),
        };
        let what =
            if *omission == Some(0.0) { "all states were visited" } else { "states may have been missed" };
        inside.push(remarked(0, format!("{what}{how_much}").into()));
    }
    inside.extend(explanation(report));
    Finding {
        name: name(shortened(title, LONGEST_PROPERTY)),
        question: if text.is_empty() { Text::default() } else { name(shortened(text, LONGEST_PROPERTY)) },
        verdict: verdict(report),
        about: vec![faint(text!["(", Text::joined(costs, ", "), ")"])],
        is_word: true,
        inside,
        ..Finding::default()
    }
}

/// `695 product states`
fn visited(report: &PropertyReport) -> Option<String> {
    let fact = report.facts.iter().find(|fact| fact.what.ends_with("states"))?;
    match fact.value {
        FactValue::Count(1) => Some(format!("1 {}", fact.what.trim_end_matches('s'))),
        FactValue::Count(n) => Some(format!("{} {}", count(n), fact.what)),
        _ => None,
    }
}

/// The bounds with all their digits, drawn and in words, and what they mean.
fn bounds(report: &PropertyReport, answer: &Answer) -> Vec<Block> {
    let interval = answer.guarantee.interval();
    let mut blocks = Vec::new();
    if let (Some(interval), Some(at)) = (interval, compared(answer)) {
        let is_estimate = matches!(answer.guarantee, Guarantee::Statistical { .. });
        let name = if is_estimate { "estimate" } else { "value" };
        let marks = vec![Mark { at, name, is_wrong: false }];
        blocks.push(Interval { what: "bounds", intervals: vec![interval], marks }.into());
    }
    let bounds = match interval {
        Some([lo, hi]) if lo == hi => format!("{lo:?}"),
        Some([lo, hi]) => format!("{lo:?} to {hi:?}"),
        None => String::new(),
    };
    let entries = vec![
        Entry::named("guarantee", meaning(answer)),
        Entry::named("bounds", bounds),
        Entry::named("exactly", exactly(answer)),
    ];
    blocks.push(Digest { entries, ..Digest::default() }.into());
    let dim = |text: String| Note { text: faint(text), ..Note::default() }.into();
    let details: Vec<Block> = match answer.guarantee {
        Guarantee::Sound { lo, hi, .. } => {
            vec![dim(format!("between {lo:?} and {hi:?}, {}", answer.stop.name()))]
        }
        // Of a list there may be thousands.
        Guarantee::Exact { .. } if !matches!(answer.value, Value::States(_)) => {
            let long = answer.exact.iter().filter(|number| fractions::short(number).is_none());
            let of = |number: &Ratio| {
                let about = dim(format!("{} (about {})", fractions::describe(number), number.to_f64()));
                [about, Note { text: number.to_string().into(), ..Note::default() }.into()]
            };
            long.flat_map(of).collect()
        }
        _ => Vec::new(),
    };
    if !details.is_empty() {
        blocks.push(Block::On(Medium::Terminal, vec![Block::On(Medium::Details, details)]));
    }
    if let Some(statistics) = &report.statistics {
        blocks.push(Block::On(Medium::Details, paths::statistics(statistics)));
    }
    blocks
}

fn exactly(answer: &Answer) -> Text {
    match (&answer.value, answer.exact.first()) {
        (Value::Number(_) | Value::Bool(_), Some(exact)) => {
            let text = exact.to_string();
            match text.len() > MOST_DIGITS {
                true => format!("a fraction of {} digits", count(text.len() as u64)).into(),
                false => name(text),
            }
        }
        _ => Text::default(),
    }
}

/// The corners of a Pareto curve; few have room in the line of the answer.
fn points(answer: &Answer) -> Option<Block> {
    let Value::Pareto(points) = &answer.value else { return None };
    let objectives = 1..=points.first().map_or(0, Vec::len);
    let columns = objectives.map(|i| Column::numbers(format!("objective {i}"))).collect();
    let row = |i: usize| coordinate_texts(points, i, answer).into_iter().map(Cell::shown).collect();
    let table: Block = Table::new(columns, 0, (0..points.len()).map(row)).into();
    Some(if points.len() <= POINTS_INLINE { Block::On(Medium::Page, vec![table]) } else { table })
}

/// The column of a table of states that says how far values can be trusted.
const TRUST: usize = 2;

/// States with values.
fn states_table<'s>(
    states: impl Iterator<Item = (u32, FormulaValue, Option<&'s Ratio>, &'s str)>,
    guarantee: &Guarantee,
    indent: usize,
    elsewhere: &'static str,
) -> Table {
    let columns = vec![
        Column::numbers("number").detail(),
        Column::numbers("value"),
        Column::words("guarantee"),
        Column::words("state"),
    ];
    let rows = states.map(|(number, value, exact, state)| {
        let [value, trust] = of_state(value, exact, guarantee);
        vec![Cell::shown(number.to_string()), value, trust, Cell::name(state)]
    });
    Table { indent, ..Table::new(columns, 0, rows).listed(STATES_SHOWN, elsewhere) }
}

/// The values of properties in all states: `--states`.
pub fn states(document: &mut Document, results: &[PropertyReport]) {
    for report in results {
        let Some(values) = &report.values else { continue };
        let guarantee = report.outcome.as_ref().map_or(gate::exact(), |answer| answer.guarantee.clone());
        document.push(Block::Gap);
        let title = text![name(report.name.as_deref().unwrap_or(&report.text)), " in each state"];
        document.push(Heading { title, indent: 2, ..Heading::default() });
        let rows =
            (0..).zip(values).map(|(i, entry)| (i, entry.value, entry.exact.as_ref(), entry.state.as_str()));
        document.push(states_table(rows, &guarantee, 4, "-v shows all, --csv and --json list all"));
    }
}

/// How the answer was computed, and why so.
fn explanation(report: &PropertyReport) -> Option<Block> {
    let blocks = vec![facts::listed(&report.facts)?];
    Some(Block::Folded("How it was computed".into(), blocks))
}
