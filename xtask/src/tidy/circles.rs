//! Circles of modules: modules of a crate that use each other.
//!
//! A module of a circle can be read, tested and moved only together with all others. So arrows run one way inside a crate as
//! they do between crates, at every level. The children of a module, each with all that is below it, have no circle among them.
//! Neither has a module's own code with its children: they use what it defines, or it uses them, but for re-exports. Uses in
//! tests do not count.

mod components;
mod levels;
mod modules;
mod tokens;

use super::Finding;
use crate::tree::File;
use levels::{Circle, levels};
use modules::Modules;
use std::collections::BTreeMap;

/// Circles of modules.
pub fn check(files: &[File]) -> Vec<Finding> {
    let finding = |circle: Circle| {
        let (size, ties) = (circle.files.len(), circle.ties.join("\n"));
        let message = format!("a circle of {size} modules: let the arrows run one way\n{ties}");
        Finding::new(circle.of_front.as_ref().unwrap_or(&circle.files[0]), 0, message)
    };
    circles(files).into_iter().map(finding).collect()
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

    fn tree() -> Vec<File> {
        vec![
            File::new("crates/x/src/lib.rs", "mod a; mod b; mod c;"),
            File::new("crates/x/src/a.rs", "pub struct A(crate::b::B);"),
            File::new("crates/x/src/b.rs", "pub struct B; pub fn b(_: super::a::A, _: crate::c::C) {}"),
            File::new("crates/x/src/c.rs", "pub struct C;\n#[cfg(test)]\nmod tests { use crate::a::A; }"),
            File::new("crates/x/tests/all.rs", "use volvelle_x::A;"),
        ]
    }

    #[test]
    fn a_circle_and_the_names_that_tie_it() {
        let findings = check(&tree());
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
        let findings = check(&tree);
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
        let findings = check(&circle);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].place, FRONT);
        assert!(findings[0].message.starts_with("a circle of 2 modules"));
        let re_exports = front("mod below; pub use below::{Below, f}; pub struct Front;");
        assert!(check(&re_exports).is_empty());
    }
}
