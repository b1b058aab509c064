//! The part of JSON Schema (draft 2020-12) that our schema uses. An unknown word in a schema is an error, so that no
//! rule is written that is not checked.

use serde_json::Value;

/// What is wrong with `value`, with the path to it; empty if it is valid.
pub fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    let valid = |schema: &Value, value: &Value| {
        let mut problems = Vec::new();
        check(root, schema, value, path, &mut problems);
        problems.is_empty()
    };
    let Some(rules) = schema.as_object() else { panic!("{schema} is no schema") };
    for (word, rule) in rules {
        let list = || rule.as_array().unwrap_or_else(|| panic!("`{word}` needs a list"));
        let mut require = |truth: bool| {
            if !truth {
                found.push(format!("{path}: {value} violates {word}: {rule}"));
            }
        };
        match word.as_str() {
            "$schema" | "title" | "$defs" => {}
            "$ref" => {
                let name =
                    rule.as_str().and_then(|r| r.strip_prefix("#/")).expect("a reference into this schema");
                let target = name.split('/').fold(root, |at, step| &at[step]);
                check(root, target, value, path, found);
            }
            "type" => {
                let names = rule.as_array().map_or(vec![rule], |l| l.iter().collect());
                require(names.iter().any(|name| is_of_type(name.as_str().expect("a type"), value)));
            }
            "const" => require(value == rule),
            "enum" => require(list().contains(value)),
            "anyOf" => require(list().iter().any(|s| valid(s, value))),
            "oneOf" => require(list().iter().filter(|s| valid(s, value)).count() == 1),
            "minimum" => require(value.as_f64().is_none_or(|x| x >= rule.as_f64().expect("a number"))),
            "minItems" => require(value.as_array().is_none_or(|a| a.len() as u64 >= rule.as_u64().unwrap())),
            "maxItems" => require(value.as_array().is_none_or(|a| a.len() as u64 <= rule.as_u64().unwrap())),
            "pattern" => {
                let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
                let is_code = |s: &str| s.len() == 5 && s.starts_with('V') && digits(&s[1..]);
                let is_fraction = |s: &str| {
                    let s = s.strip_prefix('-').unwrap_or(s);
                    let (top, bottom) = s.split_once('/').unwrap_or((s, "1"));
                    digits(top) && digits(bottom)
                };
                let fits: &dyn Fn(&str) -> bool = match rule.as_str() {
                    Some("^V[0-9]{4}$") => &is_code,
                    Some("^-?[0-9]+(/[0-9]+)?$") => &is_fraction,
                    _ => panic!("the pattern {rule} is not known here"),
                };
                require(value.as_str().is_none_or(fits));
            }
            "required" => {
                let names = list().iter().map(|n| n.as_str().expect("a name"));
                require(value.as_object().is_none_or(|o| names.into_iter().all(|n| o.contains_key(n))));
            }
            "properties" => {
                for (name, schema) in rule.as_object().expect("properties") {
                    if let Some(inner) = value.get(name) {
                        check(root, schema, inner, &format!("{path}/{name}"), found);
                    }
                }
            }
            "additionalProperties" => {
                let known = rules.get("properties").and_then(Value::as_object);
                for (name, inner) in value.as_object().into_iter().flatten() {
                    if known.is_some_and(|k| k.contains_key(name)) {
                        continue;
                    }
                    match rule {
                        Value::Bool(true) => {}
                        Value::Bool(false) => {
                            found.push(format!("{path}: the field `{name}` is not documented"))
                        }
                        schema => check(root, schema, inner, &format!("{path}/{name}"), found),
                    }
                }
            }
            "items" => {
                for (i, inner) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, rule, inner, &format!("{path}/{i}"), found);
                }
            }
            other => panic!("`{other}` is not checked"),
        }
    }
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("unknown type `{other}`"),
    }
}
