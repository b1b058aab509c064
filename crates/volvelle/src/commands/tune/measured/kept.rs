//! The cache of measured times: read at the beginning, and extended by every measurement, so that nothing is lost when a run ends
//! early.

use crate::files;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_tune::formats::Measurement;
use volvelle_tune::formats::cache::{Cache, END};
use volvelle_tune::space::Parameter;

/// An open cache.
pub struct Kept {
    path: PathBuf,
    file: File,
    parameters: Vec<Parameter>,
    is_empty: bool,
    failure: Option<io::Error>,
}

impl Kept {
    /// Opens a cache, and returns what it has. `empty` describes what is measured.
    pub fn open(path: &Path, empty: &Cache) -> Result<(Kept, Vec<Measurement>), Diagnostic> {
        let mut whole = empty.clone();
        if path.exists() {
            let text = files::read(path)?;
            let wrong =
                |why: String| Diagnostic::error(codes::TUNER_FILE, format!("`{}`: {why}", path.display()));
            let found = Cache::read(&text.text).map_err(|error| wrong(error.to_string()))?;
            found.fits(&empty.device, &empty.kernel, &empty.size, &empty.parameters).map_err(
                |difference| {
                    let diagnostic = wrong("the cache belongs to another run".to_owned());
                    diagnostic
                        .note(format!("it has the {difference}"))
                        .help("name another file: --cache FILE")
                },
            )?;
            whole.entries = found.entries;
            // Values that other runs had stay in the list, so that their entries keep their meaning.
            for (parameter, other) in whole.parameters.iter_mut().zip(found.parameters) {
                for value in other.values {
                    if !parameter.values.contains(&value) {
                        parameter.values.push(value);
                    }
                }
            }
        }
        let not_written = |error: io::Error| files::not_written(path, &error);
        let text = whole.write();
        let text = text.strip_suffix(END).unwrap_or(&text);
        // The old file stays until the new one is whole. Not by `whole_file`, which tells the watchdog that results are printed.
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path)).map_err(not_written)?;
        let file = OpenOptions::new().append(true).open(path).map_err(not_written)?;
        let kept = Kept {
            path: path.to_owned(),
            file,
            parameters: empty.parameters.clone(),
            is_empty: whole.entries.is_empty(),
            failure: None,
        };
        Ok((kept, whole.entries))
    }

    /// Adds a measurement.
    pub fn add(&mut self, measurement: &Measurement) {
        let text = Cache::entry(&self.parameters, measurement, self.is_empty);
        self.is_empty = false;
        if let Err(error) = self.file.write_all(text.as_bytes()) {
            self.failure.get_or_insert(error);
        }
    }

    /// Ends the file.
    pub fn close(mut self, written: &mut Vec<String>, diagnostics: &mut Vec<Diagnostic>) {
        let ended = self.file.write_all(END.as_bytes());
        match self.failure.map_or(ended, Err) {
            Ok(()) => written.push(self.path.display().to_string()),
            Err(error) => diagnostics.push(files::not_written(&self.path, &error)),
        }
    }
}
