//! The systems of a pipeline: made, or taken from an earlier run.

use super::cache::{KEPT, hash_of_model};
use super::kept::Kept;
use super::run::Run;
use crate::options::RunPipeline;
use crate::{Made, Pipeline, Setting, Source};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use volvelle_console::export::Export;
use volvelle_console::files::Record;
use volvelle_console::opening::{Opening, open};
use volvelle_console::options::{ModelArgs, PartArgs};
use volvelle_console::{door, files, watchdog};
use volvelle_control::Stop;
use volvelle_diagnostics::{Diagnostic, Severity, Sources, Span, codes};
use volvelle_explicit::WriteError;
use volvelle_session::report::Report;
use volvelle_space::Lts;
use volvelle_systems::reduce_system;
use volvelle_systems::written::{Written, format, write};

/// Errors about models that cannot be read.
pub fn unreadable(pipeline: &Pipeline, base: &Path) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for step in &pipeline.steps {
        if let Source::Model { file, span, .. } = &step.source {
            let path = base.join(file);
            let error = door::readable(&path).err();
            found.extend(error.map(|error| files::unreadable(&path, &error).at(*span, "")));
        }
    }
    found
}

/// The files that a pipeline writes, with the places of their steps.
fn targets(pipeline: &Pipeline, base: &Path) -> Vec<(PathBuf, Span)> {
    let mut paths = Vec::new();
    for (at, step) in pipeline.steps.iter().enumerate() {
        if let Some(file) = &step.write {
            let file_at = |point: &Vec<usize>| base.join(pipeline.file_at(at, point, file));
            paths.extend(pipeline.points_of(at).iter().map(|point| (file_at(point), step.span)));
        }
        paths.extend(step.csv.as_ref().map(|file| (base.join(file), step.span)));
    }
    paths
}

/// Errors about files that cannot be written, or must not be: those that lead out of the folder of the pipeline unless that is allowed, and
/// those that it reads.
pub fn unwritable(pipeline: &Pipeline, base: &Path, args: &RunPipeline) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for step in &pipeline.steps {
        if let Some(file) = &step.write {
            found.extend(format(Path::new(file)).err().map(|diagnostic| diagnostic.at(step.span, "")));
        }
    }
    let targets = targets(pipeline, base);
    let is_outside = |path: &Path| !args.allow_outside && !door::is_below(path, base);
    let outside = |path: &Path| {
        let message = format!("`{}` is outside the folder of the pipeline", path.display());
        Diagnostic::error(codes::BAD_USAGE, message)
            .note("a pipeline writes below its own folder, whoever wrote it")
            .help("allow it if you trust the pipeline: --allow-outside")
    };
    found.extend(
        targets.iter().filter(|(path, _)| is_outside(path)).map(|(path, span)| outside(path).at(*span, "")),
    );
    let kept = base.join(KEPT);
    if args.cache.is_none() && kept.exists() && is_outside(&kept) {
        found.push(outside(&kept).help("or keep systems elsewhere: --cache FOLDER"));
    }
    if !found.is_empty() {
        return found;
    }
    targets.iter().for_each(|(path, _)| files::claim(path, false));
    if targets.iter().any(|(path, _)| path.exists()) {
        read_names(pipeline, base, args);
    }
    found.extend(files::refusals());
    if found.is_empty() {
        found.extend(files::unwritable(targets.iter().map(|(path, _)| path.as_path())));
    }
    found
}

/// Has models read that may name other files, so that it is known what they name before the first step begins.
fn read_names(pipeline: &Pipeline, base: &Path, args: &RunPipeline) {
    let mut done: Vec<(&str, Vec<String>)> = Vec::new();
    for (at, step) in pipeline.steps.iter().enumerate() {
        let Source::Model { file, defines, .. } = &step.source else { continue };
        let names_none = matches!(format(Path::new(file)), Ok(Written::Aut(_)));
        let point = pipeline.points_of(at).into_iter().next().unwrap_or_default();
        let defines = pipeline.settings_at(at, &point, defines);
        if names_none || done.iter().any(|known| (known.0, &known.1) == (file.as_str(), &defines)) {
            continue;
        }
        // What is wrong with a model is told when its step begins.
        let opening = Opening { defines: &defines, limits: Some(&args.limits), ..Opening::default() };
        let _ = open(&model_of(base.join(file), Vec::new()), opening);
        done.push((file, defines));
    }
}

fn model_of(model: PathBuf, constants: Vec<String>) -> ModelArgs {
    ModelArgs {
        model,
        language: None,
        constants,
        read_as: None,
        no_probability_check: false,
        parts: PartArgs::default(),
    }
}

impl Run<'_> {
    /// The system of a step at a point, which is written if that is wanted.
    pub fn system(&mut self, at: usize, point: &[usize]) -> Kept {
        let step = &self.pipeline.steps[at];
        if self.stop.is_none()
            && let Err(stop) = self.control.check()
        {
            self.stopped(stop);
        }
        if matches!(self.stop, Some(Stop::Timeout | Stop::Cancelled)) {
            return Kept::without(Made::Skipped);
        }
        // Of everything that is needed, something may be missing.
        for needed in step.needs() {
            let of = &self.kept[needed][self.pipeline.point_within(at, point, needed)];
            match of.made {
                Made::Failed | Made::Skipped => return Kept::without(Made::Skipped),
                Made::Wanted => return Kept::without(Made::Wanted),
                Made::Built | Made::UpToDate => {}
            }
        }
        let mut kept = match step.source {
            Source::Step(source) if !step.makes_system() => {
                let of = &self.kept[source][self.pipeline.point_within(at, point, source)];
                of.clone()
            }
            _ => self.found_or_made(at, point),
        };
        if let (Some(file), Made::Built | Made::UpToDate, false) = (&step.write, kept.made, self.args.list) {
            let path = self.base.join(self.pipeline.file_at(at, point, file));
            match kept.lts(self.control) {
                Ok(lts) => self.write_system(&lts, &path),
                Err(found) => {
                    self.note(found, &Sources::new());
                    kept = Kept::without(Made::Failed);
                }
            }
        }
        kept
    }

    fn found_or_made(&mut self, at: usize, point: &[usize]) -> Kept {
        let step = &self.pipeline.steps[at];
        let mut key;
        match &step.source {
            Source::Model { file, constants, defines, .. } => {
                key = self.cache.key("model");
                // The name selects the language, and the files beside it.
                key.add(file.as_bytes());
                match hash_of_model(&self.base.join(file)) {
                    Ok(hash) => key.add(hash.as_bytes()),
                    Err(diagnostic) => return self.failed(vec![diagnostic], &Sources::new()),
                }
                for settings in [constants, defines] {
                    for setting in settings {
                        if let Setting::Constant(constant) = setting {
                            self.used[*constant] = true;
                        }
                    }
                    let texts = self.pipeline.settings_at(at, point, settings);
                    key.add(&(texts.len() as u64).to_le_bytes());
                    texts.iter().for_each(|text| key.add(text.as_bytes()));
                }
            }
            Source::Step(source) => {
                key = self.cache.key("step");
                let of = &self.kept[*source][self.pipeline.point_within(at, point, *source)];
                key.add(of.hash().as_bytes());
            }
        }
        step.rename.iter().for_each(|rule| key.add(rule.as_bytes()));
        key.add(format!("{:?} {:?}", step.hide, step.reduce).as_bytes());
        let name = key.name();
        let known = if self.args.force { None } else { self.cache.find(&name) };
        if let Some(entry) = known {
            return Kept::of(Made::UpToDate, entry, None);
        }
        if self.args.list {
            return Kept::without(Made::Wanted);
        }
        let record = Record::default();
        let Some(lts) = self.made(at, point, &record) else { return Kept::without(Made::Failed) };
        match self.cache.keep(&name, &lts, &record, self.control) {
            Ok((entry, warning)) => {
                // Said once: it is the same for all systems.
                if let Some(warning) = warning
                    && !self.found.iter().flat_map(|(found, _)| found).any(|known| known.code == warning.code)
                {
                    self.note(vec![warning], &Sources::new());
                }
                Kept::of(Made::Built, entry, Some(Rc::new(lts)))
            }
            Err(WriteError::Stopped(stop)) => {
                self.stopped(stop);
                Kept::without(Made::Failed)
            }
            Err(WriteError::Io(_) | WriteError::Refused(_)) => Kept::without(Made::Failed),
        }
    }

    /// Makes the system: the model or the system of another step, relabelled and reduced.
    fn made(&mut self, at: usize, point: &[usize], record: &Record) -> Option<Lts> {
        let step = &self.pipeline.steps[at];
        let lts = match &step.source {
            Source::Step(source) => {
                let of = &self.kept[*source][self.pipeline.point_within(at, point, *source)];
                match of.lts(self.control) {
                    Ok(lts) => Rc::unwrap_or_clone(lts),
                    Err(found) => {
                        self.failed(found, &Sources::new());
                        return None;
                    }
                }
            }
            Source::Model { file, constants, defines, .. } => {
                let constants = self.pipeline.settings_at(at, point, constants);
                let model = model_of(self.base.join(file), constants);
                let defines = self.pipeline.settings_at(at, point, defines);
                let opening = Opening {
                    defines: &defines,
                    limits: Some(&self.args.limits),
                    as_system: true,
                    record: Some(record),
                    ..Opening::default()
                };
                let mut session = match open(&model, opening) {
                    Ok(session) => session,
                    Err(found) => {
                        self.failed(found, &Sources::new());
                        return None;
                    }
                };
                let (report, lts) =
                    volvelle_systems::transition_system(&mut session, &self.settings, self.control);
                self.stop = self.stop.or(report.stop);
                let found = report.all_diagnostics().into_iter().cloned().collect();
                self.note(found, &session.model.sources);
                lts?
            }
        };
        let (lts, warnings) = step.relabelling.apply(lts);
        self.note(
            warnings.into_iter().map(|warning| warning.at(step.span, "")).collect(),
            &self.found[0].1.clone(),
        );
        let Some(options) = step.reduce else { return Some(lts) };
        match reduce_system(lts, options, &self.settings.allowance, self.control) {
            Ok(reduced) => {
                self.note(reduced.diagnostics, &Sources::new());
                Some(reduced.lts)
            }
            Err((diagnostic, stop)) => {
                self.stop = self.stop.or(stop);
                let sources = self.found[0].1.clone();
                self.failed(vec![diagnostic.at(step.span, "")], &sources);
                None
            }
        }
    }

    fn write_system(&mut self, lts: &Lts, path: &PathBuf) {
        // What selects no format was refused.
        let Ok(format) = format(path) else { return };
        let mut export = Export::new(&self.settings, self.control);
        write(lts, path, format, &mut export);
        watchdog::work_goes_on();
        let mut report = Report::default();
        self.written.extend(export.finish(&mut report));
        self.stop = self.stop.or(report.stop);
        self.note(report.diagnostics, &Sources::new());
    }

    fn failed(&mut self, found: Vec<Diagnostic>, sources: &Sources) -> Kept {
        debug_assert!(found.iter().any(|found| found.severity == Severity::Error) || found.is_empty());
        self.note(found, sources);
        Kept::without(Made::Failed)
    }
}
