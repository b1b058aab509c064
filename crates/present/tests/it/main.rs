//! Documents in every medium: nothing is lost, nothing acts, nothing is wider than it may be.

mod generated;

use generated::{NAMES, document};
use std::time::Duration;
use volvelle_present::document::{
    Answer, Block, Cell, Column, Document, Layout, Listing, Name, Path, Table, good, name, strong,
};
use volvelle_present::page::{Page, Repeat, content};
use volvelle_present::terminal::{Style, draw, flow, marks};
use volvelle_present::{csv, text};
use volvelle_random::Random;

/// The page of a document, and its markup as XML.
fn page(document: &Document) -> String {
    let mut page = Page::new(&document.title.plain(), "a file");
    page.section("answers", "Answers", &content(document));
    page.finish(&Repeat::default())
}

#[track_caller]
fn parsed(page: &str) -> roxmltree::Document<'_> {
    let start = page.find("<html").expect("a page");
    roxmltree::Document::parse(&page[start..]).unwrap_or_else(|e| panic!("{e}:\n{page}"))
}

/// All text of a page.
fn shown(page: &str) -> String {
    parsed(page).descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect()
}

/// What a document says, without white space: lines are broken there.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The texts of all cells.
fn cells(document: &Document) -> Vec<String> {
    let tables = document.blocks.iter().filter_map(|block| match block {
        // What is fitted is shortened.
        Block::Table(table) if !matches!(table.layout, Layout::Fitted(_)) => Some(table),
        _ => None,
    });
    let cells = tables.flat_map(|table| table.rows.iter().flat_map(|row| &row.cells));
    cells.map(|cell| cell.text().plain()).collect()
}

#[test]
fn attack_renderers_lose_no_cell() {
    for case in volvelle_random::attack_cases(300) {
        let document = document(&mut Random(case));
        let style = Style { unicode: true, ..Style::default() };
        let [narrow, wide] = [50, 0].map(|width| squeezed(&draw(&document, true, Style { width, ..style })));
        let page = squeezed(&shown(&page(&document)));
        let tables = document.blocks.iter().filter_map(|block| match block {
            Block::Table(table) => Some(csv::table(table)),
            _ => None,
        });
        let values = squeezed(&tables.collect::<String>().replace("\"\"", "\""));
        for cell in cells(&document) {
            let on_screen = squeezed(&volvelle_media::line(&cell));
            assert!(
                wide.contains(&on_screen) && narrow.contains(&on_screen),
                "case {case}: {cell:?}\n{wide}"
            );
            let on_page = squeezed(&volvelle_media::document(&cell));
            assert!(page.contains(&on_page), "case {case}: {cell:?}\n{page}");
            // Counts and times are numbers there.
            let is_amount = cell.ends_with("ms") || cell.contains(',') || cell == "—";
            let in_table = squeezed(&volvelle_media::lines(&cell));
            assert!(is_amount || values.contains(&in_table), "case {case}: {cell:?}\n{values}");
        }
    }
}

#[test]
fn attack_lines_are_as_wide_as_they_may_be() {
    for case in volvelle_random::attack_cases(200) {
        let document = document(&mut Random(case));
        for width in [40, 61, 100] {
            let style = Style { color: case % 2 == 0, unicode: case % 3 == 0, width };
            for line in draw(&document, case % 5 == 0, style).lines() {
                assert!(flow::columns(line) <= width, "case {case}, {width} columns: {line}");
            }
        }
    }
}

/// A document with a name in every kind of place.
fn about(hostile: &str) -> Document {
    let mut document = Document::new(text!["About ", Name(hostile.to_owned())]);
    document.push(Answer {
        question: name(hostile),
        verdict: good(name(hostile)),
        about: vec![strong(name(hostile))],
        took: Duration::from_millis(7),
    });
    document.note(2, text!["in ", Name(hostile.to_owned())]);
    let columns = vec![Column::words(name(hostile)), Column::numbers("n").unit(hostile)];
    document.push(Table::new(columns, 1, [vec![Cell::name(hostile), Cell::Count(1)]]));
    document.push(Path {
        heads: vec!["state"],
        steps: vec![vec![name(hostile)]],
        most: 1,
        ..Path::default()
    });
    document.push(Listing {
        name: Name(hostile.to_owned()),
        heads: vec!["time"],
        lines: vec![(None, hostile.to_owned())],
    });
    document
}

#[test]
fn names_act_nowhere() {
    let lines = |document: &Document| draw(document, false, Style::default()).lines().count();
    for hostile in NAMES {
        let document = about(hostile);
        assert_eq!(lines(&document), lines(&about("x")), "{hostile:?}");
        let style = Style { color: true, unicode: true, width: 0 };
        let screen = marks::written(&draw(&document, false, style), true).into_owned();
        let acts = |c: char| volvelle_media::is_harmful(c) && !matches!(c, '\n' | '\u{1b}');
        assert!(!screen.contains(acts), "{screen:?}");
        // Sequences are those of the styles alone.
        for sequence in screen.split('\u{1b}').skip(1) {
            let end = sequence.find('m').expect("the end of a style");
            assert!(sequence.starts_with('[') && end <= 6, "{sequence:?}");
        }
        let page = page(&document);
        let parsed = parsed(&page);
        for node in parsed.descendants().filter(roxmltree::Node::is_element) {
            assert!(!["script", "img", "a", "b"].contains(&node.tag_name().name()), "{hostile:?}\n{page}");
            for attribute in node.attributes() {
                assert!(!attribute.name().starts_with("on"), "{hostile:?}\n{page}");
            }
        }
        let table = document.blocks.iter().find_map(|block| match block {
            Block::Table(table) => Some(csv::table(table)),
            _ => None,
        });
        let table = table.expect("a table");
        assert!(!table.lines().any(|line| line.starts_with(['=', '+', '@'])), "{table}");
    }
}

#[test]
fn numbers_have_their_bounds() {
    let columns = vec![Column::words("action"), Column::bounds("rate").unit("1/s")];
    let rows = [
        vec![Cell::name("a"), Cell::between([0.25, 0.25])],
        vec![Cell::name("b"), Cell::between([0.499_999, 0.500_001])],
    ];
    let table = Table::new(columns, 1, rows);
    let mut document = Document::new("Rates");
    document.push(table.clone());
    assert_eq!(
        draw(&document, false, Style::default()),
        "  action   rate (1/s)\n  a        0.25         exact\n  b        0.5          +/-1e-6\n"
    );
    assert_eq!(
        draw(&document, true, Style::default()),
        "  action   rate (1/s)   lo         hi\n  a        0.25         0.25       0.25\n  b        0.5          0.499999   0.500001\n"
    );
    assert_eq!(
        csv::table(&table),
        "action,rate (1/s),rate (1/s) lo,rate (1/s) hi\na,0.25,0.25,0.25\nb,0.5,0.499999,0.500001\n"
    );
    let page = page(&document);
    assert!(
        page.contains("<td class=\"amount\" title=\"0.499999 to 0.500001\">0.5<small>±1e-6</small></td>")
    );
}
