//! Files of rules as sheets. Of what several files of a system declare, the last one counts.

use super::sheet::{Form, Function, Inference, Line, Part, Sheet, between, close, of_judgment};
use super::write::Writer;
use volvelle_rules::ast::{AuxiliaryBody, Element, File, Judgment, Rule};

/// A sheet for each file, those that are extended first.
pub fn sheets(files: &[File]) -> Vec<Sheet> {
    files.iter().enumerate().map(|(number, file)| sheet(file, &files[number + 1..])).collect()
}

fn sheet(file: &File, later: &[File]) -> Sheet {
    let writer = Writer { file };
    let is_rule = |name: &str| later.iter().flat_map(|file| &file.rules).any(|rule| rule.name.text == name);
    let is_check =
        |name: &str| later.iter().flat_map(|file| &file.checks).any(|check| check.name.text == name);
    let is_judgment =
        |name: &str| later.iter().flat_map(|file| &file.judgments).any(|judgment| judgment.name.text == name);
    let judgments = file.judgments.iter().filter(|judgment| !is_judgment(&judgment.name.text));
    let rules =
        file.rules.iter().filter(|rule| !is_rule(&rule.name.text)).map(|rule| inference(&writer, rule));
    let checks = file.checks.iter().filter(|check| !is_check(&check.name.text)).map(|check| {
        let mut conclusion = Line::new();
        writer.param(&check.param, &mut conclusion);
        conclusion.extend([Part::Space, Part::Word("checked")]);
        let (name, premises) = (check.name.text.clone(), writer.premises(check.body));
        Inference { kind: "check", name, premises, conclusion }
    });
    Sheet {
        name: file.system.as_ref().map_or_else(|| "imported".to_owned(), |name| name.text.clone()),
        judgments: judgments.map(|judgment| form(&writer, judgment)).collect(),
        functions: functions(&writer, file),
        rules: rules.chain(checks).collect(),
    }
}

fn form(writer: &Writer<'_>, judgment: &Judgment) -> Form {
    let mut form = vec![close("Γ", "\\Gamma "), of_judgment(judgment.symbol)];
    for (at, place) in judgment.places.iter().enumerate() {
        if at > 0 {
            form.push(of_judgment(judgment.relations[at - 1]));
        }
        writer.ty(&place.ty, &mut form);
        if let Some(name) = &place.name {
            form.extend([Part::Space, Part::Name(name.text.clone())]);
        }
    }
    Form { name: judgment.name.text.clone(), form }
}

fn inference(writer: &Writer<'_>, rule: &Rule) -> Inference {
    let mut conclusion = vec![Part::Name(rule.env.text.clone()), of_judgment(rule.symbol)];
    for (at, element) in rule.elements.iter().enumerate() {
        if at > 0 {
            conclusion.push(of_judgment(rule.relations[at - 1]));
        }
        match element {
            Element::Param(ty, name) => {
                writer.ty(ty, &mut conclusion);
                conclusion.extend([Part::Space, Part::Name(name.text.clone())]);
            }
            Element::Value(value) => conclusion.extend(writer.line(*value)),
        }
    }
    let premises = rule.body.map(|body| writer.premises(body)).unwrap_or_default();
    Inference { kind: "rule", name: rule.name.text.clone(), premises, conclusion }
}

/// The functions of which the file has bodies, in the order of these.
fn functions(writer: &Writer<'_>, file: &File) -> Vec<Function> {
    let mut names: Vec<&str> = Vec::new();
    for body in &file.bodies {
        if !names.contains(&body.name.text.as_str()) {
            names.push(&body.name.text);
        }
    }
    let of = |name: &str| {
        let mut head = vec![Part::Name(name.to_owned())];
        let declared = file.auxiliaries.iter().find(|declared| declared.name.text == name);
        if let Some(declared) = declared {
            head.push(close("(", "("));
            writer.row(&declared.params, &mut head, |param, line| writer.param(param, line));
            head.push(close(")", ")"));
            if let Some(result) = &declared.result {
                head.push(between(":", ":"));
                writer.ty(result, &mut head);
            }
        }
        let case = |body: &AuxiliaryBody| {
            let mut params = Line::new();
            writer.row(&body.params, &mut params, |param, line| writer.param(param, line));
            (params, writer.premises(body.body))
        };
        let cases = file.bodies.iter().filter(|body| body.name.text == name).map(case).collect();
        Function { head, cases }
    };
    names.into_iter().map(of).collect()
}
