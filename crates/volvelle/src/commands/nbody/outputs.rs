//! The files that a run writes while it goes on.

use super::opened::Opened;
use crate::args::{MoveBodies, PlaneName};
use crate::{amounts, cluster, files};
use std::path::{Path, PathBuf};
use volvelle_diagnostics::Diagnostic;
use volvelle_nbody::Bodies;
use volvelle_nbody::configuration::SnapshotFormat;
use volvelle_nbody::pictures::{Plane, View, positions};
use volvelle_plot::{Format, render_scatter};

/// Folders, and how pictures are drawn.
pub struct Outputs {
    folder: PathBuf,
    format: SnapshotFormat,
    movie: Option<PathBuf>,
    /// Between the pictures of a movie.
    interval: f64,
    title: String,
    pub view: View,
    /// Names of the files written, each once; of numbered ones the last.
    pub written: Vec<String>,
}

impl Outputs {
    /// Makes the folders.
    pub fn new(args: &MoveBodies, opened: &Opened) -> Result<Self, Vec<Diagnostic>> {
        let configured = opened.configuration.outputs.folder.as_ref().map(PathBuf::from);
        let usual = || args.configuration.with_extension("").file_name().map(PathBuf::from);
        let folder = args.folder.clone().or(configured).or_else(usual).unwrap_or_else(|| "nbody".into());
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
        let refused =
            [Some(&folder), movie.as_ref()].into_iter().flatten().filter_map(|path| made(path).err());
        let refused: Vec<Diagnostic> = refused.collect();
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Outputs {
            folder,
            format: opened.configuration.outputs.format,
            movie,
            interval: opened.configuration.schedule.report,
            title: opened.name.clone(),
            view,
            written: Vec::new(),
        })
    }

    /// The file of the last bodies.
    pub fn path_of_last(&self) -> PathBuf {
        self.folder.join(format!("last.{}", self.format.extension()))
    }

    /// Keeps bodies in place of those that were kept before.
    pub fn last(&mut self, bodies: &Bodies, diagnostics: &mut Vec<Diagnostic>) {
        self.keep(&self.path_of_last(), bodies, diagnostics);
    }

    /// Keeps bodies in a numbered file.
    pub fn snapshot(&mut self, number: u64, bodies: &Bodies, diagnostics: &mut Vec<Diagnostic>) {
        let name = format!("snapshot-{number:06}.{}", self.format.extension());
        self.keep(&self.folder.join(name), bodies, diagnostics);
    }

    fn keep(&mut self, path: &Path, bodies: &Bodies, diagnostics: &mut Vec<Diagnostic>) {
        let bytes = self.format.bytes(bodies);
        self.write(path, &bytes, diagnostics);
    }

    /// A picture of the movie.
    pub fn frame(&mut self, bodies: &Bodies, diagnostics: &mut Vec<Diagnostic>) {
        let Some(folder) = &self.movie else { return };
        // A run that goes on has the numbers of one that never stopped.
        let number = (bodies.time / self.interval - 1e-9).ceil().max(0.0) as u64;
        let path = folder.join(format!("frame-{number:06}.png"));
        let picture = render_scatter(&positions(bodies, &self.view, &self.title), Format::Png);
        self.write(&path, &picture, diagnostics);
    }

    /// Writes a file. One that cannot be written is told once.
    fn write(&mut self, path: &Path, bytes: &[u8], diagnostics: &mut Vec<Diagnostic>) {
        let (mut written, mut found) = (Vec::new(), Vec::new());
        files::write(path, bytes, &mut written, &mut found);
        diagnostics.extend(found.into_iter().filter(|new| !diagnostics.contains(new)).collect::<Vec<_>>());
        for name in written {
            if !self.written.contains(&name) {
                self.written.push(name);
            }
        }
    }
}

/// Makes a folder, if it is not there.
fn made(path: &Path) -> Result<(), Diagnostic> {
    if cluster::is_follower() {
        return Ok(());
    }
    std::fs::create_dir_all(path).map_err(|error| files::not_written(path, &error))
}
