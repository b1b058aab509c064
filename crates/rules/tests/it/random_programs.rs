//! Random programs: the machine with kept results, without them, and the slow evaluator say the same. Programs that are well typed by
//! construction have the type that they were made for.

mod java;
mod terms;

use crate::second::deep;
use crate::second_opinion::{SYSTEMS, compare};
use crate::support::{example, folder, limits};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use volvelle_diagnostics::Sources;
use volvelle_rules::system::{Answer, Loaded, Reply};
use volvelle_trees::grammar::Grammar;
use volvelle_trees::grammar::sentences::sentence;

/// Choices one after the other; behind the last one it is always the first way.
pub struct Choices<'c> {
    all: &'c [u16],
    at: usize,
}

impl Choices<'_> {
    pub fn below(&mut self, bound: usize) -> usize {
        let choice = self.all.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(choice) % bound
    }
}

/// Runs a property of choices, which shrink to few and small ones, on a stack that is large enough.
fn for_all(cases: u32, most: usize, holds: impl Fn(Choices<'_>) -> Result<(), String>) {
    let mut runner = TestRunner::new(ProptestConfig {
        max_shrink_iters: 2_000,
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    });
    let choices = proptest::collection::vec(any::<u16>(), 0..most);
    let result = runner.run(&choices, |all| holds(Choices { all: &all, at: 0 }).map_err(TestCaseError::fail));
    if let Err(why) = result {
        panic!("{why}");
    }
}

/// The only output of a judgment about a whole program, and what the three ways to get it say.
fn output(system: &Loaded, sources: &Sources, judgment: &str, text: &str) -> Result<Option<String>, String> {
    let mut sources = sources.clone();
    let file = sources.add("program", text);
    let program = system.read(&sources, file);
    if let Some(flaw) = program.flaws.first() {
        return Err(format!("{text}\n{}", flaw.message));
    }
    compare(system, &sources, &program, judgment).map_err(|why| format!("{text}\n{why}"))?;
    let id = system.judgment(judgment).expect("it is declared");
    match system.ask(&sources, &program, id, program.root, limits(), true).0 {
        Reply::Holds(outputs) => match outputs.into_iter().next() {
            Some(Answer::Text(text)) => Ok(Some(text)),
            other => Err(format!("{other:?}")),
        },
        Reply::Fails(_) => Ok(None),
        Reply::Stopped(why) => Err(why.to_owned()),
    }
}

/// Sentences of a grammar, most of which are no right programs.
#[test]
fn sentences() {
    deep(|| {
        for (file, judgment, _) in SYSTEMS {
            let mut sources = Sources::new();
            let system = example(&mut sources, file);
            let name = if file.starts_with("coerce") { "coerce" } else { file.trim_end_matches(".rules") };
            let path = folder("examples/rules").join(format!("{name}.grammar"));
            let text = std::fs::read_to_string(path).expect("the grammar is there");
            let at = sources.add("grammar", text);
            let grammar =
                Grammar::read(at, &sources.file(at).text, &mut Vec::new()).expect("it has no errors");
            for_all(150, 120, |mut choices| {
                let text = sentence(&grammar, 30, |bound| choices.below(bound));
                let mut sources = sources.clone();
                let at = sources.add("program", text.as_str());
                let program = system.read(&sources, at);
                compare(&system, &sources, &program, judgment).map_err(|why| format!("{file}: {text}\n{why}"))
            });
        }
    });
}

/// Terms that are made for a type have it.
#[test]
fn lambda_terms() {
    deep(|| {
        let mut sources = Sources::new();
        let system = example(&mut sources, "lambda.rules");
        for_all(300, 60, |mut choices| {
            let ty = terms::ty(&mut choices, 3);
            let text = terms::term(&mut choices, &ty, &mut Vec::new(), 5);
            match output(&system, &sources, "type", &text)? {
                Some(found) if found == ty.to_string() => Ok(()),
                found => Err(format!("{text}\nis made for {ty}, and has {found:?}")),
            }
        });
    });
}

/// Any terms: another inference, by substitutions as they are in books, says the same.
#[test]
fn lambda_inference() {
    deep(|| {
        let mut sources = Sources::new();
        let system = example(&mut sources, "lambda.rules");
        let typed = std::cell::Cell::new(0);
        for_all(400, 60, |mut choices| {
            let term = terms::any(&mut choices, &[], 5);
            let found = output(&system, &sources, "type", &term.to_string())?;
            let wanted = terms::inferred(&term);
            typed.set(typed.get() + u32::from(wanted.is_some()));
            if found == wanted { Ok(()) } else { Err(format!("{term}\n{found:?} is not {wanted:?}")) }
        });
        assert!(typed.get() > 30, "{} terms have a type", typed.get());
    });
}

/// Programs that are made well typed keep all rules, and each step of their main expression has a type below the one before.
#[test]
fn java_reduces_below_its_type() {
    deep(|| {
        let mut sources = Sources::new();
        let system = example(&mut sources, "fj.rules");
        let reduced = std::cell::Cell::new(0);
        for_all(200, 120, |mut choices| {
            let program = java::program(&mut choices);
            let mut main = program.main.clone();
            let mut ty = java::type_of(&program, &[], &main).ok_or_else(|| format!("{program}: no type"))?;
            for _ in 0..12 {
                let text = java::with_main(&program, &main);
                let found = output(&system, &sources, "main", &text)?;
                // The slow typing says the same as the rules.
                let wanted = java::type_of(&program, &[], &main);
                if found != wanted {
                    return Err(format!("{text}\n{found:?} is not {wanted:?}"));
                }
                let Some(own) = wanted else { return Err(format!("{text}\na step has no type")) };
                if !java::is_below(&program, &own, &ty) {
                    return Err(format!("{text}\n{own} is not below {ty}"));
                }
                ty = own;
                let mut all = sources.clone();
                let file = all.add("program", text.as_str());
                let read = system.read(&all, file);
                let report = system.check(&all, &read, limits(), true);
                if let Some(finding) = report.findings.first() {
                    return Err(format!("{text}\n{}", finding.diagnostic.message));
                }
                match java::step(&program, &main) {
                    Some(next) if next.size() < 200 => main = next,
                    _ => break,
                }
                reduced.set(reduced.get() + 1);
            }
            Ok(())
        });
        assert!(reduced.get() > 30, "{} steps", reduced.get());
    });
}
