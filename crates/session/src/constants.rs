//! `--const`: texts such as `N=4,T=0:10:200` as names with values.
//!
//! Only the form is checked here; a value meets its type where the language knows the declaration. Several values
//! are a range, `first:last` or `first:step:last` (module `range`), or a list: an item without `=` is one more
//! value of the constant before it, as in `p=0.1,0.2,0.5,N=4`. No shell treats these characters specially.

use crate::range::{self, MOST_VALUES};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_logic::ConstantValue;

/// A constant given on the command line, with the values that it takes in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    /// Its name.
    pub name: String,
    /// Its values, at least one.
    pub values: Vec<ConstantValue>,
    /// Whether a range or a list was given, were it one of a single value.
    pub is_sweep: bool,
}

/// What names and values may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Constants of a language: values are numbers, truth values and expressions.
    Constants,
    /// Parameters of a machine or a study: names may have dots, and values may be words.
    Parameters,
}

/// Reads the arguments of all `--const` options. Spaces around names, values and commas do not count.
pub fn parse<S: AsRef<str>>(arguments: &[S]) -> (Vec<Swept>, Vec<Diagnostic>) {
    read(arguments, Form::Constants)
}

/// Reads values of parameters, as in `protocol=MESI,MOESI,l1d.size=4096`: names may have dots, and values may be words.
pub fn parse_parameters<S: AsRef<str>>(arguments: &[S]) -> (Vec<Swept>, Vec<Diagnostic>) {
    read(arguments, Form::Parameters)
}

fn read<S: AsRef<str>>(arguments: &[S], form: Form) -> (Vec<Swept>, Vec<Diagnostic>) {
    let mut given: Vec<Swept> = Vec::new();
    let mut diagnostics = Vec::new();
    for argument in arguments {
        let mut here: Vec<Swept> = Vec::new();
        for item in argument.as_ref().split(',') {
            match parse_item(item.trim(), form, &mut here) {
                Ok(()) => {}
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        for new in here {
            match given.iter().find(|known| known.name == new.name) {
                Some(first) if first.values != new.values => diagnostics.push(twice(first, &new)),
                Some(_) => {}
                None => given.push(new),
            }
        }
    }
    (given, diagnostics)
}

fn bad(message: String) -> Diagnostic {
    Diagnostic::error(codes::BAD_CONST_OPTION, message)
}

fn twice(first: &Swept, second: &Swept) -> Diagnostic {
    let shown = |swept: &Swept| match swept.values.as_slice() {
        [one] => one.to_string(),
        several => format!("{} ... {}", several[0], several[several.len() - 1]),
    };
    bad(format!("the constant `{}` is given twice", first.name)).note(format!(
        "once as {}, once as {}",
        shown(first),
        shown(second)
    ))
}

/// One item between commas: a constant with its value or range, or one more value of the last constant.
fn parse_item(item: &str, form: Form, given: &mut Vec<Swept>) -> Result<(), Diagnostic> {
    let example = match form {
        Form::Constants => {
            "write --const NAME=VALUE, several separated by commas: --const N=4,p=0.5,fast=true"
        }
        Form::Parameters => {
            "write --const NAME=VALUE, or NAME=VALUE,VALUE: --const cores=1,2,4,protocol=MESI"
        }
    };
    if item.is_empty() {
        return Err(bad("a constant is missing in `--const`".into()).help(example));
    }
    let Some((name, value)) = item.split_once('=') else {
        let is_value = form == Form::Parameters || item == "true" || item == "false" || !is_name(item, form);
        return match given.last_mut().filter(|_| is_value) {
            Some(last) => {
                last.is_sweep = true;
                last.values.extend(values(&last.name, item)?);
                if last.values.len() > MOST_VALUES { Err(range::too_many(&last.name)) } else { Ok(()) }
            }
            None => Err(bad(format!("`{item}` has no value")).help(example)),
        };
    };
    let (name, value) = (name.trim(), value.trim());
    if !is_name(name, form) {
        return Err(bad(format!("`{name}` is not a valid constant name")).help(example));
    }
    if value.is_empty() {
        return Err(bad(format!("the constant `{name}` has no value")).help(example));
    }
    let is_sweep = value.contains(':');
    let new = Swept { name: name.to_owned(), values: values(name, value)?, is_sweep };
    match given.iter().find(|known| known.name == new.name) {
        Some(first) if first.values != new.values => Err(twice(first, &new)),
        Some(_) => Ok(()),
        None => {
            given.push(new);
            Ok(())
        }
    }
}

/// The values that a text stands for.
fn values(name: &str, text: &str) -> Result<Vec<ConstantValue>, Diagnostic> {
    Ok(range::values(name, text)?.into_iter().map(ConstantValue::from).collect())
}

fn is_name(text: &str, form: Form) -> bool {
    let in_name = |(i, c): (usize, char)| match c {
        '0'..='9' => i > 0,
        '.' => i > 0 && form == Form::Parameters,
        _ => c == '_' || c.is_ascii_alphabetic(),
    };
    !text.is_empty() && text.chars().enumerate().all(in_name)
}

#[cfg(test)]
mod tests {
    use super::{Swept, parse, parse_parameters};

    fn messages(arguments: &[&str]) -> Vec<String> {
        parse(arguments).1.into_iter().map(|d| d.message).collect()
    }

    fn read(arguments: &[&str]) -> Vec<(String, Vec<String>, bool)> {
        let (given, diagnostics) = parse(arguments);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let texts = |swept: &Swept| swept.values.iter().map(|value| value.to_string()).collect();
        given.iter().map(|s| (s.name.clone(), texts(s), s.is_sweep)).collect()
    }

    fn swept(name: &str, values: &[&str], is_sweep: bool) -> (String, Vec<String>, bool) {
        (name.to_owned(), values.iter().map(|v| (*v).to_owned()).collect(), is_sweep)
    }

    #[test]
    fn pairs_of_all_options() {
        let expected = [("N", "4"), ("T", "50"), ("p", "1e-3")];
        assert_eq!(read(&["N=4, T = 50", "p=1e-3"]), expected.map(|(n, v)| swept(n, &[v], false)));
    }

    #[test]
    fn ranges_and_lists() {
        assert_eq!(
            read(&["p=0.1,0.2, 0.5,T=0:2", "fast=true,false"]),
            [
                swept("p", &["0.1", "0.2", "0.5"], true),
                swept("T", &["0", "1", "2"], true),
                swept("fast", &["true", "false"], true),
            ]
        );
        assert_eq!(
            read(&["N=4,T=0:10:20,50,100:101"]),
            [swept("N", &["4"], false), swept("T", &["0", "10", "20", "50", "100", "101"], true)]
        );
        assert_eq!(read(&["T=5:5"]), [swept("T", &["5"], true)]);
    }

    #[test]
    fn parameters_have_words_and_dots() {
        let (given, diagnostics) = parse_parameters(&["protocol=MESI,MOESI,l1d.size=4096", "cores=1:3"]);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let shown = given.iter().map(|swept| {
            let values: Vec<&str> = swept.values.iter().map(|value| value.text()).collect();
            (swept.name.as_str(), values.join(" "), swept.is_sweep)
        });
        let expected = [
            ("protocol", "MESI MOESI".to_owned(), true),
            ("l1d.size", "4096".to_owned(), false),
            ("cores", "1 2 3".to_owned(), true),
        ];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        let wrong = |argument: &str| parse_parameters(&[argument]).1.remove(0).message;
        assert_eq!(wrong("cores="), "the constant `cores` has no value");
        assert_eq!(wrong("MESI"), "`MESI` has no value");
        assert_eq!(wrong("a b=1"), "`a b` is not a valid constant name");
        assert_eq!(
            wrong("cores=1:x"),
            "`1:x` is not a range of values for the constant `cores`: `x` is not a number"
        );
    }

    #[test]
    fn the_same_twice_is_no_mistake_but_two_values_are() {
        assert_eq!(read(&["N=4", "N=4"]).len(), 1);
        assert_eq!(read(&["N=1:3", "N=1,2,3"]).len(), 1);
        assert_eq!(messages(&["N=4,N=5"]), ["the constant `N` is given twice"]);
        assert_eq!(messages(&["N=4", "N=4,5"]), ["the constant `N` is given twice"]);
    }

    #[test]
    fn what_is_no_constant() {
        assert_eq!(messages(&["N"]), ["`N` has no value"]);
        assert_eq!(messages(&["N=4,M"]), ["`M` has no value"]);
        assert_eq!(messages(&["5"]), ["`5` has no value"]);
        assert_eq!(messages(&["=4"]), ["`` is not a valid constant name"]);
        assert_eq!(messages(&["4N=4"]), ["`4N` is not a valid constant name"]);
        assert_eq!(messages(&["N="]), ["the constant `N` has no value"]);
        assert_eq!(messages(&[""]), ["a constant is missing in `--const`"]);
        assert_eq!(messages(&["N=4,"]), ["a constant is missing in `--const`"]);
    }
}
