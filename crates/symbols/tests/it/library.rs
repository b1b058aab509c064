//! Names that a text of the program declares lead to their places in it.

use crate::models::{examples, published};
use crate::shown::checked;
use volvelle_diagnostics::FileId;
use volvelle_symbols::{Index, Kind, LIBRARIES, Symbol};

fn text(name: &str) -> &'static str {
    LIBRARIES.iter().find(|library| library.name == name).expect("a library").text
}

/// Checks all places of an index in libraries; gives how many occurrences lead there.
fn led(index: &Index, texts: &[&str], ignores_case: bool) -> usize {
    let mut found = 0;
    for symbol in &index.symbols {
        if let Some(place) = &symbol.library {
            let is_name = match ignores_case {
                true => place.text().eq_ignore_ascii_case(&symbol.name),
                false => place.text() == symbol.name,
            };
            assert!(is_name && symbol.span.is_none(), "{symbol:?}");
            let (start, end) = (place.start as usize, place.end as usize);
            let is_part = |c: char| c.is_alphanumeric();
            let (before, behind) = (&place.library.text[..start], &place.library.text[end..]);
            let is_word = place.text().contains(is_part);
            assert!(!is_word || !before.ends_with(is_part) && !behind.starts_with(is_part), "{symbol:?}");
        }
    }
    for occurrence in &index.occurrences {
        if let Some(place) = &index.symbol(occurrence.symbol).library {
            let span = occurrence.span;
            let shown = &texts[span.file.0 as usize][span.start as usize..span.end as usize];
            assert!(shown == place.text() || ignores_case && shown.eq_ignore_ascii_case(place.text()));
            found += 1;
        }
    }
    found
}

#[test]
fn examples_and_published_specifications() {
    let published = published("VOLVELLE_LOTOS_CORPUS", "lotos", &["lotos"]);
    let mut found = 0;
    for model in examples("lotos", &["lotos"]).into_iter().chain(published) {
        let texts: Vec<&str> = model.texts.iter().map(String::as_str).collect();
        found += led(&checked("lotos", &texts), &texts, true);
    }
    assert!(found >= 10, "{found} names");
}

/// Types with formal sorts: what their operations are, only those say that have actual ones.
const FORMAL: &[&str] = &["SET", "RICHERNONEMPTYSTRING", "STRING0", "STRING1"];

fn actual(name: &str) -> String {
    format!(
        "type REAL{name} is {name} actualizedby BIT using sortnames BIT for ELEMENT BOOL for FBOOL endtype\n"
    )
}

/// A type that imports another one of the library and has its equations: each name means what it means where the library is part of the
/// specification.
#[test]
fn each_name_of_the_library_of_lotos() {
    let library = text("standard.lotos");
    let head = "specification S : noexit\n";
    let actuals: String = FORMAL.iter().map(|name| actual(name)).collect();
    let whole = format!("{head}{library}{actuals}behaviour stop endspec");
    let expected = checked("lotos", &[&whole]);
    let (mut types, mut names) = (0, 0);
    for ty in library.split_inclusive("endtype\n").filter(|ty| ty.contains(" eqns ")) {
        let eqns = &ty[ty.find(" eqns ").expect("some")..];
        let from = head.len() + (eqns.as_ptr() as usize - library.as_ptr() as usize);
        let start = ty.find("type ").expect("a type") + "type ".len();
        let name = ty[start..].split(' ').next().expect("a name");
        let before = format!("{head}library {name}, Bit endlib type MINE is {name}\n");
        let actual = if FORMAL.contains(&name) { actual("MINE") } else { String::new() };
        let own = format!("{before}{eqns}{actual}behaviour stop endspec");
        let index = checked("lotos", &[&own]);
        // The names of the type itself, too.
        assert!(led(&index, &[&own], true) >= 2, "{name}");
        types += 1;
        for occurrence in &expected.occurrences {
            let (start, end) = (occurrence.span.start as usize, occurrence.span.end as usize);
            let symbol = expected.symbol(occurrence.symbol);
            let is_inside = from <= start && end <= from + eqns.len();
            let is_meant = is_inside && matches!(symbol.kind, Kind::Type | Kind::Operation);
            let Some(span) = symbol.span.filter(|_| is_meant) else { continue };
            let offset = (start - from + before.len()) as u32;
            let found = index.at(FileId(0), offset).map(|found| index.symbol(found.symbol));
            let place =
                found.and_then(|symbol| symbol.library).map(|place| place.start as usize + head.len());
            assert_eq!(
                place,
                Some(span.start as usize),
                "{name}: `{}` {found:?} {symbol:?}",
                &whole[start..end]
            );
            names += 1;
        }
    }
    assert!(types >= 8 && names >= 300, "{types} types, {names} names");
}

#[test]
fn declarations_of_the_library_of_lotos() {
    let text = "specification S [G] : noexit library BitString, Set endlib
type Bits is Set actualizedby Bit, Boolean using sortnames Bit for Element Bool for FBool Bits for Set endtype
behaviour G !length (Bit (0) + <> of BitString) !Card (insert (1 of bit, {} of bits)); stop endspec";
    let index = checked("lotos", &[text]);
    assert!(led(&index, &[text], true) >= 10);
    let of = |name: &str, kind: Kind| -> Vec<&Symbol> {
        let all = index.symbols.iter();
        all.filter(|one| one.name.eq_ignore_ascii_case(name) && one.kind == kind).collect()
    };
    let details = |name: &str| -> Vec<&str> {
        of(name, Kind::Operation).iter().map(|symbol| symbol.detail.as_str()).collect()
    };
    assert_eq!(details("length"), ["LENGTH : STRING -> NAT"]);
    assert!(
        details("insert").contains(&"INSERT, $/$, REMOVE : ELEMENT, SET -> SET"),
        "{:?}",
        details("insert")
    );
    // The language itself has no text.
    assert!(of("Boolean", Kind::Type).iter().all(|symbol| symbol.library.is_none()));
}

#[test]
fn macros_of_the_mu_calculus() {
    let library = text("macros.mcl");
    // Each macro, called as many times as there are.
    let heads = library.lines().filter_map(|line| line.strip_prefix("macro ")?.split_once(" = "));
    let calls: Vec<String> = heads
        .map(|(head, _)| match head.split_once(" (") {
            Some((name, parameters)) => {
                format!("{name}({}", parameters.replace(|c: char| c.is_alphabetic(), "\"a\""))
            }
            None => head.to_owned(),
        })
        .collect();
    let formula = calls.join(" and\n");
    let index = checked("mcl", &[&formula]);
    assert_eq!((calls.len() > 10, led(&index, &[&formula], false)), (true, calls.len()), "{formula}");
    let own = "macro NEVER (A) = [ A ] false end_macro NEVER(\"a\")";
    assert_eq!(led(&checked("mcl", &[own]), &[own], false), 0);
}
