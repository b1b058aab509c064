//! Documents: models as front ends read them, and the input that they need.

use super::WeightedSource;
use super::offers::{Analysis, Offers};
use crate::folder::{Folder, NamedFiles, NoFolder};
use crate::outline::Outline;
use crate::text::Text;
use crate::trace::{Standing, TraceStep, VariableValue};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::io::Read;
use std::rc::Rc;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span};
use volvelle_explore::LoadedSpace;
use volvelle_kernel::{ExprId, Site};
use volvelle_logic::{Constant, Property};
use volvelle_lts::{Covered, NetworkText, ProcessStep};
use volvelle_model::claim::Claim;
use volvelle_model::{FieldId, LocationId, NetworkLayout, Origin, Program, Terms};
use volvelle_space::Lts;

/// The contents of a file beside the transitions of an explicit model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Labels of states.
    Labels,
    /// Values of variables in states.
    States,
    /// Observations of states.
    Observations,
    /// Rewards of states, a file for each structure.
    StateRewards,
    /// Rewards of transitions, a file for each structure.
    TransitionRewards,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 5] =
        [Part::Labels, Part::States, Part::Observations, Part::StateRewards, Part::TransitionRewards];

    /// The ending of its files, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Part::Labels => "lab",
            Part::States => "sta",
            Part::Observations => "obs",
            Part::StateRewards => "srew",
            Part::TransitionRewards => "trew",
        }
    }

    /// Whether there may be several files.
    pub fn is_numbered(self) -> bool {
        matches!(self, Part::StateRewards | Part::TransitionRewards)
    }
}

/// The kind that a model is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the field's names
pub enum ReadAs {
    Dtmc,
    Ctmc,
    Mdp,
}

/// What is read otherwise than the text of a model says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The kind of model, whatever the text says.
    pub kind: Option<ReadAs>,
    /// Whether a sum of probabilities other than one is a warning.
    pub unchecked_sums: bool,
}

/// The input of a front end.
pub struct Input<'a> {
    /// Name of the model's file, as the user gave it.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
    /// The files of properties.
    pub properties: Vec<Text>,
    /// Macros defined from outside: names and texts.
    pub defines: &'a [(String, String)],
    /// Further parts of the model, with names and contents of their files.
    pub parts: Vec<(Part, String, Vec<u8>)>,
    /// Whether numbers are to be kept exactly.
    pub exact: bool,
    /// What is read otherwise than the text says.
    pub overrides: Overrides,
    /// The standard input of the command, for models that read it; `None` where it is used for something else.
    pub standard_input: Option<&'a mut dyn FnMut() -> Vec<u8>>,
    /// The rest of the model's file behind `bytes`, for models that are wanted as labelled transition systems: labels such as `rate 2` stay
    /// texts, and large files are not held as a whole. `None`: the file is `bytes`, and numbers are wanted.
    pub system: Option<&'a mut dyn Read>,
    /// Where the file of the model is.
    pub folder: &'a mut dyn Folder,
    /// The files that properties name.
    pub named: Rc<dyn NamedFiles>,
    /// Limits for reading.
    pub control: &'a Control<'a>,
}

impl<'a> Input<'a> {
    /// A model in one text, without other files and limits.
    pub fn of_text(
        model: Text,
        properties: Vec<Text>,
        folder: &'a mut dyn Folder,
        control: &'a Control<'a>,
    ) -> Self {
        Input {
            name: model.name,
            bytes: model.text.into_bytes(),
            properties,
            defines: &[],
            parts: Vec::new(),
            exact: false,
            overrides: Overrides::default(),
            standard_input: None,
            system: None,
            folder,
            named: Rc::new(NoFolder),
            control,
        }
    }
}

/// A network of labelled transition systems, with the contents of its files in their order.
pub struct NetworkFiles {
    /// The network.
    pub text: NetworkText,
    /// Contents of its files.
    pub contents: Vec<Vec<u8>>,
}

/// A property that a document lists.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Name, where it has one.
    pub name: Option<String>,
    /// As written.
    pub text: String,
    /// Where it was written.
    pub span: Span,
}

/// A model with its properties, as the front end of its language understands it: it is read, then lowered, then asked.
pub trait Document {
    /// Its parts, with values and ranges once it has been lowered; `None` if it cannot be understood.
    fn outline(&self, sources: &Sources) -> Option<Outline>;

    /// Gives values to the open constants and makes the program. Without a program afterwards, at least one of
    /// the diagnostics is an error. Constants that nothing declares are kept for the texts of properties.
    fn lower(&mut self, sources: &Sources, constants: &[Constant]) -> Vec<Diagnostic>;

    /// Gives other values to constants that only properties mention, after [`lower`](Self::lower); the program stays.
    /// Texts of properties are to be read again.
    fn set_constants(&mut self, constants: &[Constant]) -> Vec<Diagnostic>;

    /// The program, once lowered. Properties add observations to it.
    fn program(&self) -> Option<&Program>;

    /// The evaluator of the program's functions on data terms, as it is before exploration, if the program has some.
    fn terms(&self) -> Option<Box<dyn Terms>> {
        None
    }

    /// The open constants of the model itself that were given values, with these values.
    fn constants(&self) -> Vec<Constant>;

    /// The properties of the property files, in order.
    fn listed(&self) -> &[Listed];

    /// Lowers a listed property.
    fn property(&mut self, sources: &Sources, index: usize) -> Result<Property, Vec<Diagnostic>>;

    /// Reads and lowers the text of a property: constants, labels and names of the property files hold.
    fn text(&mut self, sources: &Sources, file: FileId) -> Result<Property, Vec<Diagnostic>>;

    /// Reads and lowers a formula that all runs have to satisfy, as the property `A [ formula ]`. Models of processes have
    /// [claims](Self::add_claim) in its place.
    fn formula(&mut self, _sources: &Sources, _file: FileId) -> Result<Property, Vec<Diagnostic>> {
        Err(vec![self.refusal(Analysis::Search)])
    }

    /// Warnings about the properties that were lowered since the last call.
    fn take_warnings(&mut self) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// Diagnostics about constants that were given but that neither the document nor a property mentions. To be asked
    /// for when all texts have been read.
    fn unused_constants(&self) -> Vec<Diagnostic>;

    /// Explains the failure of a site of the program in a state (one value per field). The caller adds which state it is.
    fn explain_failure(&self, sources: &Sources, site: Site, values: &[i64]) -> Diagnostic;

    /// Explains that no state is initial.
    fn explain_no_initial_state(&self) -> Diagnostic;

    /// The text behind an origin of the program.
    fn place(&self, origin: Origin) -> Option<Span>;

    /// A state for people: `q=5 open=true`.
    fn state_text(&self, values: &[i64]) -> String;

    /// Whether models of the language declare constants that can be given values.
    fn has_constants(&self) -> bool {
        true
    }

    /// What it offers; one of the values of its front end.
    fn offers(&self) -> Offers;

    /// Why the model does not allow an analysis, with what applies instead.
    fn refusal(&self, analysis: Analysis) -> Diagnostic;

    /// The model as it was read, where it is given by its states.
    fn explicit(&self) -> Option<&volvelle_explicit::Model> {
        None
    }

    /// The states of the model, where it is given by them: there is nothing to explore.
    fn given(&self, _control: &Control<'_>) -> Option<Result<LoadedSpace, Diagnostic>> {
        None
    }

    /// The labelled transition system that was read, where it was asked for ([`Input::system`]) and the file has one; it is given once.
    fn take_system(&mut self) -> Option<Lts> {
        None
    }

    /// The network of labelled transition systems that was read, where the file has one; it is given once.
    fn take_network(&mut self) -> Option<NetworkFiles> {
        None
    }

    /// The weighted system that was read, where the model is one.
    fn weighted(&self) -> Option<&WeightedSource> {
        None
    }

    /// The same model as one of processes, if it is one.
    fn processes(&self) -> Option<&dyn ProcessDocument> {
        None
    }

    /// Says which expressions are observed, before the model is lowered: texts in the language of the model, over its global
    /// variables. What is wrong with them is returned, or told by lowering.
    fn observe(&mut self, _sources: &mut Sources, _texts: &[ObservedText<'_>]) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// Adds a claim given from outside, before the model is lowered: a name of a claim of the model changes nothing,
    /// other texts are formulas. What is wrong with it is returned.
    fn add_claim(&mut self, _sources: &mut Sources, _text: &str) -> Vec<Diagnostic> {
        Vec::new()
    }
}

/// The text of an expression that is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedText<'a> {
    /// The option that gives it, for diagnostics that point into it.
    pub option: &'static str,
    /// The expression.
    pub text: &'a str,
    /// Whether it is a condition rather than a number.
    pub is_condition: bool,
}

/// A claim of a Promela model.
#[derive(Clone, Debug)]
pub struct Claimed<'a> {
    /// Its name; `never` for one without.
    pub name: &'a str,
    /// As written, on one line.
    pub text: String,
    /// Which runs are to be.
    pub claim: &'a Claim,
    /// The lines of its states, where it is an automaton.
    pub lines: Vec<Option<usize>>,
}

/// A Promela model: its claims, and how its runs are shown.
pub trait ProcessDocument: Document {
    /// The claims of the model and those added.
    fn claims<'a>(&'a self, sources: &'a Sources) -> Vec<Claimed<'a>>;

    /// The expressions of the program that are observed, in the order in which they were given.
    fn observed(&self) -> &[ExprId] {
        &[]
    }

    /// Global variables that a packed state has as numbers, element by element; none before the model is lowered.
    fn counters(&self) -> Vec<GlobalPlace>;

    /// Whether a text is a claim given from outside.
    fn is_formula(&self, file: FileId) -> bool;

    /// A diagnostic with the place of a claim, by its number.
    fn at_claim(&self, diagnostic: Diagnostic, number: usize) -> Diagnostic;

    /// A diagnostic with the place behind an origin of the program.
    fn at_origin(&self, diagnostic: Diagnostic, origin: Origin) -> Diagnostic;

    /// Whether a site stands for states in which no process can move.
    fn is_end(&self, site: Site) -> bool;

    /// The program without the variables on which nothing depends.
    fn without_unread(&self) -> Option<Program>;

    /// Warnings about values that were cut when they were stored: by site, the least of them.
    fn truncations(&self, notes: &BTreeMap<u32, i64>) -> Vec<Diagnostic>;

    /// Shows steps between states that are packed in this way; `None` before the model is lowered.
    fn steps<'a>(
        &'a self,
        sources: &'a Sources,
        layout: &'a NetworkLayout,
    ) -> Option<Box<dyn ShowSteps + 'a>>;

    /// Which statements no run executes, as warnings; and how many there are, those executed first.
    fn coverage(&self, covered: &Covered) -> (Vec<Diagnostic>, (usize, usize));

    /// The same model with what it prints and reads in its states, for runs that are watched. Steps have the same numbers
    /// and order.
    fn for_runs(&self) -> (Option<Box<dyn Document>>, Vec<Diagnostic>);

    /// Reads a condition on the states of runs, for a document [for runs](Self::for_runs).
    ///
    /// # Errors
    /// What is wrong with it, with places in `sources`.
    fn condition(
        &self,
        sources: &mut Sources,
        text: &str,
    ) -> Result<Box<dyn StateCondition>, Vec<Diagnostic>>;

    /// How its runs print and read.
    fn console(&self) -> Console<'_>;

    /// The text of the numbers that a step noted in the field for printing.
    fn printed(&self, noted: &[i64]) -> String;

    /// The numbers of statements in the trails of SPIN; `None` before the model is lowered.
    fn statement_numbers(&self) -> Option<StatementNumbers<'_>>;
}

/// Numbers of statements in the trails of another tool.
#[derive(Clone, Copy, Debug)]
pub struct StatementNumbers<'a> {
    /// By the origin of the transition that is the step.
    pub of_steps: &'a FxHashMap<Origin, u32>,
    /// All numbers are smaller. Some are those of no step.
    pub count: u32,
}

/// A condition on the states of a run.
pub trait StateCondition {
    /// Whether it holds in a packed state; `None` where evaluating it fails.
    fn holds(&self, layout: &NetworkLayout, state: &[u64]) -> Option<bool>;

    /// Its value as an expression: a number, where it is no comparison and the like.
    fn value(&self, layout: &NetworkLayout, state: &[u64]) -> Option<VariableValue>;
}

/// Shows steps and states of processes.
pub trait ShowSteps {
    /// A step between two states; `None` for a step of no statement.
    fn step(&self, step: ProcessStep, before: &[u64], after: &[u64]) -> Option<TraceStep>;

    /// Whether a step belongs to a statement.
    fn is_statement(&self, step: ProcessStep) -> bool;

    /// The process that moves, and its statement: `P(1): x = 1`, `S(0) > R(1): c!n c?m`; `tau` for a step of no
    /// statement.
    fn label(&self, step: ProcessStep, before: &[u64], after: &[u64]) -> String;

    /// The process that moves, and for a handshake the one that receives, each with the origin of its transition.
    fn movers(&self, step: ProcessStep, before: &[u64], after: &[u64]) -> Vec<(usize, Origin)>;

    /// Numbers that tell where every process is: equal ones, equal [`standings`](Self::standings). Cheap.
    fn places(&self, state: &[u64], into: &mut Vec<u32>);

    /// Where every process is.
    fn standings(&self, state: &[u64]) -> Vec<Standing>;

    /// The global variables, element by element.
    fn globals(&self) -> Vec<Global<'_>>;

    /// All variables with their values, then the contents of channels, by the names that [steps](Self::step) give them.
    fn values(&self, state: &[u64]) -> Vec<(String, VariableValue)>;
}

/// Where a global variable of processes, or an element of one, is in the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalPlace {
    /// `x`, `a[2]`
    pub name: String,
    /// The variable.
    pub field: FieldId,
    /// The element.
    pub element: usize,
    /// Whether it was taken out of the state, since it is hidden and nothing depends on it.
    pub is_dropped: bool,
}

/// A number that a packed state has.
pub type StateValue<'a> = Box<dyn Fn(&[u64]) -> i64 + 'a>;

/// A global variable of processes, or an element of one.
pub struct Global<'a> {
    /// `x`, `a[2]`
    pub name: String,
    /// Its least and greatest value.
    pub bounds: (i64, i64),
    /// Its value in a packed state.
    pub value: StateValue<'a>,
}

/// Through which fields of its state a model prints and reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Console<'a> {
    /// The number of notes of the last step, and the notes. The number is to be reset before the next step.
    pub printing: Option<(FieldId, FieldId)>,
    /// Where characters are read.
    pub reading: Option<Reading<'a>>,
}

/// How characters come into a run.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// 1 + the next character; 0 where it is to be read.
    pub field: FieldId,
    /// The value that is read after the last character.
    pub end: i64,
    /// Where processes wait for a character.
    pub readers: &'a FxHashSet<LocationId>,
}
