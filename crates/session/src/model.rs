//! A model: its texts, what its front end understood, and the constants that are given to it.

use crate::constants::{self, Swept};
use crate::language::{self, Analysis, Document, Formalism, FrontEnd, Input, Offers, ProcessDocument};
use crate::outline::Outline;
use std::time::Instant;
use volvelle_diagnostics::{Code, Diagnostic, Distinct, FileId, Sources, codes, has_errors};
use volvelle_logic::Constant;
use volvelle_model::Program;

/// A model with its properties.
pub struct Model {
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
    pub(crate) texts: Vec<(String, FileId)>,
    /// The option that gave these texts, for diagnostics that point into them.
    pub property_texts_from: &'static str,
    /// What was found wrong so far, and is not told yet.
    pub diagnostics: Vec<Diagnostic>,
    /// The constants given could not be read: the model would be another one.
    pub refused: bool,
    /// When reading began: reports count from here.
    pub started: Instant,
}

/// In most languages an empty text would be a model, but never the one that was meant.
fn nothing_in(name: &str) -> Diagnostic {
    let (message, help) = match name {
        "-" => ("standard input is empty".to_owned(), "pipe a model into the command, or give a file name"),
        _ => (format!("`{name}` is empty"), "give a file that contains a model"),
    };
    Diagnostic::error(codes::FILE_NOT_READ, message).help(help)
}

impl Model {
    /// Reads a model in this language, or in the one that name and contents tell. `constants` are the arguments of `--const`.
    /// Mistakes end up in the diagnostics of every report.
    pub fn open<S: AsRef<str>>(language: Option<&dyn FrontEnd>, files: Input<'_>, constants: &[S]) -> Self {
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
        let (texts, property_texts_from) = (Vec::new(), "--prop");
        Model {
            sources,
            document,
            file,
            swept,
            given,
            texts,
            property_texts_from,
            diagnostics,
            refused,
            started,
        }
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
        // What has no program is whole without one.
        if self.offers().is_none_or(|offers| offers.has_program()) {
            self.lower();
        }
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        diagnostics.retain(|d| d.code != codes::OPEN_CONSTANT);
        let outline = self.document.as_ref().and_then(|d| d.outline(&self.sources));
        diagnostics.extend(self.unmentioned_constants());
        (outline, diagnostics)
    }

    /// What is wrong with the model and its properties, before anything is explored; each once.
    pub fn findings(&mut self) -> Vec<Diagnostic> {
        let (_, mut diagnostics) = self.outline();
        let number = self.num_properties();
        if let Some(document) = self.document.as_mut().filter(|document| document.program().is_some()) {
            for property in 0..number {
                diagnostics.extend(document.property(&self.sources, property).err().unwrap_or_default());
            }
            diagnostics.extend(document.take_warnings());
        }
        let mut told = Distinct::default();
        for diagnostic in diagnostics.into_iter().filter(|diagnostic| diagnostic.code != codes::OPEN_CONSTANT)
        {
            told.push(diagnostic);
        }
        told.take()
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
