//! Random programs of few processes that get in each other's way.
//!
//! For comparisons of reductions with the search of all orders: small, and dense with what makes one statement depend on
//! another's being impossible (`unless`, `else`, `timeout`, `provided`, atomic sequences that are interrupted), over
//! channels with buffers and without. In larger programs a wrong reduction rarely changes the verdict.

use super::Choices;
use std::fmt::Write;

/// A program, and a claim that a search may reduce for.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The program, without a claim.
    pub program: String,
    /// `ltl claim { … }`; it ignores stuttering.
    pub claim: String,
}

/// A program; with `asserts`, its statements may be errors; `beyond_spin`, with what SPIN refuses, or means differently (it
/// counts a claim in `_nr_pr`).
pub fn random_contest(choices: &mut Choices<'_>, asserts: bool, beyond_spin: bool) -> Contest {
    let mut writer = Writer { choices, asserts, beyond_spin, capacities: [0; 2], process: 0 };
    let capacities = [0, 1].map(|_| writer.choices.pick(&[0, 0, 1, 1, 2]));
    writer.capacities = capacities;
    let mut program = "byte g, h;\n".to_owned();
    for (i, capacity) in capacities.iter().enumerate() {
        _ = writeln!(program, "chan c{i} = [{capacity}] of {{ byte }};");
    }
    let count = 2 + writer.choices.below(2);
    for process in 0..count {
        writer.process = process;
        _ = writeln!(program, "{}", writer.process());
    }
    let claim = writer.claim();
    Contest { program, claim }
}

struct Writer<'w, 'c> {
    choices: &'w mut Choices<'c>,
    asserts: bool,
    beyond_spin: bool,
    capacities: [usize; 2],
    process: usize,
}

impl Writer<'_, '_> {
    fn is_rendezvous(&self, channel: usize) -> bool {
        self.capacities[channel] == 0
    }

    fn send(&mut self) -> String {
        let (channel, value) = (self.choices.below(2), 1 + self.choices.below(2));
        let sorted = !self.is_rendezvous(channel) && self.choices.one_in(4);
        format!("c{channel}{}{value}", if sorted { "!!" } else { "!" })
    }

    fn receive(&mut self) -> String {
        let channel = self.choices.below(2);
        if self.is_rendezvous(channel) {
            return format!("c{channel}?{}", self.choices.pick(&["_", "1", "x", "eval(h)"]));
        }
        let what = self.choices.pick(&["?_", "?1", "?x", "?eval(h)", "??1", "?<1>", "?<x>", "??<1>"]);
        format!("c{channel}{what}")
    }

    /// A condition on a channel. SPIN fails where a rendezvous is polled.
    fn question(&mut self, beside_else: bool) -> String {
        let channel = self.choices.below(2);
        let asks = ["nempty", "empty", "full", "nfull"];
        let polls = !self.is_rendezvous(channel);
        match self.choices.below(8) {
            0..=3 if !beside_else => format!("{}(c{channel})", self.choices.pick(&asks)),
            4 if polls => format!("c{channel}?[1]"),
            5 if polls => format!("c{channel}??[1]"),
            6 if polls => format!("(g == 0 && c{channel}?[_])"),
            7 => format!("len(c{channel}) == 0"),
            _ => format!("len(c{channel}) > 0"),
        }
    }

    fn comparison(&mut self) -> String {
        let tests =
            ["g == 1", "h == 1", "g == 0", "x == 2", "x < 2", "g + h == 2", "_nr_pr < 3", "_pid == 0"];
        self.chosen(&tests)
    }

    /// One of some texts; without numbers of processes where SPIN counts differently.
    fn chosen(&mut self, texts: &[&str]) -> String {
        let text = self.choices.pick(texts);
        if !self.beyond_spin && text.contains("_nr_pr") { "g < 2".into() } else { text.to_owned() }
    }

    /// The first statement of an alternative or of an escape.
    fn guard(&mut self, beside_else: bool) -> String {
        let no_offers = beside_else && !self.beyond_spin;
        match self.choices.below(12) {
            0..=1 if !no_offers => self.receive(),
            2 if !no_offers => self.send(),
            3..=5 => self.question(no_offers),
            6 => "timeout".into(),
            7 if !beside_else => "true".into(),
            8 if beside_else => format!("{{ {}; {} }}", self.receive(), self.simple()),
            _ => self.comparison(),
        }
    }

    fn simple(&mut self) -> String {
        match self.choices.below(12) {
            0..=1 => self.send(),
            2..=3 => self.receive(),
            4 if self.asserts => {
                let tests = ["x != 2", "g + h != 2", "x < 3", "g == 0", "_nr_pr > 1", "len(c0) == 0"];
                format!("assert({})", self.chosen(&tests))
            }
            5 => self.question(false),
            6 => "skip".into(),
            _ => {
                let texts =
                    ["x = 1", "x = 2", "x = 0", "x++", "g = 1", "h = 1", "g = 0", "h = 1 - h", "h = x"];
                self.choices.pick(&texts).to_owned()
            }
        }
    }

    fn simple_ones(&mut self, most: usize) -> String {
        let count = 1 + self.choices.below(most);
        (0..count).map(|_| self.simple()).collect::<Vec<_>>().join("; ")
    }

    /// A statement, perhaps with others inside.
    fn statement(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple();
        }
        match self.choices.below(12) {
            0..=3 => self.unless(depth),
            4..=5 => self.choice(depth),
            6 => {
                let (guard, first) = (self.guard(false), self.statement(depth - 1));
                let out = self.choices.pick(&["g == 1", "x < 2", "true", "timeout", "nempty(c0)"]);
                format!("do :: {guard} -> {first} :: {out} -> break od")
            }
            7..=8 => {
                let (first, rest) = (self.simple_ones(2), self.statement(depth - 1));
                format!("atomic {{ {first}; {rest} }}")
            }
            9 => self.d_step(),
            _ => self.simple_ones(2),
        }
    }

    fn unless(&mut self, depth: usize) -> String {
        let first = self.statement(depth - 1);
        let rest = self.simple_ones(2);
        let main =
            if self.choices.one_in(2) { format!("{first}; {rest}") } else { format!("{rest}; {first}") };
        let escape = match self.choices.below(6) {
            0 => format!("if :: {} -> skip :: {} -> skip fi", self.guard(false), self.guard(false)),
            1 => format!("atomic {{ {}; {} }}", self.guard(false), self.simple_ones(2)),
            _ => self.guard(false),
        };
        format!("{{ {main} }} unless {{ {escape}; {} }}", self.simple_ones(2))
    }

    fn choice(&mut self, depth: usize) -> String {
        let has_else = self.choices.one_in(2);
        let mut text = "if".to_owned();
        for _ in 0..1 + self.choices.below(2) {
            let (guard, rest) = (self.guard(has_else), self.statement(depth - 1));
            _ = write!(text, " :: {guard} -> {rest}");
        }
        if has_else {
            _ = write!(text, " :: else -> {}", self.simple());
        }
        text + " fi"
    }

    /// Puts and takes that may block where others were there before are errors in both tools, or are asked for first.
    fn d_step(&mut self) -> String {
        let buffered: Vec<usize> = (0..2).filter(|&c| !self.is_rendezvous(c)).collect();
        if buffered.is_empty() || self.choices.one_in(2) {
            let texts = ["x = 1; g = x", "g = 1; h = g", "x++; g = 0", "g == 1; h = 1", "h = 1; x = 2"];
            return format!("d_step {{ {} }}", self.choices.pick(&texts));
        }
        let c = buffered[self.choices.below(buffered.len())];
        let texts = ["nfull(C) -> C!1", "nempty(C) -> C?x; h = x", "C?x; h = 1", "C!1; g = 1"];
        let text = self.choices.pick(&texts).replace('C', &format!("c{c}"));
        let more = match self.choices.below(3) {
            0 => format!("; if :: len(c{c}) == 0 -> h = 1 :: else -> g = 1 fi"),
            1 if self.beyond_spin => format!("; if :: nfull(c{c}) -> c{c}!2 :: else -> g = 1 fi"),
            _ => String::new(),
        };
        format!("d_step {{ {text}{more} }}")
    }

    fn process(&mut self) -> String {
        let number = self.process;
        let conditions =
            ["g == 0", "nempty(c0)", "empty(c1)", "len(c0) == 0", "nfull(c1)", "h == 0 || g == 1"];
        let provided = if self.choices.one_in(6) {
            format!(" provided ({})", self.choices.pick(&conditions))
        } else {
            String::new()
        };
        let count = 1 + self.choices.below(3);
        let mut statements: Vec<String> = (0..count).map(|_| self.statement(2)).collect();
        let prefix = self.choices.pick(&["L", "L", "accept_L", "progress_L", "end_L"]);
        let at = self.choices.below(statements.len() + 1);
        statements.insert(at, format!("{prefix}{number}: skip"));
        let names = statements.join("; ");
        format!("active proctype P{number}(){provided} {{ byte x; {names} }}")
    }

    fn claim(&mut self) -> String {
        let mut propositions =
            vec!["g == 0", "h == 1", "g + h < 2", "len(c0) == 0", "len(c1) > 0", "_nr_pr > 1"];
        propositions.push("c0?[1]");
        if self.is_rendezvous(0) {
            propositions.pop();
        }
        let mut one = || self.chosen(&propositions);
        let (p, q) = (one(), one());
        let formula = match self.choices.below(7) {
            0..=1 => format!("[] ({p})"),
            2 => format!("<> ({p})"),
            3 => format!("[]<> ({p})"),
            4 => format!("<>[] ({p})"),
            5 => format!("[] (({p}) -> <> ({q}))"),
            _ => format!("({p}) U ({q})"),
        };
        format!("ltl claim {{ {formula} }}\n")
    }
}
