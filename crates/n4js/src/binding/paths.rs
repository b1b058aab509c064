//! Which of several files the text of an import names.

use rustc_hash::FxHashMap;

/// Endings of files, which imports leave out. Of files that differ in nothing else the first one counts.
const ENDINGS: &[&str] = &[".n4js", ".n4jsd", ".js"];

/// The files of a program.
pub(super) struct Paths {
    /// Their paths in parts, without endings; and the places of these among [`ENDINGS`].
    files: Vec<(Vec<String>, usize)>,
    by_last: FxHashMap<String, Vec<usize>>,
}

/// There should be a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Missing;

impl Paths {
    pub(super) fn new(names: &[&str]) -> Self {
        let files: Vec<(Vec<String>, usize)> = names
            .iter()
            .map(|name| {
                let (stem, ending) = without_ending(name);
                let mut parts = Vec::new();
                walk(&mut parts, stem);
                (parts, ending)
            })
            .collect();
        let mut by_last: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (number, (parts, _)) in files.iter().enumerate() {
            if let Some(last) = parts.last() {
                by_last.entry(last.clone()).or_default().push(number);
            }
        }
        Paths { files, by_last }
    }

    /// The file that one of them means by a text; nothing where it is in a package. A text that begins with a dot goes from the folder
    /// of the file; another one is the end of a path, of several that with which the file shares the most folders.
    pub(super) fn find(&self, from: usize, text: &str) -> Result<Option<usize>, Missing> {
        let (stem, _) = without_ending(text);
        let own = &self.files[from].0;
        let is_relative = matches!(stem.split('/').next(), Some("." | ".."));
        let mut parts = if is_relative { own[..own.len().saturating_sub(1)].to_vec() } else { Vec::new() };
        walk(&mut parts, stem);
        let Some(last) = parts.last() else { return if is_relative { Err(Missing) } else { Ok(None) } };
        let of_that_name = self.by_last.get(last).map_or(&[][..], Vec::as_slice);
        let fits = |path: &[String]| if is_relative { path == parts } else { path.ends_with(&parts) };
        let shared = |path: &[String]| path.iter().zip(own).take_while(|(one, other)| one == other).count();
        let found = of_that_name
            .iter()
            .copied()
            .filter(|&file| file != from && fits(&self.files[file].0))
            .min_by_key(|&file| {
                let (path, ending) = &self.files[file];
                (std::cmp::Reverse(shared(path)), path.len(), *ending, file)
            });
        let folder = &parts[..parts.len() - 1];
        let has_folder = || {
            let in_it = |(path, _): &(Vec<String>, usize)| {
                path.split_last().is_some_and(|(_, around)| around.ends_with(folder))
            };
            !folder.is_empty() && self.files.iter().any(in_it)
        };
        match found {
            Some(found) => Ok(Some(found)),
            None if is_relative || has_folder() => Err(Missing),
            None => Ok(None),
        }
    }
}

fn without_ending(name: &str) -> (&str, usize) {
    let with = ENDINGS.iter().enumerate().find_map(|(at, ending)| Some((name.strip_suffix(ending)?, at)));
    with.unwrap_or((name, ENDINGS.len()))
}

/// Goes on from a folder.
fn walk(parts: &mut Vec<String>, path: &str) {
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| last != "..") => {
                parts.pop();
            }
            part => parts.push(part.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Missing, Paths};

    #[test]
    fn imports_name_files() {
        let names = [
            "./src/p/A.n4js",
            "src/p/B.n4js",
            "src/q/B.n4jsd",
            "src/q/B.js",
            "lib/src/q/C.n4js",
            "../x/D.n4js",
        ];
        let paths = Paths::new(&names);
        let cases = [
            (0, "./B", Ok(Some(1))),
            (0, "../q/B", Ok(Some(2))),
            (0, "../q/B.js", Ok(Some(2))),
            (0, "p/B", Ok(Some(1))),
            (0, "q/B", Ok(Some(2))),
            // The nearest one.
            (0, "B", Ok(Some(1))),
            (4, "B", Ok(Some(1))),
            (0, "q/C", Ok(Some(4))),
            (0, "../../../x/D", Ok(Some(5))),
            // Nothing imports itself.
            (0, "A", Ok(None)),
            (0, "./A", Err(Missing)),
            (0, "./Z", Err(Missing)),
            (0, "p/Z", Err(Missing)),
            (0, "react", Ok(None)),
            (0, "react/dom", Ok(None)),
            (0, "", Ok(None)),
            (0, ".", Err(Missing)),
        ];
        for (from, text, expected) in cases {
            assert_eq!(paths.find(from, text), expected, "{text:?} in {}", names[from]);
        }
    }
}
