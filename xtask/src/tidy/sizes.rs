//! No crate grows beyond what one person keeps in mind: lines of its `src`, without unit tests.

use super::Finding;
use crate::tree::File;
use std::collections::BTreeMap;

/// Lines that a crate may have.
const MOST: usize = 15_000;

/// Crates that may have fewer: the binary is a table of questions, which stand elsewhere.
const SMALLER: &[(&str, usize)] = &[("volvelle", 7_000)];

/// Crates with too many lines.
pub fn check(files: &[File]) -> Vec<Finding> {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        if let Some(name) = crate_of(&file.path) {
            *lines.entry(name).or_default() += lines_without_tests(&file.text);
        }
    }
    let most = |name: &str| SMALLER.iter().find(|(known, _)| *known == name).map_or(MOST, |(_, most)| *most);
    let too_large = lines.into_iter().filter(|(name, lines)| *lines > most(name));
    let finding = |(name, lines): (&str, usize)| {
        let message =
            format!("{lines} lines of `src`, and {} are the most: take a subject out of it", most(name));
        Finding::new(&format!("crates/{name}"), 0, message)
    };
    too_large.map(finding).collect()
}

/// The crate whose `src` has a file that is no test.
fn crate_of(path: &str) -> Option<&str> {
    let (name, file) = path.strip_prefix("crates/")?.split_once("/src/")?;
    let is_test = |part: &str| {
        ["tests", "tests.rs", "testing", "testing.rs"].contains(&part) || part.ends_with("_tests.rs")
    };
    (!file.split('/').any(is_test)).then_some(name)
}

/// Lines before the unit tests at the end of a file.
fn lines_without_tests(text: &str) -> usize {
    let mut before = "";
    for (i, line) in text.lines().enumerate() {
        if before == "#[cfg(test)]" && line.starts_with("mod ") && line.ends_with('{') {
            return i - 1;
        }
        before = line;
    }
    text.lines().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_without_tests() {
        let long = "x\n".repeat(8_000);
        let tests = format!("{}#[cfg(test)]\nmod tests {{\n{long}}}\n", "x\n".repeat(3));
        assert_eq!(lines_without_tests(&tests), 3);
        let file = |path: &str, text: &str| File::new(path, text);
        let small = [
            file("crates/a/src/lib.rs", &long),
            file("crates/a/src/tests.rs", &long),
            file("crates/a/tests/it.rs", &long),
        ];
        assert_eq!(check(&small), []);
        assert_eq!(check(&[file("crates/a/src/lib.rs", &long), file("crates/a/src/b.rs", &long)]).len(), 1);
        assert_eq!(check(&[file("crates/volvelle/src/main.rs", &long)]).len(), 1);
    }
}
