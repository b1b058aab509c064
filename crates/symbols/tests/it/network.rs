//! What the index says of networks, and that it is what their parser says.

use crate::models::examples;
use crate::shown::{checked, expect};
use std::collections::BTreeSet;
use volvelle_diagnostics::FileId;
use volvelle_lts::parse_network;
use volvelle_symbols::{Kind, Role};

#[test]
fn files_and_gates() {
    expect(
        "network",
        &["-- Two of them.
branching reduction of hide PUT, \"GET.*\" in \"a.aut\" |[PUT, \"DONE !1\"]| \"b.aut\"
|| par DONE in PUT -> \"a.aut\" || \"x\", DONE -> \"c.aut\" end par
|| label.par \"DONE !1\" * _ -> OUT in \"a.aut\" || \"b.aut\" end par
|| rename PUT -> IN in \"a.aut\" end rename"],
        "Gate `PUT`: 2= 2 3 5
        Module `\"a.aut\"`: 2= 3 4 5
        Gate `\"DONE !1\"`: 2= 4
        Module `\"b.aut\"`: 2= 4
        Gate `DONE`: 3= 3
        Gate `\"x\"`: 3=
        Module `\"c.aut\"`: 3=
        Gate `OUT`: 4=
        Gate `IN`: 5=",
    );
}

/// The files are those that the parser finds; with a name changed everywhere, the network is the same but for the name.
#[test]
fn names_mean_what_the_parser_says() {
    let mut tried = 0;
    for model in examples("network", &["exp"]) {
        let text = model.texts[0].as_str();
        let (network, found) = parse_network(FileId(0), text);
        let network = network.unwrap_or_else(|| panic!("{}: {found:?}", model.name));
        let index = checked("network", &[text]);
        let declared = |kind: Kind| index.symbols.iter().filter(move |symbol| symbol.kind == kind);
        let files: BTreeSet<(&str, _)> =
            declared(Kind::Module).map(|file| (file.name.as_str(), file.span.unwrap())).collect();
        let expected: BTreeSet<_> = network.files.iter().map(|(name, span)| (name.as_str(), *span)).collect();
        assert_eq!(files, expected, "{}", model.name);
        for number in 0..index.symbols.len() as u32 {
            let id = volvelle_symbols::SymbolId(number);
            let mut changed = text.to_owned();
            let places: Vec<_> = index.references(id).collect();
            assert_eq!(places.iter().filter(|place| place.role == Role::Declares).count(), 1);
            for place in places.iter().rev() {
                let is_quoted = text[place.span.start as usize..].starts_with('"');
                let at = place.span.start as usize + usize::from(is_quoted);
                changed.insert_str(at, "fresh_");
            }
            let (after, found) = parse_network(FileId(0), &changed);
            let after = after.unwrap_or_else(|| panic!("{changed}: {found:?}"));
            // Sets of labels have an order of their own.
            let plain = |network: &volvelle_lts::Network| {
                let text = format!("{network:?}").replace("fresh_", "");
                let mut words: Vec<String> = text.split([' ', ',', '{', '}']).map(str::to_owned).collect();
                words.sort();
                words
            };
            assert_eq!(plain(&after.network), plain(&network.network), "{changed}");
            assert_eq!(after.files.len(), network.files.len());
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
}
