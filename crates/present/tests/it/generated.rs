//! Documents with all kinds of blocks, cells and names.

use std::time::Duration;
use volvelle_present::document::{
    Answer, Block, Cell, Column, Digest, Document, Entry, Fact, Finding, Heading, Items, Layout, Medium,
    Name, Path, Row, Step, Steps, Table, Text, Tone, Trust, bad, doubtful, faint, good, name, strong,
};
use volvelle_present::text;
use volvelle_random::Random;

/// Names that would do something somewhere.
pub const NAMES: &[&str] = &[
    "state",
    "a_name_that_is_long",
    "<script>alert(1)</script>",
    "\" onload=\"alert(1)",
    "]]><b>",
    "\u{1b}[2J\u{1b}]0;title\u{7}",
    "two\nlines\r\n",
    "a\tb",
    "=HYPERLINK(\"x\")",
    "+cmd|' /C calc'!A0",
    "\u{202e}reversed\u{2066}",
    "\u{fdd0}0123456789abcdefb",
    "x=1 y=2 z=3",
    "ünïcödé · ± —",
];

fn any_name(random: &mut Random) -> Name {
    Name(random.pick(NAMES).to_owned())
}

fn any_text(random: &mut Random) -> Text {
    let words = random.pick(&["reached by", "no step leads to", "10 % faster", ""]);
    let text = text![words, " ", any_name(random)];
    match random.below(6) {
        0 => strong(text),
        1 => faint(text),
        2 => good(text),
        3 => bad(text),
        4 => doubtful(text),
        _ => text,
    }
}

fn any_cell(random: &mut Random) -> Cell {
    let x = random.below(1_000_000) as f64 / 997.0;
    match random.below(8) {
        0 => Cell::Empty,
        1 => Cell::Missing,
        2 => Cell::between([x, x + random.pick(&[0.0, 1e-9, 0.5, f64::INFINITY])]),
        3 => Cell::number(x, 1e-3),
        4 => Cell::Count(random.bits() >> random.below(60)),
        5 => Cell::Time(Duration::from_millis(random.below(900) as u64 + 2)),
        6 => Cell::from(any_text(random)),
        _ => Cell::name(any_name(random).0),
    }
}

fn any_table(random: &mut Random) -> Table {
    let width = 1 + random.below(7);
    let columns = (0..width).map(|_| {
        let head = any_text(random);
        let trust = random.pick(&[Trust::Elsewhere, Trust::Beside, Trust::Shared]);
        Column { trust, ..if random.one_in(2) { Column::numbers(head) } else { Column::words(head) } }
    });
    let columns: Vec<Column> = columns.collect();
    let rows = (0..random.below(5)).map(|_| Row {
        cells: (0..width).map(|_| any_cell(random)).collect(),
        tone: random.pick(&[Tone::Plain, Tone::Bad, Tone::Strong]),
    });
    let rows = rows.collect();
    let keys = random.below(3).min(width);
    let layout = match random.below(4) {
        0 => Layout::List("  "),
        1 => Layout::Fitted(random.below(width)),
        _ => Layout::Blocks,
    };
    let table = Table { rows, group: 1 + random.below(3), layout, ..Table::new(columns, keys, []) };
    if random.one_in(3) { table.keyed_behind(1) } else { table }
}

fn any_block(random: &mut Random) -> Block {
    match random.below(13) {
        0 => Block::from(Answer {
            question: any_text(random),
            verdict: any_text(random),
            about: vec![any_text(random), any_text(random)],
            took: Duration::from_millis(random.below(5_000) as u64),
        }),
        1 => Block::from(Heading { title: any_text(random), about: any_text(random), gap: 3, indent: 2 }),
        2 => Block::from(Items { items: vec![any_text(random), any_text(random)], indent: 2 }),
        3 => Block::Verdict(random.pick(&[Some(true), Some(false), None]), any_text(random)),
        4 => Block::Facts(vec![Fact {
            name: any_text(random),
            value: any_text(random),
            why: any_text(random),
        }]),
        5 => Block::Labels(random.below(20), vec![(any_text(random), any_text(random))]),
        6 => Block::from(Path {
            heads: vec!["state", "label"],
            steps: (0..random.below(4)).map(|_| vec![any_text(random), name(any_name(random).0)]).collect(),
            cycle_start: random.one_in(2).then_some(0),
            aligned: random.below(30),
            most: 3,
            ..Path::default()
        }),
        7 => Block::from(Finding {
            name: any_text(random),
            question: any_text(random),
            verdict: any_text(random),
            about: vec![any_text(random)],
            is_word: random.one_in(2),
            inside: vec![any_block(random), any_table(random).into()],
            ..Finding::default()
        }),
        8 => Block::from(Digest {
            entries: vec![
                Entry::new("states", any_text(random), any_text(random)),
                Entry::item(any_text(random)),
            ],
            gap: "  ",
            indent: random.below(4),
        }),
        9 => Block::On(Medium::Page, vec![any_block(random)]),
        10 => Block::Folded(any_text(random), vec![any_block(random)]),
        11 => Block::from(Steps {
            columns: vec![Column::numbers("step"), Column::words("statement")],
            steps: (0..random.below(90)).map(|number| any_step(number, random)).collect(),
            cycle_start: random.one_in(2).then_some(0),
            omitted: random.one_in(3).then_some((0, 7)),
        }),
        _ => Block::Gap,
    }
}

fn any_step(number: usize, random: &mut Random) -> Step {
    Step {
        cells: vec![number.to_string().into(), any_text(random)],
        changes: (0..random.below(3)).map(|_| any_text(random)).collect(),
        printed: random.pick(&["", "one\ttwo\n\n", "\u{1b}[2Jthree"]).to_owned(),
        remarks: vec![any_text(random)],
    }
}

/// A document.
pub fn document(random: &mut Random) -> Document {
    let mut document = Document::new(any_text(random));
    for _ in 0..1 + random.below(4) {
        document.push(any_block(random));
        document.push(any_table(random));
        document.note(random.below(8), any_text(random));
    }
    document
}
