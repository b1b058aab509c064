//! The systems of a pipeline: made, or taken from an earlier run.

use super::Run;
use super::cache::{Entry, hash_of_model, load};
use crate::args::{ModelArgs, PartArgs};
use crate::commands::systems::{format, write};
use crate::commands::{Opening, export::Export, open};
use crate::files::{self, Record};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Severity, Sources};
use volvelle_explicit::WriteError;
use volvelle_verify::pipeline::{Made, Pipeline, Setting, Source};
use volvelle_verify::{Lts, Report, limits, reduce_system};

/// The system of a step at a point.
pub struct Kept {
    /// How it came about.
    pub made: Made,
    size: Option<[u64; 2]>,
    /// Absent where it was not made, or is no longer needed.
    system: Option<Rc<System>>,
}

/// A system, in memory or in the folder.
struct System {
    entry: Entry,
    lts: RefCell<Option<Rc<Lts>>>,
}

impl Kept {
    fn without(made: Made) -> Self {
        Kept { made, size: None, system: None }
    }

    fn of(made: Made, entry: Entry, lts: Option<Rc<Lts>>) -> Self {
        let size = Some(entry.size);
        Kept { made, size, system: Some(Rc::new(System { entry, lts: RefCell::new(lts) })) }
    }

    /// States and transitions.
    pub fn size(&self) -> Option<[u64; 2]> {
        self.size
    }

    /// Takes it out of memory.
    pub fn forget(&mut self) {
        self.system = None;
    }

    /// The system itself, read from the folder if it is not in memory.
    pub fn lts(&self, control: &Control<'_>) -> Result<Rc<Lts>, Vec<Diagnostic>> {
        let Some(system) = &self.system else { return Err(Vec::new()) };
        if let Some(lts) = &*system.lts.borrow() {
            return Ok(Rc::clone(lts));
        }
        let lts = Rc::new(load(&system.entry, control)?);
        *system.lts.borrow_mut() = Some(Rc::clone(&lts));
        Ok(lts)
    }
}

/// Errors about models that cannot be read.
pub fn unreadable(pipeline: &Pipeline, base: &Path) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for step in &pipeline.steps {
        if let Source::Model { file, span, .. } = &step.source {
            let path = base.join(file);
            let error = std::fs::File::open(&path).err();
            let error = error.or_else(|| path.is_dir().then(|| std::io::ErrorKind::IsADirectory.into()));
            found.extend(error.map(|error| files::unreadable(&path, &error).at(*span, "")));
        }
    }
    found
}

/// Errors about files that cannot be written.
pub fn unwritable(pipeline: &Pipeline, base: &Path) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut paths: Vec<PathBuf> = Vec::new();
    for (at, step) in pipeline.steps.iter().enumerate() {
        if let Some(file) = &step.write {
            found.extend(format(Path::new(file)).err().map(|diagnostic| diagnostic.at(step.span, "")));
            paths.extend(
                pipeline.points_of(at).iter().map(|point| base.join(pipeline.file_at(at, point, file))),
            );
        }
        paths.extend(step.csv.as_ref().map(|file| base.join(file)));
    }
    found.extend(files::unwritable(paths.iter().map(PathBuf::as_path)));
    found
}

impl Run<'_> {
    /// The system of a step at a point, which is written if that is wanted.
    pub(super) fn system(&mut self, at: usize, point: &[usize]) -> Kept {
        let step = &self.pipeline.steps[at];
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
                Kept { made: of.made, size: of.size, system: of.system.clone() }
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
                key.add(of.system.as_ref().map_or("", |system| &system.entry.hash).as_bytes());
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
                let model = ModelArgs {
                    model: self.base.join(file),
                    language: None,
                    constants: self.pipeline.settings_at(at, point, constants),
                    read_as: None,
                    no_probability_check: false,
                    parts: PartArgs::default(),
                };
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
                let (report, lts) = session.transition_system(&self.settings, self.control);
                self.stop = self.stop.or(report.stop);
                let found = report.all_diagnostics().into_iter().cloned().collect();
                self.note(found, session.sources());
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

    /// Notes the limit that was reached.
    pub(super) fn stopped(&mut self, stop: Stop) {
        self.stop = self.stop.or(Some(stop));
        self.note(vec![limits::stopped(stop, &self.settings.allowance)], &Sources::new());
    }
}
