//! Sheets as markup of pages.

use super::sheet::{Form, Function, Inference, Line, Part, Premise, Sheet, Sign};
use volvelle_media::markup::escaped;

/// The content of a sheet: parts with titles.
pub fn parts(sheet: &Sheet) -> Vec<(&'static str, Vec<String>)> {
    let of = |kind: &str| sheet.rules.iter().filter(|rule| rule.kind == kind).map(inference).collect();
    vec![
        ("Judgments", sheet.judgments.iter().map(form).collect()),
        ("Functions", sheet.functions.iter().map(function).collect()),
        ("Rules", of("rule")),
        ("Checks", of("check")),
    ]
}

fn div(style: &str, content: &str) -> String {
    format!("<div style=\"{style}\">{content}</div>\n")
}

const BESIDE: &str = "display:flex;align-items:center;gap:1.5em;margin:0.8em 0;white-space:nowrap";
const BRACKET: &str =
    "display:inline-block;text-align:left;border-left:1px solid;padding:0 0.6em;margin:0.2em 0";

fn form(form: &Form) -> String {
    let boxed = div("border:1px solid;padding:0.2em 0.6em", &line(&form.form));
    div(BESIDE, &format!("{boxed}<span>{}</span>", escaped(&form.name)))
}

fn function(function: &Function) -> String {
    let rows: String = function
        .cases
        .iter()
        .map(|(params, body)| format!("<tr><td>{}</td><td>{}</td></tr>\n", lines(body), line(params)))
        .collect();
    let cases = div(BRACKET, &format!("<table><tbody>{rows}</tbody></table>"));
    div(BESIDE, &format!("<span>{} =</span>{cases}", line(&function.head)))
}

fn inference(rule: &Inference) -> String {
    let above = div("border-bottom:1px solid;padding:0.2em 0.8em;min-height:1em", &lines_of(&rule.premises));
    let below = div("padding:0.2em 0.8em", &line(&rule.conclusion));
    let both = div("text-align:center", &format!("{above}{below}"));
    div(BESIDE, &format!("{both}<span>({})</span>", escaped(&rule.name)))
}

fn lines_of(all: &[Premise]) -> String {
    all.iter().map(|one| format!("<div>{}</div>\n", premise(one))).collect()
}

fn lines(all: &[Premise]) -> String {
    if all.is_empty() { "<strong>true</strong>".to_owned() } else { lines_of(all) }
}

fn premise(one: &Premise) -> String {
    match one {
        Premise::Line(parts) => line(parts),
        Premise::Either(alternatives) => {
            let all: Vec<String> = alternatives.iter().map(|all| lines(all)).collect();
            div(BRACKET, &all.join("<div><strong>or</strong></div>\n"))
        }
        Premise::Cases(cases) => {
            let row = |(condition, all): &(Option<Line>, Vec<Premise>)| {
                let condition = condition.as_ref();
                let condition =
                    condition.map_or("otherwise".to_owned(), |parts| format!("if {}", line(parts)));
                format!("<tr><td>{}</td><td>{condition}</td></tr>\n", lines(all))
            };
            let rows: String = cases.iter().map(row).collect();
            div(BRACKET, &format!("<table><tbody>{rows}</tbody></table>"))
        }
        Premise::Repeated(head, all) => format!("{}:{}", line(head), div(BRACKET, &lines(all))),
    }
}

fn line(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Word(word) => format!("<strong>{word}</strong>"),
        Part::Name(name) => format!("<i>{}</i>", escaped(name)),
        Part::Type(name) => format!("<b>{}</b>", escaped(name)),
        Part::Text(text) => format!("<code>“{}”</code>", escaped(text)),
        Part::Number(number) => number.clone(),
        Part::Sign(Sign { text, is_relation: true, .. }) => format!(" {} ", escaped(text)),
        Part::Sign(Sign { text, .. }) => escaped(text),
        Part::Space => " ".to_owned(),
    };
    parts.iter().map(part).collect()
}
