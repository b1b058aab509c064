//! `volvelle rules`.

use crate::opening::{languages, open};
use crate::options::{AskRules, RulesQuestion};
use crate::run::stop_of;
use crate::telling::Telling;
use crate::{document, json, place, printing, run, testing};
use std::path::Path;
use std::time::Instant;
use volvelle_console::files;
use volvelle_console::given::GivenOptions;
use volvelle_console::machine;
use volvelle_console::opening::control;
use volvelle_console::output::Output;
use volvelle_console::progress::Line;
use volvelle_console::question::{Ask, FileUse, Need};
use volvelle_console::refusal::Refused;
use volvelle_console::suggestions::{Head, Subject, Suggestion};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, codes, has_errors};
use volvelle_rules::machine::Watch;
use volvelle_rules::system::{Reply, load_with};
use volvelle_rules::types::Ty;

impl Ask for AskRules {
    const NAME: &'static str = "rules";
    const FILES: &'static [(&'static str, FileUse)] =
        &[("system", FileUse::Read), ("programs", FileUse::Read), ("latex", FileUse::Written)];
    const NEEDS: &'static [Need] = &[
        Need {
            options: &[("at", "--at")],
            acts: |given| given.value("question") == Some("ask"),
            why: "checks are made on all nodes",
            help: "ask one judgment: volvelle rules ask SYSTEM JUDGMENT PROGRAM --at LINE:COLUMN",
        },
        Need {
            options: &[("trace", "--trace"), ("statistics", "--statistics")],
            acts: |given| matches!(given.value("question"), Some("check" | "ask")),
            why: "it is about programs that are checked",
            help: "check one: volvelle rules check SYSTEM PROGRAM",
        },
        Need {
            options: &[("no_cache", "--no-cache")],
            acts: |given| given.value("question") != Some("print"),
            why: "no rule is applied",
            help: "check a program: volvelle rules check SYSTEM PROGRAM",
        },
        Need {
            options: &[("latex", "--latex")],
            acts: |given| given.value("question") == Some("print"),
            why: "it is about a system on paper",
            help: "print it: volvelle rules print SYSTEM --latex rules.tex",
        },
        Need {
            options: &[("types", "--types")],
            acts: |given| given.value("question") == Some("check"),
            why: "it is about programs that are checked",
            help: "check one: volvelle rules check SYSTEM PROGRAM --types",
        },
        Need {
            options: &[("bless", "--bless")],
            acts: |given| given.value("question") == Some("test"),
            why: "it is about cases that are run",
            help: "run them: volvelle rules test FOLDER --bless",
        },
    ];
    const READS: fn(&Head) -> Option<&'static str> =
        |head| (head.ending == "rules").then_some("type system as rules");
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| match subject.offers {
        None => vec![Suggestion::new(
            "whether its rules have errors",
            format!("rules check {}", subject.head.word),
        )],
        Some(_) => Vec::new(),
    };

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        let asked = match self.question {
            RulesQuestion::Check | RulesQuestion::Ask => asked(self, output),
            RulesQuestion::Test => testing::asked(self, output),
            RulesQuestion::Print => printing::asked(self, output),
        };
        asked.unwrap_or_else(|refused| refused.show(self.answer.output.json, output))
    }
}

/// Opens, computes, writes and prints.
fn asked(args: &AskRules, output: &Output) -> Result<u8, Refused> {
    let start = Instant::now();
    let (allowance, threads) = machine::limits(&args.limits.all())?;
    let (judgment, paths) = match (args.question, args.programs.as_slice()) {
        (RulesQuestion::Ask, [judgment, paths @ ..]) if paths.len() == 1 => (Some(judgment), paths),
        (RulesQuestion::Check | RulesQuestion::Test | RulesQuestion::Print, paths) => (None, paths),
        (RulesQuestion::Ask, _) => {
            let message = "`ask` takes a judgment and a program";
            let help = "volvelle rules ask SYSTEM JUDGMENT PROGRAM";
            return Err(vec![Diagnostic::error(codes::BAD_USAGE, message).help(help)].into());
        }
    };
    let mut sources = Sources::new();
    let text = files::read(&args.system).map_err(|why| vec![why])?;
    let file = sources.add(text.name, text.text);
    let mut found = Vec::new();
    let loaded = load_with(&mut sources, file, &mut open, &languages(), &mut found);
    let Some(loaded) = loaded else { return Err(Refused::in_texts(found, &sources)) };
    let mut programs = Vec::new();
    let mut unreadable = Vec::new();
    for path in paths {
        match files::read(path) {
            Ok(text) => programs.push(sources.add(text.name, text.text)),
            Err(why) => unreadable.push(why),
        }
    }
    if !unreadable.is_empty() {
        found.extend(unreadable);
        return Err(Refused::in_texts(found, &sources));
    }
    let progress = Line::new();
    let control = control(&allowance, threads, start, &progress);
    let telling = Telling {
        apply: &args.apply,
        answer: &args.answer,
        subject: args.system.display().to_string(),
        loaded: &loaded,
        sources: &sources,
        stop: &|why| stop_of(&control, why),
        allowance: &allowance,
        output,
    };
    let asking = Asking { args, telling, control: &control };
    match judgment {
        None => asking.check(&programs, found),
        Some(judgment) => asking.ask(judgment, programs[0], found),
    }
}

struct Asking<'a> {
    args: &'a AskRules,
    telling: Telling<'a>,
    control: &'a Control<'a>,
}

impl Asking<'_> {
    fn check(&self, programs: &[FileId], found: Vec<Diagnostic>) -> Result<u8, Refused> {
        let Telling { loaded, sources, .. } = self.telling;
        let types = crate::typed::judgment(self.args, loaded, sources)?;
        let watch = Watch { types, ..Watch::default() };
        let caches = !self.args.apply.no_cache;
        let checked = run::check(loaded, sources, programs, (caches, watch), self.control);
        Ok(self.telling.checked(&checked, types.is_some(), found))
    }

    fn ask(&self, judgment: &Path, file: FileId, mut found: Vec<Diagnostic>) -> Result<u8, Refused> {
        let (args, telling) = (self.args, &self.telling);
        let (loaded, sources) = (telling.loaded, telling.sources);
        let name = judgment.display().to_string();
        let refused = |diagnostic: Diagnostic| Err(Refused::in_texts(vec![diagnostic], sources));
        let system = &loaded.system;
        let Some(judgment) = loaded.judgment(&name) else {
            let known: Vec<&str> =
                system.judgments.iter().map(|(_, judgment)| judgment.name.as_str()).collect();
            let diagnostic =
                Diagnostic::error(codes::RULE_QUESTION, format!("there is no judgment `{name}`"))
                    .misspelt(&name, &known)
                    .help(format!("the system has {}", known.join(", ")));
            return refused(diagnostic);
        };
        let inputs: Vec<&Ty> = system.judgments[judgment].inputs().collect();
        let [ty] = inputs.as_slice() else {
            let message = format!("`{name}` has {} inputs; one that is asked has one, a node", inputs.len());
            return refused(Diagnostic::error(codes::RULE_QUESTION, message));
        };
        let program = loaded.read(sources, file);
        if has_errors(&program.flaws) {
            return Err(Refused::in_texts(program.flaws.clone(), sources));
        }
        let node = match &args.at {
            None => {
                let class = Ty::Class(program.tree.class(program.root));
                if !system.universe.fits(&class, ty) {
                    let message = format!(
                        "`{name}` is about `{}`, which a whole program is not",
                        system.universe.name(ty)
                    );
                    let help = "`--at LINE:COLUMN` says where";
                    return refused(Diagnostic::error(codes::RULE_QUESTION, message).help(help));
                }
                program.root
            }
            Some(at) => {
                let Some(place) = place::read(at) else {
                    let message = format!("`{at}` is no place; one is LINE:COLUMN, both from 1");
                    return refused(Diagnostic::error(codes::BAD_USAGE, message));
                };
                let node = place::node_at(loaded, &program, sources, file, place, ty);
                let Some(node) = node else {
                    let message = format!("there is no `{}` at {at}", system.universe.name(ty));
                    return refused(Diagnostic::error(codes::RULE_QUESTION, message));
                };
                node
            }
        };
        let watch = Watch { derivation: args.apply.trace, ..Watch::default() };
        let how = (!args.apply.no_cache, watch);
        let replied = run::ask(loaded, sources, &program, (judgment, node), how, self.control);
        let stopped = match &replied.reply {
            Reply::Stopped(why) => Some(*why),
            Reply::Fails(finding) => {
                found.push(telling.told(finding));
                None
            }
            Reply::Holds(_) => None,
        };
        telling.limit(stopped, &mut found);
        let shown = document::of_ask(&replied, args.apply.statistics);
        let json = |found: &[Diagnostic]| {
            json::of_ask(&system.name, &replied, args.apply.statistics, found, sources).to_text()
        };
        Ok(telling.show(shown, json, found, stopped))
    }
}
