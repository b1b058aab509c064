//! What is told of one property, and of other things that have many sides.

use super::{Block, Text};

/// Where something is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// On terminals.
    Terminal,
    /// On pages.
    Page,
    /// On pages, and on terminals with all details.
    Details,
}

/// A property with its answer, and what is told of it.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// The name of the property; empty where it has none.
    pub name: Text,
    /// Its text.
    pub question: Text,
    /// Values of constants in it.
    pub constants: Text,
    /// The answer, in its tone.
    pub verdict: Text,
    /// What stands before it on a terminal.
    pub sign: &'static str,
    /// How far it can be trusted, how it was found, and the time that it took.
    pub about: Vec<Text>,
    /// Whether the answer is a word that stands beside the name.
    pub is_word: bool,
    /// What is told of it; a terminal shows it below the answer.
    pub inside: Vec<Block>,
}

/// Sides of a thing: items of a line on a terminal, names with values on a page.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    /// The sides.
    pub entries: Vec<Entry>,
    /// What stands between items.
    pub gap: &'static str,
    /// The column of a terminal in which it begins.
    pub indent: usize,
}

/// A side of a thing.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is; empty where pages do not have it.
    pub name: &'static str,
    /// Its value.
    pub value: Text,
    /// Both in few words; empty where terminals do not have it.
    pub item: Text,
}

impl Entry {
    /// A side in both media.
    pub fn new(name: &'static str, value: impl Into<Text>, item: impl Into<Text>) -> Self {
        Entry { name, value: value.into(), item: item.into() }
    }

    /// A side that only pages tell.
    pub fn named(name: &'static str, value: impl Into<Text>) -> Self {
        Entry::new(name, value, "")
    }

    /// A side that only terminals tell.
    pub fn item(item: impl Into<Text>) -> Self {
        Entry::new("", "", item)
    }
}

/// Intervals, and what lies in them.
#[derive(Clone, Debug, Default)]
pub struct Interval {
    /// What the widest one is.
    pub what: &'static str,
    /// The intervals, the widest first.
    pub intervals: Vec<[f64; 2]>,
    /// Marks.
    pub marks: Vec<Mark>,
}

/// A mark at an interval.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Where.
    pub at: f64,
    /// What it is.
    pub name: &'static str,
    /// It is not where it should be.
    pub is_wrong: bool,
}
