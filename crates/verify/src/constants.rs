//! `--const`: texts such as `N=4,T=50` as pairs of name and value.
//!
//! Only the form is checked here; a value meets its type where the language knows the declaration.

use volvelle_diagnostics::{Diagnostic, codes};

/// A constant given on the command line: name and text of the value.
pub type Given = (String, String);

/// Reads the arguments of all `--const` options. Spaces around names, values and commas do not count.
pub fn parse<S: AsRef<str>>(arguments: &[S]) -> (Vec<Given>, Vec<Diagnostic>) {
    let mut given: Vec<Given> = Vec::new();
    let mut diagnostics = Vec::new();
    for argument in arguments {
        for item in argument.as_ref().split(',') {
            let item = item.trim();
            match parse_one(item) {
                Ok((name, value)) => match given.iter().find(|(known, _)| *known == name) {
                    Some((_, first)) if *first != value => diagnostics.push(
                        bad(format!("the constant `{name}` is given twice"))
                            .note(format!("once as {first}, once as {value}")),
                    ),
                    Some(_) => {}
                    None => given.push((name, value)),
                },
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
    }
    (given, diagnostics)
}

fn bad(message: String) -> Diagnostic {
    Diagnostic::error(codes::BAD_CONST_OPTION, message)
}

fn parse_one(item: &str) -> Result<Given, Diagnostic> {
    let form = "write --const NAME=VALUE, several separated by commas: --const N=4,p=0.5,fast=true";
    if item.is_empty() {
        return Err(bad("a constant is missing in `--const`".into()).help(form));
    }
    let Some((name, value)) = item.split_once('=') else {
        return Err(bad(format!("`{item}` gives no value")).help(form));
    };
    let (name, value) = (name.trim(), value.trim());
    let is_name = name
        .chars()
        .enumerate()
        .all(|(i, c)| c == '_' || c.is_ascii_alphabetic() || (i > 0 && c.is_ascii_digit()));
    if name.is_empty() || !is_name {
        return Err(bad(format!("`{name}` is not a name of a constant")).help(form));
    }
    if value.is_empty() {
        return Err(bad(format!("the constant `{name}` is given no value")).help(form));
    }
    if value.contains(':') {
        return Err(bad(format!("`{value}` is a range of values for the constant `{name}`"))
            .note("experiments over ranges of values are not supported yet")
            .help(format!(
                "give one value: --const {name}={}",
                value.split(':').next().unwrap_or_default()
            )));
    }
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn messages(arguments: &[&str]) -> Vec<String> {
        parse(arguments).1.into_iter().map(|d| d.message).collect()
    }

    #[test]
    fn pairs_of_all_options() {
        let (given, diagnostics) = parse(&["N=4, T = 50", "p=1e-3"]);
        assert!(diagnostics.is_empty());
        let expected = [("N", "4"), ("T", "50"), ("p", "1e-3")];
        assert_eq!(given, expected.map(|(n, v)| (n.to_owned(), v.to_owned())));
    }

    #[test]
    fn the_same_twice_is_no_mistake_but_two_values_are() {
        assert_eq!(parse(&["N=4", "N=4"]).0.len(), 1);
        assert!(messages(&["N=4", "N=4"]).is_empty());
        assert_eq!(messages(&["N=4,N=5"]), ["the constant `N` is given twice"]);
    }

    #[test]
    fn what_is_no_constant() {
        assert_eq!(messages(&["N"]), ["`N` gives no value"]);
        assert_eq!(messages(&["=4"]), ["`` is not a name of a constant"]);
        assert_eq!(messages(&["4N=4"]), ["`4N` is not a name of a constant"]);
        assert_eq!(messages(&["N="]), ["the constant `N` is given no value"]);
        assert_eq!(messages(&[""]), ["a constant is missing in `--const`"]);
        assert_eq!(messages(&["N=4,"]), ["a constant is missing in `--const`"]);
        assert_eq!(messages(&["N=1:2:9"]), ["`1:2:9` is a range of values for the constant `N`"]);
    }
}
