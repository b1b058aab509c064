//! Systems of rules: the files of which they consist, and what is wrong with them.

use crate::reader::Reader;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_n4js::N4js;
use volvelle_rules::dispatch::{Choice, Dispatch};
use volvelle_rules::ir::{Purpose, RoutineId};
use volvelle_rules::language::Language;
use volvelle_rules::system::{Loaded, load_with};
use volvelle_rules::types::Ty;
use volvelle_trees::ClassId;
use volvelle_trees::grammar::Grammar;

/// The language of rule files and grammars, for names.
pub const LANGUAGE: &str = "rules";

/// Names of classes beyond which none is shown.
const MOST_SHOWN: usize = 24;

/// Whether a file is one of rules, by its name.
pub fn is_rules(name: &str) -> bool {
    name.ends_with(".rules")
}

/// Whether a file is a grammar, by its name.
pub fn is_grammar(name: &str) -> bool {
    name.ends_with(".grammar")
}

/// Whether a text is a system of its own, and not only a part of others.
pub fn is_system(text: &str) -> bool {
    text.lines().any(|line| {
        let word = line.split_whitespace().next();
        matches!(word, Some("system" | "language"))
    })
}

/// The files that a text names, by their names from its folder. Only whole lines count.
pub fn named(text: &str) -> impl Iterator<Item = &str> {
    let is_naming = |line: &&str| {
        let word = line.split_whitespace().next();
        matches!(word, Some("system" | "language" | "import"))
    };
    text.lines().filter(is_naming).filter_map(|line| {
        let (_, behind) = line.split_once('"')?;
        behind.split_once('"').map(|(name, _)| name)
    })
}

/// Reads a system, or a grammar that is in none. Files beside it that cannot be read are told.
pub fn read(file: FileId, sources: &mut Sources, reader: &Reader) -> (Option<Loaded>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    if is_grammar(&sources.file(file).name) {
        let text = sources.file(file).text.clone();
        Grammar::read(file, &text, &mut found);
        return (None, found);
    }
    let language: Rc<dyn Language> = Rc::new(N4js::default());
    let mut open = |sources: &mut Sources, name: &str, from: FileId| {
        let beside = Path::new(&sources.file(from).name).parent().unwrap_or(Path::new("")).join(name);
        let path = plain(&beside);
        let known =
            (0..sources.len() as u32).map(FileId).find(|&id| Some(&sources.file(id).name) == path.as_ref());
        if let Some(known) = known {
            return Ok(known);
        }
        let text = path.as_ref().and_then(|path| reader.text(path));
        path.zip(text).map(|(path, text)| sources.add(path, text)).ok_or_else(|| {
            let message = format!("there is no file `{name}` in the folder of this one, or in one inside it");
            Box::new(Diagnostic::error(codes::FILE_NOT_READ, message))
        })
    };
    let mut languages = volvelle_metamodels::languages();
    languages.push((N4js::NAME, language));
    let loaded = load_with(sources, file, &mut open, &languages, &mut found);
    (loaded, found)
}

/// A path without detours.
fn plain(path: &Path) -> Option<String> {
    let mut all = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => all.push(name),
            Component::CurDir => {}
            Component::ParentDir if all.pop() => {}
            _ => return None,
        }
    }
    all.to_str().map(str::to_owned)
}

/// What is known of the rule or check whose name stands at a place: its judgment, and the classes for which it is chosen.
pub fn facts(loaded: &Loaded, name: Span) -> Vec<(&'static str, String)> {
    let system = &loaded.system;
    let Some((id, routine)) = system.routines.iter().find(|(_, routine)| routine.span == name) else {
        return Vec::new();
    };
    let shown = |classes: &BTreeSet<ClassId>| {
        let concrete = classes.iter().filter(|class| !system.universe.classes.class(**class).is_abstract);
        let names: Vec<&str> =
            concrete.map(|class| system.universe.classes.class(*class).name.as_str()).collect();
        match names.len() {
            0 => "no class".to_owned(),
            1..=MOST_SHOWN => names.join(", "),
            all => format!("{}, and {} more", names[..MOST_SHOWN].join(", "), all - MOST_SHOWN),
        }
    };
    match routine.purpose {
        Purpose::Rule(judgment) => {
            let judgment = &system.judgments[judgment];
            let inputs: Vec<&Ty> = judgment.inputs().collect();
            let reached = reached(loaded, &judgment.dispatch, &inputs, &judgment.rules, id);
            let places: Vec<String> = reached.iter().map(shown).collect();
            vec![("judgment", judgment.name.clone()), ("is for", places.join(" : "))]
        }
        Purpose::Check(of) => {
            let classes = system.universe.classes.iter().map(|(class, _)| class);
            let classes = classes.filter(|&class| system.universe.is_kind(class, of)).collect();
            vec![("is for", shown(&classes))]
        }
        _ => Vec::new(),
    }
}

/// By place, the classes for which a rule is chosen.
fn reached(
    loaded: &Loaded,
    dispatch: &Dispatch,
    inputs: &[&Ty],
    rules: &[RoutineId],
    rule: RoutineId,
) -> Vec<BTreeSet<ClassId>> {
    let universe = &loaded.system.universe;
    let possible: Vec<Vec<ClassId>> = inputs
        .iter()
        .map(|ty| {
            let all = universe.classes.iter().map(|(class, _)| class);
            all.filter(|&class| universe.fits(&Ty::Class(class), ty)).collect()
        })
        .collect();
    let is_it =
        |choice: Choice| matches!(choice, Choice::One(at) if rules.get(usize::from(at)) == Some(&rule));
    let mut reached = vec![BTreeSet::new(); inputs.len()];
    dispatch.witnesses(&possible, |choice, classes| {
        if !is_it(choice) {
            return;
        }
        for (place, others) in possible.iter().enumerate() {
            let mut tried = classes.to_vec();
            for &class in others {
                tried[place] = class;
                if !reached[place].contains(&class) && is_it(dispatch.choose(tried.iter().copied())) {
                    reached[place].insert(class);
                }
            }
        }
    });
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_and_the_files_that_they_name() {
        let text = "system a extends \"b.rules\"\nlanguage \"c.grammar\"\n import \"d.rules\"\n// import \"e.rules\"\n";
        assert!(is_system(text) && is_system("\nlanguage n4js") && !is_system("data Int\n// system a"));
        assert_eq!(named(text).collect::<Vec<_>>(), ["b.rules", "c.grammar", "d.rules"]);
        assert_eq!(named("system a\nimport \"x").count(), 0);
    }

    #[test]
    fn paths() {
        for (path, expected) in [("a/../b", Some("b")), ("./a", Some("a")), ("../a", None), ("/a", None)] {
            assert_eq!(plain(Path::new(path)).as_deref(), expected, "{path}");
        }
    }
}
