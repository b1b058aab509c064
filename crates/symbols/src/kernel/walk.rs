//! Names of kernels: where they are declared, and what they mean where they stand.
//!
//! A local and a buffer may have the same name; which one is meant is told by what stands around it, as the parser does. Names are known
//! from their declarations on, to the end of the kernel.

use crate::builder::{Builder, Declared};
use crate::index::{Kind, Role, SymbolId};
use crate::pieces::Class;
use crate::words::{Known, Word, between};
use rustc_hash::FxHashMap;

/// Adds the names of all kernels of a text.
pub(super) fn kernels<'t>(builder: &mut Builder<'_>, words: &[Word<'t>]) {
    let is_head = |word: &Word<'_>| word.class == Class::Keyword && word.shown == "kernel";
    let mut heads: Vec<usize> = (0..words.len()).filter(|&at| is_head(&words[at])).collect();
    heads.push(words.len());
    for pair in heads.windows(2) {
        let mut walk = Walk {
            builder,
            words: &words[pair[0]..pair[1]],
            known: Known::default(),
            kernel: None,
            machines: Vec::new(),
        };
        walk.kernel();
    }
}

/// A machine, whose blocks have numbers.
#[derive(Default)]
struct Machine<'t> {
    /// How many braces are open around it.
    depth: usize,
    blocks: FxHashMap<&'t str, SymbolId>,
    /// Numbers of blocks behind `goto`.
    named: Vec<Word<'t>>,
}

struct Walk<'b, 'w, 'a, 't> {
    builder: &'b mut Builder<'w>,
    words: &'a [Word<'t>],
    known: Known<'t>,
    kernel: Option<SymbolId>,
    machines: Vec<Machine<'t>>,
}

impl<'t> Walk<'_, '_, '_, 't> {
    /// Whether a token is a word or a sign of the language.
    fn is(&self, at: usize, shown: &str) -> bool {
        self.words.get(at).is_some_and(|word| word.shown == shown && word.class != Class::Name)
    }

    fn is_name(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| word.class == Class::Name)
    }

    fn kernel(&mut self) {
        let words = self.words;
        let body = (0..words.len()).find(|&at| self.is(at, "{")).unwrap_or(words.len());
        let closed = (0..words.len()).rev().find(|&at| self.is(at, "}"));
        if self.is_name(1) {
            let Word { shown: name, span, .. } = words[1];
            let whole = between(words, 0, closed.unwrap_or(words.len() - 1));
            let detail = self.builder.one_line(between(words, 0, body.max(1) - 1));
            let declared = Declared { name, kind: Kind::Kernel, span, whole, detail, container: None };
            self.kernel = Some(self.builder.declare(declared));
        }
        for at in 2..body {
            if self.is_name(at) && self.is(at + 1, ":") {
                let last = if at + 2 < body { at + 2 } else { at };
                self.declare(Kind::Parameter, at, at, last);
            }
        }
        let (mut at, mut depth) = (body, 0usize);
        while at < words.len() {
            match words[at].shown {
                "{" => {
                    depth += 1;
                    if self.is_head_of_machine(at) {
                        self.machines.push(Machine { depth, ..Machine::default() });
                    }
                }
                "}" => {
                    if self.machines.last().is_some_and(|machine| machine.depth >= depth) {
                        self.leave();
                    }
                    depth = depth.saturating_sub(1);
                }
                _ if words[at].class == Class::Keyword => at = self.keyword(at),
                _ if self.is_name(at) => self.name(at),
                _ => {}
            }
            at += 1;
        }
        while !self.machines.is_empty() {
            self.leave();
        }
    }

    /// Whether the word `machine` begins what stands before a brace.
    fn is_head_of_machine(&self, brace: usize) -> bool {
        let before = (0..brace).rev().take_while(|&at| !matches!(self.words[at].shown, "{" | "}" | ";"));
        before.last().is_some_and(|first| self.is(first, "machine"))
    }

    /// The blocks of a machine are all known.
    fn leave(&mut self) {
        let Some(machine) = self.machines.pop() else { return };
        for word in machine.named {
            if let Some(&block) = machine.blocks.get(word.shown) {
                self.builder.refer(word.span, block, Role::Reads);
            }
        }
    }

    /// Adds a symbol of the kernel that a token names, declared from one token to another one.
    fn declare(&mut self, kind: Kind, name: usize, first: usize, last: usize) {
        let whole = between(self.words, first, last);
        self.known.declare(self.builder, kind, self.words[name], whole, self.kernel);
    }

    /// Adds what a word of the language begins; the last token that was read.
    fn keyword(&mut self, at: usize) -> usize {
        let kind = match self.words[at].shown {
            "buffer" => Kind::Buffer,
            "local" => Kind::Variable,
            "site" => Kind::Location,
            "let" => Kind::Formula,
            "block" => {
                self.block(at);
                return at;
            }
            "goto" => {
                if let (Some(machine), Some(word)) = (self.machines.last_mut(), self.words.get(at + 1)) {
                    machine.named.push(*word);
                }
                return at;
            }
            "emit" | "truncate" => return self.buffer(at + 1, Role::Writes).unwrap_or(at),
            "copy" => {
                let first = self.buffer(at + 1, Role::Writes);
                let second = if first.is_some() { self.buffer(at + 3, Role::Reads) } else { None };
                return second.or(first).unwrap_or(at);
            }
            "take" | "for" | "machine" => {
                if self.is_name(at + 1) {
                    self.local(at + 1, Role::Writes);
                    return at + 1;
                }
                return at;
            }
            "len" if self.is(at + 1, "(") => return self.buffer(at + 2, Role::Reads).unwrap_or(at),
            _ => return at,
        };
        if !self.is_name(at + 1) {
            return at;
        }
        // Without its semicolon it ends before the next declaration or block: texts without any are read once.
        let is_over = |end: &usize| {
            [";", "{", "}", "buffer", "local", "site", "let"].iter().any(|sign| self.is(*end, sign))
        };
        let end = (at + 2..self.words.len()).find(is_over).unwrap_or(self.words.len());
        self.declare(kind, at + 1, at, end - 1);
        at + 1
    }

    fn block(&mut self, at: usize) {
        let Some(&word) = self.words.get(at + 1).filter(|word| word.class == Class::Number) else { return };
        let Some(machine) = self.machines.last_mut() else { return };
        let (name, span, whole) = (word.shown, word.span, between(self.words, at, at + 1));
        let detail = format!("block {name}");
        let declared = Declared { name, kind: Kind::Location, span, whole, detail, container: self.kernel };
        let id = self.builder.declare(declared);
        machine.blocks.entry(name).or_insert(id);
    }

    /// The token names a buffer; where it stands, if it is a name.
    fn buffer(&mut self, at: usize, role: Role) -> Option<usize> {
        let word = self.words.get(at).filter(|word| word.class == Class::Name)?;
        self.known.refer(self.builder, Kind::Buffer, *word, role);
        Some(at)
    }

    /// The token names a local or a parameter.
    fn local(&mut self, at: usize, role: Role) {
        let word = self.words[at];
        let is_parameter = self.known.get(Kind::Parameter, word.shown).is_some();
        let kind = if is_parameter { Kind::Parameter } else { Kind::Variable };
        self.known.refer(self.builder, kind, word, role);
    }

    /// A name in a statement.
    fn name(&mut self, at: usize) {
        let word = self.words[at];
        let is_first =
            at.checked_sub(1).is_none_or(|before| matches!(self.words[before].shown, ";" | "{" | "}"));
        let role = if is_first { Role::Writes } else { Role::Reads };
        match word.shown.as_bytes().first() {
            Some(b'@') => self.known.refer(self.builder, Kind::Location, word, Role::Reads),
            Some(b'$') => self.known.refer(self.builder, Kind::Formula, word, Role::Reads),
            _ if self.is(at + 1, "[") => drop(self.buffer(at, role)),
            _ => self.local(at, role),
        }
    }
}
