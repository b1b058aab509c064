//! What is known about the texts of a model: what is wrong with them, and what their names are.
//!
//! The model is read and lowered as by `volvelle info`, and then each property as by `volvelle check`. No state is explored.

use crate::address::Address;
use crate::programs::{self, Checked};
use crate::protocol::types::{self, Location, Position, Range};
use crate::reader::{Asked, Beside, Reader};
use crate::rooms;
use crate::settings::Settings;
use crate::systems;
use crate::texts::MOST_BYTES;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, Lines, PositionEncoding, Sources, Span, TextPosition};
use volvelle_logic::Literal;
use volvelle_rules::system::Loaded;
use volvelle_session::language::{FrontEnd, Input};
use volvelle_session::outline::Outline;
use volvelle_session::{Model, Text};
use volvelle_symbols::{Index, Indexed, Part, Symbol};

/// A file of a model, with its text.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name from the folder of the model.
    pub name: String,
    /// The same for all.
    pub address: Address,
    /// Its text.
    pub text: Rc<String>,
}

/// What is told about a text beside diagnostics: why there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// It is too long.
    TooLong,
    /// The program has a defect.
    Defect,
    /// It is a file of properties, and no model is known.
    NoModel,
    /// Not all of it could be checked: the limit.
    Stopped(&'static str),
    /// The settings of its folder cannot be read: why.
    Settings(String),
}

/// What is known about the texts of a model.
pub struct Analysis {
    /// The language of the model.
    pub language: &'static str,
    /// The texts.
    pub sources: Sources,
    /// What is wrong with them.
    pub diagnostics: Vec<Diagnostic>,
    /// The parts of the model, with the values of its constants; `None` if it cannot be understood.
    pub outline: Option<Outline>,
    /// Why nothing is said.
    pub remark: Option<Remark>,
    /// The model, or the file of properties that has none.
    pub main: Address,
    /// Files that were asked for.
    asked: Vec<Asked>,
    /// By the number of the file: what it is for the client.
    documents: Vec<Option<Address>>,
    /// By the number of the file.
    lines: Vec<OnceCell<Lines>>,
    /// The files with names: the model, then those of properties.
    named: Vec<FileId>,
    index: OnceCell<Option<Index>>,
    /// A program of which rules say what is right.
    pub program: Option<Checked>,
    /// The rules of a system.
    pub system: Option<Loaded>,
    /// The diagnostics as the client gets them.
    pub told: OnceCell<BTreeMap<Address, Vec<types::Diagnostic>>>,
}

impl Analysis {
    /// Reads a model with its files of properties.
    pub fn of(
        language: &'static dyn FrontEnd,
        model: &File,
        properties: &[File],
        settings: &Result<Settings, (String, u32)>,
        reader: Rc<Reader>,
    ) -> Self {
        if model.text.len() > MOST_BYTES {
            return Self::silent(language.name(), &[model], Remark::TooLong);
        }
        let read = || {
            let mut sources = Sources::new();
            let (outline, diagnostics) =
                diagnosed(language, model, properties, settings.as_ref().ok(), &reader, &mut sources);
            (sources, outline, diagnostics)
        };
        // A defect of a front end is no reason to leave the editor alone with all other texts.
        let Ok((mut sources, outline, diagnostics)) = catch_unwind(AssertUnwindSafe(read)) else {
            let files: Vec<&File> = std::iter::once(model).chain(properties).collect();
            return Analysis {
                asked: reader.asked(),
                ..Self::silent(language.name(), &files, Remark::Defect)
            };
        };
        let asked = reader.asked();
        let files = || std::iter::once(model).chain(properties);
        // A front end that cannot read a text at all does not keep it. The client has it all the same.
        for file in files() {
            if !(0..sources.len()).any(|number| sources.file(FileId(number as u32)).name == file.name) {
                sources.add(file.name.as_str(), file.text.as_str());
            }
        }
        let address = |name: &str| {
            let given = files().find(|file| file.name == name).map(|file| &file.address);
            let found = asked.iter().find(|asked| asked.is_there && asked.name == name);
            given.or(found.map(|asked| &asked.address)).cloned()
        };
        let ids = || (0..sources.len()).map(|number| FileId(number as u32));
        let documents: Vec<_> = ids().map(|id| address(&sources.file(id).name)).collect();
        let named = files()
            .filter_map(|file| ids().find(|id| documents[id.0 as usize].as_ref() == Some(&file.address)));
        let named = named.collect();
        let unread = |(why, line): &(String, u32)| Remark::Settings(format!("line {}: {why}", line + 1));
        let remark = settings.as_ref().err().map(unread);
        let of_model = Self::empty(language.name(), model, sources, documents);
        Analysis { diagnostics, outline, remark, asked, named, ..of_model }
    }

    /// A file of properties of no model.
    pub fn of_properties(language: &'static dyn FrontEnd, file: &File) -> Self {
        Self::silent(language.name(), &[file], Remark::NoModel)
    }

    /// Texts of which nothing is known but their names.
    fn silent(language: &'static str, files: &[&File], remark: Remark) -> Self {
        let mut sources = Sources::new();
        // Names of properties are told without the model: its text is empty.
        let missing = (remark == Remark::NoModel).then(|| sources.add("", ""));
        let own: Vec<FileId> =
            files.iter().map(|file| sources.add(file.name.as_str(), file.text.as_str())).collect();
        let addresses = files.iter().map(|file| Some(file.address.clone()));
        let documents = missing.iter().map(|_| None).chain(addresses).collect();
        let named = match remark {
            Remark::TooLong => Vec::new(),
            Remark::Defect | Remark::NoModel | Remark::Settings(_) | Remark::Stopped(_) => {
                missing.into_iter().chain(own).collect()
            }
        };
        let remark = Some(remark);
        Analysis { remark, named, ..Self::empty(language, files[0], sources, documents) }
    }

    fn empty(language: &'static str, main: &File, sources: Sources, documents: Vec<Option<Address>>) -> Self {
        Analysis {
            language,
            lines: vec![OnceCell::new(); sources.len()],
            sources,
            diagnostics: Vec::new(),
            outline: None,
            remark: None,
            main: main.address.clone(),
            asked: Vec::new(),
            documents,
            named: Vec::new(),
            index: OnceCell::new(),
            system: None,
            program: None,
            told: OnceCell::new(),
        }
    }

    /// The number of a document among the files of the model.
    pub fn file(&self, address: &Address) -> Option<FileId> {
        let number = self.documents.iter().position(|document| document.as_ref() == Some(address))?;
        Some(FileId(number as u32))
    }

    /// What a file is for the client; `None` for texts of the program.
    pub fn document(&self, file: FileId) -> Option<&Address> {
        self.documents.get(file.0 as usize)?.as_ref()
    }

    /// All documents.
    pub fn documents(&self) -> impl Iterator<Item = &Address> {
        self.documents.iter().flatten()
    }

    /// Whether a document has an effect on what is known, or would have one if it were there.
    pub fn depends_on(&self, address: &Address) -> bool {
        self.file(address).is_some() || self.asked.iter().any(|asked| asked.address == *address)
    }

    /// The lines of a file.
    pub fn lines(&self, file: FileId) -> &Lines {
        self.lines[file.0 as usize].get_or_init(|| Lines::of(&self.sources.file(file).text))
    }

    /// A text in a language that is no model.
    pub fn of_names(language: &'static dyn Indexed, file: &File) -> Self {
        let mut sources = Sources::new();
        let named = vec![sources.add(file.name.as_str(), file.text.as_str())];
        Analysis { named, ..Self::empty(language.name(), file, sources, vec![Some(file.address.clone())]) }
    }

    /// The same where mistakes are known, too.
    pub fn of_diagnosed(
        language: &'static dyn Indexed,
        file: &File,
        reader: Rc<Reader>,
        read: fn(FileId, &str, &Reader) -> Vec<Diagnostic>,
    ) -> Self {
        if file.text.len() > MOST_BYTES {
            return Self::silent(language.name(), &[file], Remark::TooLong);
        }
        let known = Self::of_names(language, file);
        let read = || read(known.named[0], &file.text, &reader);
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(diagnostics) => Analysis { diagnostics, asked: reader.asked(), ..known },
            Err(_) => {
                Analysis { asked: reader.asked(), ..Self::silent(language.name(), &[file], Remark::Defect) }
            }
        }
    }

    /// A program of which rules say what is right.
    pub fn of_program(file: &File) -> Self {
        if file.text.len() > MOST_BYTES {
            return Self::silent(programs::LANGUAGE, &[file], Remark::TooLong);
        }
        let Ok((program, diagnostics, stopped)) =
            catch_unwind(AssertUnwindSafe(|| programs::check(&file.name, &file.text)))
        else {
            return Self::silent(programs::LANGUAGE, &[file], Remark::Defect);
        };
        let (sources, main) = program.as_ref().map_or_else(
            || {
                let mut sources = Sources::new();
                let main = sources.add(file.name.as_str(), file.text.as_str());
                (sources, main)
            },
            Checked::sources,
        );
        let mut documents = vec![None; sources.len()];
        documents[main.0 as usize] = Some(file.address.clone());
        let known = Self::empty(programs::LANGUAGE, file, sources, documents);
        let named = vec![main];
        Analysis { program, diagnostics, named, remark: stopped.map(Remark::Stopped), ..known }
    }

    /// A system of rules, or a grammar that is in none.
    pub fn of_system(file: &File, reader: Rc<Reader>) -> Self {
        if file.text.len() > MOST_BYTES {
            return Self::silent(systems::LANGUAGE, &[file], Remark::TooLong);
        }
        let read = || {
            let mut sources = Sources::new();
            let main = sources.add(file.name.as_str(), file.text.as_str());
            let (system, diagnostics) = systems::read(main, &mut sources, &reader);
            (sources, system, diagnostics, main)
        };
        let Ok((sources, system, diagnostics, main)) = catch_unwind(AssertUnwindSafe(read)) else {
            let asked = reader.asked();
            return Analysis { asked, ..Self::silent(systems::LANGUAGE, &[file], Remark::Defect) };
        };
        let asked = reader.asked();
        let address = |name: &str| {
            let own = (name == file.name).then_some(&file.address);
            own.or(asked.iter().find(|one| one.is_there && one.name == name).map(|one| &one.address)).cloned()
        };
        let ids = (0..sources.len() as u32).map(FileId);
        let documents = ids.map(|id| address(&sources.file(id).name)).collect();
        let of_system = Self::empty(systems::LANGUAGE, file, sources, documents);
        Analysis { diagnostics, asked, system, named: vec![main], ..of_system }
    }

    /// The files that a command is given: the model, then those of properties, by their names from the folder of the model.
    pub fn files_of_model(&self) -> impl Iterator<Item = &str> {
        let texts = self.named.iter().filter(|&&id| self.document(id).is_some());
        texts.map(|&id| self.sources.file(id).name.as_str())
    }

    /// Constants that need a value.
    pub fn open_constants(&self) -> Vec<&str> {
        let constants = self.outline.iter().flat_map(|outline| &outline.constants);
        constants.filter(|constant| constant.open).map(|constant| constant.name.as_str()).collect()
    }

    /// A number that is another one for other texts, but for an accident.
    pub fn identity(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for number in 0..self.sources.len() {
            self.sources.file(FileId(number as u32)).text.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The texts with names: the model, files of properties, and the texts that the model includes.
    pub fn texts(&self) -> Vec<volvelle_symbols::Text<'_>> {
        if self.named.is_empty() {
            return Vec::new();
        }
        let text = |file: FileId, part: Part| {
            let source = self.sources.file(file);
            volvelle_symbols::Text { file, name: &source.name, text: &source.text, part }
        };
        let part = |number: usize| if number == 0 { Part::Model } else { Part::Properties };
        let own = self.named.iter().enumerate().map(|(number, &file)| text(file, part(number)));
        own.chain(self.with_names().map(|file| text(file, Part::Included))).collect()
    }

    /// One of the texts with names.
    pub fn text(&self, file: FileId) -> Option<&str> {
        let is_named = self.named.contains(&file) || self.with_names().any(|included| included == file);
        is_named.then(|| self.sources.file(file).text.as_str())
    }

    /// The files of the client that the model includes, each once.
    pub fn included(&self) -> impl Iterator<Item = FileId> {
        let all = (0..self.documents.len()).map(|number| FileId(number as u32));
        all.filter(|&file| {
            let first = self.document(file).and_then(|document| self.file(document));
            first == Some(file) && !self.named.contains(&file)
        })
    }

    /// Those of them that have names of the model.
    fn with_names(&self) -> impl Iterator<Item = FileId> {
        let language = self.indexed();
        self.included().filter(move |&file| {
            language.is_some_and(|language| language.includes(&self.sources.file(file).name))
        })
    }

    /// The files in other languages that the model names.
    pub fn without_names(&self) -> impl Iterator<Item = FileId> {
        self.included().filter(|&file| self.text(file).is_none())
    }

    /// The language of the names.
    pub fn indexed(&self) -> Option<&'static dyn Indexed> {
        volvelle_symbols::named(self.language).or_else(|| rooms::named(self.language))
    }

    /// The names; `None` where the language has no index.
    pub fn index(&self) -> Option<&Index> {
        let made = || {
            let (texts, language) = (self.texts(), self.indexed()?);
            let made = AssertUnwindSafe(|| language.index(&texts));
            catch_unwind(made).ok().filter(|_| !texts.is_empty())
        };
        self.index.get_or_init(made).as_ref()
    }

    /// The value of a constant, where it is known.
    pub fn value(&self, symbol: &Symbol) -> Option<String> {
        let outline = self.outline.as_ref()?;
        // Names of constants are unique in a model that was understood.
        let constant = outline.constants.iter().find(|constant| constant.name == symbol.name)?;
        match constant.value.as_ref()?.literal() {
            Literal::Int(number) => Some(number.to_string()),
            Literal::Real(number) => Some(number.to_string()),
            Literal::Bool(value) => Some(value.to_string()),
            // The definition, where it has no value yet.
            Literal::Other => None,
        }
    }

    /// The part of a text that a span covers. Excerpts of large files begin in the midst of them.
    pub fn range(&self, span: Span, encoding: PositionEncoding) -> Range {
        let source = self.sources.file(span.file);
        let position = |offset: u32| {
            let place = self.lines(span.file).position(&source.text, offset as usize, encoding);
            let line = place.line + source.first_line.saturating_sub(1) as u32;
            Position { line, character: place.character }
        };
        let start = position(span.start);
        Range { start, end: position(span.end).max(start) }
    }

    /// The offset of a position.
    pub fn offset(&self, file: FileId, position: Position, encoding: PositionEncoding) -> u32 {
        let Position { line, character } = position;
        let text = &self.sources.file(file).text;
        self.lines(file).offset(text, TextPosition { line, character }, encoding).nearest() as u32
    }

    /// The name of a file that stands at an offset of a text, from the folder of the model.
    pub fn file_at(&self, file: FileId, offset: u32) -> Option<&(Span, String)> {
        let is_here = |span: &Span| span.file == file && span.start <= offset && offset <= span.end;
        self.index()?.files.iter().find(|(span, _)| is_here(span))
    }

    /// Where a span is, for the client; `None` in texts of the program.
    pub fn location(
        &self,
        span: Span,
        encoding: PositionEncoding,
        uri: impl Fn(&Address) -> String,
    ) -> Option<Location> {
        let document = self.document(span.file)?;
        Some(Location { uri: uri(document), range: self.range(span, encoding) })
    }
}

/// The parts of a model, and what is wrong with it and its properties.
fn diagnosed(
    language: &dyn FrontEnd,
    model: &File,
    properties: &[File],
    settings: Option<&Settings>,
    reader: &Rc<Reader>,
    sources: &mut Sources,
) -> (Option<Outline>, Vec<Diagnostic>) {
    let text = |file: &File| Text { name: file.name.clone(), text: file.text.to_string() };
    let mut folder = Beside(reader.clone());
    let control = Control::unlimited();
    let constants = settings.iter().flat_map(|settings| &settings.constants);
    let given: Vec<String> = constants.map(|(name, value)| format!("{name}={value}")).collect();
    let properties = properties.iter().map(text).collect();
    let mut input = Input::of_text(text(model), properties, &mut folder, &control);
    input.named = Rc::new(Beside(reader.clone()));
    let mut model = Model::open(Some(language), input, &given);
    // Those of a folder are for several models: each takes those that it leaves open.
    let parts = model.document.as_ref().and_then(|document| document.outline(&model.sources));
    let constants = parts.map_or(Vec::new(), |parts| parts.constants);
    let is_open = |name: &str| constants.iter().any(|constant| constant.open && constant.name == name);
    model.given.retain(|constant| is_open(&constant.name));
    model.swept.retain(|constant| is_open(&constant.name));
    let found = model.findings();
    let outline = model.document.as_ref().and_then(|document| document.outline(&model.sources));
    *sources = model.sources;
    (outline, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::tests::NoDisk;
    use crate::texts::Texts;
    use volvelle_session::language::{Document, Offers};

    /// A language whose front end has a defect.
    struct Defective;

    impl FrontEnd for Defective {
        fn name(&self) -> &'static str {
            "prism"
        }

        fn title(&self) -> &'static str {
            "A language"
        }

        fn offers(&self) -> &'static [Offers] {
            &[]
        }

        fn endings(&self) -> &'static [&'static str] {
            &[]
        }

        fn read(&self, _: Input<'_>, _: &mut Sources, _: &mut Vec<Diagnostic>) -> Option<Box<dyn Document>> {
            panic!("a defect that a test makes")
        }
    }

    /// Names are told nevertheless, since another part of the program finds them.
    #[test]
    fn a_defect_of_a_front_end() {
        let address = Address::of("file:///m.prism");
        let text = Rc::new("dtmc\nconst int N = 1;\n".to_owned());
        let model = File { name: "m.prism".to_owned(), address: address.clone(), text };
        let reader = Rc::new(Reader::of(None, &Texts::default(), Rc::new(NoDisk)));
        let analysis = Analysis::of(&Defective, &model, &[], &Ok(Settings::default()), reader);
        assert_eq!((&analysis.remark, analysis.diagnostics.len()), (&Some(Remark::Defect), 0));
        assert_eq!(analysis.file(&address), Some(FileId(0)));
        let index = analysis.index().expect("an index");
        assert!(index.symbols.iter().any(|symbol| symbol.name == "N"));
    }
}
