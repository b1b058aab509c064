//! Sheets as lines of a terminal.

use super::sheet::{Function, Inference, Line, Part, Premise, Sheet, Sign};

/// Lines, with the columns in which they begin.
pub type Lines = Vec<(usize, String)>;

/// The lines of a sheet, part by part.
pub fn parts(sheet: &Sheet) -> Vec<(&'static str, Lines)> {
    let judgment = |form: &super::sheet::Form| (2, format!("{}    ({})", line(&form.form), form.name));
    let of = |kind: &str| sheet.rules.iter().filter(|rule| rule.kind == kind).flat_map(inference).collect();
    vec![
        ("Judgments", sheet.judgments.iter().map(judgment).collect()),
        ("Functions", sheet.functions.iter().flat_map(function).collect()),
        ("Rules", of("rule")),
        ("Checks", of("check")),
    ]
}

fn function(function: &Function) -> Lines {
    let mut all = vec![(2, format!("{} =", line(&function.head)))];
    for (params, body) in &function.cases {
        all.push((4, format!("{} →", line(params))));
        premises(body, 6, &mut all);
    }
    all
}

/// Premises over a line as wide as the widest of them, and what follows from them with the name.
fn inference(rule: &Inference) -> Lines {
    let mut all = Lines::new();
    premises(&rule.premises, 2, &mut all);
    let below = line(&rule.conclusion);
    let width = |(indent, text): &(usize, String)| indent - 2 + text.chars().count();
    let widest = all.iter().map(width).chain([below.chars().count()]).max().unwrap_or(1);
    all.push((2, format!("{} ({})", "─".repeat(widest), rule.name)));
    all.push((2, below));
    all.push((2, String::new()));
    all
}

fn premises(all: &[Premise], indent: usize, out: &mut Lines) {
    for one in all {
        match one {
            Premise::Line(parts) => out.push((indent, line(parts))),
            Premise::Either(alternatives) => {
                for (at, one) in alternatives.iter().enumerate() {
                    if at > 0 {
                        out.push((indent, "or".to_owned()));
                    }
                    premises(one, indent + 2, out);
                }
            }
            Premise::Cases(cases) => {
                for (condition, one) in cases {
                    let head = match condition {
                        Some(condition) => format!("if {}", line(condition)),
                        None => "otherwise".to_owned(),
                    };
                    out.push((indent, head));
                    premises(one, indent + 2, out);
                }
            }
            Premise::Repeated(head, one) => {
                out.push((indent, line(head)));
                premises(one, indent + 2, out);
            }
        }
    }
}

/// A line as plain characters.
pub fn line(parts: &Line) -> String {
    let part = |part: &Part| match part {
        Part::Word(word) => (*word).to_owned(),
        Part::Name(name) | Part::Type(name) => name.clone(),
        Part::Text(text) => format!("\"{text}\""),
        Part::Number(number) => number.clone(),
        Part::Sign(Sign { text, is_relation: true, .. }) => format!(" {text} "),
        Part::Sign(Sign { text, .. }) => (*text).to_owned(),
        Part::Space => " ".to_owned(),
    };
    parts.iter().map(part).collect()
}
