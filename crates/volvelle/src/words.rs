//! The words of a command line, before they are parsed.

use std::ffi::OsString;

/// The words with some of them replaced, up to `--`, behind which words stand for themselves. `rewrite` gets the command, a word, and the
/// words that follow it, of which it may take some.
pub fn rewritten(
    words: Vec<OsString>,
    mut rewrite: impl FnMut(&str, &str, &mut dyn Iterator<Item = OsString>) -> Option<Vec<OsString>>,
) -> Vec<OsString> {
    let Some(command) = words.get(1).and_then(|word| word.to_str()).map(str::to_owned) else {
        return words;
    };
    let mut out = Vec::with_capacity(words.len());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word == "--" {
            out.push(word);
            out.extend(words);
            break;
        }
        match word.to_str().and_then(|text| rewrite(&command, text, &mut words)) {
            Some(new) => out.extend(new),
            None => out.push(word),
        }
    }
    out
}

/// Joins an option whose value may be left out with a number that follows it: `--witness 5` is `--witness=5`, but in
/// `--witness model.prism` the model is no value.
pub fn with_joined_values(words: Vec<OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::with_capacity(words.len());
    for word in words {
        let is_number =
            word.to_str().is_some_and(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()));
        match joined.last_mut() {
            Some(last) if is_number && last == "--witness" => {
                last.push("=");
                last.push(word);
            }
            _ => joined.push(word),
        }
    }
    joined
}
