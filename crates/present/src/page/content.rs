//! Documents on pages.

use super::bar::bar;
use super::markup::{escaped, facts, picture};
use crate::csv;
use crate::document::{
    Block, Cell, Document, Finding, Kind, Listing, Medium, Path, Span, Steps, Table, Text, Tone, Trust,
};
use crate::format::count;
use volvelle_plot::Format;

/// Rows of a table that are shown.
const MOST_ROWS: usize = 2_000;

/// A document as the content of a section.
pub fn content(document: &Document) -> String {
    all(&document.blocks, 3)
}

/// Blocks whose titles have this level. What follows an answer stands on its card, up to the next one.
fn all(blocks: &[Block], level: usize) -> String {
    let mut out = String::new();
    let mut is_card_open = false;
    for block in blocks {
        if is_card_open && matches!(block, Block::Answer(_) | Block::Heading(_) | Block::Finding(_)) {
            out.push_str("</div>\n");
            is_card_open = false;
        }
        is_card_open |= matches!(block, Block::Answer(_));
        out.push_str(&drawn(block, level));
    }
    if is_card_open {
        out.push_str("</div>\n");
    }
    out
}

/// A block; titles have this level.
fn drawn(block: &Block, level: usize) -> String {
    match block {
        Block::Answer(answer) => {
            let about = answer.about.iter().map(text).chain([text(&crate::document::took(answer.took))]);
            let about = about.collect::<Vec<_>>().join(" · ");
            let verdict = match answer.verdict.is_empty() {
                true => String::new(),
                false => format!("<p class=\"value\">{}</p>\n", text(&answer.verdict)),
            };
            let question = text(&answer.question);
            format!("<div class=\"answer\">\n<h3>{question}</h3>\n{verdict}<p class=\"faint\">{about}</p>\n")
        }
        Block::Heading(heading) => {
            let about = paragraph("faint", &heading.about);
            format!("<h{level}>{}</h{level}>\n{about}", text(&heading.title))
        }
        Block::Items(line) => paragraph("subtitle", &Text::separated(line.items.iter().cloned())),
        Block::Note(note) => paragraph(&format!("in{}", (note.indent / 2).clamp(1, 6)), &note.text),
        Block::Verdict(holds, statement) => {
            let (class, mark) = match holds {
                Some(true) => ("holds", "yes"),
                Some(false) => ("violated", "no"),
                None => ("doubt", "open"),
            };
            format!("<p><strong class=\"{class}\">{mark}</strong> {}</p>\n", text(statement))
        }
        Block::Facts(facts) => {
            let rows = facts.iter().map(|fact| {
                let parts = [&fact.name, &fact.value, &fact.why];
                parts.map(|part| format!("<td>{}</td>", text(part))).concat()
            });
            grid("states", &["what", "choice", "why"].map(|head| th("", head)).concat(), rows)
        }
        Block::Labels(_, labels) => {
            let line = |(name, label): &(Text, Text)| {
                format!("<div><dt>{}</dt><dd>{}</dd></div>\n", text(name), text(label))
            };
            format!("<dl>\n{}</dl>\n", labels.iter().map(line).collect::<String>())
        }
        Block::Table(table) => self::table(table),
        Block::Path(path) => self::path(path),
        Block::Steps(run) => steps(run),
        Block::Listing(listing) => self::listing(listing),
        Block::Finding(finding) => self::finding(finding),
        Block::Digest(digest) => {
            let named = digest.entries.iter().filter(|entry| !entry.name.is_empty());
            facts(&named.map(|entry| (entry.name, text(&entry.value))).collect::<Vec<_>>())
        }
        Block::Interval(interval) => {
            bar(interval.what, &interval.intervals, &interval.marks).unwrap_or_default()
        }
        Block::On(Medium::Page | Medium::Details, blocks) => all(blocks, level),
        Block::On(Medium::Terminal, _) => String::new(),
        Block::Folded(title, blocks) => {
            format!("<details>\n<summary>{}</summary>\n{}</details>\n", text(title), all(blocks, 4))
        }
        Block::Picture(svg) => format!("<figure class=\"scroll\">\n{svg}</figure>\n"),
        Block::Chart(chart) => picture(&chart.render(Format::Svg)),
        Block::Gap => String::new(),
    }
}

fn finding(finding: &Finding) -> String {
    let parts = [&finding.name, &finding.question].map(text);
    let title = parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(" ");
    let constants = match finding.constants.is_empty() {
        true => String::new(),
        false => format!(" <span class=\"faint\">{}</span>", text(&finding.constants)),
    };
    let about =
        finding.about.iter().filter(|part| !part.is_empty()).map(text).collect::<Vec<_>>().join(" · ");
    format!(
        "<div class=\"answer\">\n<h3>{title}{constants}</h3>\n<p class=\"value\">{}</p>\n<p class=\"faint\">{about}</p>\n{}</div>\n",
        text(&finding.verdict),
        all(&finding.inside, 4)
    )
}

/// A text as markup.
fn text(text: &Text) -> String {
    text.0.iter().map(span).collect()
}

fn span(span: &Span) -> String {
    let inside = match span.kind {
        Kind::Words => escaped(&span.text),
        Kind::Name => format!("<code>{}</code>", escaped(&span.text)),
        Kind::Cost => super::markup::cost(&span.text),
    };
    let class = match span.tone {
        Tone::Plain => return inside,
        Tone::Strong => return format!("<strong>{inside}</strong>"),
        tone => class(tone),
    };
    format!("<span class=\"{class}\">{inside}</span>")
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Strong => "best",
        Tone::Faint => "faint",
        Tone::Good => "holds",
        Tone::Bad => "violated",
        Tone::Doubtful => "doubt",
    }
}

fn paragraph(class: &str, content: &Text) -> String {
    match content.is_empty() {
        true => String::new(),
        false => format!("<p class=\"{class}\">{}</p>\n", text(content)),
    }
}

fn th(class: &str, head: &str) -> String {
    match class {
        "" => format!("<th scope=\"col\">{head}</th>"),
        class => format!("<th scope=\"col\" class=\"{class}\">{head}</th>"),
    }
}

/// A table that scrolls in a box of its own.
fn grid(class: &str, heads: &str, rows: impl Iterator<Item = String>) -> String {
    let rows: String = rows.map(|row| format!("<tr>{row}</tr>\n")).collect();
    format!(
        "<div class=\"scroll\"><table class=\"{class}\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// A remark that a table does not show all.
fn more(all: usize) -> String {
    match all.saturating_sub(MOST_ROWS) {
        0 => String::new(),
        n => format!("<p class=\"faint\">{} more are not shown.</p>\n", count(n as u64)),
    }
}

fn table(table: &Table) -> String {
    let class = |i: usize| match (table.columns[i].is_numeric, table.is_key(i)) {
        (true, _) => "amount",
        (false, true) => "key",
        (false, false) => "",
    };
    // Columns in which no row has anything are left out.
    let has_cells = |i: &usize| table.rows.iter().any(|row| !row.cells[*i].text().is_empty());
    let shown: Vec<usize> =
        (0..table.columns.len()).filter(|i| table.rows.is_empty() || has_cells(i)).collect();
    let heads: String = shown.iter().map(|&i| th(class(i), &text(&table.columns[i].title()))).collect();
    let rows = table.rows.iter().take(MOST_ROWS).map(|row| {
        let cells = shown.iter().map(|&i| td(&row.cells[i], table.columns[i].trust, class(i), row.tone));
        cells.collect()
    });
    grid("sheet", &heads, rows) + &more(table.rows.len()) + &data(table)
}

/// The numbers of a table with their bounds, for other programs.
fn data(table: &Table) -> String {
    let has_bounds = table.columns.iter().any(|column| column.trust != Trust::Elsewhere);
    if !has_bounds || table.rows.is_empty() {
        return String::new();
    }
    let csv = escaped(&csv::table(table));
    format!(
        "<details>\n<summary>These values as CSV</summary>\n<pre class=\"data\">{csv}</pre>\n</details>\n"
    )
}

/// A cell. How far a number can be trusted stands below it, and its bounds in full are its title.
fn td(cell: &Cell, trust: Trust, of_column: &str, tone: Tone) -> String {
    let class = [of_column, class(tone)].into_iter().filter(|class| !class.is_empty()).collect::<Vec<_>>();
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{}\"", class.join(" ")) };
    let shown = text(&cell.text());
    let (Cell::Number(number), Trust::Beside | Trust::Shared) = (cell, trust) else {
        return format!("<td{class}>{shown}</td>");
    };
    let bounds = number.bounds.map_or(String::new(), |[lo, hi]| format!(" title=\"{lo:?} to {hi:?}\""));
    let guarantee = match trust {
        Trust::Beside => format!("<small>{}</small>", escaped(&number.guarantee())),
        Trust::Shared | Trust::Elsewhere => String::new(),
    };
    format!("<td{class}{bounds}>{shown}{guarantee}</td>")
}

fn path(path: &Path) -> String {
    let heads: String = path.heads.iter().map(|head| th("", &escaped(head))).collect();
    let rows = path.steps.iter().take(MOST_ROWS).enumerate().map(|(place, step)| {
        let class = if path.cycle_start == Some(place) { " class=\"violated\"" } else { "" };
        // A remark stands in the last column.
        let empty = path.heads.len().saturating_sub(step.len());
        let cells = std::iter::repeat_n(String::new(), empty).chain(step.iter().map(text));
        cells.map(|cell| format!("<td{class}>{cell}</td>")).collect()
    });
    let cycle = match path.cycle_start {
        Some(place) => format!("<p>From step {} on, this cycle repeats.</p>\n", place + 1),
        None => String::new(),
    };
    grid("steps", &heads, rows) + &more(path.steps.len()) + &cycle
}

fn steps(run: &Steps) -> String {
    if run.steps.is_empty() {
        return String::new();
    }
    let heads = run.columns.iter().map(|column| th("", &text(&column.title())));
    let heads: String = heads.chain([th("", "changes")]).collect();
    let rows = run.steps.iter().take(MOST_ROWS).enumerate().map(|(place, step)| {
        let cycle = if run.cycle_start == Some(place) { "cycle" } else { "" };
        let mut cells: Vec<String> = step.cells.iter().map(text).collect();
        let told = step.remarks.iter().map(|remark| format!("<br/>{}", text(remark)));
        let printed = match step.printed.as_str() {
            "" => String::new(),
            printed => format!("<pre class=\"faint\">{}</pre>", escaped(printed)),
        };
        if let Some(last) = cells.last_mut() {
            last.extend(told.chain([printed]));
        }
        cells.push(step.changes.iter().map(text).collect::<Vec<_>>().join("<br/>"));
        let class = |i: usize| format!("{}{cycle}", if i > 0 { "" } else { "number " });
        let cells = cells.iter().enumerate();
        cells.map(|(i, cell)| format!("<td class=\"{}\">{cell}</td>", class(i).trim())).collect()
    });
    let omitted = match run.omitted {
        Some((_, steps)) => format!("<p class=\"faint\">{} steps are left out.</p>\n", count(steps)),
        None => String::new(),
    };
    let cycle = match run.cycle_start {
        Some(start) if start < run.steps.len() => {
            let number = run.steps[start].cells.first().map_or(String::new(), text);
            format!("<p>From step {number} on, this cycle repeats.</p>\n")
        }
        Some(_) => "<p>Nothing happens after the last step.</p>\n".to_owned(),
        None => String::new(),
    };
    grid("steps", &heads, rows) + &more(run.steps.len()) + &omitted + &cycle
}

fn listing(listing: &Listing) -> String {
    let heads = listing.heads.iter().copied().chain(["line"]).map(|head| th("amount", &escaped(head)));
    let heads =
        heads.chain([th("", &format!("<code>{}</code>", escaped(&listing.name.0)))]).collect::<String>();
    let rows = listing.lines.iter().take(MOST_ROWS).enumerate().map(|(number, (marks, line))| {
        let marks = match marks {
            Some(marks) => marks.clone(),
            None => vec![String::new(); listing.heads.len()],
        };
        let amounts = marks.into_iter().chain([(number + 1).to_string()]);
        let amounts: String =
            amounts.map(|amount| format!("<td class=\"amount\">{}</td>", escaped(&amount))).collect();
        format!("{amounts}<td class=\"code\">{}</td>", escaped(line))
    });
    grid("sheet", &heads, rows) + &more(listing.lines.len())
}
