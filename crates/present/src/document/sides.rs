//! Things that have many sides, and what is shown where.

use super::text::Text;

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
