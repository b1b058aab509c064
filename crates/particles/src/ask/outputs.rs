//! The files that a run writes while it goes on.

use super::opened::Opened;
use super::places::{folder, last, name_of_last};
use crate::options::{MoveBodies, PlaneName};
use std::path::{Path, PathBuf};
use volvelle_console::door::Role;
use volvelle_console::{amounts, door, files};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_nbody::files::{Format as SnapshotFormat, WriteOptions};
use volvelle_nbody::pictures::{Plane, View, positions};
use volvelle_nbody::{Bodies, files as snapshots};
use volvelle_plot::{Format, render_scatter};

/// Folders, and how pictures are drawn.
pub struct Outputs {
    folder: PathBuf,
    format: SnapshotFormat,
    movie: Option<PathBuf>,
    /// Between the pictures of a movie.
    interval: f64,
    title: String,
    /// The snapshot that the run continues from.
    restart: Option<PathBuf>,
    pub view: View,
    /// Names of the files written, each once.
    pub written: Vec<String>,
}

impl Outputs {
    /// Makes the folders.
    pub fn new(args: &MoveBodies, opened: &Opened) -> Result<Self, Vec<Diagnostic>> {
        let folder = folder(args, &opened.configuration);
        let plane = match args.pictures.plane {
            PlaneName::Xy => Plane::Xy,
            PlaneName::Xz => Plane::Xz,
            PlaneName::Yz => Plane::Yz,
        };
        let mut view = View::of(opened.drawn.as_ref().unwrap_or(&opened.bodies), plane);
        if let Some(text) = &args.pictures.half_width {
            view.half_width =
                amounts::width(text, "--half-width 3").map_err(|diagnostic| vec![diagnostic])?;
        }
        let movie = args.pictures.movie.clone();
        let format = opened.configuration.outputs.format;
        let ending = format.endings()[0];
        door::claim(&last(args, &opened.configuration), Role::Kept);
        let is_restart = |name: &str| {
            args.restart.as_deref().is_some_and(|restart| door::is_same(restart, &folder.join(name)))
        };
        let is_snapshot = |name: &str| is_numbered(name, SNAPSHOT, ending) && !is_restart(name);
        door::claim_among(&folder, is_snapshot, Role::Perhaps);
        if let Some(movie) = &movie {
            door::claim_among(movie, |name| is_numbered(name, FRAME, "png"), Role::Perhaps);
        }
        let refused = files::refusals();
        if !refused.is_empty() {
            return Err(refused);
        }
        let refused =
            [Some(&folder), movie.as_ref()].into_iter().flatten().filter_map(|path| made(path).err());
        let refused: Vec<Diagnostic> = refused.collect();
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Outputs {
            folder,
            format,
            movie,
            interval: opened.configuration.schedule.report,
            title: opened.name.clone(),
            restart: args.restart.clone(),
            view,
            written: Vec::new(),
        })
    }

    /// Tells of columns that the format of snapshots has no place for.
    pub fn lost_columns(&self, bodies: &Bodies) -> Option<Diagnostic> {
        let lost = bodies.others.iter().filter(|column| !self.format.keeps(&column.name));
        let lost: Vec<String> = lost.map(|column| format!("`{}`", column.name)).collect();
        let message = format!("the format of snapshots has no place for {}", lost.join(", "));
        let help = "`format = \"csv\"` in `[output]` keeps all columns";
        (!lost.is_empty()).then(|| Diagnostic::warning(codes::SNAPSHOT, message).help(help))
    }

    /// The file of the last bodies.
    pub fn path_of_last(&self) -> PathBuf {
        self.folder.join(name_of_last(self.format))
    }

    /// Keeps bodies in place of those that were kept before.
    pub fn last(&mut self, bodies: &Bodies, diagnostics: &mut Vec<Diagnostic>) {
        self.keep(&self.path_of_last(), bodies, diagnostics);
    }

    /// Keeps bodies in a numbered file.
    pub fn snapshot(&mut self, number: u64, bodies: &Bodies, diagnostics: &mut Vec<Diagnostic>) {
        let path = self.folder.join(format!("{SNAPSHOT}{number:06}.{}", self.format.endings()[0]));
        // A run that continues from a snapshot has that one.
        if !self.restart.as_deref().is_some_and(|restart| door::is_same(restart, &path)) {
            self.keep(&path, bodies, diagnostics);
        }
    }

    fn keep(&mut self, path: &Path, bodies: &Bodies, diagnostics: &mut Vec<Diagnostic>) {
        let options = WriteOptions::default();
        if self.format == SnapshotFormat::Gadget {
            return self.keep_in_hdf5(path, bodies, diagnostics);
        }
        let mut bytes = Vec::new();
        match snapshots::write_text(self.format, bodies, &options, &mut bytes) {
            Ok(()) => self.write(path, &bytes, diagnostics),
            Err(error) => self.note(path, Err(files::not_written(path, &error)), diagnostics),
        }
    }

    /// The library writes files itself: beside their place, so that the old one stays until the new one is whole.
    fn keep_in_hdf5(&mut self, path: &Path, bodies: &Bodies, diagnostics: &mut Vec<Diagnostic>) {
        let written = door::through(
            path,
            |beside| snapshots::write(beside, bodies, &WriteOptions::default()),
            |error| files::not_written(path, error),
        );
        self.note(path, written, diagnostics);
    }

    /// Notes that a file was written, or why it was not; the same reason once.
    fn note(&mut self, path: &Path, written: Result<(), Diagnostic>, diagnostics: &mut Vec<Diagnostic>) {
        let name = path.display().to_string();
        match written {
            Ok(()) if self.written.contains(&name) => {}
            Ok(()) => self.written.push(name),
            Err(diagnostic) if diagnostics.contains(&diagnostic) => {}
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }

    /// A picture of the movie.
    pub fn frame(&mut self, bodies: &Bodies, diagnostics: &mut Vec<Diagnostic>) {
        let Some(folder) = &self.movie else { return };
        // A run that goes on has the numbers of one that never stopped.
        let number = (bodies.time / self.interval - 1e-9).ceil().max(0.0) as u64;
        let path = folder.join(format!("{FRAME}{number:06}.png"));
        let picture = render_scatter(&positions(bodies, &self.view, &self.title), Format::Png);
        self.write(&path, &picture, diagnostics);
    }

    fn write(&mut self, path: &Path, bytes: &[u8], diagnostics: &mut Vec<Diagnostic>) {
        let written = door::store(path, |out| out.write_all(bytes));
        self.note(path, written.map_err(|error| files::not_written(path, &error)), diagnostics);
    }
}

/// Makes a folder, if it is not there.
fn made(path: &Path) -> Result<(), Diagnostic> {
    door::make_folder(path).map_err(|error| files::not_written(path, &error))
}

const SNAPSHOT: &str = "snapshot-";
const FRAME: &str = "frame-";

/// Whether a name has a number between this beginning and this ending.
fn is_numbered(name: &str, beginning: &str, ending: &str) -> bool {
    let number = name.strip_prefix(beginning).and_then(|rest| rest.strip_suffix(ending)?.strip_suffix('.'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}
