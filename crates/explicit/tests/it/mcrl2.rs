//! Labelled transition systems of mCRL2: streams that are put together here, whole ones and broken ones.

use std::collections::HashMap;
use volvelle_control::Control;
use volvelle_diagnostics::codes;
use volvelle_explicit::{Compression, Finding, read_mcrl2_lts};
use volvelle_space::Lts;

/// Writes a stream as its description says: each symbol and each inner term once, before it is used.
struct Writer {
    bits: Vec<bool>,
    symbols: Vec<(String, usize)>,
    terms: HashMap<String, usize>,
}

/// A term as a text such as `f(a,g(b))`; `#5` is a number.
fn parts(term: &str) -> (&str, Vec<&str>) {
    let Some(open) = term.find('(') else { return (term, Vec::new()) };
    let inner = &term[open + 1..term.len() - 1];
    let (mut depth, mut start, mut arguments) = (0, 0, Vec::new());
    for (at, sign) in inner.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                arguments.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    arguments.push(&inner[start..]);
    (&term[..open], arguments)
}

impl Writer {
    fn new(version: u64) -> Self {
        let mut writer =
            Writer { bits: Vec::new(), symbols: vec![(String::new(), 0)], terms: HashMap::new() };
        writer.number(0, 8);
        writer.number(0x8baf, 16);
        writer.number(version, 16);
        writer
    }

    fn number(&mut self, value: u64, bits: u32) {
        (0..bits).rev().for_each(|bit| self.bits.push(value >> bit & 1 != 0));
    }

    fn variable(&mut self, mut value: u64) {
        while value > 0x7f {
            self.number(value & 0x7f | 0x80, 8);
            value >>= 7;
        }
        self.number(value, 8);
    }

    fn width(count: usize) -> u32 {
        (usize::BITS - count.leading_zeros()).max(1)
    }

    fn symbol(&mut self, name: &str, arity: usize) -> usize {
        let symbol = (name.to_owned(), arity);
        if let Some(at) = self.symbols.iter().position(|known| *known == symbol) {
            return at;
        }
        self.number(0, 2);
        self.variable(name.len() as u64);
        name.bytes().for_each(|byte| self.number(byte.into(), 8));
        self.variable(arity as u64);
        self.symbols.push(symbol);
        self.symbols.len() - 1
    }

    fn term(&mut self, term: &str, is_output: bool) -> usize {
        if let Some(&at) = self.terms.get(term).filter(|_| !is_output) {
            return at;
        }
        if let Some(number) = term.strip_prefix('#') {
            let number = number.parse().expect("a number");
            if is_output {
                self.number(3, 2);
            } else {
                let symbol = self.symbol("<aterm_int>", 0);
                self.number(1, 2);
                self.number(symbol as u64, Self::width(self.symbols.len()));
            }
            self.variable(number);
        } else {
            let (name, arguments) = parts(term);
            let places: Vec<usize> = arguments.iter().map(|argument| self.term(argument, false)).collect();
            let symbol = self.symbol(name, arguments.len());
            self.number(if is_output { 2 } else { 1 }, 2);
            self.number(symbol as u64, Self::width(self.symbols.len()));
            places.iter().for_each(|&place| self.number(place as u64, Self::width(self.terms.len())));
        }
        let at = self.terms.len();
        if !is_output {
            self.terms.insert(term.to_owned(), at);
        }
        at
    }

    fn finish(mut self) -> Vec<u8> {
        self.number(1, 2);
        self.number(0, Self::width(self.symbols.len()));
        self.bits
            .chunks(8)
            .map(|bits| bits.iter().enumerate().map(|(at, &bit)| u8::from(bit) << (7 - at)).sum())
            .collect()
    }
}

/// A list of terms.
fn list(members: &[&str]) -> String {
    members
        .iter()
        .rev()
        .fold("<empty_list>".to_owned(), |rest, member| format!("<list_constructor>({member},{rest})"))
}

fn action(name: &str, arguments: &[&str]) -> String {
    format!("Action(ActId({name},<empty_list>),{})", list(arguments))
}

fn label(actions: &[String]) -> String {
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    format!("TimedMultAct({},DataVarId(@undefined_real,SortId(Real)))", list(&actions))
}

fn op(name: &str) -> String {
    format!("OpId({name},SortId(S))")
}

fn apply(name: &str, arguments: &[&str]) -> String {
    format!("DataAppl({},{})", op(name), arguments.join(","))
}

/// A file of these outputs.
fn file(outputs: &[&str]) -> Vec<u8> {
    let mut writer = Writer::new(0x8308);
    outputs.iter().for_each(|output| _ = writer.term(output, true));
    writer.finish()
}

/// What stands before transitions, and the initial state.
const BEGINNING: [&str; 11] = [
    "labelled_transition_system",
    "#1",
    "SortId(S)",
    "#0",
    "#0",
    "#0",
    "#0",
    "<empty_list>",
    "<empty_list>",
    "initial_state",
    "#1",
];

fn system(initial: &str, transitions: &[(&str, &str, &str)]) -> Vec<u8> {
    let mut outputs = BEGINNING.to_vec();
    outputs.push(initial);
    transitions.iter().for_each(|(from, label, to)| outputs.extend(["transition", from, label, to]));
    file(&outputs)
}

fn read(bytes: &[u8]) -> Result<Lts, Finding> {
    read_mcrl2_lts("m.lts", &mut &*bytes, &Control::unlimited())
}

#[test]
fn labels_are_multi_actions() {
    let one = op("@c1");
    let five = apply("@cDub", &[&op("true"), &apply("@cDub", &[&op("false"), &one])]);
    let members = apply("|>", &[&op("d1"), &apply("|>", &[&five, &op("[]")])]);
    let set = apply("@set", &[&op("@false_"), &apply("@fset_cons", &[&one, &op("{}")])]);
    let third = apply("@cReal", &[&apply("@cInt", &[&apply("@cNat", &[&one])]), &five]);
    let cases = [
        (label(&[]), "i"),
        (label(&[action("i", &[])]), "'i'"),
        (label(&[action("a", &[]), action("b", &[&op("true")])]), "a|b(true)"),
        (label(&[action("n", &[&five, &apply("@cNat", &[&five]), &op("@c0")])]), "n(5, 5, 0)"),
        (label(&[action("z", &[&apply("@cNeg", &[&five])])]), "z(-5)"),
        (label(&[action("r", &[&apply("@cReal", &[&apply("@cInt", &[&op("@c0")]), &one])])]), "r(0)"),
        (label(&[action("r", &[&third])]), "r(@cReal(1, 5))"),
        (label(&[action("s", &[&members, &set])]), "s([d1, 5], {1})"),
        (label(&[action("f", &[&apply("frame", &[&op("d2"), &five])])]), "f(frame(d2, 5))"),
        (label(&[action("m", &["DataMachineNumber(#300)"])]), "m(DataMachineNumber(300))"),
    ];
    let transitions: Vec<(&str, &str, &str)> =
        cases.iter().map(|(label, _)| ("#0", label.as_str(), "#200")).collect();
    let lts = read(&system("#3", &transitions)).unwrap_or_else(|finding| panic!("{finding:?}"));
    assert_eq!((lts.num_states(), lts.initial), (201, 3));
    let found: Vec<&str> = lts.outgoing(0).iter().map(|edge| lts.labels.text(edge.label)).collect();
    assert_eq!(found, cases.map(|(_, text)| text));
}

/// Written by another program: merc_lts 2.0.
#[test]
fn a_file_of_another_program() {
    let lts = read(include_bytes!("merc.lts")).unwrap_or_else(|finding| panic!("{finding:?}"));
    let found: Vec<String> = lts
        .transitions()
        .map(|(from, label, to)| format!("{from} {} {to}", lts.labels.text(label)))
        .collect();
    let mut expected: Vec<&str> = include_str!("merc.txt").lines().collect();
    let mut found: Vec<&str> = found.iter().map(String::as_str).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(lts.initial, 2);
}

#[test]
fn systems_that_are_refused() {
    let action = label(&[action("a", &[])]);
    let timed = format!("TimedMultAct({},{})", list(&[]), op("@c1"));
    let mut distribution = BEGINNING.to_vec();
    distribution[10] = "#2";
    let unsupported = [
        system("#0", &[("#0", &timed, "#0")]),
        system("#5000000000", &[]),
        file(&distribution),
        file(&["linear_process"]),
        file(&[&BEGINNING[..], &["#0", "probabilistic_transition"]].concat()),
        Writer::new(0x8306).finish(),
    ];
    for bytes in &unsupported {
        assert_eq!(read(bytes).unwrap_err().code, codes::EXPLICIT_UNSUPPORTED);
    }
    let broken = [
        Vec::new(),
        b"des (0, 0, 1)\n".to_vec(),
        file(&BEGINNING[..9]),
        file(&[&BEGINNING[..], &["#0", "transition", "#0", "#0"]].concat()),
        file(&[&BEGINNING[..], &["#0", "transition", "#0", "a(b)"]].concat()),
        system("#0", &[("#4000000000", &action, "#0")]),
    ];
    for bytes in &broken {
        assert_eq!(read(bytes).unwrap_err().code, codes::EXPLICIT_SYNTAX);
    }
}

#[test]
fn any_damage_is_survived() {
    let whole = include_bytes!("merc.lts");
    for length in 0..whole.len() - 1 {
        assert!(read(&whole[..length]).is_err(), "{length} bytes of {}", whole.len());
    }
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.to_vec();
            bytes[at] ^= 1 << bit;
            let _ = read(&bytes);
        }
    }
}

#[test]
fn files_may_be_compressed() {
    use std::io::Write as _;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(include_bytes!("merc.lts")).unwrap();
    let packed = packed.finish().unwrap();
    assert_eq!(Compression::of_content(&packed), Compression::Gzip);
    assert_eq!(read(&packed).unwrap(), read(include_bytes!("merc.lts")).unwrap());
}
