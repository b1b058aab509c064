//! Forms and readers say the same: keys, words and ranges.

use super::*;
use crate::reader::tests::NoDisk;
use crate::texts::Texts;
use std::rc::Rc;
use volvelle_declarations::form::{ANY, Entry, Shape};

#[test]
fn kinds_of_files() {
    let name_of = |name: &str, text: &str| match kind(name, text) {
        None => "none",
        Some(Kind::Study) => "study",
        Some(Kind::Declared(room)) => room.names.form.name,
    };
    for (name, text, expected) in [
        ("a.toml", "[step.queue]\nmodel = \"a.lotos\"", "pipeline"),
        ("a.toml", "[initial]\n", "bodies"),
        ("a.toml", "name = \"x\"\n[device]\n", "platform"),
        ("a.toml", "machines = []", "multicore"),
        ("a.toml", "states = []\nrows = []", "protocol"),
        ("a.toml", "kind = \"tage\"\ntag_bits = 3", "predictor"),
        ("a.toml", "cores = 2\nprotocol = \"mesi\"", "machine"),
        ("a.toml", "program = \"a.mpi\"", "study"),
        ("volvelle.toml", "", "settings"),
        ("Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\n[lib]\n[features]\n", "none"),
        ("pyproject.toml", "[project]\nname = \"x\"\n[tool.black]\n[build-system]\n", "none"),
        ("config.toml", "[registries.crates-io]\nprotocol = \"sparse\"", "none"),
        ("book.toml", "[book]\ntitle = \"x\"\n[output.html]\n", "none"),
        ("a.txt", "[step.queue]", "none"),
        ("a.toml", "", "none"),
    ] {
        assert_eq!(name_of(name, text), expected, "{name}: {text}");
    }
}

/// What stands beside a key, by form and table: any of these, where the key has a meaning beside one of them only.
const BESIDE: &[(&str, &str, &[&str])] = &[
    (
        "bodies",
        "initial",
        &[
            "model = \"king\"\nbodies = 9\nw0 = 6",
            "model = \"cold_collapse\"\nbodies = 9",
            "model = \"encounter\"\nbodies = 9",
            "",
        ],
    ),
    ("bodies", "initial.first", &["model = \"king\"\nw0 = 6", "model = \"cold_collapse\""]),
    ("bodies", "physics", &["solver = \"tree\"", "integrator = \"hermite\"", "force = \"a.kernel\""]),
    ("protocol", "", &["states = [\"I\", \"M\"]\nrows = []"]),
    ("protocol", "transfers", &["states = [\"I\", \"M\"]\nrows = []"]),
    ("predictor", "", &["kind = \"gag\"", "kind = \"perceptron\"", "kind = \"hashed\"", "kind = \"tage\""]),
    ("multicore", "expected", &["machine = \"a\"\npredictor = \"b\"\nipc = 1"]),
    ("multicore", "reading", &["name = \"a\""]),
    ("multicore", "program", &["file = \"a\""]),
    ("mpi", "topology", &["shape = [1]", "places = [\"a\"]\ndistances = [[0]]"]),
    ("mpi", "latencies.x", &["mean = 1"]),
    ("mpi", "processes.x", &["from = \"a\"\ndistance = 1"]),
    ("platform", "processor", &["groups = [1]"]),
    ("platform", "device", &["elements = 1024"]),
    ("pipeline", "step.x", &["model = \"a\"\ncompare = \"b.lotos\"", "model = \"a\"\nsteady = {}"]),
    ("pipeline", "step.x.transient", &["times = \"1\"", "first_passage = [\"A\"]"]),
];

/// A key with the tables that it stands in.
struct Place {
    form: &'static Form,
    tables: Vec<&'static Entry>,
    entry: &'static Entry,
}

impl Place {
    fn name(entry: &Entry) -> &str {
        if entry.name == ANY { "x" } else { entry.name }
    }

    /// The path of the table; that of a galaxy is that of the first.
    fn path(&self) -> String {
        self.tables.iter().map(|table| Self::name(table)).collect::<Vec<_>>().join(".")
    }

    /// Whether some text with this value has something to tell about it, and whether all have. An unknown key is told, too, but counts as
    /// an error of this test.
    fn told(&self, value: &str) -> (bool, bool) {
        let path = self.path();
        let beside = BESIDE
            .iter()
            .find(|(form, table, _)| *form == self.form.name && *table == path.replace("second", "first"));
        let key = Self::name(self.entry);
        let mut all = Vec::new();
        for beside in beside.map_or(&[""][..], |(_, _, all)| all) {
            let is_other = |line: &&str| !line.starts_with(&format!("{key} ="));
            let lines: Vec<&str> = beside.lines().filter(is_other).collect();
            // In a protocol, what stands beside a table stands above it; a galaxy is one of an encounter.
            let lines = lines.join("\n");
            let (above, inside) = match self.form.name {
                "protocol" => (lines, String::new()),
                "bodies" if path.starts_with("physics.") => ("[physics]\nforce = \"a\"".to_owned(), lines),
                "bodies" if path.contains('.') => {
                    ("[initial]\nmodel = \"encounter\"\nbodies = 9".to_owned(), lines)
                }
                "multicore" if path.starts_with("reading.") => {
                    ("[[reading]]\nname = \"a\"".to_owned(), lines)
                }
                _ => (String::new(), lines),
            };
            let is_list = self.tables.last().is_some_and(|table| matches!(table.shape, Shape::Tables(_)));
            let head = match (path.is_empty(), is_list) {
                (true, _) => String::new(),
                (false, true) => format!("[[{path}]]\n"),
                (false, false) => format!("[{path}]\n"),
            };
            let text = format!("{above}\n{head}{inside}\n{key} = {value}\n");
            let from = text.rfind(&format!("{key} = ")).expect("the line") as u32;
            let found = self.read(&text);
            let here: Vec<&Diagnostic> = found
                .iter()
                .filter(|one| one.primary.as_ref().is_some_and(|label| label.span.end > from))
                .collect();
            let is_unknown = here.iter().any(|one| one.message.starts_with("unknown key"));
            if !is_unknown {
                all.push(!here.is_empty());
            }
        }
        assert!(!all.is_empty(), "{}: `{key}` of `{path}` is unknown to the reader", self.form.name);
        (all.contains(&true), !all.contains(&false))
    }

    fn read(&self, text: &str) -> Vec<Diagnostic> {
        let file = FileId(0);
        if self.form.name == "mpi" {
            let mut found = volvelle_mpi::study::Outline::read(file, text).1;
            found.extend(volvelle_mpi::study::Settings::read(file, text, &[]).1);
            return found;
        }
        let room = ROOMS.iter().find(|room| room.names.form.name == self.form.name).expect("a room");
        (room.read)(file, text, &Reader::of(None, &Texts::default(), Rc::new(NoDisk)))
    }
}

/// All keys of all forms.
fn places() -> Vec<Place> {
    let forms = ROOMS.iter().map(|room| room.names.form).chain([&volvelle_mpi::study::STUDY]);
    let mut places: Vec<Place> = forms
        .flat_map(|form| form.entries.iter().map(move |entry| Place { form, tables: Vec::new(), entry }))
        .collect();
    let mut at = 0;
    while at < places.len() {
        let Place { form, ref tables, entry } = places[at];
        let tables: Vec<&Entry> = tables.iter().copied().chain([entry]).collect();
        for inner in entry.shape.entries().unwrap_or_default() {
            places.push(Place { form, tables: tables.clone(), entry: inner });
        }
        at += 1;
    }
    places
}

/// No key of a form is ignored: a date, which no key takes, is told.
#[test]
fn all_keys_are_read() {
    let all = places();
    assert!(all.len() > 200, "{}", all.len());
    for place in all {
        let is_told = place.told("1979-05-27").0;
        assert!(is_told, "{}: `{}` of `{}`", place.form.name, place.entry.name, place.path());
    }
}

/// The words and ranges of forms are those of the readers.
#[test]
fn all_values_are_taken() {
    let (mut words, mut ranges) = (0, 0);
    for place in places() {
        let about = || format!("{}: `{}` of `{}`", place.form.name, place.entry.name, place.path());
        // A sweep takes lists of what a machine takes, and tells it only when it makes machines.
        if place.form.name == "multicore"
            && place.tables.iter().any(|table| ["set", "sweep"].contains(&table.name))
        {
            continue;
        }
        for word in place.entry.shape.words() {
            assert!(!place.told(&format!("\"{word}\"")).1, "{}: {word}", about());
            words += 1;
        }
        let is_closed = matches!(place.entry.shape, Shape::Words(_) | Shape::Listed(_));
        assert!(!is_closed || place.told("\"nonsense\"").0, "{}", about());
        if let Some(range) = place.entry.range() {
            let (from, to) = range.into_inner();
            assert!(!place.told(&from.to_string()).1, "{}: {from}", about());
            assert!(!place.told(&to.to_string()).1, "{}: {to}", about());
            assert!(place.told(&(to + 1).to_string()).0, "{}: {}", about(), to + 1);
            assert!(from == 0 || place.told(&(from - 1).to_string()).0, "{}: {}", about(), from - 1);
            ranges += 1;
        }
        if matches!(place.entry.shape, Shape::Flag) {
            assert!(!place.told("true").1, "{}", about());
        }
    }
    assert!(words > 100 && ranges > 40, "{words} words, {ranges} ranges");
}
