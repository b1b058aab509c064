//! A table of properties with their answers.

use super::answer::{trust_short, value};
use super::format::{LONGEST_PROPERTY, shortened, time};
use super::{Style, flow};
use volvelle_session::report::PropertyReport;

/// Narrowest column for properties beside their answers.
const NARROWEST: usize = 20;

/// A table, and a line that counts false and unanswered properties.
pub fn table(reports: &[PropertyReport], style: Style) -> String {
    let plain = Style { color: false, ..style };
    let number = |r: &PropertyReport| r.number.map_or(String::new(), |n| n.to_string());
    let label = |r: &PropertyReport| {
        let constants: Vec<String> = r.constants.iter().map(|constant| constant.to_string()).collect();
        let mut text = shortened(&r.text, LONGEST_PROPERTY);
        if !constants.is_empty() {
            text.push_str(&format!("  {}", constants.join(",")));
        }
        r.name.as_ref().map_or(text.clone(), |name| format!("{name}: {text}"))
    };
    let answer = |r: &PropertyReport, style: Style| match &r.outcome {
        Ok(answer) => value(answer, style),
        Err(_) => style.nothing().to_owned(),
    };
    let trust = |r: &PropertyReport| match &r.outcome {
        Ok(answer) => trust_short(answer, plain),
        Err(_) => String::new(),
    };
    let widest = |cells: &mut dyn Iterator<Item = String>, header: &str| {
        cells.map(|c| c.chars().count()).max().unwrap_or(0).max(header.len())
    };
    // Texts from the command line have no number.
    let numbered = reports.iter().any(|r| r.number.is_some());
    let number_width = if numbered { widest(&mut reports.iter().map(number), "#") } else { 0 };
    let gap = if numbered { "  " } else { "" };
    let answer_width = widest(&mut reports.iter().map(|r| answer(r, plain)), "answer");
    let trust_width = widest(&mut reports.iter().map(trust), "guarantee");
    let time_width = widest(&mut reports.iter().map(|r| time(r.time)), "time");
    let start_width = 2 + number_width + gap.len();
    let others = start_width + 3 + answer_width + 3 + trust_width + 3 + time_width;
    let widest_label = widest(&mut reports.iter().map(label), "property");
    let label_width = match style.width {
        0 => widest_label,
        width => widest_label.min(width.saturating_sub(others)),
    };
    // Where there is no room for properties, answers stand below them.
    let is_stacked = label_width < widest_label.min(NARROWEST);
    let row = |number: &str, label: &str, cells: [String; 3]| {
        let start = format!("  {number:>number_width$}{gap}");
        if is_stacked {
            let indent = if numbered { start_width } else { start_width + 2 };
            let below = flow::items(&" ".repeat(indent), &cells, "   ", indent, style);
            return flow::text(&start, label, indent, style) + below.trim_end() + "\n";
        }
        let label = style.fit(label, label_width);
        let line = format!("{start}{label:<label_width$}   {}", cells.join("   "));
        format!("{}\n", line.trim_end())
    };
    let cells = |answer: String, trust: &str, time: &str| {
        let padding = " ".repeat(answer_width.saturating_sub(flow::columns(&answer)));
        [format!("{answer}{padding}"), format!("{trust:<trust_width$}"), format!("{time:>time_width$}")]
    };

    let mark = if numbered { "#" } else { "" };
    let head = row(mark, "property", cells("answer".to_owned(), "guarantee", "time"));
    let mut out = String::from("\n");
    head.lines().for_each(|line| out.push_str(&format!("{}\n", style.dim(line))));
    for report in reports {
        let cells = match &report.outcome {
            Ok(_) => {
                let [answer, trust, time] = cells(answer(report, style), &trust(report), &time(report.time));
                [answer, trust, style.dim(&time)]
            }
            Err(diagnostics) => {
                // The message itself is among the diagnostics.
                let code = diagnostics.first().map_or(String::new(), |d| d.code.to_string());
                let why = report.unanswered().map_or(String::new(), |why| format!(" {why}"));
                let [nothing, ..] = cells(style.nothing().to_owned(), "", "");
                [nothing, style.bad(&format!("{code}{why}")), String::new()]
            }
        };
        out.push_str(&row(&number(report), &label(report), cells));
    }
    out.push_str(&remarks(reports, style));
    out.push_str(&summary(reports, style));
    out
}

/// Remarks on the answers, each behind the number or name of its property.
fn remarks(reports: &[PropertyReport], style: Style) -> String {
    let mut out = String::new();
    for report in reports {
        let name = match (report.number, &report.name) {
            (Some(number), _) => number.to_string(),
            (None, Some(name)) => name.clone(),
            (None, None) => shortened(&report.text, LONGEST_PROPERTY),
        };
        for remark in &report.remarks {
            let remark = style.doubtful(&format!("{name}: {remark}"));
            out.push_str(&flow::text("  ", &remark, 4, style));
        }
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}

fn summary(reports: &[PropertyReport], style: Style) -> String {
    let mut parts = Vec::new();
    match reports.iter().filter(|r| r.is_false()).count() {
        0 => {}
        1 => parts.push("1 property is false".to_owned()),
        n => parts.push(format!("{n} properties are false")),
    }
    match reports.iter().filter(|r| r.outcome.is_err()).count() {
        0 => {}
        n => parts.push(format!("{n} could not be checked")),
    }
    if parts.is_empty() {
        String::new()
    } else {
        format!("\n{}", flow::text("", &style.bold(&parts.join(style.separator())), 2, style))
    }
}
