//! What is computed: without files and streams.

use std::collections::HashMap;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{FileId, Sources};
use volvelle_n4js::typed;
use volvelle_rules::ir::JudgmentId;
use volvelle_rules::machine::{Limits, Statistics, Watch};
use volvelle_rules::system::{Line, Loaded, Program, Reply, Report, Typed};
use volvelle_trees::NodeId;

/// What was found in a program.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Its file.
    pub file: FileId,
    /// What is wrong with it.
    pub report: Report,
    /// What the judgment that was asked for gave for nodes.
    pub types: Vec<Typed>,
}

/// What a judgment said.
#[derive(Clone, Debug)]
pub struct Replied {
    /// Its name.
    pub judgment: String,
    /// The reply.
    pub reply: Reply,
    /// What was done.
    pub statistics: Statistics,
    /// How it came to hold, where that was wanted.
    pub derivation: Vec<Line>,
}

/// Where a run ends: at the limits of a control.
pub(crate) fn limited<T>(control: &Control<'_>, run: impl FnOnce(Limits<'_>) -> T) -> T {
    let stop = || control.check().is_err();
    let bytes =
        control.limits.memory_bytes.map_or(usize::MAX, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    run(Limits { bytes, stop: &stop })
}

/// The limit that ended a run.
pub(crate) fn stop_of(control: &Control<'_>, why: &str) -> Stop {
    match control.check() {
        Err(stop) => stop,
        Ok(()) if why == "time" => Stop::Timeout,
        Ok(()) => Stop::Memory,
    }
}

/// Makes the checks of a system on programs.
pub(crate) fn check(
    loaded: &Loaded,
    sources: &Sources,
    programs: &[FileId],
    (caches, watch): (bool, Watch),
    control: &Control<'_>,
) -> Vec<Checked> {
    let mut all = Vec::new();
    for &file in programs {
        let program = loaded.read(sources, file);
        let (report, noted) =
            limited(control, |limits| loaded.watched(sources, &program, limits, caches, watch));
        let is_stopped = report.stopped.is_some();
        all.push(Checked { file, report, types: noted.types });
        if is_stopped {
            break;
        }
    }
    all
}

/// Makes the checks on files that are one program, and finds types of nodes where there is a judgment for them.
pub(crate) fn check_together(
    loaded: &Loaded,
    sources: &Sources,
    files: &[FileId],
    (caches, judgment): (bool, Option<JudgmentId>),
    control: &Control<'_>,
) -> Vec<Checked> {
    let program = loaded.read_all(sources, files);
    let (report, types) = limited(control, |limits| match judgment {
        None => (loaded.check(sources, &program, limits, caches), Vec::new()),
        Some(judgment) => {
            let nodes = typed::nodes(loaded, &program);
            loaded.check_and_ask(sources, &program, (judgment, &nodes), limits, caches)
        }
    });
    let none = || Checked { file: files[0], report: Report::default(), types: Vec::new() };
    let mut all: Vec<Checked> = files.iter().map(|&file| Checked { file, ..none() }).collect();
    let place: HashMap<FileId, usize> = files.iter().enumerate().map(|(at, &file)| (file, at)).collect();
    for finding in report.findings {
        // What rules could not say stands in the rules.
        let file = finding.diagnostic.primary.as_ref().map(|label| label.span.file);
        let at = file.and_then(|file| place.get(&file)).copied().unwrap_or(0);
        all[at].report.findings.push(finding);
    }
    for one in types {
        if let Some(&at) = place.get(&one.span.file) {
            all[at].types.push(one);
        }
    }
    if let Some(first) = all.first_mut() {
        first.report.stopped = report.stopped;
        first.report.statistics = report.statistics;
    }
    all
}

/// Asks one judgment about a node.
pub(crate) fn ask(
    loaded: &Loaded,
    sources: &Sources,
    program: &Program,
    (judgment, node): (JudgmentId, NodeId),
    (caches, watch): (bool, Watch),
    control: &Control<'_>,
) -> Replied {
    let (reply, statistics, noted) = limited(control, |limits| {
        loaded.ask_watched(sources, program, (judgment, node), limits, caches, watch)
    });
    let derivation = noted.derivation.map_or_else(Vec::new, |derivation| derivation.lines);
    Replied { judgment: loaded.system.judgments[judgment].name.clone(), reply, statistics, derivation }
}
