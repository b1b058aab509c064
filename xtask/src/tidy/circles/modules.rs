//! The module tree of a crate, and which file defines the name at the end of a path.
//!
//! A path is followed as the compiler follows it: through child modules, imports (whether private or public, so that a name
//! that `mod.rs` re-exports leads to the file that defines it) and globs, up to the first segment that is an item. Code
//! under `#[cfg(test)]` is not read. Two things are approximations: names that an item macro defines are all words in
//! its arguments, and a plain lower-case word is a use of an import only where a call, a macro or a path follows.

use super::tokens::{Token, group_end, tokens};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

type Path = Vec<String>;

/// A module: a file, or a block of one.
#[derive(Debug, Default)]
struct Module {
    /// Index of its file in [`Modules::files`].
    file: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// Items that it defines.
    items: BTreeSet<String>,
    /// Words in the arguments of its item macros.
    perhaps_items: BTreeSet<String>,
    /// Names that `use` declarations bring in, and their paths.
    imports: Vec<(String, Path)>,
    globs: Vec<Path>,
    /// Paths that its code uses: private imports, and paths in items.
    uses: BTreeSet<Path>,
}

/// The target of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Module(usize),
    /// An item, in a file.
    Item(usize),
}

/// The modules of one crate.
#[derive(Debug, Default)]
pub struct Modules {
    /// Paths of its files.
    pub files: Vec<String>,
    modules: Vec<Module>,
    /// Names that were looked up before; those that are being looked up lead nowhere, which ends imports that lead in circles.
    known: RefCell<BTreeMap<(usize, String, bool), Option<Target>>>,
}

impl Modules {
    /// Reads the crate whose root is the file at `root`, from the texts of all files by their paths.
    pub fn read(root: &str, texts: &BTreeMap<&str, &str>) -> Modules {
        let mut crate_modules = Modules::default();
        crate_modules.read_file(root, true, None, texts);
        crate_modules
    }

    /// Uses between files: (user, definer) as indices into [`Modules::files`], and the names used.
    pub fn uses(&self) -> BTreeMap<(usize, usize), BTreeSet<String>> {
        let mut uses: BTreeMap<(usize, usize), BTreeSet<String>> = BTreeMap::new();
        for (m, module) in self.modules.iter().enumerate() {
            for path in &module.uses {
                if let Some((Target::Item(file), name)) = self.resolve(m, path, true)
                    && file != module.file
                {
                    uses.entry((module.file, file)).or_default().insert(name);
                }
            }
        }
        uses
    }

    /// The files of the modules from the root to that of a file.
    pub fn ancestry(&self, file: usize) -> Vec<usize> {
        let parent_file = |file: &usize| {
            let module = self.modules.iter().find(|module| module.file == *file)?;
            Some(self.modules[module.parent?].file)
        };
        let mut ancestry: Vec<usize> = std::iter::successors(Some(file), parent_file).collect();
        ancestry.reverse();
        ancestry
    }

    fn read_file(
        &mut self,
        path: &str,
        is_root: bool,
        parent: Option<usize>,
        texts: &BTreeMap<&str, &str>,
    ) -> usize {
        let file = self.files.len();
        self.files.push(path.to_owned());
        let module = self.add(file, parent);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let below = if is_root || name == "mod.rs" { folder } else { path.trim_end_matches(".rs") };
        self.read_block(module, &tokens(texts[path]), below, texts);
        module
    }

    fn add(&mut self, file: usize, parent: Option<usize>) -> usize {
        self.modules.push(Module { file, parent, ..Module::default() });
        self.modules.len() - 1
    }

    /// Reads the tokens of a module; files of its children lie in the folder `below`.
    fn read_block(&mut self, module: usize, tokens: &[Token], below: &str, texts: &BTreeMap<&str, &str>) {
        let (mut at, mut depth) = (0, 0);
        while at < tokens.len() {
            let next = tokens.get(at + 1);
            match &tokens[at] {
                Token::Sign('#') => {
                    let inner = next == Some(&Token::Sign('!'));
                    let open = at + 1 + usize::from(inner);
                    let end = group_end(tokens, open);
                    at = match (is_for_tests(&tokens[open..end]), inner) {
                        (true, true) => return,
                        (true, false) => item_end(tokens, end),
                        (false, _) => end,
                    };
                    continue;
                }
                Token::Word(word) if word == "use" && next != Some(&Token::Sign('<')) => {
                    at = self.read_import(module, tokens, at);
                    continue;
                }
                Token::Word(word) if word == "mod" && depth == 0 => {
                    if let Some(Token::Word(name)) = next {
                        at = self.read_child(module, tokens, at + 2, name, below, texts);
                        continue;
                    }
                }
                Token::Word(word) if depth == 0 && DEFINES.contains(&word.as_str()) => {
                    let name = tokens[at + 1..]
                        .iter()
                        .find_map(|t| t.word().filter(|w| !DEFINES.contains(w) && *w != "mut"));
                    self.modules[module].items.extend(name.map(str::to_owned));
                }
                Token::Word(word) if depth == 0 && next == Some(&Token::Sign('!')) => {
                    let words = tokens[at + 2..group_end(tokens, at + 2)].iter().filter_map(Token::word);
                    let is_definition = word == "macro_rules";
                    let named = if is_definition { tokens.get(at + 2).and_then(Token::word) } else { None };
                    self.modules[module].items.extend(named.map(str::to_owned));
                    if !is_definition {
                        self.modules[module].perhaps_items.extend(words.map(str::to_owned));
                    }
                }
                token if token.opens() => depth += 1,
                token if token.closes() => depth -= 1,
                _ => {}
            }
            at = self.read_path(module, tokens, at);
        }
    }

    /// Reads the path that may begin at `at`; gives the index behind it.
    fn read_path(&mut self, module: usize, tokens: &[Token], at: usize) -> usize {
        let Some(first) = tokens[at].word() else { return at + 1 };
        let mut path = vec![first.to_owned()];
        let mut end = at + 1;
        while tokens.get(end) == Some(&Token::Colons)
            && let Some(Token::Word(segment)) = tokens.get(end + 1)
        {
            path.push(segment.clone());
            end += 2;
        }
        let before = at.checked_sub(1).map(|i| &tokens[i]);
        let of_a_value = matches!(before, Some(Token::Sign('.') | Token::Colons));
        let is_type = first.starts_with(char::is_uppercase);
        let is_called = matches!(tokens.get(end), Some(Token::Sign('(' | '!') | Token::Colons));
        if !of_a_value && (path.len() > 1 || is_type || is_called) {
            self.modules[module].uses.insert(path);
        }
        end
    }

    /// Reads the child whose name ends before `at`; gives the index behind it.
    fn read_child(
        &mut self,
        module: usize,
        tokens: &[Token],
        at: usize,
        name: &str,
        below: &str,
        texts: &BTreeMap<&str, &str>,
    ) -> usize {
        let below = format!("{below}/{name}");
        let (child, end) = if tokens.get(at) == Some(&Token::Sign('{')) {
            let end = group_end(tokens, at);
            let child = self.add(self.modules[module].file, Some(module));
            self.read_block(child, &tokens[at + 1..end.saturating_sub(1).max(at + 1)], &below, texts);
            (Some(child), end)
        } else {
            let file = [format!("{below}.rs"), format!("{below}/mod.rs")]
                .into_iter()
                .find(|f| texts.contains_key(&**f));
            (file.map(|file| self.read_file(&file, false, Some(module), texts)), at + 1)
        };
        self.modules[module].children.extend(child.map(|child| (name.to_owned(), child)));
        end
    }

    /// Reads the `use` declaration at `at`; gives the index behind it. A public one is no use of what it names.
    fn read_import(&mut self, module: usize, tokens: &[Token], at: usize) -> usize {
        let end = tokens[at..].iter().position(|t| *t == Token::Sign(';')).map_or(tokens.len(), |n| at + n);
        let before = at.checked_sub(1).map(|i| &tokens[i]);
        let is_public = before.is_some_and(|t| t.is_word("pub") || *t == Token::Sign(')'));
        let mut tree = UseTree { imports: Vec::new(), globs: Vec::new() };
        tree.read(&tokens[at + 1..end], &mut Vec::new());
        let module = &mut self.modules[module];
        if !is_public {
            module.uses.extend(tree.imports.iter().map(|(_, path)| path.clone()));
            module.uses.extend(tree.globs.iter().cloned());
        }
        module.imports.append(&mut tree.imports);
        module.globs.append(&mut tree.globs);
        end + 1
    }

    /// The target of a path, and the name of the segment that is the item. Where its last name is that of a module and of an
    /// item, `as_item` chooses.
    fn resolve(&self, module: usize, path: &[String], as_item: bool) -> Option<(Target, String)> {
        let (first, mut rest) = path.split_first()?;
        let mut found = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(module),
            "super" => Target::Module(self.modules[module].parent?),
            name => self.look_up(module, name, as_item && rest.is_empty())?,
        };
        let mut name = first;
        while let (Target::Module(at), Some((segment, behind))) = (found, rest.split_first()) {
            found = match segment.as_str() {
                "super" => Target::Module(self.modules[at].parent?),
                segment => self.look_up(at, segment, as_item && behind.is_empty())?,
            };
            (name, rest) = (segment, behind);
        }
        Some((found, name.clone()))
    }

    fn target(&self, module: usize, path: &[String], as_item: bool) -> Option<Target> {
        self.resolve(module, path, as_item).map(|(target, _)| target)
    }

    /// The meaning of a name in a module: an item, or the module that may have the same name.
    fn look_up(&self, module: usize, name: &str, as_item: bool) -> Option<Target> {
        let question = (module, name.to_owned(), as_item);
        if let Some(known) = self.known.borrow().get(&question) {
            return *known;
        }
        self.known.borrow_mut().insert(question.clone(), None);
        let found = self.find(module, name, as_item);
        self.known.borrow_mut().insert(question, found);
        found
    }

    fn find(&self, module: usize, name: &str, as_item: bool) -> Option<Target> {
        let here = &self.modules[module];
        let item = here.items.contains(name).then_some(Target::Item(here.file));
        let child = here.children.get(name).map(|child| Target::Module(*child));
        let mut found: Vec<Target> = item.into_iter().chain(child).collect();
        let imports = here.imports.iter().filter(|(alias, _)| alias == name);
        found.extend(imports.filter_map(|(_, path)| self.target(module, path, as_item)));
        if found.is_empty() {
            let through = |glob: &Path| {
                let is_module = |target: &Target| matches!(target, Target::Module(_));
                self.target(module, glob, false).filter(is_module)?;
                let path = [glob.as_slice(), &[name.to_owned()]].concat();
                self.target(module, &path, as_item)
            };
            found.extend(here.globs.iter().filter_map(through));
        }
        if found.is_empty() && here.perhaps_items.contains(name) {
            found.push(Target::Item(here.file));
        }
        let is_item = |target: &&Target| matches!(target, Target::Item(_));
        found.iter().find(|target| is_item(target) == as_item).or(found.first()).copied()
    }
}

/// Keywords in front of the name of an item.
const DEFINES: &[&str] =
    &["fn", "struct", "enum", "union", "trait", "type", "const", "static", "unsafe", "async", "extern"];

/// The names that a `use` declaration brings in.
struct UseTree {
    imports: Vec<(String, Path)>,
    globs: Vec<Path>,
}

impl UseTree {
    /// Reads a tree behind the segments of `prefix`.
    fn read(&mut self, tokens: &[Token], prefix: &mut Path) {
        let depth = prefix.len();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                Token::Sign('*') => self.globs.push(prefix.clone()),
                Token::Sign('{') => {
                    let end = group_end(tokens, at);
                    let mut from = at + 1;
                    while from < end {
                        let to = branch_end(tokens, from, end - 1);
                        self.read(&tokens[from..to], prefix);
                        from = to + 1;
                    }
                    at = end;
                    continue;
                }
                Token::Word(word) if word == "as" => {}
                Token::Word(word) => {
                    if word != "self" || prefix.is_empty() {
                        prefix.push(word.clone());
                    }
                    let alias = match (tokens.get(at + 1), tokens.get(at + 2)) {
                        (Some(Token::Colons), _) => None,
                        (Some(next), Some(Token::Word(alias))) if next.is_word("as") => Some(alias.clone()),
                        _ => prefix.last().cloned(),
                    };
                    if let Some(alias) = alias {
                        self.imports.push((alias, prefix.clone()));
                        break;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        prefix.truncate(depth);
    }
}

/// The end of the branch of a use tree that begins at `from`: its comma, or `end`.
fn branch_end(tokens: &[Token], from: usize, end: usize) -> usize {
    let mut at = from;
    while at < end {
        match &tokens[at] {
            Token::Sign(',') => return at,
            Token::Sign('{') => at = group_end(tokens, at),
            _ => at += 1,
        }
    }
    end
}

/// Whether an attribute, from its bracket on, says that what follows is for tests only.
fn is_for_tests(attribute: &[Token]) -> bool {
    let words: Vec<&str> = attribute.iter().filter_map(Token::word).collect();
    matches!(words[..], ["cfg", "test", ..] | ["cfg", "all", "test", ..]) || words == ["test"]
}

/// The index behind the item, field or arm at `at`, with its further attributes.
fn item_end(tokens: &[Token], mut at: usize) -> usize {
    while tokens.get(at) == Some(&Token::Sign('#')) {
        at = group_end(tokens, at + 1);
    }
    let keyword = tokens[at..]
        .iter()
        .take(6)
        .find_map(|t| t.word().filter(|w| *w != "pub" && *w != "crate" && *w != "super"));
    let is_item =
        keyword.is_some_and(|word| DEFINES.contains(&word) || ["mod", "use", "impl"].contains(&word));
    while at < tokens.len() {
        match &tokens[at] {
            Token::Sign(';') => return at + 1,
            Token::Sign(',') if !is_item => return at + 1,
            Token::Sign('{') => {
                let end = group_end(tokens, at);
                return end + usize::from(keyword == Some("use"));
            }
            token if token.closes() => return at,
            token if token.opens() => at = group_end(tokens, at),
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The uses between the files of a crate, as `user -> definer: names`.
    fn uses(files: &[(&str, &str)]) -> Vec<String> {
        let texts: BTreeMap<&str, &str> = files.iter().copied().collect();
        let modules = Modules::read(files[0].0, &texts);
        let name = |file: usize| modules.files[file].trim_start_matches("src/");
        let line = |((a, b), names): (&(usize, usize), &BTreeSet<String>)| {
            format!("{} -> {}: {}", name(*a), name(*b), names.iter().cloned().collect::<Vec<_>>().join(" "))
        };
        modules.uses().iter().map(line).collect()
    }

    #[test]
    fn imports_and_paths() {
        let found = uses(&[
            ("src/lib.rs", "mod a; pub mod b;"),
            (
                "src/a.rs",
                "use crate::b::{self, B, deep::{C as D, e}}; fn f() { b::g(); self::h(); std::mem::take(x) } fn h() {}",
            ),
            ("src/b.rs", "pub struct B; pub mod deep; pub fn g() { super::a::f() }"),
            ("src/b/deep.rs", "pub enum C { X } pub const e: u8 = 1;"),
        ]);
        assert_eq!(found, ["a.rs -> b.rs: B g", "a.rs -> b/deep.rs: C e", "b.rs -> a.rs: f"]);
    }

    #[test]
    fn re_exports_lead_to_the_definition_and_are_no_use() {
        let found = uses(&[
            ("src/lib.rs", "mod a; mod b; pub use a::A; pub use b::*;"),
            ("src/a/mod.rs", "mod inner; pub use inner::Hidden as A;"),
            ("src/a/inner.rs", "pub struct Hidden; fn f(b: crate::B) {}"),
            ("src/b.rs", "pub struct B(super::A, crate::A);"),
        ]);
        assert_eq!(found, ["a/inner.rs -> b.rs: B", "b.rs -> a/inner.rs: A"]);
    }

    #[test]
    fn re_exports_that_the_module_itself_uses() {
        let b = "pub use super::a::{A, price}; fn f(a: A) { let price = 1; }";
        let a = "pub struct A; pub fn price() {}";
        let found = uses(&[("src/lib.rs", "mod a; mod b;"), ("src/a.rs", a), ("src/b.rs", b)]);
        assert_eq!(found, ["b.rs -> a.rs: A"]);
    }

    #[test]
    fn a_folder_and_what_is_in_it() {
        let found = uses(&[
            ("src/lib.rs", "mod a; fn f() { a::f(); a::b::g(); }"),
            ("src/a/mod.rs", "mod b; use b::g; pub fn f() { g() }"),
            ("src/a/b.rs", "pub fn g() { super::f(); crate::f() }"),
        ]);
        let uses_of_b = ["a/b.rs -> lib.rs: f", "a/b.rs -> a/mod.rs: f"];
        let uses_below = ["lib.rs -> a/mod.rs: f", "lib.rs -> a/b.rs: g", "a/mod.rs -> a/b.rs: g"];
        assert_eq!(found, [&uses_below[..], &uses_of_b].concat());
    }

    #[test]
    fn names_through_private_imports_of_the_parent() {
        let found = uses(&[
            ("src/lib.rs", "mod a; mod b; use b::B;"),
            ("src/a.rs", "use super::*; fn f() -> B { g() } use super::b::E::*;"),
            ("src/b.rs", "pub struct B; pub enum E { g }"),
        ]);
        assert_eq!(found, ["lib.rs -> b.rs: B", "a.rs -> b.rs: B E"]);
    }

    #[test]
    fn tests_do_not_count() {
        let found = uses(&[
            ("src/lib.rs", "mod a; mod b;"),
            (
                "src/a.rs",
                "#[cfg(test)] use crate::b::B; struct S { #[cfg(test)] b: crate::b::B, c: crate::b::C }
                 #[cfg(test)] mod tests { use crate::b::B; } #[cfg(all(test, unix))] #[inline] fn f<A, B>(_: crate::b::B) {}
                 #[cfg(not(test))] use crate::b::D;",
            ),
            ("src/b.rs", "pub struct B; pub struct C; pub struct D;"),
        ]);
        assert_eq!(found, ["a.rs -> b.rs: C D"]);
    }

    #[test]
    fn modules_in_a_block_belong_to_the_file() {
        let found = uses(&[
            ("src/lib.rs", "mod a { pub fn f() { super::b::g() } pub mod c; } mod b;"),
            ("src/a/c.rs", "use super::f;"),
            ("src/b.rs", "pub fn g() { crate::a::f() }"),
        ]);
        assert_eq!(found, ["lib.rs -> b.rs: g", "a/c.rs -> lib.rs: f", "b.rs -> lib.rs: f"]);
    }

    #[test]
    fn a_module_and_a_function_of_one_name() {
        let found = uses(&[
            ("src/lib.rs", "mod run; mod other; pub use run::run;"),
            ("src/run.rs", "pub fn run() {} pub struct Config;"),
            ("src/other.rs", "use crate::run; fn f(c: run::Config) { run() }"),
        ]);
        assert_eq!(found, ["other.rs -> run.rs: Config run"]);
    }

    #[test]
    fn names_that_macros_define() {
        let found = uses(&[
            ("src/lib.rs", "mod ids; mod a; mod m;"),
            ("src/m.rs", "macro_rules! twice { () => { $crate::a::f() } }"),
            ("src/ids.rs", "entity!(pub VarId); fn show() { write!(f, x) }"),
            ("src/a.rs", "use crate::ids::VarId; pub fn f() { assert!(crate::ids::show() > 1u8); }"),
        ]);
        assert_eq!(found, ["a.rs -> ids.rs: VarId show", "m.rs -> a.rs: f"]);
    }

    #[test]
    fn aliases_that_lead_nowhere_end() {
        let found =
            uses(&[("src/lib.rs", "use a::b; use b::a; fn f() { a::c::d(); b() } impl X + use<'a> {}")]);
        assert!(found.is_empty(), "{found:?}");
    }
}
