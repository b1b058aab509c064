//! Circles of modules: modules of a crate that use each other.
//!
//! A module of a circle can be read, tested and moved only together with all others. So arrows run one way inside a crate as
//! they do between crates, at every level. The children of a module, each with all that is below it, have no circle among them.
//! Neither has a module's own code with its children: they use what it defines, or it uses them, but for re-exports. Uses in
//! tests do not count.
//!
//! `INHERENT` lists circles whose subject is recursive; what is still to come apart stands in `debts`.

mod components;
mod debts;
mod levels;
mod modules;
mod tokens;

use super::Finding;
use crate::tree::File;
use debts::{Debts, STILL};
use levels::{Circle, levels};
use modules::Modules;
use std::collections::BTreeMap;

/// Files that are mutually recursive, and why they have to be.
const INHERENT: &[(&[&str], &str)] = &[];

/// Circles of modules, and entries of the lists that are none any more.
pub fn check(files: &[File]) -> Vec<Finding> {
    check_with(files, INHERENT, STILL)
}

fn check_with(files: &[File], inherent: &[(&[&str], &str)], debts: Debts<'_>) -> Vec<Finding> {
    let circles = circles(files);
    let mut findings = Vec::new();
    let is = |circle: &Circle, listed: &[&str]| circle.files.iter().eq(listed.iter());
    for circle in &circles {
        let is_inherent = inherent.iter().any(|(listed, _)| is(circle, listed));
        let size = circle.files.len();
        let is_debt = match &circle.of_front {
            Some(front) => debts.fronts.iter().any(|(path, most)| path == front && size <= *most),
            None => debts.siblings.iter().any(|listed| is(circle, listed)),
        };
        if !is_inherent && !is_debt {
            let ties = circle.ties.join("\n");
            let message = format!("a circle of {size} modules: let the arrows run one way\n{ties}");
            findings.push(Finding::new(circle.of_front.as_ref().unwrap_or(&circle.files[0]), 0, message));
        }
    }
    let listed = inherent.iter().map(|(listed, _)| listed).chain(debts.siblings);
    for listed in listed.filter(|listed| !circles.iter().any(|circle| is(circle, listed))) {
        let message =
            "its entry in xtask/src/tidy/circles is no circle as it stands there: correct or remove it";
        findings.push(Finding::new(listed[0], 0, message));
    }
    for (front, most) in debts.fronts {
        let circle = circles.iter().find(|circle| circle.of_front.as_deref() == Some(front));
        let size = circle.map_or(0, |circle| circle.files.len());
        if size < *most {
            let message = format!(
                "its circle has {size} modules, not {most}: correct or remove it in xtask/src/tidy/circles/debts.rs"
            );
            findings.push(Finding::new(front, 0, message));
        }
    }
    findings
}

fn circles(files: &[File]) -> Vec<Circle> {
    let texts: BTreeMap<&str, &str> =
        files.iter().filter(|file| file.is_rust()).map(|file| (&*file.path, &*file.text)).collect();
    let is_root = |path: &&&str| path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs");
    let of_crate = |root: &&str| {
        let modules = Modules::read(root, &texts);
        levels(&modules).iter().flat_map(|level| level.circles(&modules)).collect::<Vec<_>>()
    };
    texts.keys().filter(is_root).flat_map(of_crate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Debts<'_> = Debts { siblings: &[], fronts: &[] };

    fn tree() -> Vec<File> {
        vec![
            File::new("crates/x/src/lib.rs", "mod a; mod b; mod c;"),
            File::new("crates/x/src/a.rs", "pub struct A(crate::b::B);"),
            File::new("crates/x/src/b.rs", "pub struct B; pub fn b(_: super::a::A, _: crate::c::C) {}"),
            File::new("crates/x/src/c.rs", "pub struct C;\n#[cfg(test)]\nmod tests { use crate::a::A; }"),
            File::new("crates/x/tests/all.rs", "use volvelle_x::A;"),
        ]
    }

    const PAIR: &[&str] = &["crates/x/src/a.rs", "crates/x/src/b.rs"];

    #[test]
    fn a_circle_and_the_names_that_tie_it() {
        let findings = check_with(&tree(), &[], NONE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].place, "crates/x/src/a.rs");
        assert!(findings[0].message.starts_with("a circle of 2 modules"));
        assert!(findings[0].message.contains("crates/x/src/b.rs -> crates/x/src/a.rs: A"));
    }

    #[test]
    fn folders_are_in_a_circle_though_their_files_are_not() {
        let tree = [
            File::new("crates/x/src/lib.rs", "mod a; mod b; pub use b::B;"),
            File::new("crates/x/src/a/mod.rs", "mod one; mod two;"),
            File::new("crates/x/src/a/one.rs", "fn one(_: crate::b::B) {}"),
            File::new("crates/x/src/a/two.rs", "pub struct Two;"),
            File::new("crates/x/src/b.rs", "pub struct B(crate::a::two::Two);"),
        ];
        let findings = check_with(&tree, &[], NONE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].place, "crates/x/src/a/mod.rs");
        assert!(findings[0].message.contains("crates/x/src/a/one.rs -> crates/x/src/b.rs: B"));
        assert!(findings[0].message.contains("crates/x/src/b.rs -> crates/x/src/a/two.rs: Two"));
    }

    /// `below` uses what `front` defines, and `front` uses `below`.
    fn front(code: &str) -> Vec<File> {
        vec![
            File::new("crates/x/src/lib.rs", "mod front;"),
            File::new("crates/x/src/front/mod.rs", code),
            File::new("crates/x/src/front/below.rs", "pub struct Below(super::Front); pub fn f() {}"),
        ]
    }

    const FRONT: &str = "crates/x/src/front/mod.rs";

    #[test]
    fn a_front_and_what_is_below_it() {
        let circle = front("mod below; pub struct Front; fn g() { below::f() }");
        let findings = check_with(&circle, &[], NONE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].place, FRONT);
        assert!(findings[0].message.starts_with("a circle of 2 modules"));
        let listed = |most| check_with(&circle, &[], Debts { siblings: &[], fronts: &[(FRONT, most)] }).len();
        assert_eq!([1, 2, 3].map(listed), [1, 0, 1], "the number only falls");
        let re_exports = front("mod below; pub use below::{Below, f}; pub struct Front;");
        assert!(check_with(&re_exports, &[], NONE).is_empty());
    }

    #[test]
    fn circles_that_are_listed() {
        assert!(check_with(&tree(), &[(PAIR, "a and b are grammar rules")], NONE).is_empty());
        assert!(check_with(&tree(), &[], Debts { siblings: &[PAIR], fronts: &[] }).is_empty());
    }

    #[test]
    fn entries_that_are_no_circle_any_more() {
        let whole = &["crates/x/src/a.rs", "crates/x/src/b.rs", "crates/x/src/c.rs"];
        let of_inherent = check_with(&tree(), &[(PAIR, ""), (whole, "")], NONE);
        assert_eq!(of_inherent.len(), 1);
        let of_debts = check_with(&tree(), &[], Debts { siblings: &[PAIR, &whole[1..]], fronts: &[] });
        assert_eq!(of_debts.len(), 1);
        assert_eq!(of_debts[0].place, "crates/x/src/b.rs");
        let of_fronts = check_with(&front("mod below;"), &[], Debts { siblings: &[], fronts: &[(FRONT, 2)] });
        assert_eq!(of_fronts.len(), 1);
        assert_eq!(of_fronts[0].place, FRONT);
    }
}
