//! Constants of the command line.

use volvelle_session::constants::{Swept, parse, parse_parameters};

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
