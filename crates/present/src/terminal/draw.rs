//! Documents on terminals: the answer first, then what it rests on.

use super::columns::Columns;
use super::flow::{self, Lines};
use super::style::Style;
use super::text::{text, toned};
use crate::document::{
    Block, Cell, Digest, Document, Fact, Finding, Layout, Listing, Medium, Path, Table, Text, Tone, Trust,
};
use crate::format::count;
use volvelle_media as media;

/// Narrowest column of reasons.
const NARROWEST: usize = 32;

/// A document; with all rows, and the bounds of numbers, if `verbose`.
pub fn draw(document: &Document, verbose: bool, style: Style) -> String {
    all(&document.blocks, verbose, style)
}

fn all(blocks: &[Block], verbose: bool, style: Style) -> String {
    blocks.iter().map(|block| drawn(block, verbose, style)).collect()
}

fn drawn(block: &Block, verbose: bool, style: Style) -> String {
    match block {
        Block::Answer(answer) => {
            let took = format!("({})", crate::format::time(answer.took));
            let verdict = Some(&answer.verdict).filter(|verdict| !verdict.is_empty());
            let parts = verdict.into_iter().chain(&answer.about).map(|part| text(part, style));
            let question = text(&answer.question.clone().toned(Tone::Strong), style);
            let items: Vec<String> = std::iter::once(question).chain(parts).chain([took]).collect();
            flow::items("", &items, "  ", 2, style)
        }
        Block::Heading(heading) => {
            let title = text(&heading.title.clone().toned(Tone::Strong), style);
            let about = text(&heading.about.clone().toned(Tone::Faint), style);
            let items: Vec<String> = [title, about].into_iter().filter(|item| !item.is_empty()).collect();
            let (start, gap) = (" ".repeat(heading.indent), " ".repeat(heading.gap));
            flow::items(&start, &items, &gap, heading.indent + 2, style)
        }
        Block::Items(line) => {
            let last = line.items.len().saturating_sub(1);
            let items = line.items.iter().enumerate().map(|(i, item)| {
                let gap = if i == 0 { "  " } else { style.separator() };
                text(item, style) + if i < last { gap } else { "" }
            });
            let items: Vec<String> = items.collect();
            flow::items(&" ".repeat(line.indent), &items, "", line.indent + 2, style)
        }
        Block::Note(note) => {
            flow::text(&" ".repeat(note.indent), &text(&note.text, style), note.further, style)
        }
        Block::Verdict(holds, statement) => {
            let mark = match holds {
                Some(true) => style.good("yes"),
                Some(false) => style.bad("no "),
                None => style.doubtful("?  "),
            };
            flow::text(&format!("  {mark}  "), &text(statement, style), 7, style)
        }
        Block::Facts(facts) => self::facts(facts, style),
        Block::Labels(width, labels) => {
            let line = |(name, label): &(Text, Text)| {
                let name = text(name, style);
                let padding = " ".repeat(width.saturating_sub(flow::columns(&name)));
                let start = format!("  {name}{padding} ");
                flow::text(&start, &text(label, style), flow::columns(&start), style)
            };
            labels.iter().map(line).collect()
        }
        Block::Table(table) => self::table(table, verbose, style),
        Block::Path(path) => self::path(path, style),
        Block::Steps(run) => super::steps::run(run, verbose, style),
        Block::Listing(listing) => self::listing(listing, style),
        Block::Finding(finding) => self::finding(finding, verbose, style),
        Block::Digest(digest) => self::digest(digest, style),
        Block::On(Medium::Terminal, blocks) => all(blocks, verbose, style),
        Block::On(Medium::Details, blocks) if verbose => all(blocks, verbose, style),
        Block::On(..) | Block::Folded(..) | Block::Interval(_) | Block::Chart(_) | Block::Picture(_) => {
            String::new()
        }
        Block::Gap => "\n".to_owned(),
    }
}

/// Columns for the name of a property, and for a verdict beside it.
const NAME: usize = 10;
const WORD: usize = 12;
/// Columns in which begins what is told of a property: below its text, and below its verdict.
const BELOW: [usize; 2] = [9, 4];

/// A property, its answer on the next line or beside its name, and what is told of it below.
fn finding(finding: &Finding, verbose: bool, style: Style) -> String {
    let [name, question, constants, verdict] =
        [&finding.name, &finding.question, &finding.constants, &finding.verdict]
            .map(|part| text(part, style));
    let name = style.bold(&name);
    let about: Vec<String> =
        finding.about.iter().map(|part| text(part, style)).filter(|part| !part.is_empty()).collect();
    let padded = |text: &str, width: usize| {
        let padding = " ".repeat(width.saturating_sub(flow::columns(text)));
        format!("{text}{padding}")
    };
    let indent = BELOW[usize::from(finding.is_word)];
    let mut out = if finding.is_word {
        let mut line = Lines::new("  ", indent, style);
        line.item("", &padded(&name, NAME));
        line.item(" ", &padded(&verdict, WORD));
        line.item(" ", &question);
        about.iter().for_each(|part| line.item("   ", part));
        line.finish()
    } else {
        let has_name = !finding.name.is_empty();
        let start = if has_name { format!("  {}   ", padded(&name, indent - 5)) } else { "  ".to_owned() };
        let items: Vec<String> = [question, constants].into_iter().filter(|item| !item.is_empty()).collect();
        let lines = flow::items(&start, &items, WIDE, if has_name { indent } else { 4 }, style);
        let parts: Vec<String> = std::iter::once(finding.sign.to_owned() + &verdict).chain(about).collect();
        lines + &flow::items(&" ".repeat(indent), &parts, WIDE, indent + 2, style)
    };
    let width = if style.width == 0 { 0 } else { style.width.saturating_sub(indent).max(1) };
    let inside = all(&finding.inside, verbose, Style { width, ..style });
    for line in inside.lines() {
        let indent = if line.is_empty() { 0 } else { indent };
        out.push_str(&format!("{:indent$}{line}\n", ""));
    }
    format!("\n{out}")
}

/// Between the parts of an answer.
const WIDE: &str = "      ";

fn digest(digest: &Digest, style: Style) -> String {
    let items = digest.entries.iter().map(|entry| text(&entry.item, style)).filter(|item| !item.is_empty());
    let items: Vec<String> = items.collect();
    match items.is_empty() {
        true => String::new(),
        false => {
            let gap = text(&digest.gap.into(), style);
            flow::items(&" ".repeat(digest.indent), &items, &gap, digest.indent + 2, style)
        }
    }
}

/// Facts below each other, with their reasons beside them.
fn facts(facts: &[Fact], style: Style) -> String {
    let widest = |part: fn(&Fact) -> &Text| {
        facts.iter().map(|fact| flow::columns(&text(part(fact), style))).max().unwrap_or(0)
    };
    let (names, values) = (widest(|fact| &fact.name), widest(|fact| &fact.value));
    let padded = |part: &Text, width: usize| {
        let part = text(part, style);
        let padding = " ".repeat(width.saturating_sub(flow::columns(&part)));
        part + &padding
    };
    let mut out = String::new();
    for fact in facts {
        let mut lines = Lines::new("    ", 6, style);
        lines.item("", &padded(&fact.name, names));
        lines.indent_here("   ");
        lines.item("   ", &padded(&fact.value, values));
        if !fact.why.is_empty() {
            lines.column("   ", NARROWEST);
            lines.words("   ", &text(&fact.why.clone().toned(Tone::Faint), style));
        }
        out.push_str(&lines.finish());
    }
    out
}

fn table(table: &Table, verbose: bool, style: Style) -> String {
    let is_shown = |place: &usize| !table.columns[*place].is_detail;
    let shown: Vec<usize> = (0..table.columns.len()).filter(is_shown).collect();
    let parts: Vec<usize> = shown.iter().map(|&column| parts(table.columns[column].trust, verbose)).collect();
    let mut head = Vec::new();
    for (&column, parts) in shown.iter().zip(&parts) {
        head.push(text(&table.columns[column].title(), style));
        head.extend(["lo", "hi"].map(str::to_owned).into_iter().filter(|_| *parts == 3));
        head.extend((*parts == 2).then(String::new));
    }
    let [first, last] = ends(table, verbose);
    let row = |cells: &Vec<Cell>| {
        let mut all = Vec::new();
        for (parts, &column) in parts.iter().zip(&shown) {
            all.push(text(&cells[column].text(), style));
            all.extend(beside(&cells[column], *parts, style));
        }
        all
    };
    let left_out = table.brief.filter(|_| first < last);
    let more =
        left_out.map(|(_, elsewhere)| format!("and {} more ({elsewhere})", count((last - first) as u64)));
    let (mut rows, mut tones): (Vec<_>, Vec<Tone>) =
        table.rows[..first].iter().map(|line| (row(&line.cells), line.tone)).unzip();
    if let Some(more) = more.clone().filter(|_| table.has_end) {
        rows.push(head.iter().skip(1).map(|_| String::new()).chain([more]).collect());
        tones.push(Tone::Faint);
    }
    rows.extend(table.rows[last..].iter().map(|line| row(&line.cells)));
    tones.extend(table.rows[last..].iter().map(|line| line.tone));
    // What is told of a number belongs to it.
    let others = (0..shown.len()).filter(|&place| !table.is_key(shown[place]));
    let group = others.take(table.group).map(|place| parts[place]).sum();
    let paint = |row: usize, line: &str| toned(line, tones[row], style);
    let columns = Columns { head, rows, keys: table.keys, group };
    let out = match table.layout {
        Layout::Blocks => columns.draw(table.indent, style, paint),
        Layout::List(gap) => columns.list(gap, table.indent, style, paint),
        Layout::Fitted(column) => {
            // A column has as many columns of the terminal as it has parts.
            let is_right: Vec<bool> = (shown.iter().zip(&parts))
                .flat_map(|(&column, &parts)| std::iter::repeat_n(table.columns[column].is_numeric, parts))
                .collect();
            let before = shown.iter().zip(&parts).take_while(|(shown, _)| **shown < column);
            let column = before.map(|(_, parts)| parts).sum();
            columns.fitted(column, &is_right, table.indent, style, paint)
        }
    };
    let more = more
        .filter(|_| !table.has_end)
        .map(|more| flow::text(&" ".repeat(table.indent), &style.dim(&more), table.indent + 2, style));
    out + &more.unwrap_or_default()
}

/// Rows that are shown: up to the first of these places, and from the second on.
fn ends(table: &Table, verbose: bool) -> [usize; 2] {
    let all = table.rows.len();
    match table.brief {
        Some((most, _)) if !verbose && all > most => {
            let behind = if table.has_end { most / 2 } else { 0 };
            [most - behind, all - behind]
        }
        _ => [all, all],
    }
}

/// Columns of a terminal for a column with this trust: the cell, then its guarantee or its bounds.
fn parts(trust: Trust, verbose: bool) -> usize {
    match (trust, verbose) {
        (Trust::Elsewhere, _) | (Trust::Shared, false) => 1,
        (Trust::Beside, false) => 2,
        (Trust::Beside | Trust::Shared, true) => 3,
    }
}

/// What is told of a number beside it: nothing, its guarantee, or its bounds.
fn beside(cell: &Cell, parts: usize, style: Style) -> Vec<String> {
    match (cell, parts) {
        (Cell::Number(number), 3) => match number.bounds {
            Some(bounds) => bounds.map(|end| format!("{end:?}")).to_vec(),
            None if number.guarantee == "exact" => vec![number.guarantee.clone(); 2],
            None => vec![String::new(); 2],
        },
        (Cell::Number(number), 2) => vec![text(&number.guarantee().into(), style)],
        (_, parts) => vec![String::new(); parts - 1],
    }
}

fn path(path: &Path, style: Style) -> String {
    let indent = " ".repeat(path.indent);
    let cells: Vec<Vec<String>> =
        path.steps.iter().map(|step| step.iter().map(|part| text(part, style)).collect()).collect();
    let width = |place: usize| {
        let parts = cells.iter().filter(|step| step.len() > 1).filter_map(|step| step.get(place));
        parts.map(|part| flow::columns(part)).max().unwrap_or(0).min(path.aligned)
    };
    let widths: Vec<usize> = (0..path.heads.len()).map(width).collect();
    let mut out = String::new();
    for (place, step) in cells.iter().enumerate().take(path.most) {
        if path.cycle_start == Some(place) {
            out.push_str(&flow::text(
                &indent,
                &toned("again and again:", path.tone, style),
                path.indent + 2,
                style,
            ));
        }
        let mut line = String::new();
        for (i, part) in step.iter().enumerate() {
            let padding = " ".repeat(match step.len() {
                1 => 0,
                _ => widths.get(i).copied().unwrap_or(0).saturating_sub(flow::columns(part)),
            });
            line.push_str(if i == 0 { "" } else { "  " });
            line.push_str(part);
            line.push_str(&padding);
        }
        let line = line.trim_end();
        let text = line.trim_start();
        let start = " ".repeat(path.indent + line.len() - text.len());
        out.push_str(&flow::text(&start, &toned(text, path.tone, style), path.indent + 2, style));
    }
    let more = cells.len().saturating_sub(path.most);
    if more > 0 {
        let more = format!("{} more; all of them with --json", count(more as u64));
        out.push_str(&flow::text(&indent, &more, path.indent + 2, style));
    }
    out
}

/// Lines of a listing stay as they are: what is further to the right matters less.
fn listing(listing: &Listing, style: Style) -> String {
    let amounts =
        |texts: &mut dyn Iterator<Item = &str>| texts.map(|text| format!("  {text:>7}")).collect::<String>();
    let mut out = flow::text("  ", &style.bold(&media::line(&listing.name.0)), 4, style);
    let head = format!("{}  {:>5}", amounts(&mut listing.heads.iter().copied()), "line");
    out.push_str(&format!("{}\n", style.dim(&head)));
    for (number, (marks, line)) in listing.lines.iter().enumerate() {
        let (number, line) = (number + 1, media::line(line));
        let line = match marks {
            Some(marks) => format!("{}  {number:>5}  {line}", amounts(&mut marks.iter().map(String::as_str))),
            None => {
                let line = format!("{}  {number:>5}  {line}", amounts(&mut listing.heads.iter().map(|_| "")));
                style.dim(line.trim_end())
            }
        };
        out.push_str(&format!("{}\n", line.trim_end()));
    }
    out
}
