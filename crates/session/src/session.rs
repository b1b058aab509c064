//! A model with its properties, and what can be done with it.

use crate::campaign::{PathCampaign, PathWork, PointCampaign, PointWork, Saver};
use crate::choices::Choices;
use crate::cluster;
use crate::constants::{self, Swept};
use crate::devices::Machine;
use crate::interim::Interim;
use crate::language::{
    self, Analysis, Document, Formalism, FrontEnd, Input, NoFolder, Offers, ProcessDocument,
};
use crate::outline::Outline;
pub use crate::settings::Settings;
use crate::sweeping;
pub use crate::text::Text;
use crate::weighting::Weighting;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use volvelle_campaign::{Body, Section};
use volvelle_control::{Control, TaskSharing};
use volvelle_diagnostics::{Code, Diagnostic, FileId, Sources, codes, has_errors};
use volvelle_estimate::Ranks;
use volvelle_explore::Explored;
use volvelle_logic::Constant;
use volvelle_markov::Sweeps;
use volvelle_model::Program;
use volvelle_runtime::{Devices, Network};

/// An explored model, for exports.
pub struct Exploration {
    /// The states.
    pub explored: Explored,
}

/// A model with its properties.
pub struct Session {
    /// The texts, for diagnostics that point into them.
    pub sources: Sources,
    /// The model as its front end understands it; `None` if it could not be read.
    pub document: Option<Box<dyn Document>>,
    /// The name of its file.
    pub file: String,
    /// The constants given, with all their values.
    pub swept: Vec<Swept>,
    /// The same with one value each: those in force.
    pub given: Vec<Constant>,
    /// The texts of `--prop`, each of which is read once.
    pub texts: Vec<(String, FileId)>,
    /// The option that gave these texts, for diagnostics that point into them.
    pub property_texts_from: &'static str,
    /// What was found wrong so far, and is not told yet.
    pub diagnostics: Vec<Diagnostic>,
    /// The constants given could not be read: the model would be another one.
    pub refused: bool,
    /// When the session began.
    pub started: Instant,
    /// How choices are resolved where paths are simulated.
    pub choices: Choices,
    /// Devices that run paths besides threads.
    pub devices: Devices,
    /// The device that multiplies vectors by matrices in place of threads.
    pub sweeps: Option<Sweeps>,
    /// What becomes weights where the model is made a weighted structure.
    pub weighting: Weighting,
    /// What the run in progress has found.
    pub interim: Interim,
    /// Which paths are run here.
    pub paths: Mutex<PathCampaign>,
    /// Which points of a grid are computed here.
    pub points: PointCampaign,
    /// Processes that work on the run together.
    pub ranks: Option<Ranks>,
}

/// In most languages an empty text would be a model, but never the one that was meant.
fn nothing_in(name: &str) -> Diagnostic {
    let (message, help) = match name {
        "-" => ("standard input is empty".to_owned(), "pipe a model into the command, or give a file name"),
        _ => (format!("`{name}` is empty"), "give a file that contains a model"),
    };
    Diagnostic::error(codes::FILE_NOT_READ, message).help(help)
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
        let started = Instant::now();
        let (swept, mut diagnostics) = constants::parse(constants);
        let first = |swept: &Swept| Constant { name: swept.name.clone(), value: swept.values[0].clone() };
        let given = swept.iter().map(first).collect();
        let refused = has_errors(&diagnostics);
        let mut sources = Sources::new();
        let file = files.name.clone();
        let language = match files.bytes.trim_ascii() {
            [] => Err(nothing_in(&files.name)),
            _ => language.map_or_else(|| language::of_model(&files.name, &files.bytes), Ok),
        };
        let document = match language {
            Ok(language) => language.read(files, &mut sources, &mut diagnostics),
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                None
            }
        };
        Session {
            sources,
            document,
            file,
            swept,
            given,
            texts: Vec::new(),
            property_texts_from: "--prop",
            diagnostics,
            refused,
            started,
            choices: Choices::default(),
            devices: Devices::default(),
            sweeps: None,
            weighting: Weighting::default(),
            interim: Interim::default(),
            paths: Mutex::default(),
            points: PointCampaign::default(),
            ranks: None,
        }
    }

    /// What the run in progress has found so far: for another thread, which may have to show it.
    pub fn interim(&self) -> Interim {
        self.interim.clone()
    }

    /// Whether the language of the model allows an analysis. Without a document all are allowed: each says why it fails.
    pub fn allows(&self, analysis: Analysis) -> bool {
        self.document.as_ref().is_none_or(|document| document.offers().allows(analysis))
    }

    /// What the model offers; `None` if it could not be read.
    pub fn offers(&self) -> Option<Offers> {
        self.document.as_ref().map(|document| document.offers())
    }

    /// The building blocks of the model; `None` if it could not be read.
    pub fn formalism(&self) -> Option<Formalism> {
        self.document.as_ref().map(|document| document.offers().formalism)
    }

    /// Whether the model is a labelled transition system, or a network of some, and has no program.
    pub fn is_labelled(&self) -> bool {
        self.document.as_ref().is_some_and(|document| document.offers().is_labelled)
    }

    /// Why the model does not allow an analysis, with what applies instead; `None` if it does.
    pub fn refusal(&self, analysis: Analysis) -> Option<Diagnostic> {
        let document = self.document.as_ref().filter(|_| !self.allows(analysis))?;
        Some(document.refusal(analysis))
    }

    /// The model as it was read, where it is given by its states.
    pub fn explicit(&self) -> Option<&volvelle_explicit::Model> {
        self.document.as_ref().and_then(|d| d.explicit())
    }

    /// Says what makes the choices of an mdp where its paths are simulated.
    pub fn set_scheduler(&mut self, choices: Choices) {
        self.choices = choices;
    }

    /// Says what becomes weights and propositions, where a model is made a weighted structure.
    pub fn set_weighting(&mut self, weighting: Weighting) {
        self.weighting = weighting;
    }

    /// Says which devices run paths; the first makes the sweeps of numerical analyses.
    pub fn set_devices(&mut self, devices: Devices) {
        self.sweeps = sweeping::sweeps(&devices);
        self.devices = devices;
    }

    /// Lets the devices of a machine run that a configuration selects.
    ///
    /// # Errors
    /// Diagnostics about the configuration.
    pub fn set_configured_devices(&mut self, machine: &Machine, text: Text) -> Result<(), Vec<Diagnostic>> {
        let file = self.sources.add(text.name, text.text.clone());
        self.set_devices(machine.configured(file, &text.text)?);
        Ok(())
    }

    /// Lets processes of a network work on the run together; all of them open the same session, and the first has the answers.
    pub fn set_network(&mut self, network: Arc<dyn Network>) {
        self.ranks = (network.size() > 1).then(|| Ranks::new(network));
    }

    /// Control of work whose tasks the processes share.
    pub fn sharing<'c>(&'c self, control: &Control<'c>) -> Control<'c> {
        let sharing = self.ranks.as_ref().map(|ranks| ranks as &dyn TaskSharing);
        Control { sharing, ..*control }
    }

    /// Remarks about processes that are gone, which had such tasks.
    pub fn lost_ranks(&self, tasks: &str) -> Vec<Diagnostic> {
        self.ranks.as_ref().map(|ranks| cluster::lost(ranks, tasks)).unwrap_or_default()
    }

    /// Says which paths are run here, and which are known; `saver` is told of them as they grow.
    pub fn set_path_work(&mut self, work: PathWork, saver: Option<Box<dyn Saver>>) {
        self.paths = Mutex::new(PathCampaign::new(work, saver));
    }

    /// Says which points of a grid are computed here, and which are known; `saver` is told of them as they grow.
    pub fn set_point_work(&mut self, work: PointWork, saver: Option<Box<dyn Saver>>) {
        self.points = PointCampaign::new(work, saver);
    }

    /// What was computed of the points of a grid.
    pub fn computed_points(&self) -> Body {
        self.points.body()
    }

    /// What is known of the paths of each estimation.
    pub fn path_sections(&self) -> Vec<Section> {
        self.path_campaign().sections().to_vec()
    }

    /// First path and the path after the last that the next round has to run, for each estimation; `None` if there are enough.
    pub fn next_round(&self) -> Option<Vec<[u64; 2]>> {
        self.path_campaign().next_round()
    }

    /// The paths that are run here and those that are known.
    pub fn path_campaign(&self) -> MutexGuard<'_, PathCampaign> {
        // A panic ends the run, and what was saved before it stands.
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The texts, for drawing diagnostics.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Whether constants were given ranges or lists of values: then there is a grid of questions.
    pub fn is_experiment(&self) -> bool {
        self.swept.iter().any(|s| s.is_sweep)
    }

    /// Refuses ranges of values where one model is wanted.
    pub fn refuse_sweeps(&mut self) {
        for swept in self.swept.iter().filter(|s| s.is_sweep) {
            let message = format!("the constant `{}` is given several values", swept.name);
            self.diagnostics.push(
                Diagnostic::error(codes::BAD_CONST_OPTION, message)
                    .note("ranges and lists of values apply to computed properties only")
                    .help(format!("give one value: --const {}={}", swept.name, swept.values[0])),
            );
            self.refused = true;
        }
    }

    /// Gives up the constants that were given, where the model has none that could be meant; tells whether it did.
    pub fn gives_up_constants(&mut self) -> bool {
        let gives_up = self.document.as_ref().is_some_and(|document| !document.has_constants());
        if gives_up {
            (self.swept, self.given) = (Vec::new(), Vec::new());
        }
        gives_up
    }

    /// The name of the model's file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The program, if the model could be lowered.
    pub fn program(&self) -> Option<&Program> {
        self.document.as_ref().and_then(|d| d.program())
    }

    /// The model as one of processes, if it is one.
    pub fn processes(&self) -> Option<&dyn ProcessDocument> {
        self.document.as_ref().and_then(|d| d.processes())
    }

    /// Number of listed properties.
    pub fn num_properties(&self) -> usize {
        self.document.as_ref().map_or(0, |d| d.listed().len())
    }

    /// The parts of the model, as far as it can be read, with all diagnostics but those about open constants.
    pub fn outline(&mut self) -> (Option<Outline>, Vec<Diagnostic>) {
        self.refuse_sweeps();
        self.lower();
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        diagnostics.retain(|d| d.code != codes::OPEN_CONSTANT);
        let outline = self.document.as_ref().and_then(|d| d.outline(&self.sources));
        diagnostics.extend(self.unmentioned_constants());
        (outline, diagnostics)
    }

    /// Lowers the model; tells whether there is a program.
    pub fn lower(&mut self) -> bool {
        let Some(document) = &mut self.document else { return false };
        let complaints = document.lower(&self.sources, &self.given);
        self.diagnostics.extend(complaints);
        document.program().is_some() && !self.refused
    }

    /// Diagnostics about given constants that neither the model nor a file of properties declares; for commands that
    /// look at no property.
    pub fn unmentioned_constants(&self) -> Vec<Diagnostic> {
        self.document.as_ref().map_or(Vec::new(), |d| d.unused_constants())
    }
}

/// Whether one of the diagnostics has this code.
pub fn mentions(diagnostics: &[Diagnostic], code: Code) -> bool {
    diagnostics.iter().any(|d| d.code == code)
}

impl Drop for Session {
    fn drop(&mut self) {
        // Others may wait for work.
        if let Some(ranks) = &self.ranks {
            ranks.end();
        }
    }
}
