//! Words that begin declarations and end blocks, misspelt: one mistake, at the word, and its fix restores the text.

use std::path::{Path, PathBuf};
use volvelle_diagnostics::{Diagnostic, FileId, Sources, applied};
use volvelle_prism::parse;

const WORDS: &[&str] = &[
    "const",
    "ctmc",
    "dtmc",
    "endinit",
    "endmodule",
    "endrewards",
    "endsystem",
    "formula",
    "global",
    "init",
    "label",
    "mdp",
    "module",
    "rewards",
    "system",
];

/// The models of the examples.
fn models() -> Vec<(String, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")];
    let mut paths: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
            match path.is_dir() {
                true => folders.push(path),
                false if matches!(ending, "prism" | "sm" | "nm" | "pm") => paths.push(path),
                false => {}
            }
        }
    }
    paths.sort();
    assert!(paths.len() > 5);
    let read = |path: PathBuf| (path.display().to_string(), std::fs::read_to_string(&path).unwrap());
    paths.into_iter().map(read).collect()
}

/// All blocks that the language has, for those that no example has.
const ALL: &str = "mdp\nconst int N = 3;\nconst M;\nformula f = x=N;\nglobal g : bool;\nmodule a\n  x : [0..N];\n  \
    [go] x<N -> (x'=x+1);\nendmodule\nmodule b = a [x=y] endmodule\nmodule c\n  z : clock;\n  invariant\n    z<=1\n  endinvariant\n  \
    [] true -> true;\nendmodule\nlabel \"done\" = x=N;\nrewards \"time\"\n  true : 1;\n  [go] x=0 : 2;\nendrewards\nrewards\n  x=1 : N;\n\
    endrewards\nsystem\n  a || b\nendsystem\ninit\n  x=0 & y=0\nendinit\n";

fn mistakes(text: &str) -> (Sources, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add("m.prism", text);
    let (_, mistakes) = parse::model(&sources, file);
    (sources, mistakes)
}

/// Words that are one edit from another one: a letter missing, twice, another one, or two swapped; not another word that has a meaning.
fn misspelt(word: &str) -> Vec<String> {
    let mut all = Vec::new();
    for at in 1..word.len() {
        let (before, behind) = word.split_at(at);
        all.push(format!("{before}{}", &behind[1..]));
        all.push(format!("{before}{}{behind}", &behind[..1]));
        all.push(format!("{before}k{}", &behind[1..]));
        if let [first, second, ..] = behind.as_bytes() {
            all.push(format!("{before}{}{}{}", char::from(*second), char::from(*first), &behind[2..]));
        }
    }
    // `int` is a word of the language.
    all.retain(|other| {
        other != word && !WORDS.contains(&other.as_str()) && other.len() > 2 && other != "int"
    });
    all
}

/// Where words stand that begin a line, but for blanks.
fn places(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |start, line| {
        let at = *start + line.len() - line.trim_start().len();
        *start += line.len();
        let word = line.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next();
        Some((at, word.unwrap_or("")))
    })
}

#[test]
fn each_word_of_a_block() {
    let mut tried = 0;
    for (name, text) in models().into_iter().chain([("all".to_owned(), ALL.to_owned())]) {
        assert!(mistakes(&text).1.is_empty(), "{name}");
        for (at, word) in places(&text).filter(|(_, word)| WORDS.contains(word) || *word == "endinvariant") {
            let line = text[..at].matches('\n').count() + 1;
            for other in misspelt(word) {
                let broken = format!("{}{other}{}", &text[..at], &text[at + word.len()..]);
                let (sources, found) = mistakes(&broken);
                let about = format!(
                    "{name}:{line}: {other}: {:?}",
                    found.iter().map(|one| &one.message).collect::<Vec<_>>()
                );
                assert_eq!(found.len(), 1, "{about}");
                let [fix] = found[0].fixes.as_slice() else { panic!("{about}") };
                // Half of a short word may be anything.
                assert!(fix.is_certain() || word.len() < 5, "{about}");
                let restored = applied(&sources, &[fix]).text(&sources, FileId(0));
                assert_eq!(restored.as_ref(), Some(&text), "{about}");
                tried += 1;
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

/// Names that are near to a word are names.
#[test]
fn names_near_to_words() {
    let text = "dtmc\nmodule m\n  endmodul : [0..1];\n  labl : bool;\n  [] endmodul=0 & !labl -> (endmodul'=1);\nendmodule\n\
        rewards\n  endmodul=1 : 1;\nendrewards\ninit\n  labl\nendinit\n";
    assert_eq!(mistakes(text).1, []);
}
