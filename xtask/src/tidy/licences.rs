//! Licences of everything that is linked into the product: permissive ones only.

use super::Finding;
use crate::metadata::Package;

/// SPDX identifiers that may be used. `A WITH B` stands for a licence with an exception.
pub const PERMITTED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Packages whose licence is missing, unreadable or not permitted.
pub fn check(packages: &[Package], permitted: &[&str]) -> Vec<Finding> {
    let judge = |package: &Package| {
        let message = match &package.licence {
            None => "names no licence".to_owned(),
            Some(text) => match permits(text, permitted) {
                Some(true) => return None,
                Some(false) => format!("the licence `{text}` is not among those permitted"),
                None => format!("the licence `{text}` is no SPDX expression"),
            },
        };
        Some(Finding::new(&format!("{} {}", package.name, package.version), 0, message))
    };
    packages.iter().filter_map(judge).collect()
}

/// Whether an SPDX expression can be fulfilled with permitted licences only; `None` where it cannot be read. Knows
/// `OR`, `AND`, `WITH`, parentheses, and `/` as older manifests write for `OR`.
///
/// Reads with a stack of its own: precedence climbing over two operators.
pub fn permits(expression: &str, permitted: &[&str]) -> Option<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let mut values: Vec<bool> = Vec::new();
    let mut operators: Vec<&str> = Vec::new();
    let mut wants_value = true;
    while let Some(word) = words.next() {
        match word {
            "(" if wants_value => operators.push(word),
            ")" if !wants_value => {
                while *operators.last()? != "(" {
                    reduce(&mut values, operators.pop()?)?;
                }
                operators.pop();
            }
            "AND" | "OR" if !wants_value => {
                // AND binds tighter; both associate to the left.
                while operators.last().is_some_and(|top| *top == "AND" || (*top == "OR" && word == "OR")) {
                    reduce(&mut values, operators.pop()?)?;
                }
                operators.push(word);
                wants_value = true;
            }
            "(" | ")" | "AND" | "OR" | "WITH" => return None,
            _ if !wants_value => return None,
            name => {
                let name = match words.next_if_eq(&"WITH") {
                    Some(_) => format!("{name} WITH {}", words.next()?),
                    None => name.to_owned(),
                };
                values.push(permitted.contains(&name.as_str()));
                wants_value = false;
            }
        }
    }
    while let Some(operator) = operators.pop() {
        reduce(&mut values, operator)?;
    }
    if values.len() == 1 && !wants_value { values.pop() } else { None }
}

fn reduce(values: &mut Vec<bool>, operator: &str) -> Option<()> {
    let (right, left) = (values.pop()?, values.pop()?);
    values.push(match operator {
        "AND" => left && right,
        "OR" => left || right,
        _ => return None,
    });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let judge = |text| permits(text, PERMITTED);
        assert_eq!(judge("MIT"), Some(true));
        assert_eq!(judge("GPL-3.0-only"), Some(false));
        assert_eq!(judge("MIT OR GPL-3.0-only"), Some(true));
        assert_eq!(judge("MIT AND GPL-3.0-only"), Some(false));
        assert_eq!(judge("MIT/Apache-2.0"), Some(true));
        assert_eq!(judge("LGPL-3.0 OR MIT AND Zlib"), Some(true));
        assert_eq!(judge("(LGPL-3.0 OR MIT) AND GPL-2.0"), Some(false));
        assert_eq!(judge("GPL-2.0 AND MIT OR MIT"), Some(true), "AND binds tighter");
        assert_eq!(judge("MIT OR MIT AND GPL-2.0"), Some(true), "AND binds tighter");
        assert_eq!(judge("Apache-2.0 WITH LLVM-exception"), Some(true));
        assert_eq!(judge("GPL-2.0 WITH Classpath-exception-2.0"), Some(false));
    }

    #[test]
    fn what_is_no_expression() {
        for text in ["", "MIT OR", "OR MIT", "(MIT", "MIT)", "MIT Zlib", "MIT WITH", "( )", "WITH MIT"] {
            assert_eq!(permits(text, PERMITTED), None, "{text}");
        }
    }

    #[test]
    fn findings() {
        let package = |licence: Option<&str>| Package {
            name: "p".into(),
            version: "1.0.0".into(),
            licence: licence.map(Into::into),
            ..Package::default()
        };
        let packages =
            [package(Some("MIT")), package(None), package(Some("AGPL-3.0")), package(Some("my own"))];
        let found: Vec<String> = check(&packages, PERMITTED).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "p 1.0.0: names no licence",
                "p 1.0.0: the licence `AGPL-3.0` is not among those permitted",
                "p 1.0.0: the licence `my own` is no SPDX expression",
            ]
        );
    }
}
