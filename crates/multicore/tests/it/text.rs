//! Streams as text, and what is refused.

use crate::corpus;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, RenderOptions, Sources, render};
use volvelle_instructions::{Batch, Failure, Stream};
use volvelle_multicore::{Form, TextTrace, accesses, outcomes};

/// What is wrong with a text, drawn; nothing if it is right.
fn refused(name: &str, text: &str) -> String {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let found: Vec<Diagnostic> = match Form::of(text) {
        None => vec![volvelle_multicore::unknown_form(file, text)],
        Some(Form::Outcomes) => outcomes(file, text).err().unwrap_or_default(),
        Some(Form::Accesses) => accesses(file, text).err().unwrap_or_default(),
        Some(Form::Instructions) => {
            let mut trace = TextTrace::new(file, text).expect("the columns are named");
            let mut batch = Batch::default();
            loop {
                match trace.next(&mut batch, 2, &Control::unlimited()) {
                    Ok(true) => {}
                    Ok(false) => break Vec::new(),
                    Err(Failure::Faulty(found)) => break vec![*found],
                    Err(Failure::Stopped(stop)) => panic!("{stop}"),
                }
            }
        }
    };
    found.iter().map(|found| render(found, &sources, RenderOptions::default())).collect()
}

#[test]
fn golden_bad_texts_are_refused() {
    let Some(folder) = corpus::folder("bad") else { return };
    for (name, code, place) in [
        ("bad-class.tsv", "V2022", "bad-class.tsv:2:6"),
        ("bad-columns.tsv", "V2022", "bad-columns.tsv:2:1"),
        ("bad-outcome.tsv", "V2022", "bad-outcome.tsv:2:6"),
        ("load-without-address.tsv", "V2022", "load-without-address.tsv:2:16"),
    ] {
        let found = refused(name, &corpus::text(&folder, name));
        assert!(found.contains(code) && found.contains(place) && found.contains('^'), "{found}");
    }
}

#[test]
fn others_are_refused() {
    let instructions = "pc\tclass\trd\tsources\taddress\tsize\ttaken\n";
    for (text, message) in [
        ("", "no known stream"),
        ("adress\toutcome\n1\t1\n", "no known stream"),
        ("address\toutcome\nxyz\t1\n", "`xyz` is no address"),
        ("address\toutcome\n10000000000000000\t1\n", "is no address"),
        ("core\toperation\taddress\tsize\n64\tload\t0\t4\n", "`64` is no core"),
        ("core\toperation\taddress\tsize\n0\tfetch\t0\t4\n", "`fetch` is no operation"),
        ("core\toperation\taddress\tsize\n0\tload\t0\t0\n", "`0` is no size"),
        (&format!("{instructions}1000\talu\tx32\t-\t-\t-\t-\n"), "`x32` is no register"),
        (&format!("{instructions}1000\talu\tx1\tx1,x2,x3,x4\t-\t-\t-\n"), "at most three sources"),
        (&format!("{instructions}1000\talu\tx1\t-\t10\t8\t-\n"), "has no address"),
        (&format!("{instructions}1000\tbranch\t-\t-\t-\t-\t-\n"), "has an outcome"),
        (&format!("{instructions}1000\talu\tx1\t-\t-\t-\t1\n"), "has no outcome"),
        (&format!("{instructions}1000\talu\té\t-\t-\t-\t-\n"), "is no register"),
    ] {
        let found = refused("stream.tsv", text);
        assert!(found.contains(message), "{text}: {found}");
    }
}

/// The pages of the codes show what is drawn.
#[test]
fn pages_show_it() {
    for (code, text) in [("V2021", "task outcome\n1000\t1\n"), ("V2022", "address\toutcome\n12fg\t1\n")] {
        let path = format!("{}/../diagnostics/codes/{code}.md", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(path).expect("a page");
        let drawn = refused("stream.tsv", text);
        let (drawn, _) = drawn.split_once("  = explain").expect("the page is named");
        assert!(page.contains(drawn), "{drawn}");
    }
}

#[test]
fn remarks_and_further_columns_are_left_out() {
    let text = "address\toutcome\tnote\r\n# a remark\r\n10\t1\tx\r\n\r\n0x12\t0\ty\r\n";
    assert_eq!(refused("stream.tsv", text), "");
    assert_eq!(outcomes(Sources::new().add("s", text), text).expect("right").len(), 2);
}
