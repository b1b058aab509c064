//! States as texts: terms with the names of the processes that they are the definition of.
//!
//! What is still to be written waits on a stack, so the depth of a term does not matter.

use super::context::IDENTITY;
use super::store::Kind;
use super::{State, Unfolding};
use crate::wccs::{OUTPUT, Relabelling, Term};

/// Names in a restriction or a relabelling beyond these are counted, not written.
const LONGEST_LIST: usize = 8;
/// Longer texts are cut, and end with the number of the state: a sequence of n actions has n states, whose texts would be n times as long as
/// it.
const LONGEST_BYTES: usize = 500;
/// Copies of a part beyond these are counted.
const MOST_COPIES: u32 = 4;

/// What is written without parentheses: a choice (0), a parallel composition (1), a prefix (2), a name (3).
type Level = u8;

enum Piece {
    Term(u32, Level),
    Mapped(u32, u32, Level),
    Written(u32, Level),
    Text(String),
}

impl Unfolding {
    /// A state as a term, another one for each state.
    pub fn text(&self, state: u32) -> String {
        let State { term, context, .. } = self.states[state as usize];
        let mut out = String::new();
        let mut open = vec![Piece::Mapped(context, term, 0)];
        let mut pieces = Vec::new();
        while let Some(piece) = open.pop() {
            if out.len() > LONGEST_BYTES {
                return format!("{} ... #{state}", &out[..out.floor_char_boundary(LONGEST_BYTES)]);
            }
            match piece {
                Piece::Text(text) => out.push_str(&text),
                Piece::Term(term, level) => {
                    let (context, term) = self.without_context(term);
                    open.push(Piece::Mapped(context, term, level));
                }
                Piece::Mapped(context, term, level) => self.mapped_text(context, term, level, &mut pieces),
                Piece::Written(term, level) => self.written_text(term, level, &mut pieces),
            }
            open.extend(pieces.drain(..).rev());
        }
        out
    }

    fn mapped_text(&self, context: u32, term: u32, level: Level, out: &mut Vec<Piece>) {
        let text = |text: &str| Piece::Text(text.to_owned());
        if let Some(&process) = self.names.get(&(context, term)) {
            out.push(text(&self.system.processes[process as usize].name));
            return;
        }
        if context != IDENTITY {
            out.push(Piece::Mapped(IDENTITY, term, 3));
            let (restricted, relabelling) = self.contexts.changes(context);
            out.push(Piece::Text(self.changes_text(&restricted, &relabelling)));
            return;
        }
        let entry = self.store.entry(term);
        match entry.kind {
            Kind::Null => out.push(text("0")),
            Kind::Prefix => out.push(Piece::Written(entry.a, level)),
            Kind::Mapped => out.push(Piece::Mapped(entry.a, entry.b, level)),
            Kind::Label => {
                let name = &self.system.propositions[entry.a as usize];
                parenthesised(level > 2, out, |out| {
                    out.push(Piece::Text(format!("{name}:")));
                    out.push(Piece::Term(entry.b, 2));
                });
            }
            Kind::Choice | Kind::Parallel => {
                let (sign, own) = if entry.kind == Kind::Choice { (" + ", 0) } else { (" | ", 1) };
                parenthesised(level > own, out, |out| {
                    let mut is_first = true;
                    for &(part, count) in self.store.parts(term) {
                        let copies = if count > MOST_COPIES { 1 } else { count };
                        for _ in 0..copies {
                            if !std::mem::take(&mut is_first) {
                                out.push(text(sign));
                            }
                            if count > MOST_COPIES {
                                out.push(Piece::Text(format!("{count} times ")));
                            }
                            out.push(Piece::Term(part, own + 1));
                        }
                    }
                });
            }
        }
    }

    fn written_text(&self, term: u32, level: Level, out: &mut Vec<Piece>) {
        let text = |text: &str| Piece::Text(text.to_owned());
        let system = &*self.system;
        match system.terms[term as usize] {
            Term::Null => out.push(text("0")),
            Term::Constant(process) => out.push(text(&system.processes[process as usize].name)),
            Term::Prefix { action, weight, next } => parenthesised(level > 2, out, |out| {
                let name = &system.actions[(action & !OUTPUT) as usize];
                let sign = if action & OUTPUT == 0 { "" } else { "!" };
                let weight = dashu_ratio::RBig::from(system.weights[weight as usize]) * &system.unit;
                out.push(Piece::Text(format!("<{name}{sign},{weight}>.")));
                out.push(Piece::Written(next, 2));
            }),
            Term::Label(proposition, inner) => parenthesised(level > 2, out, |out| {
                out.push(Piece::Text(format!("{}:", system.propositions[proposition as usize])));
                out.push(Piece::Written(inner, 2));
            }),
            Term::Choice(list) | Term::Parallel(list) => {
                let is_choice = matches!(system.terms[term as usize], Term::Choice(_));
                let (sign, own) = if is_choice { (" + ", 0) } else { (" | ", 1) };
                parenthesised(level > own, out, |out| {
                    for (at, &part) in system.lists[list as usize].iter().enumerate() {
                        if at > 0 {
                            out.push(text(sign));
                        }
                        out.push(Piece::Written(part, own + 1));
                    }
                });
            }
            Term::Restrict(list, inner) => {
                out.push(Piece::Written(inner, 3));
                let none = Relabelling::default();
                out.push(Piece::Text(self.changes_text(&system.lists[list as usize], &none)));
            }
            Term::Relabel(relabelling, inner) => {
                out.push(Piece::Written(inner, 3));
                out.push(Piece::Text(self.changes_text(&[], &system.relabellings[relabelling as usize])));
            }
        }
    }

    fn changes_text(&self, restricted: &[u32], relabelling: &Relabelling) -> String {
        let system = &*self.system;
        let restricted: Vec<&str> =
            restricted.iter().map(|&name| system.actions[name as usize].as_str()).collect();
        let pairs = |pairs: &[(u32, u32)], names: &[String], arrow: &str| {
            let pair =
                |&(old, new): &(u32, u32)| format!("{} {arrow} {}", names[old as usize], names[new as usize]);
            pairs.iter().map(pair).collect::<Vec<String>>()
        };
        let mut renamed = pairs(&relabelling.actions, &system.actions, "->");
        renamed.extend(pairs(&relabelling.propositions, &system.propositions, "=>"));
        let mut out = String::new();
        if !restricted.is_empty() {
            out = format!(" \\ {{{}}}", listed(&restricted));
        }
        if !renamed.is_empty() {
            let renamed: Vec<&str> = renamed.iter().map(String::as_str).collect();
            out += &format!("[{}]", listed(&renamed));
        }
        out
    }
}

fn parenthesised(are_needed: bool, out: &mut Vec<Piece>, inner: impl FnOnce(&mut Vec<Piece>)) {
    if are_needed {
        out.push(Piece::Text("(".to_owned()));
    }
    inner(out);
    if are_needed {
        out.push(Piece::Text(")".to_owned()));
    }
}

fn listed(names: &[&str]) -> String {
    if names.len() <= LONGEST_LIST + 1 {
        return names.join(", ");
    }
    format!("{}, and {} more", names[..LONGEST_LIST].join(", "), names.len() - LONGEST_LIST)
}
