//! Names and completion of declarations in TOML.

use volvelle_declarations::form::{ANY, Entry, Form, Shape};
use volvelle_diagnostics::FileId;
use volvelle_symbols::{Declared, Index, Indexed, Kind, Part, Text, complete};

static FORM: Form = Form {
    name: "test",
    marks: &["[step]"],
    enough: 1,
    entries: &[
        Entry::new("title", Shape::Text, "A title."),
        Entry::new("states", Shape::Defines, "States."),
        Entry::new("step", Shape::Table(STEPS), "Steps."),
        Entry::new("core", Shape::Tables(CORE), "Cores."),
    ],
};

const STEPS: &[Entry] = &[Entry::new(ANY, Shape::Table(STEP), "A step.")];
const STEP: &[Entry] = &[
    Entry::new("from", Shape::Names("step"), "Another step."),
    Entry::new("in", Shape::List(&Shape::Names("states")), "In which states."),
    Entry::new("mode", Shape::Words(&["fast", "slow"]), "How."),
    Entry::new("model", Shape::File, "A model."),
    Entry::new("core", Shape::Table(CORE), "A core."),
];
const CORE: &[Entry] = &[
    Entry::new("width", Shape::Whole(1, 9), "How wide."),
    Entry::new("is_new", Shape::Flag, "Whether it is new."),
];

const LANGUAGE: Declared = Declared { form: &FORM };

fn text(text: &str) -> Text<'_> {
    Text { file: FileId(3), name: "a.toml", text, part: Part::Model }
}

fn index(of: &str) -> Index {
    LANGUAGE.index(&[text(of)])
}

/// What may stand where `|` is.
fn completed(marked: &str) -> Vec<String> {
    let offset = marked.find('|').expect("a place");
    let without = marked.replacen('|', "", 1);
    let texts = [text(&without)];
    let index = LANGUAGE.index(&texts);
    let found = complete(&LANGUAGE, &index, &texts, FileId(3), offset as u32, usize::MAX);
    found.map_or_else(Vec::new, |found| {
        found.candidates.into_iter().map(|one| one.written.into_owned()).collect()
    })
}

#[test]
fn names_lead_to_their_declarations() {
    let text = "states = [\"I\", \"M\"]\n[step.a]\nmodel = \"a.x\"\n[step.b]\nfrom = \"a\"\nin = [\"M\"]\ncore = { width = 3 }\n";
    let index = index(text);
    let kind_at = |part: &str, skip: usize| {
        let found = index.at(FileId(3), (text.find(part).expect("a part") + skip) as u32).expect("a name");
        let symbol = index.symbol(found.symbol);
        (symbol.kind, symbol.span.map(|span| span.start as usize), symbol.container)
    };
    let (kind, declared, _) = kind_at("\"a\"", 1);
    assert_eq!((kind, declared), (Kind::Entry, text.find("a]")));
    let (kind, declared, _) = kind_at("\"M\"]\ncore", 1);
    assert_eq!((kind, declared), (Kind::Entry, text.find("\"M\"")));
    let (kind, _, container) = kind_at("width", 0);
    let container = container.map(|id| index.symbol(id).name.as_str());
    assert_eq!((kind, container), (Kind::Key, Some("core")));
    // The keys of the form are built in.
    assert_eq!(kind_at("step.a", 0).1, None);
    let files: Vec<&str> = index.files.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!((files, index.files[0].0.file), (vec!["a.x"], FileId(3)));
    let from = index.at(FileId(3), text.find("from").expect("a key") as u32).expect("a name");
    assert_eq!(index.symbol(from.symbol).comment, "Another step.\nIt takes a name of `step`.");
}

#[test]
fn what_may_be_written() {
    let starts = |text: &str, expected: &[&str]| assert_eq!(completed(text), expected, "{text}");
    starts("|", &["states = [\"$0\"]", "title = \"$0\"", "[[core]]\n", "[step.${1:name}]\n"]);
    starts("[|", &["core", "step"]);
    starts("[step.a]\nmode = |", &["\"fast\"", "\"slow\""]);
    starts("[step.a]\nmode = \"|\"", &["fast", "slow"]);
    starts("[step.a]\nmode = \"f|\"\nfrom = \"a\"", &["fast", "slow"]);
    starts("[step.a]\n[step.b]\nfrom = |", &["\"a\"", "\"b\""]);
    starts("states = [\"I\", \"M\"]\n[step.a]\nin = [\"I\", \"|\"]", &["I", "M"]);
    starts("[[core]]\nis_new = |", &["false", "true"]);
    starts("[[core]]\nwidth = 3\nis_|", &["is_new = $0", "[[core]]\n", "[step.${1:name}]\n"]);
    starts("[step.a]\ncore = { width = 3, |", &["is_new = $0"]);
    starts("[step.a]\ncore = { w| = 3 }", &["is_new", "width"]);
    starts("title = \"a\" # |", &[]);
    starts("[other]\nx = |", &[]);
}

/// Cut anywhere, without any token: nothing overlaps, nothing stands outside of the text, and there is an answer.
#[test]
fn broken_texts() {
    let text = "states = [\"I\",\n \"M\"]\n[step.a]\nmode = \"fast\" # x\ncore = { width = 3, is_new = true }\n[[core]]\nwidth = [[1], {}]\n";
    let mut texts: Vec<String> = (0..=text.len()).map(|at| text[..at].to_owned()).collect();
    texts.extend((0..text.len()).map(|at| text[at..].to_owned()));
    let tokens: Vec<_> = index(text).tokens.iter().map(|token| token.span).collect();
    for token in tokens {
        texts.push(format!("{}{}", &text[..token.start as usize], &text[token.end as usize..]));
    }
    for text in texts {
        let index = index(&text);
        let ends: Vec<(u32, u32)> =
            index.occurrences.iter().map(|one| (one.span.start, one.span.end)).collect();
        assert!(ends.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{text}");
        for symbol in &index.symbols {
            let whole = symbol.whole.filter(|whole| {
                symbol.span.is_some_and(|span| span.start < whole.start || whole.end < span.end)
            });
            assert_eq!(whole, None, "{text}");
            assert!(symbol.whole.is_none_or(|whole| whole.end as usize <= text.len()), "{text}");
        }
        for offset in (0..=text.len()).step_by(3) {
            let marked = format!("{}|{}", &text[..offset], &text[offset..]);
            let _ = completed(&marked);
        }
    }
}
