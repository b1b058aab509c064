//! Tables as charts: columns of numbers with bounds, over a number that tells the rows apart.

use crate::document::{Block, Cell, Document, Number, Table, Trust};
use volvelle_plot::{Chart, Dimension, Kind, Line, Point, Scale};

/// The chart of the table with most values on its horizontal axis, the first of several: a line for each column with bounds and each
/// combination of the keys that are not on the axis. The heading in front of the table says what is drawn.
pub fn of_document(document: &Document) -> Option<Chart> {
    let mut heading = String::new();
    let mut best: Option<(usize, Chart)> = None;
    for block in &document.blocks {
        match block {
            Block::Heading(found) => heading = found.title.plain(),
            Block::Table(table) => {
                let Some((x, lines)) = lines(table) else { continue };
                let length = lines.iter().map(|line| line.points.len()).max().unwrap_or(0);
                if best.as_ref().is_some_and(|(most, _)| length <= *most) {
                    continue;
                }
                let scale = Scale::fitting(lines.iter().flat_map(|line| &line.points).map(|point| point.y));
                let chart = Chart {
                    title: heading.clone(),
                    subtitle: document.title.plain(),
                    x: Dimension { label: x, scale: Scale::Linear },
                    y: Dimension { label: heading.clone(), scale },
                    lines,
                    is_ordered: false,
                };
                best = Some((length, chart));
            }
            _ => {}
        }
    }
    best.map(|(_, chart)| chart)
}

/// What is on the horizontal axis, and the lines.
fn lines(table: &Table) -> Option<(String, Vec<Line>)> {
    let keys: Vec<usize> = (0..table.columns.len()).filter(|&column| table.is_key(column)).collect();
    let along = along(table, &keys)?;
    let mut lines: Vec<Line> = Vec::new();
    for row in &table.rows {
        let Some(x) = number(&row.cells[along]) else { continue };
        let others = keys
            .iter()
            .filter(|&&key| key != along)
            .map(|&key| format!("{}={}", table.columns[key].head.plain(), row.cells[key].text().plain()));
        let others: Vec<String> = others.collect();
        let values = table.columns.iter().zip(&row.cells).enumerate();
        for (place, (column, cell)) in values {
            let (false, Cell::Number(Number { bounds: Some([lo, hi]), .. })) =
                (column.trust == Trust::Elsewhere, cell)
            else {
                continue;
            };
            if keys.contains(&place) {
                continue;
            }
            let name = others.iter().cloned().chain([column.head.plain()]).collect::<Vec<_>>().join(", ");
            let point = Point { x, y: lo + 0.5 * (hi - lo), lo: *lo, hi: *hi };
            match lines.iter_mut().find(|line| line.name == name) {
                Some(line) => line.points.push(point),
                None => {
                    let style = lines.len();
                    lines.push(Line { name, kind: Kind::Curve, style, points: vec![point] });
                }
            }
        }
    }
    for line in &mut lines {
        // Lists and descending ranges may be in any order.
        line.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    (!lines.is_empty()).then(|| (table.columns[along].title().plain(), lines))
}

/// The last key that is a number in all rows, if possible one with several values.
fn along(table: &Table, keys: &[usize]) -> Option<usize> {
    let values = |key: usize| table.rows.iter().map(move |row| number(&row.cells[key]));
    let numeric: Vec<usize> =
        keys.iter().copied().filter(|&key| values(key).all(|value| value.is_some())).collect();
    let differs = |&&key: &&usize| values(key).any(|value| value != values(key).next().flatten());
    numeric.iter().rev().find(differs).or(numeric.last()).copied()
}

/// The number that a cell shows.
fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Count(n) => Some(*n as f64),
        Cell::Number(number) => number.text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::of_document;
    use crate::document::{Cell, Column, Document, Table};

    fn document(times: &[&str]) -> Document {
        let columns = vec![Column::words("k"), Column::numbers("time"), Column::bounds("LOSS")];
        let rows = ["1", "2"].into_iter().flat_map(|k| {
            times
                .iter()
                .map(move |time| vec![Cell::shown(k), Cell::shown(*time), Cell::between([0.25, 0.75])])
        });
        let mut document = Document::new("a question");
        document.part("throughputs", "");
        document.push(Table::new(columns, 2, rows.collect::<Vec<_>>()));
        document
    }

    #[test]
    fn keys_are_an_axis_and_lines() {
        let chart = of_document(&document(&["3", "1"])).expect("a chart");
        assert_eq!((chart.title.as_str(), chart.x.label.as_str()), ("throughputs", "time"));
        let shown = chart.lines.iter().map(|line| {
            let points = line.points.iter().map(|point| (point.x, point.y, point.lo, point.hi));
            (line.name.as_str(), points.collect::<Vec<_>>())
        });
        let points = vec![(1.0, 0.5, 0.25, 0.75), (3.0, 0.5, 0.25, 0.75)];
        assert_eq!(shown.collect::<Vec<_>>(), [("k=1, LOSS", points.clone()), ("k=2, LOSS", points)]);
        // At one time, values are drawn over what differs.
        assert_eq!(of_document(&document(&["3"])).expect("a chart").x.label, "k");
    }

    #[test]
    fn the_longest_axis_is_drawn() {
        let mut both = document(&["3"]);
        both.blocks.extend(document(&["1", "2", "3"]).blocks);
        assert_eq!(of_document(&both).expect("a chart").x.label, "time");
    }

    #[test]
    fn words_are_no_axis() {
        let mut document = Document::new("a question");
        let columns = vec![Column::words("action"), Column::bounds("throughput")];
        document.push(Table::new(columns, 1, [vec![Cell::name("GET"), Cell::between([1.0, 1.0])]]));
        assert!(of_document(&document).is_none());
    }
}
