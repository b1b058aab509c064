//! Documents on terminals: the answer first, then what it rests on.

use super::columns::Columns;
use super::flow::{self, Lines};
use super::style::Style;
use crate::document::{Block, Cell, Document, Fact, Kind, Listing, Path, Span, Table, Text, Tone, Trust};
use crate::format::count;
use volvelle_media as media;

/// Narrowest column of reasons.
const NARROWEST: usize = 32;

/// A document; with all rows, and the bounds of numbers, if `verbose`.
pub fn draw(document: &Document, verbose: bool, style: Style) -> String {
    document.blocks.iter().map(|block| drawn(block, verbose, style)).collect()
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
        Block::Listing(listing) => self::listing(listing, style),
        Block::Chart(_) => String::new(),
        Block::Gap => "\n".to_owned(),
    }
}

/// A text with the marks of its tones, in which only these act.
fn text(text: &Text, style: Style) -> String {
    let mut out = String::new();
    let mut spans = text.0.iter().peekable();
    while let Some(first) = spans.next() {
        let mut run = shown(first, style);
        // Neighbours in the same tone have one mark.
        while let Some(next) = spans.next_if(|next| next.tone == first.tone) {
            run.push_str(&shown(next, style));
        }
        out.push_str(&toned(&run, first.tone, style));
    }
    out
}

fn shown(span: &Span, style: Style) -> String {
    let text = media::line(&span.text);
    match span.kind {
        Kind::Words | Kind::Cost if !style.unicode && !text.is_ascii() => {
            text.replace(" · ", ", ").replace('±', "+/-").replace('—', "-").replace('…', "...")
        }
        _ => text.into_owned(),
    }
}

fn toned(text: &str, tone: Tone, style: Style) -> String {
    match tone {
        Tone::Plain => text.to_owned(),
        _ if text.is_empty() => String::new(),
        Tone::Strong => style.bold(text),
        Tone::Faint => style.dim(text),
        Tone::Good => style.good(text),
        Tone::Bad => style.bad(text),
        Tone::Doubtful => style.doubtful(text),
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
    let parts: Vec<usize> = table.columns.iter().map(|column| parts(column.trust, verbose)).collect();
    let mut head = Vec::new();
    for (column, parts) in table.columns.iter().zip(&parts) {
        head.push(text(&column.title(), style));
        head.extend(["lo", "hi"].map(str::to_owned).into_iter().filter(|_| *parts == 3));
        head.extend((*parts == 2).then(String::new));
    }
    let most = table.brief.map_or(usize::MAX, |(most, _)| most);
    let shown = if verbose { table.rows.len() } else { table.rows.len().min(most) };
    let row = |cells: &Vec<Cell>| {
        let mut all = Vec::new();
        for (parts, cell) in parts.iter().zip(cells) {
            all.push(text(&cell.text(), style));
            all.extend(beside(cell, *parts, style));
        }
        all
    };
    let rows = table.rows[..shown].iter().map(|line| row(&line.cells)).collect();
    // What is told of a number belongs to it.
    let others = (0..table.columns.len()).filter(|&column| !table.is_key(column));
    let group = others.take(table.group).map(|column| parts[column]).sum();
    let columns = Columns { head, rows, keys: table.keys, group };
    let mut out = columns.draw(table.indent, style, |row, line| toned(line, table.rows[row].tone, style));
    if let (true, Some((_, elsewhere))) = (shown < table.rows.len(), table.brief) {
        let more = format!("and {} more ({elsewhere})", count((table.rows.len() - shown) as u64));
        out.push_str(&flow::text(&" ".repeat(table.indent), &style.dim(&more), table.indent + 2, style));
    }
    out
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
