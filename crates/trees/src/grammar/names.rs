//! The names of a grammar file with their places, for editors: also those of a file with mistakes.

use super::reader;
use super::syntax::{Element, Holds, Item, Rule, Word};
use std::collections::BTreeSet;
use volvelle_diagnostics::{FileId, Span};

/// What a name does where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The name of the grammar.
    Grammar,
    /// It declares a terminal.
    Terminal,
    /// It declares a rule.
    Rule,
    /// It declares a class.
    Class,
    /// A terminal or a rule is read there.
    Read,
    /// A class whose nodes are made, or stand there.
    Made,
    /// A field that is filled, or declared.
    Field,
}

/// A name in a grammar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    /// Where it stands.
    pub span: Span,
    /// What it does there.
    pub role: Role,
    /// The name.
    pub name: String,
    /// Of a field, the class that it is in, as far as it can be told without the rest of the grammar.
    pub class: Option<String>,
}

/// All names of a text, in order.
pub fn names(file: FileId, text: &str) -> Vec<Named> {
    let read = reader::read(file, text, &mut Vec::new());
    // Operators are read as several rules, which have some names twice.
    let mut all = Walk { text, names: BTreeSet::new() };
    if let Some(name) = &read.name {
        all.add(name, Role::Grammar, None);
    }
    for terminal in &read.terminals {
        all.add(&terminal.name, Role::Terminal, None);
    }
    for class in &read.classes {
        all.add(&class.name, Role::Class, None);
        class.supertypes.iter().for_each(|above| all.add(above, Role::Made, None));
        for field in &class.fields {
            all.add(&field.name, Role::Field, Some(&class.name.text));
            if let Holds::Node { class, .. } | Holds::Reference { class, .. } = &field.holds {
                all.add(class, Role::Made, None);
            }
        }
    }
    read.rules.iter().for_each(|rule| all.rule(rule));
    all.names.into_iter().collect()
}

struct Walk<'t> {
    text: &'t str,
    names: BTreeSet<Named>,
}

impl Walk<'_> {
    /// Adds a name that is written at its place: rules that were made of operators have others.
    fn add(&mut self, word: &Word, role: Role, class: Option<&str>) {
        let Word { text, span } = word;
        if self.text.get(span.start as usize..span.end as usize) == Some(text) {
            let class = class.map(str::to_owned);
            self.names.insert(Named { span: *span, role, name: text.clone(), class });
        }
    }

    fn rule(&mut self, rule: &Rule) {
        if !rule.is_level {
            self.add(&rule.name, Role::Rule, None);
        }
        if rule.class.span != rule.name.span {
            self.add(&rule.class, Role::Made, None);
        }
        let mut class = rule.class.text.clone();
        self.element(&rule.body, &mut class);
    }

    /// `class` is that of the node that is being made.
    fn element(&mut self, element: &Element, class: &mut String) {
        match element {
            Element::Sequence(parts) => parts.iter().for_each(|part| self.element(part, class)),
            Element::Choice(parts) => {
                let before = class.clone();
                for part in parts {
                    class.clone_from(&before);
                    self.element(part, class);
                }
                class.clone_from(&before);
            }
            Element::Repeat { inner, .. } => self.element(inner, class),
            Element::New(made) => {
                self.add(made, Role::Made, None);
                class.clone_from(&made.text);
            }
            Element::Wrap { class: made, field, .. } => {
                self.add(made, Role::Made, None);
                self.add(field, Role::Field, Some(&made.text));
                class.clone_from(&made.text);
            }
            Element::Item { what, field, span } => {
                if let Some((field, _)) = field {
                    self.add(field, Role::Field, Some(class));
                }
                match what {
                    Item::Keyword(_) => {}
                    Item::Name(name) => {
                        let start = span.end.saturating_sub(name.len() as u32);
                        let word = Word { text: name.clone(), span: Span { start, ..*span } };
                        self.add(&word, Role::Read, None);
                    }
                    Item::Reference { class, terminal } => {
                        self.add(class, Role::Made, None);
                        terminal.iter().for_each(|terminal| self.add(terminal, Role::Read, None));
                    }
                }
            }
        }
    }
}
