//! Renaming and references through the server, measured by lowering: the program of a model is the same after a rename but for names, and
//! without a declaration exactly its references are mistakes.

use crate::client::Client;
use crate::corpora::{published, some};
use crate::examples::{Beside, Example, examples, index_of, name, opened, read, uri};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use volvelle_control::Control;
use volvelle_diagnostics::Span;
use volvelle_session::language::Input;
use volvelle_session::{Model, Text};
use volvelle_symbols::{Index, Kind, Symbol, SymbolId};

/// A model with its files of properties in a server, with what is known of their names.
struct Case<'e> {
    example: &'e Example,
    client: Client,
    /// The model, then its files of properties.
    texts: Vec<String>,
    index: Index,
    /// Whether case has no meaning: programs have names in capitals then.
    ignores_case: bool,
}

/// Where something stands: file, line and character.
type Place = (usize, u64, u64);

impl<'e> Case<'e> {
    fn of(language: &'static str, example: &'e Example) -> Self {
        let paths = std::iter::once(&example.model).chain(&example.properties);
        let texts: Vec<String> = paths.map(|path| read(path)).collect();
        let shown: Vec<&str> = texts.iter().map(String::as_str).collect();
        let index = index_of(language, &shown).expect("names");
        Case {
            example,
            client: opened(example, &texts[0], true),
            texts,
            index,
            ignores_case: language == "lotos",
        }
    }

    fn paths(&self) -> Vec<&PathBuf> {
        std::iter::once(&self.example.model).chain(&self.example.properties).collect()
    }

    fn symbols(&self) -> Vec<(SymbolId, Symbol)> {
        let all = self.index.symbols.iter().enumerate();
        let all = all.map(|(number, symbol)| (SymbolId(number as u32), symbol.clone()));
        all.filter(|(_, symbol)| symbol.span.is_some_and(|span| span.start < span.end)).collect()
    }

    fn place(&self, span: Span) -> Place {
        let file = span.file.0 as usize;
        let before = &self.texts[file][..span.start as usize];
        let line = before.rsplit('\n').next().unwrap();
        (file, before.matches('\n').count() as u64, line.chars().count() as u64)
    }

    fn at(&self, (file, line, character): Place) -> Value {
        let uri = uri(self.paths()[file]);
        json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
    }

    fn file(&self, of: &str) -> Option<usize> {
        self.paths().iter().position(|path| uri(path) == of)
    }

    /// The edits of a rename, or why there are none.
    fn rename(&mut self, span: Span, new_name: &str) -> Result<Vec<String>, String> {
        let mut params = self.at(self.place(span));
        params["newName"] = json!(new_name);
        let answer = match self.client.request("textDocument/rename", params) {
            Ok(answer) => answer,
            Err(error) => {
                assert_eq!(error["code"], -32803, "{error}");
                return Err(error["message"].as_str().expect("a reason").to_owned());
            }
        };
        let mut texts = self.texts.clone();
        for document in answer["documentChanges"].as_array().expect("changes") {
            // Texts that are included have tests of their own.
            let Some(file) = self.file(document["textDocument"]["uri"].as_str().unwrap()) else {
                return Err(ELSEWHERE.to_owned());
            };
            // The last first, so that the others stay where they are.
            let mut edits = document["edits"].as_array().unwrap().clone();
            edits.sort_by_key(|edit| {
                let start = &edit["range"]["start"];
                std::cmp::Reverse((start["line"].as_u64(), start["character"].as_u64()))
            });
            for edit in edits {
                let offset = |end: &str| offset(&self.texts[file], &edit["range"][end]);
                let instead = edit["newText"].as_str().unwrap();
                texts[file].replace_range(offset("start")..offset("end"), instead);
            }
        }
        Ok(texts)
    }

    /// Renames some symbols: each to a fresh name, and to one that another symbol has. Gives how many there were, and how many got the fresh
    /// name.
    fn renamed(&mut self, most: usize) -> (usize, usize) {
        let Some(before) = program(self.example, &self.texts) else { return (0, 0) };
        let all = self.symbols();
        let names: Vec<String> = all.iter().map(|(_, symbol)| symbol.name.clone()).collect();
        let (mut asked, mut done) = (0, 0);
        for (number, (_, symbol)) in some(all.into_iter().enumerate().collect(), most) {
            let (span, about) =
                (symbol.span.unwrap(), format!("{}: {symbol:?}", self.example.model.display()));
            let mut fresh = self.fresh();
            // These beginnings of labels mean something in Promela.
            let is_telling = |word: &&&str| symbol.kind == Kind::Location && symbol.name.starts_with(**word);
            if let Some(word) = ["accept", "end", "progress"].iter().find(is_telling) {
                let why = self.rename(span, &fresh).expect_err("another model");
                assert!(why.contains("have a meaning"), "{about}: {why}");
                fresh = format!("{word}{fresh}");
            }
            asked += 1;
            match self.rename(span, &fresh) {
                Ok(texts) => {
                    assert_ne!(texts, self.texts, "{about}");
                    let after =
                        program(self.example, &texts).unwrap_or_else(|| panic!("{about}\n{}", texts[0]));
                    assert_eq!(after.1, before.1, "{about}\n{}", texts[0]);
                    // Nothing but this name is another one.
                    let own =
                        if self.ignores_case { symbol.name.to_uppercase() } else { symbol.name.clone() };
                    let is_same = after.0.replace(&fresh, &own) == before.0;
                    assert!(is_same, "another program: {about}\n{}", texts[0]);
                    done += 1;
                }
                Err(why) => assert!(KNOWN.iter().any(|known| why.contains(known)), "{about}: {why}"),
            }
            let taken = &names[(number + 1) % names.len()];
            if *taken == symbol.name {
                continue;
            }
            let why = self.rename(span, taken).expect_err("a name that is taken");
            let is_known = KNOWN.iter().any(|known| why.contains(known));
            assert!(is_known || why.contains(taken.as_str()), "{taken} {about}: {why}");
        }
        (asked, done)
    }

    /// A name that stands nowhere.
    fn fresh(&self) -> String {
        let is_taken = |name: &String| {
            self.texts.iter().any(|text| text.to_ascii_lowercase().contains(&name.to_ascii_lowercase()))
        };
        let names = (0..).map(|number| format!("FRESH{number}X"));
        names.into_iter().find(|name| !is_taken(name)).expect("there is one")
    }

    /// Where the server says that a name means nothing.
    fn unknown(&mut self) -> BTreeSet<Place> {
        let mut places = BTreeSet::new();
        let uris: Vec<String> = self.paths().into_iter().map(|path| uri(path)).collect();
        for (file, uri) in uris.iter().enumerate() {
            let document = json!({ "textDocument": { "uri": uri } });
            let told = self.client.request("textDocument/diagnostic", document).unwrap();
            let unknown = told["items"].as_array().unwrap().iter().filter(|one| {
                let code = one["code"].as_str().unwrap_or("");
                UNKNOWN.iter().any(|unknown| unknown.to_string() == code)
            });
            places.extend(unknown.map(|one| {
                let start = &one["range"]["start"];
                (file, start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap())
            }));
        }
        places
    }

    /// Where the server says that a symbol is used.
    fn references(&mut self, span: Span) -> BTreeSet<Place> {
        let mut params = self.at(self.place(span));
        params["context"] = json!({ "includeDeclaration": false });
        let found = self.client.request("textDocument/references", params).unwrap();
        let place = |one: &Value| {
            let start = &one["range"]["start"];
            let file = self.file(one["uri"].as_str().unwrap())?;
            Some((file, start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap()))
        };
        // Not those in texts that are included.
        found.as_array().unwrap().iter().filter_map(place).collect()
    }

    /// Takes some declarations of certain kinds away: nothing but their references, and those of what is declared in them, mean nothing
    /// then. Gives how many were tried, and of how many something was missed.
    fn without_declarations(&mut self, kinds: &[Kind], most: usize) -> (usize, usize) {
        let all = self.symbols();
        // `module b = a [x=y]`: lowering names the text of the module there that has `x`.
        let copies = all.iter().filter(|(_, s)| s.kind == Kind::Module && s.detail.contains(" = "));
        let copies: Vec<Span> = copies.filter_map(|(_, copy)| copy.whole).collect();
        let is_in_copy = |id: SymbolId| {
            let mut places = self.index.references(id).map(|found| found.span);
            places.any(|span| copies.iter().any(|copy| is_within(span, *copy)))
        };
        let is_tried = |(id, symbol): &(SymbolId, Symbol)| {
            // What is declared together, goes together: such as all names of an `mtype`.
            let is_alone =
                all.iter().all(|(other, s)| other == id || s.whole != symbol.whole && s.name != symbol.name);
            kinds.contains(&symbol.kind) && symbol.container.is_none() && is_alone && !is_in_copy(*id)
        };
        let tried: Vec<_> = all.iter().filter(|one| is_tried(one)).cloned().collect();
        let (mut asked, mut missed) = (0, 0);
        for (_, symbol) in some(tried, most) {
            let whole = symbol.whole.unwrap();
            let file = whole.file.0 as usize;
            let inside =
                all.iter().filter(|(_, other)| other.span.is_some_and(|span| is_within(span, whole)));
            let spans: Vec<Span> = inside.filter_map(|(_, other)| other.span).collect();
            let mut expected: BTreeSet<Place> = BTreeSet::new();
            for span in spans {
                expected.extend(self.references(span));
            }
            let end = Span { start: whole.end, ..whole };
            let (from, to) = (self.place(whole), self.place(end));
            expected.retain(|place| *place < from || to <= *place);
            // Ends of lines stay, so that everything else stays where it is.
            let written = &self.texts[file][whole.start as usize..whole.end as usize];
            let blank: String = written.chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
            let mut texts = self.texts.clone();
            texts[file].replace_range(whole.start as usize..whole.end as usize, &blank);
            let uri = uri(self.paths()[file]);
            let about = format!("{}: without {symbol:?}", self.example.model.display());
            self.client.close(&uri);
            self.client.open(&uri, "", &texts[file]);
            let unknown = self.unknown();
            self.client.close(&uri);
            let before = self.texts[file].clone();
            self.client.open(&uri, "", &before);
            let more: Vec<_> = unknown.difference(&expected).collect();
            assert!(more.is_empty(), "{about}: {more:?} besides {expected:?}");
            asked += 1;
            missed += usize::from(unknown.is_empty() && !expected.is_empty());
        }
        (asked, missed)
    }
}

/// The program of some texts, written out with its names, and what is wrong with the texts and the properties; `None` without a program.
fn program(example: &Example, texts: &[String]) -> Option<(String, Vec<String>)> {
    let control = Control::unlimited();
    let mut given = std::iter::once(&example.model).chain(&example.properties).zip(texts);
    let mut text = || given.next().map(|(path, text)| Text { name: name(path), text: text.clone() });
    let model = text().expect("a model");
    let properties = std::iter::from_fn(text).collect();
    let mut folder = Beside(example.model.parent().unwrap().to_path_buf());
    let input = Input::of_text(model, properties, &mut folder, &control);
    let mut model = Model::open(None, input, &[] as &[&str]);
    let (_, found) = model.outline();
    let mut codes: Vec<String> = found.iter().map(|one| one.code.to_string()).collect();
    let number = model.num_properties();
    let document = model.document.as_mut().filter(|document| document.program().is_some())?;
    for property in 0..number {
        let wrong = document.property(&model.sources, property).err().unwrap_or_default();
        codes.extend(wrong.iter().map(|one| one.code.to_string()));
    }
    codes.sort();
    // What steps touch decides which of them are looked at first, and is known less well of variables that share their names.
    let mut program = document.program()?.clone();
    for location in &mut program.network.locations {
        location.alternatives_mut().for_each(|alternative| alternative.accesses.clear());
    }
    program.network.types.iter_mut().for_each(|ty| ty.guard_accesses.clear());
    Some((format!("{program:?}"), codes))
}

/// Some of the edits are in texts that are included.
const ELSEWHERE: &str = "edits of other texts";

/// Why a name cannot be changed at all.
const KNOWN: &[&str] = &[
    ELSEWHERE,
    "which is not looked through",
    "it is not written as a name",
    "in a text that comes to several places",
    "is no name that this",
];

/// What says that a name means nothing.
const UNKNOWN: &[volvelle_diagnostics::Code] = &[
    volvelle_diagnostics::codes::UNKNOWN_NAME,
    volvelle_diagnostics::codes::UNKNOWN_LABEL,
    volvelle_diagnostics::codes::UNKNOWN_MODULE,
    volvelle_diagnostics::codes::UNKNOWN_REWARD,
    volvelle_diagnostics::codes::LOTOS_NAME,
];

fn is_within(inner: Span, outer: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}

/// The offset of a position that is counted in characters.
fn offset(text: &str, position: &Value) -> usize {
    let (line, character) = (position["line"].as_u64().unwrap(), position["character"].as_u64().unwrap());
    let start = text.split_inclusive('\n').take(line as usize).map(str::len).sum::<usize>();
    let letters = text[start..].char_indices().map(|(at, _)| at).chain([text.len() - start]);
    start + letters.into_iter().nth(character as usize).expect("a place of the line")
}

/// What is declared in the languages so that without it its references are mistakes, and lowering says so.
fn kinds(language: &str) -> &'static [Kind] {
    match language {
        "prism" => &[Kind::Constant, Kind::Formula, Kind::Label, Kind::Rewards, Kind::Variable],
        "promela" => &[Kind::Variable, Kind::Channel, Kind::Constant, Kind::Process],
        _ => &[Kind::Process],
    }
}

/// Renames and takes away in all models. Nearly all names can be changed, and of nearly all declarations something is missed.
fn compare(language: &'static str, models: &[Example], most: usize) {
    let (mut renamed, mut without) = ((0, 0), (0, 0));
    for example in models {
        let mut case = Case::of(language, example);
        let (asked, done) = case.renamed(most);
        renamed = (renamed.0 + asked, renamed.1 + done);
        let (asked, missed) = case.without_declarations(kinds(language), most);
        without = (without.0 + asked, without.1 + missed);
        assert_eq!(case.client.leaves(), 0);
    }
    if !models.is_empty() {
        assert!(renamed.1 > 3 && renamed.1 * 100 >= renamed.0 * 90, "{language}: renamed {renamed:?}");
        assert!(without.1 * 100 <= without.0 * 15, "{language}: nothing missed {without:?}");
    }
}

fn examples_in(folder: &str, ending: &str) -> Vec<Example> {
    let is_one = |example: &Example| {
        example.model.parent().is_some_and(|parent| parent.ends_with(folder))
            && example.model.extension().is_some_and(|found| found == ending)
    };
    examples().into_iter().filter(is_one).collect()
}

#[test]
fn examples_renamed() {
    compare("prism", &examples_in("prism", "prism"), 6);
    compare("promela", &examples_in("promela", "pml"), 6);
    compare("lotos", &examples_in("lotos", "lotos"), 6);
}

#[test]
fn corpus_renamed_of_prism() {
    compare("prism", &published("prism"), 6);
}

#[test]
fn corpus_renamed_of_promela() {
    compare("promela", &published("promela"), 6);
}

#[test]
fn corpus_renamed_of_lotos() {
    compare("lotos", &published("lotos"), 24);
}
