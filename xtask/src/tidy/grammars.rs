//! The grammars of editors have the words and endings of the languages: both are read in the sources, so that a word that is added to a
//! lexer is missed here.

use super::Finding;
use crate::tree::File;
use serde_json::Value;
use std::collections::BTreeSet;

const FOLDER: &str = "editors/grammars/";

/// Texts in quotes in a source: its path, and what stands before the list.
type List = (&'static str, &'static str);

/// Where a grammar has its words from.
struct Grammar {
    name: &'static str,
    words: &'static [List],
    /// Words that a parser knows and no list has.
    others: &'static [&'static str],
    endings: Option<List>,
}

const SOFT: &str = "const SOFT: &[&str] = &[";
const ENDINGS: &str = "fn endings(&self) -> &'static [&'static str] {";

const GRAMMARS: &[Grammar] = &[
    Grammar {
        name: "prism",
        words: &[
            ("crates/prism/src/lex/token.rs", "words Keyword("),
            ("crates/symbols/src/prism/words.rs", SOFT),
        ],
        others: &[],
        endings: Some(("crates/session/src/language/prism.rs", ENDINGS)),
    },
    Grammar {
        name: "prism-properties",
        words: &[],
        others: &[],
        endings: Some(("crates/session/src/language/mod.rs", "const PROPERTY_ENDINGS: &[&str] = &[")),
    },
    Grammar {
        name: "promela",
        words: &[("crates/promela/src/token.rs", "words Keyword("), ("crates/symbols/src/promela.rs", SOFT)],
        others: &[],
        endings: Some(("crates/session/src/language/promela/mod.rs", ENDINGS)),
    },
    Grammar {
        name: "lotos",
        words: &[("crates/lotos/src/lex.rs", "words {")],
        others: &["i"],
        endings: Some(("crates/session/src/language/lotos.rs", ENDINGS)),
    },
    Grammar {
        name: "exp",
        words: &[("crates/lts/src/network/parse/token.rs", "words {")],
        others: &[],
        endings: Some(("crates/session/src/language/network.rs", ENDINGS)),
    },
    Grammar { name: "mcl", words: &[("crates/mcl/src/token.rs", "words {")], others: &[], endings: None },
    Grammar {
        name: "wks",
        words: &[("crates/wks/src/structure/read.rs", "misspelt(word, [")],
        others: &["in"],
        endings: None,
    },
    Grammar {
        name: "mpi-program",
        words: &[("crates/mpi/src/lex.rs", "words {")],
        others: &["home", "class", "line", "capacity", "mod", "data", "bool", "write"],
        endings: None,
    },
    Grammar {
        name: "volvelle-kernel",
        words: &[("crates/kernel/src/text/mod.rs", "const RESERVED: [&str; 36] = [")],
        others: &[],
        endings: None,
    },
];

/// Words and endings that a language and its grammar do not share.
pub fn check(files: &[File]) -> Vec<Finding> {
    let is_there = files.iter().any(|file| file.path.starts_with(FOLDER));
    // Other checkouts, as tests have them, may be without.
    if is_there {
        GRAMMARS.iter().flat_map(|grammar| of_grammar(grammar, files)).collect()
    } else {
        Vec::new()
    }
}

fn of_grammar(grammar: &Grammar, files: &[File]) -> Vec<Finding> {
    let path = format!("{FOLDER}{}.tmLanguage.json", grammar.name);
    let find = |path: &str| files.iter().find(|file| file.path == path);
    let read = find(&path).and_then(|file| serde_json::from_str::<Value>(&file.text).ok());
    let Some(read) = read else {
        return vec![Finding::new(&path, 0, "the grammar is not there, or no JSON")];
    };

    let mut findings = Vec::new();
    let mut list = |(source, anchor): List| {
        let found = find(source).map(|file| texts(&file.text, anchor)).unwrap_or_default();
        if found.is_empty() {
            findings.push(Finding::new(
                source,
                0,
                format!("there is no list behind `{anchor}`, of which {path} has its words"),
            ));
        }
        found
    };
    let mut wanted: BTreeSet<String> = grammar.others.iter().map(|word| (*word).to_owned()).collect();
    for &words in grammar.words {
        // LOTOS declares its words, for which case has no meaning, in upper case.
        let is_upper = grammar.name == "lotos";
        wanted.extend(list(words).into_iter().map(|word| if is_upper { word.to_lowercase() } else { word }));
    }
    let endings = grammar.endings.map(&mut list).unwrap_or_default();
    let listed = words_of(&read);
    for word in wanted.difference(&listed) {
        findings.push(Finding::new(&path, 0, format!("the language has the word `{word}`")));
    }
    for word in listed.difference(&wanted) {
        findings.push(Finding::new(&path, 0, format!("`{word}` is no word of the language")));
    }
    let types: Vec<&str> =
        read["fileTypes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for ending in endings.iter().filter(|ending| !types.contains(&ending.as_str())) {
        findings.push(Finding::new(&path, 0, format!("files of the language may end in `.{ending}`")));
    }
    findings
}

/// The texts in quotes of the list that begins at, or behind, a place of a source.
fn texts(source: &str, anchor: &str) -> BTreeSet<String> {
    let Some((_, behind)) = source.split_once(anchor) else { return BTreeSet::new() };
    let list = if anchor.ends_with(['[', '{']) {
        behind
    } else {
        behind.split_once('{').map_or("", |(_, list)| list)
    };
    let list = &list[..list.find(['}', ']']).unwrap_or(list.len())];
    // What stands between the first quote and the second one, the third one and the fourth one, and so on.
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The words that a grammar lists, in regular expressions like `\b(?:module|endmodule)\b`.
fn words_of(grammar: &Value) -> BTreeSet<String> {
    let patterns = grammar["repository"]["words"]["patterns"].as_array();
    let lists = patterns.into_iter().flatten().filter_map(|pattern| {
        let (_, list) = pattern["match"].as_str()?.split_once("(?:")?;
        list.split_once(')').map(|(list, _)| list)
    });
    lists.flat_map(|list| list.split('|').map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "editors/grammars/a.tmLanguage.json";
    const GRAMMAR: Grammar = Grammar {
        name: "a",
        words: &[("lex.rs", "words Keyword(")],
        others: &["soft"],
        endings: Some(("end.rs", ENDINGS)),
    };
    const SOURCE: &str = "kinds! { words Keyword(\n/// Words.\nenum Keyword) { If \"if\", Do \"do\" } }";

    fn found(list: &str, source: &str) -> Vec<String> {
        let grammar = format!(
            r#"{{"fileTypes": ["a"], "repository": {{"words": {{"patterns": [{{"match": "\\b(?:{list})\\b"}}]}}}}}}"#
        );
        let endings = format!("{ENDINGS}\n&[\"a\", \"b\"]\n}}");
        let files = [File::new(PATH, &grammar), File::new("lex.rs", source), File::new("end.rs", &endings)];
        of_grammar(&GRAMMAR, &files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_and_endings() {
        let ending = format!("{PATH}: files of the language may end in `.b`");
        assert_eq!(found("if|soft|do", SOURCE), [ending.as_str()]);
        let missing = format!("{PATH}: the language has the word `do`");
        let strange = format!("{PATH}: `od` is no word of the language");
        assert_eq!(found("if|od|soft", SOURCE), [missing, strange, ending]);
    }

    #[test]
    fn lists_that_are_not_there() {
        assert!(found("soft", "kinds! { words { } }")[0].starts_with("lex.rs: there is no list"));
        assert_eq!(of_grammar(&GRAMMAR, &[]).len(), 1);
        assert_eq!(check(&[]), []);
    }
}
