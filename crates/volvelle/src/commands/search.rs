//! The options of searches, and the files that a search writes.

use crate::args::Check;
use std::path::Path;
use volvelle_console::options::SearchName;
use volvelle_console::{amounts, files};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_searches::{SearchMethod, SearchSettings, Wanted};
use volvelle_session::report::Report;
use volvelle_session::{Session, Settings};

/// The settings of the search.
pub fn settings(args: &Check, settings: &Settings) -> Result<SearchSettings, Vec<Diagnostic>> {
    let depth = |text: &String| amounts::count(text, "a depth", "--max-depth 1e6").map_err(|d| vec![d]);
    Ok(SearchSettings {
        allowance: settings.allowance,
        tier: settings.tier,
        all_errors: args.search.all_errors,
        max_depth: args.search.max_depth.as_ref().map(depth).transpose()?,
        no_reduction: args.search.no_reduction,
        symmetry: args.search.symmetry,
        shorten: args.search.shorten,
        whole_trails: args.search.trail.is_some() || args.output.verbose,
        method: match args.search.search {
            SearchName::Auto => SearchMethod::Automatic,
            SearchName::Bfs => SearchMethod::BreadthFirst,
            SearchName::Dfs => SearchMethod::DepthFirst,
            SearchName::Bitstate => SearchMethod::Bitstate,
            SearchName::HashCompact => SearchMethod::HashCompact,
            SearchName::Swarm => SearchMethod::Swarm,
        },
    })
}

/// The errors to search for.
pub fn wanted(args: &Check) -> Wanted {
    // What is asked of a Promela model with --prop is a claim as well.
    Wanted {
        safety: args.search.safety,
        claims: args.search.ltl.iter().chain(&args.asked.prop).cloned().collect(),
        acceptance: args.search.acceptance,
        progress: args.search.progress,
        weak_fairness: args.search.fair,
    }
}

/// The diagnostic about a property with a number, asked of a Promela model.
pub fn not_a_claim(text: &str) -> Option<Diagnostic> {
    let operator = text.trim_start();
    let rest = ["P", "R", "S", "T"].iter().find_map(|operator_name| operator.strip_prefix(operator_name));
    let is_number = rest.is_some_and(|rest| {
        let rest = rest.strip_prefix("min").or_else(|| rest.strip_prefix("max")).unwrap_or(rest).trim_start();
        rest.starts_with("=?") || rest.starts_with(['<', '>', '{']) && text.contains('[')
    });
    (is_number || operator.starts_with("filter(") || operator.starts_with("multi(")).then(|| {
        Diagnostic::error(
            codes::BAD_USAGE,
            "--prop with a numeric property does not apply to a Promela model",
        )
        .note("Promela models have claims instead of properties")
        .help("give an LTL formula: --ltl '[] (x < 4)', or write `ltl name { ... }` in the model")
    })
}

/// Writes the requested files; returns their names.
pub fn write(args: &Check, session: &Session, report: &mut Report) -> Vec<String> {
    let mut written = Vec::new();
    if let Some(path) = &args.search.trail {
        save(path, session, report, &mut written);
    }
    written
}

/// Writes the first counterexample to a file.
fn save(path: &Path, session: &Session, report: &mut Report, written: &mut Vec<String>) {
    let found = report.results.iter().find_map(|r| Some((r, r.counterexamples.first()?)));
    let Some((result, example)) = found else { return };
    let text = if files::is_spin_trail(path) {
        volvelle_searches::save_as_spin_trail(session, example).map(|trail| trail.to_text())
    } else {
        let property = result.name.as_deref().unwrap_or(&result.text);
        volvelle_searches::save_trail(session, property, example).map(|trail| trail.to_text())
    };
    match text {
        Some(text) => files::write_as(true, path, text.as_bytes(), written, &mut report.diagnostics),
        None => {
            let message = format!("`{}` is not written: the simulator cannot replay the run", path.display());
            report.diagnostics.push(Diagnostic::error(codes::FILE_NOT_WRITTEN, message));
        }
    }
}
