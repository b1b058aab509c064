//! Which texts belong together, and what is known about them.
//!
//! A model has the files of properties of the same name beside it, and those that name it in their first line: `// model: FILE`. What is
//! known stays until a text changes that it depends on.

pub mod files;

use crate::address::Address;
use crate::analysis::{Analysis, File};
use crate::kernels;
use crate::programs;
use crate::reader::{Disk, Reader, inside};
use crate::rooms::{self, Room};
use crate::settings::{self, Settings};
use crate::systems;
use crate::texts::{OutOfStep, Texts};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use volvelle_diagnostics::FileId;
use volvelle_session::language::{self, FRONT_ENDS, FrontEnd, LanguageOption, is_property_file};
use volvelle_symbols::Indexed;

/// The beginning of the line with which a file of properties names its model.
const MODEL_LINE: &str = "// model:";

/// The texts that are open, and what is known about them.
pub struct Workspace {
    /// The texts.
    pub texts: Texts,
    disk: Rc<dyn Disk>,
    /// Names in folders.
    entries: BTreeMap<PathBuf, Rc<BTreeSet<String>>>,
    /// By model, or by file of properties without one.
    analyses: BTreeMap<Address, Rc<Analysis>>,
    /// The systems of files of rules and of grammars.
    systems: BTreeMap<Address, Address>,
    /// What the client has set.
    of_client: Settings,
}

/// A text, and what is known about it.
pub struct View {
    /// What is known.
    pub analysis: Rc<Analysis>,
    /// Its number among the files of the model.
    pub file: FileId,
}

/// A text with the model that it belongs to.
enum Home {
    Model(Address, &'static dyn FrontEnd),
    Missing(&'static dyn FrontEnd),
    /// It is no model, and has names.
    Names(&'static dyn Indexed),
    /// A file in TOML that is no model.
    Declared(&'static Room),
    /// A file of a system of rules, or a grammar: with the file of the system.
    System(Address),
}

impl Workspace {
    /// No text is open.
    pub fn new(disk: Rc<dyn Disk>) -> Self {
        let (texts, of_client) = (Texts::default(), Settings::default());
        let (entries, analyses, systems) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Workspace { texts, disk, entries, analyses, systems, of_client }
    }

    /// The client has set something.
    pub fn set(&mut self, settings: Settings) {
        self.of_client = settings;
        self.analyses.clear();
    }

    /// A text was opened or closed, or files on disk may have changed beside it: what belongs together may be different.
    pub fn arranged(&mut self, address: &Address) {
        self.entries.clear();
        self.systems.clear();
        self.analyses.retain(|model, analysis| {
            !analysis.depends_on(address) && !address.is_in(model.folder()) && !model.is_in(address.folder())
        });
    }

    /// Any file on disk may have changed.
    pub fn disk_changed(&mut self) {
        self.entries.clear();
        self.systems.clear();
        self.analyses.clear();
    }

    /// The contents of a text changed.
    pub fn changed(&mut self, address: &Address) {
        if is_property_file(&address.name()) {
            // Its first line may name another model.
            return self.arranged(address);
        }
        if systems::is_rules(&address.name()) {
            self.systems.clear();
        }
        self.analyses.retain(|_, analysis| !analysis.depends_on(address));
    }

    /// The name of a document for the client.
    pub fn uri(&self, address: &Address) -> String {
        self.texts.get(address).map_or_else(|| address.uri(), |text| text.uri.clone())
    }

    /// What is known about all texts that are open, each model once.
    pub fn analyses(&mut self) -> Vec<Rc<Analysis>> {
        let open: Vec<Address> = self.texts.iter().map(|(address, _)| address.clone()).collect();
        let mut all: Vec<Rc<Analysis>> = Vec::new();
        for address in open {
            if let Ok(Some(view)) = self.view(&address)
                && !all.iter().any(|known| Rc::ptr_eq(known, &view.analysis))
            {
                all.push(view.analysis);
            }
        }
        all
    }

    /// What is known about a text that is open; `None` if it is in no language that is known.
    ///
    /// # Errors
    /// The text is not the one that the client has.
    pub fn view(&mut self, address: &Address) -> Result<Option<View>, OutOfStep> {
        let Some(text) = self.texts.get(address) else { return Ok(None) };
        if let Err(why) = &text.content {
            return Err(*why);
        }
        let analysis = match self.home(address) {
            None => None,
            Some(Home::Model(model, language)) => {
                let found = self.analysis(&model, language);
                match self.texts.get(&model).map(|text| &text.content) {
                    Some(Err(why)) => return Err(*why),
                    _ => found.filter(|analysis| analysis.file(address).is_some()).or_else(|| {
                        // The model is not there, or could not take the file.
                        let alone = |file: &File| Analysis::of_properties(language, file);
                        is_property_file(&address.name()).then(|| self.alone(address, alone)).flatten()
                    }),
                }
            }
            Some(Home::Missing(language)) => {
                self.alone(address, |file| Analysis::of_properties(language, file))
            }
            Some(Home::Names(language)) if language.name() == kernels::LANGUAGE => {
                let reader = self.reader(address);
                self.alone(address, |file| Analysis::of_diagnosed(language, file, reader, kernels::diagnosed))
            }
            Some(Home::System(system)) => {
                let found = self.system(&system).filter(|analysis| analysis.file(address).is_some());
                let reader = self.reader(address);
                found.or_else(|| self.alone(address, |file| Analysis::of_system(file, reader)))
            }
            Some(Home::Names(language)) if language.name() == programs::LANGUAGE => {
                self.alone(address, Analysis::of_program)
            }
            Some(Home::Names(language)) => self.alone(address, |file| Analysis::of_names(language, file)),
            Some(Home::Declared(room)) => {
                let reader = self.reader(address);
                self.alone(address, |file| Analysis::of_diagnosed(&room.names, file, reader, room.read))
            }
        };
        Ok(analysis.and_then(|analysis| Some(View { file: analysis.file(address)?, analysis })))
    }

    /// The model that a text belongs to.
    fn home(&mut self, address: &Address) -> Option<Home> {
        let name = address.name();
        if is_property_file(&name) {
            let language = FRONT_ENDS.iter().copied().find(|language| has_property_files(*language))?;
            let model = self.model_of_properties(address);
            return Some(
                model.map_or(Home::Missing(language), |(model, language)| Home::Model(model, language)),
            );
        }
        if let Some(language) = self.language_by_name(address) {
            return Some(Home::Model(address.clone(), language));
        }
        if systems::is_rules(&name) || systems::is_grammar(&name) {
            return Some(Home::System(self.system_of(address)));
        }
        if let Some(home) = self.including(address) {
            return Some(home);
        }
        if rooms::is_toml(&name) {
            let content = self.texts.get(address)?.content.as_ref().ok()?;
            return match rooms::kind(&name, content)? {
                rooms::Kind::Declared(room) => Some(Home::Declared(room)),
                rooms::Kind::Study => None,
            };
        }
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_named = |language: &&&dyn Indexed| language.endings().contains(&ending);
        if let Some(language) = volvelle_symbols::LANGUAGES.iter().find(is_named) {
            return Some(Home::Names(*language));
        }
        let text = self.texts.get(address)?;
        let content = text.content.as_ref().ok()?;
        let by_client = language::named(&text.language);
        let by_content = || language::of_model(&name, content.as_bytes()).ok();
        let language = by_client.or_else(by_content)?;
        Some(Home::Model(address.clone(), language))
    }

    /// The language that the name of a text tells.
    fn language_by_name(&self, address: &Address) -> Option<&'static dyn FrontEnd> {
        let name = address.name();
        let language = FRONT_ENDS.iter().copied().find(|language| language.is_named(&name))?;
        let text = self.texts.get(address).and_then(|text| text.content.as_ref().ok());
        // Of files in TOML only some are models.
        let may_be = |text: &String| match rooms::is_toml(&name) {
            true => matches!(rooms::kind(&name, text), Some(rooms::Kind::Study)),
            false => language.may_be(text.as_bytes()),
        };
        text.is_none_or(|text| may_be(text)).then_some(language)
    }

    /// An open model that includes a text.
    fn including(&mut self, address: &Address) -> Option<Home> {
        let open = self.texts.iter().map(|(open, _)| open.clone());
        let models: Vec<Address> =
            open.filter(|open| open != address && address.is_in(open.folder())).collect();
        models.into_iter().find_map(|model| {
            let language = self.language_by_name(&model)?;
            let analysis = self.analysis(&model, language)?;
            analysis.file(address)?;
            Some(Home::Model(model, language))
        })
    }

    /// Other models of the language that may share texts with one: those that are open, and those in the folders from that of the model
    /// to those of the texts that it includes.
    pub fn others(&mut self, view: &View) -> Vec<Rc<Analysis>> {
        let own = &view.analysis;
        let mut models: BTreeSet<Address> = self.texts.iter().map(|(address, _)| address.clone()).collect();
        let mut folders = BTreeSet::new();
        for document in own.documents() {
            let Some((folder, main)) = document.folder().zip(own.main.folder()) else { continue };
            let above = folder.ancestors().take_while(|folder| folder.starts_with(main));
            folders.extend(above.map(Path::to_path_buf));
        }
        for folder in folders {
            // There may be new ones.
            self.entries.remove(&folder);
            models.extend(self.names(&folder).iter().map(|name| Address::File(folder.join(name))));
        }
        let mut found = Vec::new();
        for model in models.iter().filter(|model| **model != own.main) {
            if own.language == systems::LANGUAGE {
                let is_one = systems::is_rules(&model.name())
                    && self.text(model).is_some_and(|text| systems::is_system(&text));
                let made = || {
                    let reader = self.reader(model);
                    let file = self.file(model, &model.name(), &reader)?;
                    Some(Rc::new(Analysis::of_system(&file, reader)))
                };
                let known = || self.analyses.get(model).cloned().or_else(made);
                found.extend(is_one.then(known).flatten());
                continue;
            }
            if let Some(language) = self.language_by_name(model).filter(|it| it.name() == own.language) {
                let known = self.analyses.get(model).cloned();
                // Those that are not open are not kept: they may change on disk.
                found.extend(known.or_else(|| self.made(model, language).map(Rc::new)));
            }
        }
        found
    }

    /// The model of a file of properties: the one of the same name beside it, or the one that its first line names.
    fn model_of_properties(&mut self, address: &Address) -> Option<(Address, &'static dyn FrontEnd)> {
        let folder = address.folder()?.to_path_buf();
        let (own, names) = (address.name(), self.names(&folder));
        for &language in FRONT_ENDS.iter().filter(|language| has_property_files(**language)) {
            let beside = names.iter().find(|name| stem(name) == stem(&own) && language.is_named(name));
            if let Some(name) = beside {
                return Some((Address::File(folder.join(name)), language));
            }
        }
        let named = inside(Path::new(&self.named_model(address)?))?;
        let model = Address::File(folder.join(named));
        let name = model.name();
        let language = FRONT_ENDS.iter().copied().find(|language| language.is_named(&name))?;
        has_property_files(language).then_some((model, language))
    }

    /// The model that the first line of a file of properties names.
    fn named_model(&self, address: &Address) -> Option<String> {
        let content = self.texts.get(address)?.content.as_ref().ok()?;
        let first = content.trim_start_matches('\u{feff}').lines().next()?;
        Some(first.trim().strip_prefix(MODEL_LINE)?.trim().to_owned())
    }

    /// The names of files in a folder: on disk, and open.
    fn names(&mut self, folder: &Path) -> Rc<BTreeSet<String>> {
        if let Some(known) = self.entries.get(folder) {
            return known.clone();
        }
        let mut names: BTreeSet<String> = self.disk.entries(folder).into_iter().collect();
        let open = self.texts.iter().filter(|(address, _)| address.folder() == Some(folder));
        names.extend(open.map(|(address, _)| address.name()));
        let names = Rc::new(names);
        self.entries.insert(folder.to_path_buf(), names.clone());
        names
    }

    /// The files of properties of a model, by their names from its folder.
    fn properties_of(&mut self, model: &Address) -> Vec<String> {
        let Some(folder) = model.folder().map(Path::to_path_buf) else { return Vec::new() };
        let own = model.name();
        let names = self.names(&folder);
        let beside = names.iter().filter(|name| is_property_file(name) && stem(name) == stem(&own));
        let mut properties: Vec<String> = beside.cloned().collect();
        // The model of those beside it is another one where two models have the same stem.
        properties.retain(|name| {
            let address = Address::File(folder.join(name));
            self.model_of_properties(&address).is_some_and(|(found, _)| found == *model)
        });
        let others: Vec<Address> = self.texts.iter().map(|(address, _)| address.clone()).collect();
        for address in others.iter().filter(|address| is_property_file(&address.name())) {
            let is_of = self.model_of_properties(address).is_some_and(|(found, _)| found == *model);
            let Address::File(path) = address else { continue };
            if let Some(name) = path.strip_prefix(&folder).ok().filter(|_| is_of).and_then(Path::to_str)
                && !properties.iter().any(|known| known == name)
            {
                properties.push(name.to_owned());
            }
        }
        properties
    }

    /// What is known about a model; `None` if it is not there.
    fn analysis(&mut self, model: &Address, language: &'static dyn FrontEnd) -> Option<Rc<Analysis>> {
        if let Some(known) = self.analyses.get(model) {
            return Some(known.clone());
        }
        let analysis = Rc::new(self.made(model, language)?);
        self.analyses.insert(model.clone(), analysis.clone());
        Some(analysis)
    }

    fn made(&mut self, model: &Address, language: &'static dyn FrontEnd) -> Option<Analysis> {
        let reader = self.reader(model);
        let main = self.file(model, &model.name(), &reader)?;
        let properties = if has_property_files(language) { self.properties_of(model) } else { Vec::new() };
        let address = |name: &str| model.folder().map(|folder| Address::File(folder.join(name)));
        let properties: Vec<File> =
            properties.iter().filter_map(|name| self.file(&address(name)?, name, &reader)).collect();
        let settings = self.settings_by(&reader);
        Some(Analysis::of(language, &main, &properties, &settings, reader))
    }

    /// The system to which a file of rules or a grammar belongs: itself, where it is one; else one that names it: of those that are open
    /// the first, then of those in its folder.
    fn system_of(&mut self, address: &Address) -> Address {
        if let Some(known) = self.systems.get(address) {
            return known.clone();
        }
        let is_own = systems::is_rules(&address.name())
            && self.text(address).is_some_and(|text| systems::is_system(&text));
        let mut found = address.clone();
        if !is_own {
            let mut all: Vec<Address> = self.texts.iter().map(|(open, _)| open.clone()).collect();
            if let Some(folder) = address.folder().map(Path::to_path_buf) {
                all.extend(self.names(&folder).iter().map(|name| Address::File(folder.join(name))));
            }
            let names_it = |system: &Address| {
                let is_near = systems::is_rules(&system.name()) && address.is_in(system.folder());
                let text = self.text(system).filter(|text| is_near && systems::is_system(text));
                text.is_some_and(|text| {
                    let all = systems::named(&text);
                    all.filter_map(|name| inside(Path::new(name))).any(|name| {
                        system.folder().is_some_and(|folder| Address::File(folder.join(name)) == *address)
                    })
                })
            };
            if let Some(system) = all.into_iter().find(names_it) {
                found = system;
            }
        }
        self.systems.insert(address.clone(), found.clone());
        found
    }

    /// The text of a file, as it is open or on disk.
    fn text(&self, address: &Address) -> Option<Rc<String>> {
        match self.texts.get(address) {
            Some(open) => open.content.clone().ok(),
            None => {
                let bytes = self.disk.read(address.folder()?, Path::new(&address.name()))?;
                String::from_utf8(bytes).ok().map(Rc::new)
            }
        }
    }

    /// What is known about a system.
    fn system(&mut self, system: &Address) -> Option<Rc<Analysis>> {
        let reader = self.reader(system);
        self.alone(system, |file| Analysis::of_system(file, reader))
    }

    /// What is known about a text without a model.
    fn alone(&mut self, address: &Address, of: impl FnOnce(&File) -> Analysis) -> Option<Rc<Analysis>> {
        if let Some(known) = self.analyses.get(address) {
            return Some(known.clone());
        }
        let file = self.file(address, &address.name(), &self.reader(address))?;
        let analysis = Rc::new(of(&file));
        self.analyses.insert(address.clone(), analysis.clone());
        Some(analysis)
    }

    /// What is set for a model.
    ///
    /// # Errors
    /// The file with the settings cannot be read: why.
    pub fn settings(&self, model: &Address) -> Result<Settings, String> {
        let settings = self.settings_by(&self.reader(model));
        settings.map_err(|(why, line)| format!("{}:{}: {why}", settings::FILE, line + 1))
    }

    fn settings_by(&self, reader: &Reader) -> Result<Settings, (String, u32)> {
        reader
            .text(settings::FILE)
            .map_or_else(|| Ok(self.of_client.clone()), |text| self.of_client.with_file(&text))
    }

    /// The name of a text of a model that is not on disk as it is open, if there is one.
    pub fn unsaved(&self, analysis: &Analysis) -> Option<String> {
        let differs = |address: &&Address| {
            let Some(text) = self.texts.get(address) else { return false };
            let on_disk =
                address.folder().and_then(|folder| self.disk.read(folder, Path::new(&address.name())));
            text.content.as_ref().ok().map(|text| text.as_bytes()) != on_disk.as_deref()
        };
        analysis.documents().find(differs).map(Address::name)
    }

    fn reader(&self, model: &Address) -> Rc<Reader> {
        Rc::new(Reader::of(model.folder(), &self.texts, self.disk.clone()))
    }

    /// A file, as it is open or on disk.
    fn file(&self, address: &Address, name: &str, reader: &Reader) -> Option<File> {
        let text = match self.texts.get(address) {
            Some(open) => open.content.clone().ok()?,
            None => Rc::new(reader.text(name)?),
        };
        Some(File { name: name.to_owned(), address: address.clone(), text })
    }
}

/// Whether models of a language have files of properties.
fn has_property_files(language: &dyn FrontEnd) -> bool {
    language.offers().iter().any(|offers| offers.knows(LanguageOption::PropertyFiles))
}

/// A name without its ending.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
