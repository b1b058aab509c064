//! The one place that knows which languages there are.
//!
//! A language is chosen by the ending of the file name, or else by the first word of the text; from then on
//! everything goes through [`Document`]. A new language is a new [`Language`], its endings and words below, and an
//! implementation of [`Document`].

mod prism;

use crate::constants::Given;
use crate::outline::Outline;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_kernel::Site;
use volvelle_logic::Property;
use volvelle_model::{Origin, Program};

/// A modelling language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// The PRISM language.
    Prism,
    /// Promela.
    Promela,
}

/// Endings of file names that choose a language for models.
const MODEL_ENDINGS: &[(&str, Language)] = &[
    ("prism", Language::Prism),
    ("pm", Language::Prism),
    ("nm", Language::Prism),
    ("sm", Language::Prism),
    ("mm", Language::Prism),
    ("smg", Language::Prism),
    ("pomdp", Language::Prism),
    ("pta", Language::Prism),
    ("pml", Language::Promela),
    ("promela", Language::Promela),
    ("spin", Language::Promela),
];

/// Endings of files of properties: to give one as a model is a mistake worth a message of its own.
const PROPERTY_ENDINGS: &[&str] = &["props", "prop", "pctl", "csl", "prctl", "ltl"];

/// Words with which a model without a telling name may begin.
const FIRST_WORDS: &[(&str, Language)] = &[
    ("dtmc", Language::Prism),
    ("ctmc", Language::Prism),
    ("mdp", Language::Prism),
    ("probabilistic", Language::Prism),
    ("stochastic", Language::Prism),
    ("nondeterministic", Language::Prism),
    ("pta", Language::Prism),
    ("pomdp", Language::Prism),
    ("popta", Language::Prism),
    ("smg", Language::Prism),
    ("csg", Language::Prism),
    ("idtmc", Language::Prism),
    ("imdp", Language::Prism),
    ("active", Language::Promela),
    ("proctype", Language::Promela),
    ("init", Language::Promela),
    ("mtype", Language::Promela),
    ("chan", Language::Promela),
    ("typedef", Language::Promela),
    ("inline", Language::Promela),
    ("bit", Language::Promela),
    ("bool", Language::Promela),
    ("byte", Language::Promela),
    ("pid", Language::Promela),
    ("short", Language::Promela),
    ("int", Language::Promela),
    ("unsigned", Language::Promela),
    ("hidden", Language::Promela),
    ("local", Language::Promela),
    ("show", Language::Promela),
    ("ltl", Language::Promela),
    ("never", Language::Promela),
    ("trace", Language::Promela),
    ("notrace", Language::Promela),
    ("D_proctype", Language::Promela),
    // Lines of the preprocessor.
    ("#", Language::Promela),
];

impl Language {
    /// The language of a model, by the ending of its name or its first word.
    pub fn of_model(name: &str, text: &str) -> Result<Self, Diagnostic> {
        let ending = ending(name);
        let known = MODEL_ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
        if let Some(&(_, language)) = known {
            return Ok(language);
        }
        let word = first_word(text);
        if let Some(&(_, language)) = FIRST_WORDS.iter().find(|(known, _)| *known == word) {
            return Ok(language);
        }
        let message = match name {
            "-" => "cannot tell the language of standard input from its first word".to_owned(),
            _ => format!("cannot tell the language of `{name}` from its name"),
        };
        let diagnostic = Diagnostic::error(codes::UNKNOWN_LANGUAGE, message);
        if PROPERTY_ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)) {
            return Err(diagnostic
                .note(format!("`.{ending}` is the ending of a file of properties"))
                .help("give the model first: volvelle check MODEL PROPERTIES"));
        }
        let said = "or say it: --language prism, or --language promela";
        if name == "-" {
            return Err(diagnostic.help(said.trim_start_matches("or ")));
        }
        let renamed = "rename it: PRISM models end in .prism, .pm, .nm or .sm, Promela models in .pml";
        Err(diagnostic.help(renamed).help(said))
    }

    /// Parses a model and property files. Never fails: complaints are pushed, and stay with the document.
    pub fn read(
        self,
        sources: &Sources,
        model: FileId,
        properties: &[FileId],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Box<dyn Document> {
        match self {
            Language::Prism => Box::new(prism::Document::read(sources, model, properties, diagnostics)),
            Language::Promela => unreachable!("models of processes have sessions of their own"),
        }
    }
}

fn ending(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// The first word that is in no comment (`// …`, `/* … */`), or `#`.
fn first_word(text: &str) -> &str {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let behind = if rest.starts_with("//") {
            rest.find('\n').map(|end| &rest[end..])
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map(|end| &comment[end + 2..])
        } else {
            break;
        };
        rest = behind.unwrap_or("").trim_start();
    }
    if rest.starts_with('#') {
        return &rest[..1];
    }
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    &rest[..end]
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

/// A model with its property files, read by the front end of its language.
pub trait Document {
    /// What it consists of; with values and ranges once it has been lowered.
    fn outline(&self, sources: &Sources) -> Outline;

    /// Gives values to the open constants and makes the program. Without a program afterwards, at least one of
    /// the diagnostics is an error. Constants that nothing declares are kept for the texts of properties.
    fn lower(&mut self, sources: &Sources, constants: &[Given]) -> Vec<Diagnostic>;

    /// Gives other values to constants that only properties mention, after [`lower`](Self::lower); the program stays.
    /// Texts of properties are to be read again.
    fn set_constants(&mut self, constants: &[Given]) -> Vec<Diagnostic>;

    /// The program, once lowered. Properties add observations to it.
    fn program(&self) -> Option<&Program>;

    /// The open constants of the model itself that were given values, with these values.
    fn constants(&self) -> Vec<Given>;

    /// The properties of the property files, in order.
    fn listed(&self) -> &[Listed];

    /// Lowers a listed property.
    fn property(&mut self, sources: &Sources, index: usize) -> Result<Property, Vec<Diagnostic>>;

    /// Reads and lowers the text of a property: constants, labels and names of the property files hold.
    fn text(&mut self, sources: &Sources, file: FileId) -> Result<Property, Vec<Diagnostic>>;

    /// Complaints about constants that were given but that neither the document nor a property mentions. To be asked
    /// for when all texts have been read.
    fn unused_constants(&self) -> Vec<Diagnostic>;

    /// Explains the failure of a site of the program in a state (one value per field).
    fn explain_failure(&self, sources: &Sources, site: Site, values: &[i64]) -> Diagnostic;

    /// Explains that no state is initial.
    fn explain_no_initial_state(&self) -> Diagnostic;

    /// The text behind an origin of the program.
    fn place(&self, origin: Origin) -> Option<Span>;

    /// A state for people: `q=5 open=true`.
    fn state_text(&self, values: &[i64]) -> String;
}

#[cfg(test)]
mod tests {
    use super::{Language, first_word};

    #[test]
    fn by_ending_or_first_word() {
        assert_eq!(Language::of_model("a/b.prism", ""), Ok(Language::Prism));
        assert_eq!(Language::of_model("b.SM", ""), Ok(Language::Prism));
        assert_eq!(Language::of_model("model", "// a comment\n\n  ctmc\n"), Ok(Language::Prism));
        assert_eq!(Language::of_model("-", "dtmc// x"), Ok(Language::Prism));
        for text in ["/* a\n */ // b\n byte x;", "#define N 3", "hidden byte x", "active[2] proctype P() {}"]
        {
            assert_eq!(Language::of_model("-", text), Ok(Language::Promela), "{text}");
        }
        assert!(Language::of_model("-", "/* dtmc").is_err());
        assert!(Language::of_model("x.txt", "once upon a time").is_err());
        assert!(Language::of_model("dir.prism/x", "").is_err());
    }

    #[test]
    fn property_files_are_recognised() {
        let complaint = Language::of_model("m.props", "P=? [ F x ]").unwrap_err();
        assert!(complaint.notes[0].contains("file of properties"), "{complaint:?}");
    }

    #[test]
    fn first_words() {
        assert_eq!(first_word(""), "");
        assert_eq!(first_word("//"), "");
        assert_eq!(first_word("\u{feff}mdp\n"), "mdp");
        assert_eq!(first_word("'x"), "");
    }
}
