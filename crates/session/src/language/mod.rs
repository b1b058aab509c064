//! The languages that models are written in: a table of front ends, and what a front end is.
//!
//! A front end reads the files of a model and gives a [`Document`]: everything that analyses ask of a model and its
//! properties, in terms of a [`volvelle_model::Program`] and of [`volvelle_logic::Property`] values, with the names and
//! places that people know. A new language is an implementation of [`FrontEnd`] and one entry in [`FRONT_ENDS`].

mod automata;
mod document;
mod explicit;
mod front_end;
mod labelled;
mod lotos;
mod mpi;
mod network;
mod offers;
mod prism;
mod promela;
mod properties;
pub mod recognition;
mod weighted;
mod weighted_source;

pub use document::{
    Claimed, Console, Document, Global, GlobalPlace, Input, Listed, NetworkFiles, ObservedText, Overrides,
    Part, ProcessDocument, ReadAs, Reading, ShowSteps, StateCondition, StateValue, StatementNumbers,
};
pub use explicit::Explicit;
pub use front_end::FrontEnd;
pub use lotos::Lotos;
pub use mpi::Mpi;
pub use network::Networks;
pub use offers::{Analysis, Formalism, LanguageOption, Offers};
pub use prism::Prism;
pub use promela::Promela;
pub use properties::one_line;
pub use weighted::Weighted;
pub use weighted_source::WeightedSource;

pub use volvelle_lts::{Covered, ProcessStep};

use offers::refused;
use recognition::{beginning, ending};
use volvelle_diagnostics::{Diagnostic, codes};

/// The languages, in the order in which they are named to users.
pub const FRONT_ENDS: &[&dyn FrontEnd] = &[&Prism, &Promela, &Explicit, &Lotos, &Networks, &Mpi, &Weighted];

/// Whether a file is read as a labelled transition system where one is wanted: its rest need not be in memory.
pub fn is_read_as_system(name: &str, beginning: &[u8]) -> bool {
    explicit::is_system(name, beginning)
}

/// Endings of files of properties: to give one as a model is a mistake worth a message of its own.
const PROPERTY_ENDINGS: &[&str] = &["props", "prop", "pctl", "csl", "prctl", "ltl"];

/// Whether a file has the name of a file of properties.
pub fn is_property_file(name: &str) -> bool {
    PROPERTY_ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending(name)))
}

/// The language with this name.
pub fn named(name: &str) -> Option<&'static dyn FrontEnd> {
    FRONT_ENDS.iter().copied().find(|language| language.name() == name)
}

/// The language of a model: by the ending of its name, by the bytes with which it begins, or by its first word.
///
/// # Errors
/// Where none of them tells it, with what would.
pub fn of_model(name: &str, bytes: &[u8]) -> Result<&'static dyn FrontEnd, Diagnostic> {
    let mut languages = FRONT_ENDS.iter().copied();
    let by_name = languages.clone().find(|language| language.is_named(name));
    let ending = ending(name);
    // Models in JANI are JSON, as weighted systems may be.
    let text = beginning(bytes);
    let says_jani = text.trim_start().starts_with('{') && text.contains("\"jani-version\"");
    let is_jani = says_jani || ending.eq_ignore_ascii_case("jani");
    let by_content = || languages.find(|language| !is_jani && language.begins(bytes));
    if let Some(language) = by_name.filter(|_| !is_jani).or_else(by_content) {
        return if language.may_be(bytes) { Ok(language) } else { Err(of_no_kind(name)) };
    }
    let message = match name {
        "-" => "the first word of standard input does not identify its language".to_owned(),
        _ => format!("the name `{name}` does not identify the language of the file"),
    };
    let diagnostic = Diagnostic::error(codes::UNKNOWN_LANGUAGE, message);
    if is_property_file(name) {
        return Err(diagnostic
            .note(format!("`.{ending}` is the extension of a property file"))
            .help("give the model first: volvelle check MODEL PROPERTIES"));
    }
    if ending.eq_ignore_ascii_case("mpi") {
        let program = name.rsplit('/').next().unwrap_or(name);
        let message = format!("`{name}` is a program of message-passing primitives, and no model by itself");
        return Err(Diagnostic::error(codes::UNKNOWN_LANGUAGE, message)
            .note("a study says on which machine it runs, and how often")
            .help(format!("give a study: a file STUDY.toml with `program = \"{program}\"`")));
    }
    let other = if is_jani { "jani" } else { ending };
    if let Some((_, language, way)) =
        OTHER_LANGUAGES.iter().find(|(known, ..)| known.eq_ignore_ascii_case(other))
    {
        return Err(Diagnostic::error(
            codes::UNKNOWN_LANGUAGE,
            format!("models in {language} are not supported yet"),
        )
        .help(*way));
    }
    let said = "or name the language: --language prism, --language promela, --language lotos, or --language explicit";
    if name == "-" {
        return Err(diagnostic.help(said.trim_start_matches("or ")));
    }
    let renamed = "rename it to end in .prism, .pm, .nm, .sm, .pml, .lotos, .umb, .drn, .tra, .pexp, .aut, .exp or .wks";
    Err(diagnostic.help(renamed).help(said))
}

/// What a text in TOML is refused with that has the keys of no model.
fn of_no_kind(name: &str) -> Diagnostic {
    let message = format!("`{name}` is TOML of no kind that Volvelle knows");
    Diagnostic::error(codes::UNKNOWN_LANGUAGE, message)
        .note("its keys are those of none: pipelines have `[[step]]`, bodies `[initial]`, platforms for kernels `[device]`")
        .note("studies of message passing have `program` and `protocol`, those of processors `machines`")
        .help("`volvelle explain V0011` lists the endings of models")
}

/// Endings of files in languages of other tools, with the way from them to a model that can be read.
const OTHER_LANGUAGES: &[(&str, &str, &str)] = &[
    ("jani", "JANI", "let the tool that wrote it export PRISM, UMB or DRN; Storm: --exportbuild model.drn"),
    ("modest", "Modest", "let `modest` export its state space as UMB, and give that file as the model"),
    ("gspn", "the language of stochastic Petri nets", "let Storm write DRN: --exportbuild model.drn"),
    ("mcrl2", "mCRL2", "let `lps2lts` write ALDEBARAN: lps2lts model.lps model.aut"),
    ("lps", "mCRL2", "let `lps2lts` write ALDEBARAN: lps2lts model.lps model.aut"),
    ("lts", "the mCRL2 format", "let `ltsconvert` write ALDEBARAN: ltsconvert model.lts model.aut"),
    ("bcg", "the CADP format", "let `bcg_io` write ALDEBARAN: bcg_io model.bcg model.aut"),
    ("lnt", "LNT", "let CADP write ALDEBARAN: generator model.bcg, then bcg_io model.bcg model.aut"),
    ("smv", "SMV", "write the model in Promela or in the PRISM language"),
    ("xml", "UPPAAL XML", "write the model in Promela or in the PRISM language"),
];
