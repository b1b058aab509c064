//! The three small systems against cases that a slow reference has computed: `shared/corpus/rules/golden`.

use crate::support::{example, limits};
use serde_json::{Value, json};
use volvelle_diagnostics::{Sources, codes};
use volvelle_rules::system::{Answer, Finding, Loaded, Program, Reply};

pub fn cases(name: &str) -> Vec<Value> {
    let folder = crate::support::folder("../shared/corpus/rules/golden");
    // The corpus is kept outside this repository.
    let Ok(text) = std::fs::read_to_string(folder.join(name)) else { return Vec::new() };
    let golden: Value = serde_json::from_str(&text).expect("golden data is JSON");
    golden["cases"].as_array().expect("it has cases").clone()
}

fn read(system: &Loaded, sources: &mut Sources, case: &Value) -> Program {
    let file = sources.add("program", case["program"].as_str().expect("a case has a program"));
    system.read(sources, file)
}

/// The kind and place of an error.
fn kind(finding: &Finding) -> (Value, Value) {
    let at = finding.diagnostic.primary.as_ref().map_or(u32::MAX, |label| label.span.start);
    let kind = match &finding.data {
        Some(data) => data.clone(),
        None if finding.diagnostic.code == codes::TEXT_SYNTAX => "syntax".to_owned(),
        None => format!("{}: {}", finding.diagnostic.code, finding.diagnostic.message),
    };
    (json!(kind), json!(at))
}

fn value(answer: &Answer) -> Value {
    match answer {
        Answer::Null => Value::Null,
        Answer::Truth(truth) => json!(truth),
        Answer::Number(number) => json!(number),
        Answer::Text(text) => json!(text),
        Answer::List(items) => items.iter().map(value).collect(),
    }
}

/// Compares all cases, with kept results and without.
fn compare(name: &str, ours: impl Fn(&Value, bool) -> Value) {
    let mut wrong = Vec::new();
    for case in cases(name) {
        for caches in [true, false] {
            let found = ours(&case, caches);
            if found != case["expect"] {
                wrong.push(format!("{} {}: {found} is not {}", case["id"], case["program"], case["expect"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lambda() {
    let mut sources = Sources::new();
    let system = example(&mut sources, "lambda.rules");
    let judgment = system.judgment("type").expect("it is declared");
    compare("lambda.json", |case, caches| {
        let mut sources = sources.clone();
        let program = read(&system, &mut sources, case);
        if let Some(flaw) = program.flaws.first() {
            let at = flaw.primary.as_ref().map_or(u32::MAX, |label| label.span.start);
            return json!({"error": "syntax", "at": at});
        }
        match system.ask(&sources, &program, judgment, program.root, limits(), caches).0 {
            Reply::Holds(outputs) => json!({"type": value(&outputs[0])}),
            Reply::Fails(finding) => {
                let (kind, at) = kind(&finding);
                json!({"error": kind, "at": at})
            }
            Reply::Stopped(why) => json!({"stopped": why}),
        }
    });
}

#[test]
fn featherweight_java() {
    let mut sources = Sources::new();
    let system = example(&mut sources, "fj.rules");
    let main = system.judgment("main").expect("it is declared");
    compare("fj.json", |case, caches| {
        let mut sources = sources.clone();
        let program = read(&system, &mut sources, case);
        let mut errors: Vec<Value> = system
            .check(&sources, &program, limits(), caches)
            .findings
            .iter()
            .map(|finding| {
                let (kind, at) = kind(finding);
                json!([kind, at])
            })
            .collect();
        if !program.flaws.is_empty() {
            errors.truncate(1);
            return json!({"errors": errors, "main": null});
        }
        let main = match system.ask(&sources, &program, main, program.root, limits(), caches).0 {
            Reply::Holds(outputs) => value(&outputs[0]),
            _ => Value::Null,
        };
        json!({"errors": errors, "main": main})
    });
}

#[test]
fn coercion() {
    let mut sources = Sources::new();
    let systems = [("base", "coerce.rules"), ("extended", "coerce-extended.rules")]
        .map(|(name, file)| (name, example(&mut sources, file)));
    compare("coerce.json", |case, caches| {
        let mut both = serde_json::Map::new();
        for (name, system) in &systems {
            let mut sources = sources.clone();
            let program = read(system, &mut sources, case);
            both.insert((*name).to_owned(), declarations(system, &sources, &program, caches));
        }
        Value::Object(both)
    });
}

/// All declarations in the order of the text: with their values, or with what is wrong.
fn declarations(system: &Loaded, sources: &Sources, program: &Program, caches: bool) -> Value {
    if let Some(flaw) = program.flaws.first() {
        return json!({"error": ["syntax", flaw.primary.as_ref().map_or(u32::MAX, |label| label.span.start)]});
    }
    let report = system.check(sources, program, limits(), caches);
    let judgment = system.judgment("values").expect("it is declared");
    let (reply, _) = system.ask(sources, program, judgment, program.root, limits(), caches);
    let Reply::Holds(outputs) = reply else { return json!(format!("{reply:?}")) };
    let mut values = value(&outputs[0]).as_array().cloned().unwrap_or_default().into_iter();
    let mut errors: Vec<(Value, Value)> = report.findings.iter().map(kind).collect();
    let text = &sources.file(program.tree.span(program.root).file).text;
    // A declaration has an error whose place is within it, or a row of values.
    let mut rows = Vec::new();
    let mut start = 0;
    for written in text.split_inclusive(';') {
        let end = start + written.len() as u64;
        if written.trim().is_empty() {
            break;
        }
        let name =
            written.split('=').next().unwrap_or_default().split_whitespace().last().unwrap_or_default();
        let at = errors.iter().position(|(_, at)| (start..end).contains(&at.as_u64().unwrap_or(u64::MAX)));
        match at {
            Some(at) => {
                let (kind, at) = errors.remove(at);
                rows.push(json!([name, "error", kind, at]));
            }
            None => rows.extend(values.next()),
        }
        start = end;
    }
    assert!(values.next().is_none() && errors.is_empty(), "{text}: {errors:?}");
    json!({"declarations": rows})
}
