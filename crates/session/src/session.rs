//! A model and a run of questions about it.

use crate::devices::Machine;
use crate::folder::NoFolder;
use crate::language::{FrontEnd, Input};
use crate::model::Model;
use crate::run::Run;
use crate::text::Text;
use volvelle_control::Control;
use volvelle_diagnostics::Diagnostic;

/// A model, and how its questions are worked on. Analyses that need one of them take only that one.
pub struct Session {
    /// What is asked about.
    pub model: Model,
    /// What works on the answer.
    pub run: Run,
}

impl Session {
    /// Reads a model and files of properties that are texts, without other files. `constants` are the arguments of
    /// `--const`. Mistakes end up in the diagnostics of every report.
    pub fn open<S: AsRef<str>>(model: Text, properties: Vec<Text>, constants: &[S]) -> Self {
        let control = Control::unlimited();
        Self::open_files(None, Input::of_text(model, properties, &mut NoFolder, &control), constants)
    }

    /// Reads a model in this language, or in the one that name and contents tell.
    pub fn open_files<S: AsRef<str>>(
        language: Option<&dyn FrontEnd>,
        files: Input<'_>,
        constants: &[S],
    ) -> Self {
        Session { model: Model::open(language, files, constants), run: Run::default() }
    }

    /// Lets the devices of a machine run that a configuration selects.
    ///
    /// # Errors
    /// Diagnostics about the configuration.
    pub fn set_configured_devices(&mut self, machine: &Machine, text: Text) -> Result<(), Vec<Diagnostic>> {
        let file = self.model.sources.add(text.name, text.text.clone());
        self.run.set_devices(machine.configured(file, &text.text)?);
        Ok(())
    }
}
