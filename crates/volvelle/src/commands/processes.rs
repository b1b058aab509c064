//! Commands on models of processes (Promela).

use crate::args::{Check, LanguageName, ModelArgs, SearchName};
use crate::files;
use crate::output::Output;
use crate::progress::Line;
use crate::screen::{facts, model, page, processes};
use crate::{amounts, machine};
use std::path::{Path, PathBuf};
use std::time::Instant;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_verify::{
    Include, Language, ProcessSession, Report, SearchMethod, SearchSettings, Tier, Wanted, json,
};

/// Whether the model is one of processes: because it is said to be, or by its name or first word.
pub fn is_one(args: &ModelArgs) -> bool {
    if let Some(language) = args.language {
        return language == LanguageName::Promela;
    }
    let name = args.model.display().to_string();
    match Language::of_model(&name, "") {
        Ok(language) => language == Language::Promela,
        // A name that tells nothing: the text may.
        Err(_) => files::read(&args.model)
            .is_ok_and(|text| Language::of_model(&name, &text.text) == Ok(Language::Promela)),
    }
}

/// Files beside the model.
struct Folder(PathBuf);

impl Include for Folder {
    fn read(&mut self, name: &str) -> Option<String> {
        let bytes = std::fs::read(self.0.join(name)).ok()?;
        String::from_utf8(bytes).ok()
    }
}

/// Reads a model and what it includes.
pub(super) fn open(args: &ModelArgs, defines: &[String]) -> Result<ProcessSession, Vec<Diagnostic>> {
    let text = files::read(&args.model).map_err(|d| vec![d])?;
    let folder = args.model.parent().map(Path::to_path_buf).unwrap_or_default();
    let define = |d: &String| match d.split_once('=') {
        Some((name, text)) => (name.to_owned(), text.to_owned()),
        None => (d.clone(), "1".to_owned()),
    };
    let defines: Vec<(String, String)> = defines.iter().map(define).collect();
    Ok(ProcessSession::open(text, &mut Folder(folder), &defines))
}

/// `volvelle check model.pml`
pub fn check(args: &Check, start: Instant, output: &Output) -> u8 {
    let depth = |text: &String| amounts::count(text, "a depth", "--max-depth 1e6").map_err(|d| vec![d]);
    let prepared = machine::limits(&args.limits).and_then(|(allowance, threads)| {
        let settings = SearchSettings {
            allowance,
            tier: if args.building.interpreter { Tier::Interpreter } else { Tier::Auto },
            all_errors: args.search.all_errors,
            max_depth: args.search.max_depth.as_ref().map(depth).transpose()?,
            no_reduction: args.search.no_reduction,
            symmetry: args.search.symmetry,
            method: match args.search.search {
                SearchName::Bfs => SearchMethod::BreadthFirst,
                SearchName::Dfs => SearchMethod::DepthFirst,
                SearchName::Bitstate => SearchMethod::Bitstate,
                SearchName::HashCompact => SearchMethod::HashCompact,
                SearchName::Swarm => SearchMethod::Swarm,
            },
        };
        Ok((open(&args.model, &args.search.define)?, settings, threads))
    });
    let (mut session, settings, threads) = match prepared {
        Ok(prepared) => prepared,
        Err(complaints) => return super::refuse(&complaints, args.output.json, output),
    };
    let wanted = Wanted {
        safety: args.search.safety,
        claims: args.search.ltl.clone(),
        acceptance: args.search.acceptance,
        progress: args.search.progress,
        weak_fairness: args.search.fair,
    };
    let progress = Line::new();
    let control = Control {
        limits: settings.allowance.starting_at(start),
        cancel: machine::cancel_on_signal(),
        progress: &progress,
        threads,
    };
    let mut report = session.check(&wanted, &settings, &control);
    progress.finish();
    let mut written = Vec::new();
    if let Some(path) = &args.search.trail {
        save(path, &session, &mut report, &mut written);
    }
    if let Some(path) = args.search.html.as_ref().filter(|_| !report.results.is_empty()) {
        let text = page::page(&report, &args.model.model.display().to_string());
        files::write(path, text.as_bytes(), &mut written, &mut report.diagnostics);
    }
    if args.output.json {
        let mut document = json::Document::of_check(&report, session.sources());
        if args.explain {
            document = document.explained(report.model.as_ref(), report.results.iter());
        }
        output.print(&document.to_text());
    } else {
        let mut text = String::new();
        if let Some(space) = &report.model {
            text.push_str(&model::head(space, args.output.verbose, output.style));
        }
        for result in &report.results {
            text.push_str(&processes::block(result, args.output.verbose, output.style));
        }
        if args.explain {
            text.push_str(&facts::block(report.model.as_ref(), &report.results, output.style));
        }
        text.push_str(&files::written(&written));
        output.print(&text);
    }
    super::finish(&report, session.sources(), output)
}

/// Writes the first counterexample to a file.
fn save(path: &Path, session: &ProcessSession, report: &mut Report, written: &mut Vec<String>) {
    let found = report.results.iter().find_map(|r| Some((r, r.counterexamples.first()?)));
    let Some((result, example)) = found else { return };
    match session.save(result.name.as_deref().unwrap_or(&result.text), example) {
        Some(trail) => files::write(path, trail.to_text().as_bytes(), written, &mut report.diagnostics),
        None => {
            let message = format!("`{}` is not written: the simulator cannot follow the run", path.display());
            report.diagnostics.push(Diagnostic::error(codes::FILE_NOT_WRITTEN, message));
        }
    }
}
