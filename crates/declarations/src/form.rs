//! Forms of declarations: which keys their tables have, what values these take, and what they say.
//!
//! A form is a static table. Readers accept the keys of the table and no others; editors complete them, and show what they mean.

/// A kind of file.
#[derive(Debug)]
pub struct Form {
    /// Its name: `pipeline`.
    pub name: &'static str,
    /// Keys (`rows`) and tables (`[step]`) by which such files are told from others.
    pub marks: &'static [&'static str],
    /// How many of these a file has at least.
    pub enough: usize,
    /// The keys outside of tables, and the tables.
    pub entries: &'static [Entry],
}

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name; [`ANY`] for those that files choose.
    pub name: &'static str,
    /// Which values it takes.
    pub shape: Shape,
    /// What it means, in a sentence or two: with its unit, and the value that counts where there is none.
    pub says: &'static str,
}

/// The name of entries that have no names of their own: those that files choose.
pub const ANY: &str = "";

/// Which values a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A text.
    Text,
    /// The name of a file.
    File,
    /// True or false.
    Flag,
    /// A whole number, from the first to the second.
    Whole(u64, u64),
    /// A number.
    Number,
    /// One of some words.
    Words(&'static [&'static str]),
    /// The same, where the words are listed elsewhere.
    Listed(fn() -> Vec<String>),
    /// A name that the file gives below a table or key: `Names("step")` are the tables `[step.…]`.
    Names(&'static str),
    /// A list of names that the file gives here, for [`Shape::Names`] of this key.
    Defines,
    /// A list of such values.
    List(&'static Shape),
    /// A table.
    Table(&'static [Entry]),
    /// A list of tables: `[[core]]`.
    Tables(&'static [Entry]),
    /// Any of these.
    Either(&'static [Shape]),
}

impl Entry {
    /// A key.
    pub const fn new(name: &'static str, shape: Shape, says: &'static str) -> Self {
        Entry { name, shape, says }
    }

    /// The range of a whole number.
    pub fn range(&self) -> Option<std::ops::RangeInclusive<u64>> {
        match self.shape {
            Shape::Whole(from, to) => Some(from..=to),
            _ => None,
        }
    }
}

/// The names of some keys.
pub fn names(entries: &[Entry]) -> Vec<&'static str> {
    entries.iter().map(|entry| entry.name).filter(|name| *name != ANY).collect()
}

/// The key with this name, or the one for names that files choose.
pub fn find<'e>(entries: &'e [Entry], name: &str) -> Option<&'e Entry> {
    let called = |name: &str| entries.iter().find(|entry| entry.name == name);
    called(name).or_else(|| called(ANY))
}

impl Form {
    /// Whether a text has enough of the marks. A line is enough for each, so that broken texts are known, too.
    pub fn is_of(&self, text: &str) -> bool {
        let mut is_outside = true;
        let mut found: Vec<&str> = Vec::new();
        for line in text.lines() {
            is_outside &= !line.starts_with('[');
            let has = |mark: &&&str| match mark.strip_prefix('[').and_then(|mark| mark.strip_suffix(']')) {
                Some(table) => {
                    let behind = line.trim_start_matches('[').strip_prefix(table);
                    line.starts_with('[') && behind.is_some_and(|rest| rest.starts_with([']', '.']))
                }
                None => {
                    let behind = line.strip_prefix(**mark);
                    is_outside && behind.is_some_and(|rest| rest.trim_start().starts_with('='))
                }
            };
            found.extend(self.marks.iter().find(has).filter(|mark| !found.contains(mark)));
        }
        found.len() >= self.enough
    }
}

impl Shape {
    /// The shapes that a value may have, without choices between them.
    pub fn choices(&self) -> &[Shape] {
        match self {
            Shape::Either(all) => all,
            one => std::slice::from_ref(one),
        }
    }

    /// The keys of a table, where the value may be one.
    pub fn entries(&self) -> Option<&'static [Entry]> {
        self.choices().iter().find_map(|shape| match shape {
            Shape::Table(entries) | Shape::Tables(entries) => Some(*entries),
            Shape::List(Shape::Table(entries)) => Some(*entries),
            _ => None,
        })
    }

    /// The words that the value may be, where these are known.
    pub fn words(&self) -> Vec<String> {
        let of = |shape: &Shape| match shape {
            Shape::Words(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            Shape::Listed(words) => words(),
            Shape::List(inner) => inner.words(),
            _ => Vec::new(),
        };
        self.choices().iter().flat_map(of).collect()
    }

    /// The shape for people: `a whole number from 1 to 64`.
    pub fn text(&self) -> String {
        match self {
            Shape::Text => "a text".to_owned(),
            Shape::File => "the name of a file".to_owned(),
            Shape::Flag => "`true` or `false`".to_owned(),
            Shape::Whole(from, to) => format!("a whole number from {from} to {to}"),
            Shape::Number => "a number".to_owned(),
            Shape::Words(_) | Shape::Listed(_) => {
                let words = self.words().iter().map(|word| format!("`{word}`")).collect();
                chosen(words)
            }
            Shape::Names(of) => format!("a name of `{of}`"),
            Shape::Defines => "a list of names".to_owned(),
            Shape::List(inner) => format!("a list; of each, {}", inner.text()),
            Shape::Table(_) => "a table".to_owned(),
            Shape::Tables(_) => "one table or more".to_owned(),
            Shape::Either(all) => chosen(all.iter().map(Shape::text).collect()),
        }
    }
}

/// `a, b or c`
fn chosen(mut all: Vec<String>) -> String {
    match all.pop() {
        Some(last) if all.is_empty() => last,
        Some(last) => format!("{} or {last}", all.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: &[Entry] = &[
        Entry::new("mode", Shape::Words(&["a", "b", "c"]), "How."),
        Entry::new("size", Shape::Either(&[Shape::Whole(1, 9), Shape::Text]), "How large."),
        Entry::new("step", Shape::Table(&[Entry::new(ANY, Shape::Flag, "A step.")]), "Steps."),
    ];
    const FORM: Form = Form { name: "test", marks: &["mode", "size", "[step]"], enough: 2, entries: ENTRIES };

    #[test]
    fn forms_of_texts() {
        for (text, is_of) in [
            ("mode = 1\nsize = 2", true),
            ("mode = 1\n[step.a", true),
            ("mode=1\n[[step]]", true),
            ("mode = 1\nmode = 2", false),
            ("modes = 1\nsize = 2", false),
            ("[other]\nmode = 1\nsize = 2", false),
            ("[steps]\nsize", false),
            ("", false),
        ] {
            assert_eq!(FORM.is_of(text), is_of, "{text}");
        }
    }

    #[test]
    fn shapes_in_words() {
        assert_eq!(ENTRIES[0].shape.text(), "`a`, `b` or `c`");
        assert_eq!(ENTRIES[1].shape.text(), "a whole number from 1 to 9 or a text");
        assert_eq!(names(ENTRIES), ["mode", "size", "step"]);
        let steps = ENTRIES[2].shape.entries().expect("a table");
        assert!(find(steps, "whatever").is_some() && find(ENTRIES, "whatever").is_none());
    }
}
