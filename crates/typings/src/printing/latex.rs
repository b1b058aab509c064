//! Sheets as LaTeX: one file, with no package beyond `amsmath` and `array`.

use super::sheet::{Form, Function, Inference, Line, Part, Premise, Sheet, Sign};
use volvelle_media::latex::escaped;

const HEAD: &str = "\\documentclass{article}
\\usepackage{amsmath}
\\usepackage{array}
\\newcommand{\\rulename}[1]{\\textsc{(#1)}}
\\newcommand{\\lines}[1]{\\begin{array}{@{}l@{}}#1\\end{array}}
\\newcommand{\\above}[1]{\\begin{array}{@{}c@{}}#1\\end{array}}
\\newcommand{\\inference}[3]{\\[\\dfrac{#2}{#3}\\quad\\rulename{#1}\\]}
\\newcommand{\\alternatives}[1]{\\left[\\lines{#1}\\right.}
\\newcommand{\\caselist}[1]{\\left\\{\\begin{array}{@{}l@{\\quad}l@{}}#1\\end{array}\\right.}
\\begin{document}
";

/// A document.
pub fn document(sheets: &[Sheet]) -> String {
    let mut out = HEAD.to_owned();
    for sheet in sheets {
        out.push_str(&format!("\\section*{{{}}}\n", escaped(&sheet.name)));
        part(&mut out, "Judgments", sheet.judgments.iter().map(form));
        part(&mut out, "Functions", sheet.functions.iter().map(function));
        let (checks, rules): (Vec<&Inference>, Vec<&Inference>) =
            sheet.rules.iter().partition(|rule| rule.kind == "check");
        part(&mut out, "Rules", rules.into_iter().map(inference));
        part(&mut out, "Checks", checks.into_iter().map(inference));
    }
    out.push_str("\\end{document}\n");
    out
}

fn part(out: &mut String, title: &str, all: impl Iterator<Item = String>) {
    let all: String = all.collect();
    if !all.is_empty() {
        out.push_str(&format!("\\subsection*{{{title}}}\n{all}"));
    }
}

fn form(form: &Form) -> String {
    format!("\\[\\boxed{{{}}}\\quad\\text{{{}}}\\]\n", line(&form.form), escaped(&form.name))
}

fn function(function: &Function) -> String {
    let case = |(params, body): &(Line, Vec<Premise>)| format!("{} & {}", lines(body), line(params));
    let cases: Vec<String> = function.cases.iter().map(case).collect();
    format!("\\[{} = \\caselist{{{}}}\\]\n", line(&function.head), cases.join(" \\\\\n"))
}

fn inference(rule: &Inference) -> String {
    let premises: Vec<String> = rule.premises.iter().map(premise).collect();
    let above =
        if premises.is_empty() { String::new() } else { format!("\\above{{{}}}", premises.join(" \\\\\n")) };
    format!("\\inference{{{}}}{{{above}}}{{{}}}\n", escaped(&rule.name), line(&rule.conclusion))
}

/// Premises below one another.
fn lines(all: &[Premise]) -> String {
    match all {
        [] => "\\text{true}".to_owned(),
        [one] => premise(one),
        _ => format!("\\lines{{{}}}", all.iter().map(premise).collect::<Vec<_>>().join(" \\\\ ")),
    }
}

fn premise(one: &Premise) -> String {
    match one {
        Premise::Line(parts) => line(parts),
        Premise::Either(alternatives) => {
            let all: Vec<String> = alternatives.iter().map(|all| lines(all)).collect();
            format!("\\alternatives{{{}}}", all.join(" \\\\ \\textbf{or} \\\\ "))
        }
        Premise::Cases(cases) => {
            let case = |(condition, all): &(Option<Line>, Vec<Premise>)| match condition {
                Some(condition) => format!("{} & \\text{{if }}{}", lines(all), line(condition)),
                None => format!("{} & \\text{{otherwise}}", lines(all)),
            };
            format!("\\caselist{{{}}}", cases.iter().map(case).collect::<Vec<_>>().join(" \\\\ "))
        }
        Premise::Repeated(head, all) => format!("{}:\\ {}", line(head), lines(all)),
    }
}

fn line(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Word(word) => format!("\\textbf{{{word}}}"),
        Part::Name(name) => format!("\\textit{{{}}}", escaped(name)),
        Part::Type(name) => format!("\\textsf{{{}}}", escaped(name)),
        Part::Text(text) => format!("\\text{{``\\texttt{{{}}}''}}", escaped(text)),
        Part::Number(number) => number.clone(),
        Part::Sign(Sign { latex, is_relation: true, .. }) => format!("\\mathrel{{{latex}}}"),
        Part::Sign(Sign { latex, .. }) => (*latex).to_owned(),
        Part::Space => "\\ ".to_owned(),
    };
    parts.iter().map(part).collect()
}
