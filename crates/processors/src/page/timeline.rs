//! The way of the first instructions through a machine as a picture: a line for each instruction, a cell for each cycle, with
//! letters and patterns that can be told apart without colours.

use crate::screen::timeline::{SIGNS, cycles, numbers, sign};
use volvelle_multicore::Times;
use volvelle_reports::page::markup::{columns, escaped};

/// Cycles and instructions of a picture; with more of either there are numbers.
const MOST_CYCLES: u64 = 400;
const MOST_INSTRUCTIONS: usize = 200;
/// Rows of numbers.
const MOST_ROWS: usize = 2_000;

/// A cell, with its room in a line.
const CELL: u64 = 14;
const LINE: u64 = 20;
/// Where cells begin: the numbers of instruction and core stand before.
const LEFT: u64 = 152;
/// Where the first line begins: the legend and the cycles stand above.
const TOP: u64 = 56;
/// From one item of the legend to the next; all of them need the width.
const ITEM: u64 = 104;
/// From a line to the foot of its letters.
const FOOT: u64 = 12;
/// Cycles between those that are numbered.
const TICK: u64 = 5;

/// The picture, or a table of numbers; `what` it is about.
pub fn drawn(all: &[Times], what: &str) -> String {
    let cycles = cycles(all);
    if all.len() > MOST_INSTRUCTIONS || cycles.end - cycles.start > MOST_CYCLES {
        return columns(&numbers(all), MOST_ROWS);
    }
    let width = (LEFT + (cycles.end - cycles.start) * CELL + 8).max(8 + ITEM * SIGNS.len() as u64);
    let height = TOP + all.len() as u64 * LINE + 4;
    let mut out = format!(
        "<figure class=\"scroll\">\n<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"timeline\" \
         viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>{}: cycles {} to {} of {} instructions</title>\n",
        escaped(what),
        cycles.start,
        cycles.end.saturating_sub(1),
        all.len()
    );
    for (place, (sign, name)) in SIGNS.into_iter().enumerate() {
        let x = 4 + ITEM * place as u64;
        out.push_str(&cells(sign, x, 2, 2 * CELL));
        out.push_str(&text("name", x + 2 * CELL + 6, 2 + FOOT, name));
    }
    out.push_str(&text("name faint", 4, TOP - 8, "instruction"));
    out.push_str(&text("name faint", 104, TOP - 8, "core"));
    let bottom = height - 4;
    for cycle in cycles.clone().filter(|cycle| cycle % TICK == 0) {
        let x = LEFT + (cycle - cycles.start) * CELL;
        out.push_str(&format!(
            "<line class=\"rule\" x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{bottom}\"/>\n",
            TOP - 4
        ));
        out.push_str(&text("faint", x + CELL / 2, TOP - 8, &cycle.to_string()));
    }
    for (number, times) in all.iter().enumerate() {
        out.push_str(&line(times, cycles.start, TOP + number as u64 * LINE));
    }
    out.push_str("</svg>\n</figure>\n");
    out
}

/// The line of an instruction, whose numbers are told to who points at it.
fn line(times: &Times, start: u64, y: u64) -> String {
    let Times { instruction, core, fetch, issue, complete, retire } = *times;
    let mut out = format!(
        "<g><title>instruction {instruction}, core {core}: fetched in cycle {fetch}, issued in {issue}, complete in {complete}, \
         retired in {retire}</title>\n"
    );
    out.push_str(&text("name", 4, y + FOOT, &instruction.to_string()));
    out.push_str(&text("name", 104, y + FOOT, &core.to_string()));
    let mut cycle = fetch;
    while cycle <= retire {
        let of = sign(times, cycle);
        let end = (cycle..=retire).find(|&later| sign(times, later) != of).unwrap_or(retire + 1);
        out.push_str(&cells(of, LEFT + (cycle - start) * CELL, y, (end - cycle) * CELL));
        cycle = end;
    }
    out + "</g>\n"
}

/// Cells of the same sign next to each other.
fn cells(sign: char, x: u64, y: u64, width: u64) -> String {
    let (middle, right) = (y + CELL / 2 + 1, x + width);
    let rule = |class: &str, y: u64, inset: u64| {
        let (left, right) = (x + inset, right - inset);
        format!("<line class=\"{class}\" x1=\"{left}\" y1=\"{y}\" x2=\"{right}\" y2=\"{y}\"/>\n")
    };
    let class = match sign {
        'F' => "fetched",
        'I' => "issued",
        '=' => "work",
        'C' => "complete",
        'R' => "retired",
        // It waits.
        _ => return rule("waiting", middle, 2),
    };
    let mut out =
        format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\"/>\n", CELL + 2);
    match sign {
        '=' => [middle - 2, middle + 2].iter().for_each(|&y| out.push_str(&rule("double", y, 3))),
        _ => out.push_str(&text("", x + width / 2, y + FOOT, &sign.to_string())),
    }
    out
}

fn text(class: &str, x: u64, y: u64, text: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!("<text{class} x=\"{x}\" y=\"{y}\">{}</text>\n", escaped(text))
}

#[cfg(test)]
mod tests {
    use super::drawn;
    use volvelle_multicore::Times;

    fn times(instruction: u64, fetch: u64, complete: u64) -> Times {
        Times { instruction, core: 1, fetch, issue: fetch + 1, complete, retire: complete + 3 }
    }

    #[test]
    fn cells_follow_each_other() {
        let picture = drawn(&[times(0, 5, 9), times(1, 6, 9)], "a <machine>");
        assert!(picture.contains("a &lt;machine&gt;: cycles 5 to 12 of 2 instructions"), "{picture}");
        // Fetched in the first cycle, issued in the next, at work for two, then complete, and retired three later.
        for cell in [
            "class=\"fetched\" x=\"152\" y=\"56\" width=\"14\"",
            "class=\"issued\" x=\"166\" y=\"56\" width=\"14\"",
            "class=\"work\" x=\"180\" y=\"56\" width=\"28\"",
            "class=\"complete\" x=\"208\" y=\"56\" width=\"14\"",
            "class=\"waiting\" x1=\"224\" y1=\"64\" x2=\"248\" y2=\"64\"",
            "class=\"retired\" x=\"250\" y=\"56\" width=\"14\"",
        ] {
            assert!(picture.contains(cell), "{cell}: {picture}");
        }
    }

    #[test]
    fn what_is_too_long_has_numbers() {
        let long = drawn(&[times(0, 0, 10), times(1, 0, 1000)], "a machine");
        assert!(
            long.contains("<table") && !long.contains("<svg") && long.contains("<td>1003</td>"),
            "{long}"
        );
        assert!(drawn(&vec![times(0, 0, 10); 201], "a machine").contains("<table"));
    }
}
