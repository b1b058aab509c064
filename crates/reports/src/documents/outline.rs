//! The parts of a model.

use volvelle_present::document::{Block, Document, Items, Text, doubtful, faint, name, strong};
use volvelle_present::format::{LONGEST_PROPERTY, kind, shortened};
use volvelle_session::limits::{count, counted};
use volvelle_session::outline::Outline;

/// Column at which the second half of a line starts.
const INDENT: usize = 14;

/// Widest lines of a list, which begin at [`INDENT`].
const LIST_WIDTH: usize = 100 - INDENT;

/// Narrowest lines of a list.
const NARROWEST: usize = 16;

/// Most names of a list: about ten lines.
const MOST_NAMES: usize = 60;

/// The parts of the model of a file, in lists no wider than this; 0: as wide as can be read.
pub fn document(file: &str, outline: &Outline, width: usize) -> Document {
    let mut document = Document::new(name(file));
    document.push(Items { items: vec![strong(name(file)), kind(&outline.kind).into()], indent: 0 });
    let condition = outline.initial_condition.as_ref().map(|c| Text::from(format!("all states with {c}")));
    let labels: Vec<String> = outline.labels.iter().map(|l| format!("\"{l}\"")).collect();
    let properties_title = if outline.processes.is_empty() { "properties" } else { "claims" };
    for (title, lines) in [
        ("size", size(outline, width)),
        ("constants", constants(outline)),
        ("variables", variables(outline)),
        ("initial", condition.into_iter().collect()),
        ("processes", processes(outline)),
        ("channels", channels(outline)),
        ("modules", modules(outline)),
        ("actions", list(&outline.actions, width)),
        ("rewards", rewards(outline)),
        ("labels", list(&labels, width)),
        (properties_title, properties(outline)),
    ] {
        let lines: Vec<Text> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        if !lines.is_empty() {
            let titles = std::iter::once(faint(title)).chain(std::iter::repeat(Text::default()));
            document.push(Block::Gap);
            document.push(Block::Labels(INDENT - 3, titles.zip(lines).collect()));
        }
    }
    document
}

fn size(outline: &Outline, width: usize) -> Vec<Text> {
    let Some(size) = &outline.size else { return Vec::new() };
    let mut parts = vec![counted(size.states, "state")];
    parts.extend(size.choices.map(|n| counted(n, "choice")));
    parts.push(counted(size.transitions, "transition"));
    parts.push(counted(size.initial_states, "initial state"));
    if size.deadlocks > 0 {
        parts.push(format!("{} without transitions", count(size.deadlocks)));
    }
    parts.extend(size.markovian.map(|n| format!("{} Markovian", count(n))));
    parts.extend(size.observations.map(|n| counted(n, "observation")));
    if !size.players.is_empty() {
        parts.push(format!("players {}", Text::joined(list(&size.players, width), " ").plain()));
    }
    let numbers = size.numbers.map_or(String::new(), |numbers| format!(", numbers as {numbers}"));
    vec![parts.join(", ").into(), format!("{}{numbers}", size.format).into()]
}

/// Names with commas between them, in lines of a readable width. Of very many names the first ones are listed: a file may
/// have a million actions.
fn list(names: &[String], width: usize) -> Vec<Text> {
    let widest = match width {
        0 => LIST_WIDTH,
        width => LIST_WIDTH.min(width.saturating_sub(INDENT)).max(NARROWEST),
    };
    let shown = if names.len() <= MOST_NAMES + 1 { names.len() } else { MOST_NAMES };
    let left = names.len() - shown;
    let more = (left > 0).then(|| format!("and {} more; --json lists all", count(left as u64)));
    let names = names[..shown].iter().enumerate().map(|(i, name)| {
        let is_last = i + 1 == names.len();
        format!("{}{}", shortened(name, widest - 1), if is_last { "" } else { "," })
    });
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut width = 0;
    for part in names.chain(more) {
        let part_width = part.chars().count();
        if width > 0 && width + 1 + part_width > widest {
            lines.push(std::mem::take(&mut line));
            width = 0;
        }
        if width > 0 {
            line.push(' ');
            width += 1;
        }
        line.push_str(&part);
        width += part_width;
    }
    lines.push(line);
    lines.into_iter().map(name).collect()
}

/// Pads the cells of every column to its widest.
fn columns<const N: usize>(rows: &[[String; N]]) -> Vec<Text> {
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let row = |cells: &[String; N]| {
        let padded = cells.iter().zip(&widths).filter(|(_, w)| **w > 0).map(|(c, &w)| format!("{c:<w$}"));
        name(padded.collect::<Vec<_>>().join("   ").trim_end())
    };
    rows.iter().map(row).collect()
}

fn constants(outline: &Outline) -> Vec<Text> {
    let rows: Vec<[String; 3]> = (outline.constants.iter())
        .map(|c| {
            let value = match &c.value {
                Some(value) => format!("= {value}"),
                None => format!("undefined: set it with --const {}=...", c.name),
            };
            let place = if c.in_properties { "  (properties)" } else { "" };
            [c.name.clone(), c.ty.name().to_owned(), format!("{value}{place}")]
        })
        .collect();
    let is_undefined = outline.constants.iter().map(|c| c.value.is_none());
    columns(&rows)
        .into_iter()
        .zip(is_undefined)
        .map(|(line, is)| if is { doubtful(line) } else { line })
        .collect()
}

fn variables(outline: &Outline) -> Vec<Text> {
    let rows: Vec<[String; 4]> = (outline.variables.iter())
        .map(|v| {
            let initial = v.initial.as_ref().map_or(String::new(), |i| format!("init {i}"));
            let place = v.component.as_ref().map_or("global".to_owned(), |c| format!("in {c}"));
            [v.name.clone(), v.range.clone(), initial, place]
        })
        .collect();
    columns(&rows)
}

fn modules(outline: &Outline) -> Vec<Text> {
    let rows: Vec<[String; 3]> = (outline.components.iter())
        .map(|m| {
            let copy = m.copy_of.as_ref().map_or(String::new(), |base| format!("copy of {base}"));
            let commands = format!("{} command{}", m.commands, if m.commands == 1 { "" } else { "s" });
            [m.name.clone(), commands, copy]
        })
        .collect();
    columns(&rows)
}

fn processes(outline: &Outline) -> Vec<Text> {
    let rows: Vec<[String; 3]> = (outline.processes.iter())
        .map(|p| {
            let active = match p.active {
                0 => "started by other processes".to_owned(),
                1 => "active from the start".to_owned(),
                n => format!("{n} active from the start"),
            };
            let locations = format!("{} location{}", p.locations, if p.locations == 1 { "" } else { "s" });
            [format!("{}({})", p.name, p.parameters.join(", ")), active, locations]
        })
        .collect();
    columns(&rows)
}

fn channels(outline: &Outline) -> Vec<Text> {
    let rows: Vec<[String; 3]> = (outline.channels.iter())
        .map(|c| {
            let place = c.component.as_ref().map_or("global".to_owned(), |p| format!("in {p}"));
            [c.name.clone(), c.holds.clone(), place]
        })
        .collect();
    columns(&rows)
}

fn rewards(outline: &Outline) -> Vec<Text> {
    let rows: Vec<[String; 2]> = (outline.rewards.iter().enumerate())
        .map(|(i, r)| {
            let name = r.name.as_ref().map_or(format!("#{}", i + 1), |n| format!("\"{n}\""));
            let what = match (r.states, r.transitions) {
                (false, false) => "empty",
                (true, false) => "on states",
                (false, true) => "on transitions",
                (true, true) => "on states and transitions",
            };
            [name, what.to_owned()]
        })
        .collect();
    columns(&rows)
}

fn properties(outline: &Outline) -> Vec<Text> {
    let rows: Vec<[String; 3]> = (outline.properties.iter())
        .map(|p| {
            let name = p.name.as_ref().map_or(String::new(), |n| format!("\"{n}\""));
            [format!("#{}", p.number), name, shortened(&p.text, LONGEST_PROPERTY)]
        })
        .collect();
    columns(&rows)
}

#[cfg(test)]
mod tests {
    use super::{LIST_WIDTH, MOST_NAMES};

    fn list(names: &[String]) -> Vec<String> {
        super::list(names, 0).iter().map(|line| line.plain()).collect()
    }

    #[test]
    fn lists_are_wrapped_and_end() {
        let names = |count: usize| (0..count).map(|i| format!("action_{i}")).collect::<Vec<_>>();
        assert_eq!(list(&names(0)), [""]);
        assert_eq!(list(&names(2)), ["action_0, action_1"]);
        let lines = list(&names(5_000));
        assert!(lines.iter().all(|line| line.chars().count() <= LIST_WIDTH), "{lines:?}");
        let end = format!("action_{}, and 4,940 more; --json lists all", MOST_NAMES - 1);
        assert!(lines.join(" ").ends_with(&end), "{lines:?}");
        // To leave out one name would save nothing.
        assert!(list(&names(MOST_NAMES + 1)).join(" ").ends_with(&format!("action_{MOST_NAMES}")));
        let long = list(&["x".repeat(10_000), "y".to_owned()]);
        assert!(long.len() == 2 && long[0].ends_with("...,") && long[0].len() <= LIST_WIDTH, "{long:?}");
    }
}
