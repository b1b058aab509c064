//! Names: those of labels are given, all others are chosen so that they differ from them.

use super::Refusal;
use crate::lower::{label_name, transfer_kinds};
use crate::machine::Machine;
use crate::system::{Home, System};
use rustc_hash::{FxHashMap, FxHashSet};

/// Words of the language, and operations that it has by itself.
const WORDS: &[&str] = &[
    "ACCEPT",
    "ACTUALIZEDBY",
    "AND",
    "ANDTHEN",
    "AND_THEN",
    "ANY",
    "BEHAVIOR",
    "BEHAVIOUR",
    "BOOL",
    "CHOICE",
    "DIV",
    "ENDLIB",
    "ENDPROC",
    "ENDSPEC",
    "ENDTYPE",
    "EQ",
    "EQNS",
    "EXIT",
    "FALSE",
    "FOR",
    "FORALL",
    "FORMALEQNS",
    "FORMALOPNS",
    "FORMALSORTS",
    "GE",
    "GT",
    "HIDE",
    "I",
    "IFF",
    "IMPLIES",
    "IN",
    "INT",
    "IS",
    "LE",
    "LET",
    "LIBRARY",
    "LT",
    "MAX",
    "MIN",
    "MOD",
    "NAT",
    "NE",
    "NOEXIT",
    "NOT",
    "OF",
    "OFSORT",
    "OPNNAMES",
    "OPNS",
    "OR",
    "ORELSE",
    "OR_ELSE",
    "PAR",
    "PRED",
    "PROCESS",
    "REM",
    "RENAMEDBY",
    "SORTNAMES",
    "SORTS",
    "SPECIFICATION",
    "STOP",
    "SUCC",
    "TRUE",
    "TYPE",
    "USING",
    "WHERE",
    "XOR",
];

/// Words that are no constants.
const NO_CONSTANTS: &[&str] = &["FALSE", "TRUE", "MAX", "MIN", "PRED", "SUCC", "I"];

/// The sorts of labels with the names of their values.
pub(super) struct Names {
    pub processes: Vec<String>,
    pub variables: Vec<String>,
    pub channels: Vec<String>,
    /// With distances, as [`transfer_kinds`] lists them.
    pub transfers: Vec<String>,
    pub states: Vec<String>,
    pub homes: Vec<String>,
    /// Values of labels that another sort has, too.
    ambiguous: FxHashSet<String>,
    taken: FxHashSet<String>,
}

/// Operations in labels.
pub(super) const OPERATIONS: [&str; 6] = ["LD", "ST", "TAS", "SWAP", "CAS", "FADD"];
/// What the protocol distinguishes.
pub(super) const ACCESSES: [&str; 3] = ["LOAD", "STORE", "ATOMIC"];

impl Names {
    /// The names of a system; those of labels are as the labels of the lowering have them.
    pub fn new(system: &System, machine: &Machine) -> Result<Names, Refusal> {
        let of = |names: &mut dyn Iterator<Item = &str>| names.map(label_name).collect::<Vec<_>>();
        let processes = of(&mut system.processes.iter().map(|process| &*process.name));
        let variables = of(&mut system.variables.iter().map(|variable| &*variable.name));
        let channels = of(&mut system.channels.iter().map(|channel| &*channel.name));
        let transfers: Vec<String> = transfer_kinds(machine).into_iter().map(|(name, ..)| name).collect();
        let operations = OPERATIONS.map(str::to_owned).to_vec();
        let mut seen: FxHashMap<&str, u32> = FxHashMap::default();
        for names in [&processes, &variables, &channels, &transfers, &operations] {
            let mut here: FxHashSet<&str> = FxHashSet::default();
            for name in names {
                if !here.insert(name) {
                    return Err(Refusal::TwoNames(name.clone()));
                }
                let is_word = WORDS.contains(&name.as_str()) && !NO_CONSTANTS.contains(&name.as_str());
                if is_word || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    return Err(Refusal::Name(name.clone()));
                }
                *seen.entry(name).or_insert(0) += 1;
            }
        }
        let is_ambiguous =
            |(name, count): (&str, u32)| (count > 1 || NO_CONSTANTS.contains(&name)).then(|| name.to_owned());
        let ambiguous = seen.iter().map(|(&name, &count)| (name, count)).filter_map(is_ambiguous).collect();
        let mut taken: FxHashSet<String> = seen.keys().map(|&name| name.to_owned()).collect();
        taken.extend(WORDS.iter().map(|&word| word.to_owned()));
        // `I` is the usual name of the first state, and no constant of the language.
        taken.remove("I");
        let mut names = Names {
            processes,
            variables,
            channels,
            transfers,
            states: Vec::new(),
            homes: Vec::new(),
            ambiguous,
            taken,
        };
        for access in ACCESSES {
            names.taken.insert(access.to_owned());
        }
        names.states = machine.protocol.states.iter().map(|state| names.fresh(&label_name(state))).collect();
        names.taken.insert("I".to_owned());
        let home = |home: &Home| match home {
            Home::Process(process) => format!("AT_{}", names.processes[process.index()]),
            Home::Place(place) => format!("AT_{}", label_name(place)),
        };
        let homes: Vec<String> = system.homes.iter().map(home).collect();
        names.homes = homes.iter().map(|home| names.fresh(home)).collect();
        Ok(names)
    }

    /// A name like this one that nothing has.
    pub fn fresh(&mut self, name: &str) -> String {
        let base = if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.to_owned()
        } else {
            format!("X{name}")
        };
        let mut found = base.clone();
        let mut number = 2;
        while !self.taken.insert(found.clone()) {
            found = format!("{base}_{number}");
            number += 1;
        }
        found
    }

    /// Whether something has a name.
    pub fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// A value of a sort of labels, with its sort if others have it, too.
    fn value(&self, name: &str, sort: &str) -> String {
        if self.ambiguous.contains(name) { format!("({name} of {sort})") } else { name.to_owned() }
    }

    pub fn process(&self, number: usize) -> String {
        self.value(&self.processes[number], "PROC")
    }

    pub fn variable(&self, number: usize) -> String {
        self.value(&self.variables[number], "VARIABLE")
    }

    pub fn channel(&self, number: usize) -> String {
        self.value(&self.channels[number], "CHANNEL")
    }

    pub fn transfer(&self, number: usize) -> String {
        self.value(&self.transfers[number], "TRANSFER")
    }

    pub fn operation(&self, name: &str) -> String {
        self.value(name, "OPERATION")
    }
}

/// Whether a name is no gate: another word, or none.
pub(super) fn is_no_gate(name: &str) -> bool {
    WORDS.contains(&name) || !name.starts_with(|c: char| c.is_ascii_alphabetic())
}
