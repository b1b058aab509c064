//! Names of predictors.

use volvelle_multicore::{PREDICTORS, Specification};

#[test]
fn names_come_back() {
    for name in PREDICTORS {
        let read = Specification::parse(name).expect("a known name");
        let again = Specification::parse(&read.kind.to_string()).expect("the name of a kind");
        assert_eq!(read.kind, again.kind, "{name}");
    }
}

#[test]
fn others_are_refused() {
    for name in [
        "",
        "gag",
        "gag-",
        "gag-0",
        "gag-25",
        "gag-99999999999999999999",
        "perceptron-65",
        "hashed-",
        "tage-",
        "tage-sc-l-x",
        "perceptron-8-weights-9",
        "gag-14-small",
        "bimodal-12é",
    ] {
        assert!(Specification::parse(name).is_err(), "{name}");
    }
    let found = Specification::parse("percepton-8").expect_err("misspelt");
    assert_eq!(found.helps, ["did you mean `perceptron-8`?"]);
}
