//! `rules test`: files of cases, what became of them, and which rules they apply.

mod bless;
mod cases;
mod compare;
pub(crate) mod report;

use crate::opening::{languages, open};
use crate::options::AskRules;
use crate::run::stop_of;
use cases::{Case, CaseFile};
use compare::Compared;
use report::{Place, Ran, Report};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Instant;
use volvelle_console::opening::control;
use volvelle_console::output::{EXIT_LIMIT, EXIT_USAGE, Output};
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::refusal::Refused;
use volvelle_console::{door, files, machine};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, codes, has_errors};
use volvelle_rules::machine::Applied;
use volvelle_rules::system::{Loaded, load_with};
use volvelle_session::limits;

/// A file of cases that was read.
struct Opened {
    path: PathBuf,
    file: FileId,
    cases: CaseFile,
    /// The path of its system.
    system: PathBuf,
}

/// Runs all cases, and shows what became of them.
pub(crate) fn asked(args: &'static AskRules, output: &Output) -> Result<u8, Refused> {
    let start = Instant::now();
    let (allowance, threads) = machine::limits(&args.limits.all())?;
    let mut sources = Sources::new();
    let opened = opened(args, &mut sources)?;
    let (systems, mut found) = systems(&opened, &mut sources)?;
    let progress = Line::new();
    let control = control(&allowance, threads, start, &progress);
    let mut report = Report::default();
    let mut applied: HashMap<&Path, Applied> = HashMap::new();
    let mut written = Vec::new();
    for one in &opened {
        let Some(loaded) = systems.get(one.system.as_path()) else { continue };
        let applied = applied.entry(&one.system).or_default();
        let ran = ran(loaded, one, &mut sources, (!args.apply.no_cache, &control), applied, &mut found);
        if args.bless {
            bless(one, &ran, &sources, &mut written, &mut found);
        }
        let name = sources.file(one.file).name.clone();
        report.cases.extend(ran.into_iter().map(|(case, compared)| Ran {
            title: case.title.clone(),
            file: name.clone(),
            line: case.line,
            compared,
        }));
    }
    report.parts = coverage(&systems, &applied, &sources);
    let stopped = report.cases.iter().find_map(|case| case.compared.stopped);
    if let Some(why) = stopped {
        let note = if why == "depth" { "rules are nested too deeply" } else { "cases were being run" };
        found.push(limits::stopped(stop_of(&control, why), &allowance).note(note));
    }
    let document = report::document(&report);
    let shown = Shown::new(&args.answer, document, args.system.display().to_string(), &sources);
    let written = shown.write(&written, &mut found, output);
    shown.print(|| report::json(&report, &found, &sources).to_text(), &written, output);
    output.print_diagnostics(&found, &sources);
    Ok(if stopped.is_some() {
        EXIT_LIMIT
    } else if has_errors(&found) {
        EXIT_USAGE
    } else {
        u8::from(report.failed() > 0)
    })
}

/// All files of cases.
fn opened(args: &AskRules, sources: &mut Sources) -> Result<Vec<Opened>, Refused> {
    let mut paths = Vec::new();
    let mut found = Vec::new();
    for given in std::iter::once(&args.system).chain(&args.programs) {
        let before = paths.len();
        collect(given, 0, &mut paths);
        if paths.len() == before {
            let message = format!("there are no files of cases in `{}`", given.display());
            let help = "cases are in files that end in `.md`: headings, and blocks with programs";
            found.push(Diagnostic::error(codes::RULE_QUESTION, message).help(help));
        }
    }
    paths.sort();
    paths.dedup();
    let mut all = Vec::new();
    for path in paths {
        let text = match files::read(&path) {
            Ok(text) => text,
            Err(why) => {
                found.push(why);
                continue;
            }
        };
        let file = sources.add(text.name, text.text);
        match cases::read(file, &sources.file(file).text) {
            Ok(cases) => {
                let beside = path.parent().unwrap_or(Path::new(""));
                let system = beside.join(&cases.system.0);
                all.push(Opened { path, file, cases, system });
            }
            Err(flaws) => found.extend(flaws),
        }
    }
    if found.is_empty() { Ok(all) } else { Err(Refused::in_texts(found, sources)) }
}

/// Folders are within one another at most so deep.
const DEEPEST: usize = 16;

/// A file, or the files of cases in a folder and those within it.
fn collect(path: &Path, depth: usize, all: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        all.push(path.to_owned());
        return;
    }
    if depth > DEEPEST {
        return;
    }
    for name in door::folder_entries(path) {
        let inner = path.join(&name);
        if inner.is_dir() || inner.extension().is_some_and(|ending| ending == "md") {
            collect(&inner, depth + 1, all);
        }
    }
}

type Systems<'o> = BTreeMap<&'o Path, Loaded>;

/// Each system once. What is doubtful about it is no matter of its cases.
fn systems<'o>(
    opened: &'o [Opened],
    sources: &mut Sources,
) -> Result<(Systems<'o>, Vec<Diagnostic>), Refused> {
    let mut systems = BTreeMap::new();
    let mut found = Vec::new();
    for one in opened {
        if systems.contains_key(one.system.as_path()) {
            continue;
        }
        let text = match files::read(&one.system) {
            Ok(text) => text,
            Err(why) => {
                found.push(why.at(one.cases.system.1, "named here"));
                continue;
            }
        };
        let file = sources.add(text.name, text.text);
        let mut told = Vec::new();
        let loaded = load_with(sources, file, &mut open, &languages(), &mut told);
        match loaded {
            Some(loaded) => {
                systems.insert(one.system.as_path(), loaded);
            }
            None => found.extend(told),
        }
    }
    if found.is_empty() { Ok((systems, found)) } else { Err(Refused::in_texts(found, sources)) }
}

/// Runs the cases of a file; none behind one that reached a limit.
fn ran<'c>(
    loaded: &Loaded,
    one: &'c Opened,
    sources: &mut Sources,
    with: (bool, &Control<'_>),
    applied: &mut Applied,
    found: &mut Vec<Diagnostic>,
) -> Vec<(&'c Case, Compared)> {
    let mut all = Vec::new();
    for case in &one.cases.cases {
        let name = format!("{}: {}", one.path.display(), case.title);
        let program = sources.add(name, case.program.clone());
        match compare::run(loaded, sources, program, case, with, applied) {
            Ok(compared) => {
                let is_stopped = compared.stopped.is_some();
                all.push((case, compared));
                if is_stopped {
                    break;
                }
            }
            Err(flaw) => found.push(flaw),
        }
    }
    all
}

/// Writes what was found as what is expected, where that differs. The file before stays beside it.
fn bless(
    one: &Opened,
    ran: &[(&Case, Compared)],
    sources: &Sources,
    written: &mut Vec<String>,
    found: &mut Vec<Diagnostic>,
) {
    let before = &sources.file(one.file).text;
    let all: Vec<(&Case, &Compared)> = ran.iter().map(|(case, compared)| (*case, compared)).collect();
    let after = bless::blessed(before, &all);
    if after == *before {
        return;
    }
    match door::amend(&one.path, before.as_bytes(), after.as_bytes()) {
        Ok(_) => written.push(one.path.display().to_string()),
        Err(error) => found.push(files::not_written(&one.path, &error)),
    }
}

/// What of the systems was applied. A rule that several systems have counts once.
fn coverage(systems: &Systems<'_>, applied: &HashMap<&Path, Applied>, sources: &Sources) -> Vec<Place> {
    let mut places: BTreeMap<(String, usize, usize, Option<usize>), Place> = BTreeMap::new();
    let none = Applied::default();
    for (path, loaded) in systems {
        for part in loaded.coverage(applied.get(path).unwrap_or(&none)) {
            let file = sources.file(part.span.file).name.clone();
            let at = sources.line_column(part.span);
            let key = (file.clone(), at.line, at.column, part.alternative);
            let place = places.entry(key).or_insert_with(|| Place {
                kind: part.kind,
                name: part.name.clone(),
                file,
                line: at.line,
                column: at.column,
                is_alternative: part.alternative.is_some(),
                is_applied: false,
            });
            place.is_applied |= part.is_applied;
        }
    }
    places.into_values().collect()
}
