//! Nothing in the tree depends on the machine it was written on, or tells of how it was written: no paths of
//! a personal disk, no registry but the public one, texts that speak of the product alone.

use super::Finding;
use crate::tree::File;

/// Starts of absolute paths, in pieces, so that this file is not a finding.
const PATHS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/tm", "p/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("C:", "\\Users"),
];

/// Phrases about the making of a change; they belong neither into the code nor into its documents.
const PHRASES: &[&str] = &[
    concat!("this ", "session"),
    concat!("previous ", "session"),
    concat!("another ", "session"),
    concat!("another ", "agent"),
    concat!("other ", "agents"),
    concat!("sub", "agent"),
    concat!("sub-", "agent"),
    concat!("another ", "helper"),
    concat!("other ", "helpers"),
    concat!("language ", "model ("),
    concat!("ask the ", "lead"),
    concat!("the lead", "'s"),
    concat!("co-authored", "-by"),
];

/// Where packages come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// All rules about places.
pub fn check(files: &[File]) -> Vec<Finding> {
    files.iter().flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_lock = file.path.ends_with("Cargo.lock");
    let is_cargo_config = file.path.ends_with(".cargo/config.toml");
    for (line, text) in file.lines() {
        let mut report = |message: String| findings.push(Finding::new(&file.path, line, message));
        for path in PATHS.iter().filter(|path| starts_a_path(text, path)) {
            report(format!("`{path}` is a path of one machine: make it relative, or take it from outside"));
        }
        let lower = text.to_lowercase();
        for phrase in PHRASES.iter().filter(|phrase| lower.contains(**phrase)) {
            report(format!("`{phrase}`: say what the product does, not how it came about"));
        }
        if is_lock && text.starts_with("source = ") && !text.contains(REGISTRY) {
            report("a package from elsewhere than crates.io".to_owned());
        }
        if is_cargo_config && (text.contains("replace-with") || text.contains("registry")) {
            report("a registry for one machine belongs into that machine's configuration".to_owned());
        }
    }
    findings
}

/// Whether `path` occurs where a path starts: not behind a letter, a dot or a further slash, as in a URL.
fn starts_a_path(text: &str, path: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || "./}_-~*".contains(c);
    text.match_indices(path).any(|(at, _)| !text[..at].chars().next_back().is_some_and(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        check(&[File::new(path, text)]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn paths() {
        for path in PATHS {
            assert_eq!(messages("README.md", &format!("see {path}x")).len(), 1, "{path}");
            assert_eq!(messages("a.rs", &format!("let x = \"{path}x\";")).len(), 1, "{path}");
        }
        let inside = format!("https://example.org{}x and a{}b", PATHS[0], PATHS[1]);
        assert!(messages("README.md", &inside).is_empty());
    }

    #[test]
    fn phrases() {
        for phrase in PHRASES {
            assert_eq!(messages("a.rs", &format!("// By {}", phrase.to_uppercase())).len(), 1, "{phrase}");
        }
        assert!(messages("a.rs", "struct Session; // an agent of the model, a helper process").is_empty());
    }

    #[test]
    fn registries() {
        let public = format!("source = \"{REGISTRY}\"");
        assert!(messages("Cargo.lock", &public).is_empty());
        assert_eq!(messages("Cargo.lock", "source = \"git+https://example.org/x\"").len(), 1);
        assert_eq!(messages(".cargo/config.toml", "replace-with = \"mirror\"").len(), 1);
    }
}
