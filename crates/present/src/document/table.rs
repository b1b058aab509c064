//! Tables of typed cells.

use super::text::{Name, Text, Tone, took};
use crate::format::{between, count, number, off};
use std::time::Duration;

/// What a cell holds.
#[derive(Clone, Debug, Default)]
pub enum Cell {
    /// Nothing that has to be told.
    #[default]
    Empty,
    /// A value that does not exist.
    Missing,
    /// A number.
    Number(Number),
    /// How many.
    Count(u64),
    /// How long something took.
    Time(Duration),
    /// Words, a name, a verdict in its tone.
    Text(Text),
}

/// A number, and how far it can be trusted.
#[derive(Clone, Debug, Default)]
pub struct Number {
    /// With the digits that are known.
    pub text: String,
    /// The bounds between which it lies, the same twice if it is exact; absent where nothing is told of them.
    pub bounds: Option<[f64; 2]>,
    /// The guarantee in few words; empty where the bounds say it.
    pub guarantee: String,
}

impl Number {
    /// The guarantee in few words: `exact`, `±2e-8`.
    pub fn guarantee(&self) -> String {
        match (self.guarantee.as_str(), self.bounds) {
            ("", Some(bounds)) => off(bounds),
            (guarantee, _) => guarantee.to_owned(),
        }
    }
}

impl Cell {
    /// A number that lies between bounds.
    pub fn between(bounds: [f64; 2]) -> Self {
        Cell::Number(Number { text: between(bounds), bounds: Some(bounds), ..Number::default() })
    }

    /// A number with as many digits as its error supports; its guarantee is told elsewhere.
    pub fn number(x: f64, half_width: f64) -> Self {
        Cell::shown(number(x, half_width))
    }

    /// A number as it is to be shown, with its unit.
    pub fn shown(text: impl Into<String>) -> Self {
        Cell::Number(Number { text: text.into(), ..Number::default() })
    }

    /// Words of the program.
    pub fn words(text: impl Into<String>) -> Self {
        Cell::Text(Text::from(text.into()))
    }

    /// What a model or its user wrote.
    pub fn name(name: impl Into<String>) -> Self {
        Cell::Text(Text::from(Name(name.into())))
    }

    /// The cell as text.
    pub fn text(&self) -> Text {
        match self {
            Cell::Empty => Text::default(),
            Cell::Missing => Text::from("—"),
            Cell::Number(number) => Text::from(number.text.clone()),
            Cell::Count(n) => Text::from(count(*n)),
            Cell::Time(time) => took(*time),
            Cell::Text(text) => text.clone(),
        }
    }
}

impl From<Text> for Cell {
    fn from(text: Text) -> Self {
        Cell::Text(text)
    }
}

/// What a column is about.
#[derive(Clone, Debug)]
pub struct Column {
    /// What its cells are.
    pub head: Text,
    /// The unit of its numbers; empty where they have none.
    pub unit: String,
    /// Whether its cells are amounts, to be compared digit by digit.
    pub is_numeric: bool,
    /// Where it is told how far its numbers can be trusted.
    pub trust: Trust,
    /// Whether terminals leave it out.
    pub is_detail: bool,
}

/// Where it is told how far numbers can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Not in the table.
    #[default]
    Elsewhere,
    /// Their guarantees stand beside them; with all details, their bounds.
    Beside,
    /// They have the same guarantee, which is told below; with all details, their bounds stand beside them.
    Shared,
}

impl Column {
    /// A column of names, words and verdicts.
    pub fn words(head: impl Into<Text>) -> Self {
        Column {
            head: head.into(),
            unit: String::new(),
            is_numeric: false,
            trust: Trust::Elsewhere,
            is_detail: false,
        }
    }

    /// A column of numbers, counts and times.
    pub fn numbers(head: impl Into<Text>) -> Self {
        Column { is_numeric: true, ..Column::words(head) }
    }

    /// A column of numbers with bounds.
    pub fn bounds(head: impl Into<Text>) -> Self {
        Column { trust: Trust::Beside, ..Column::numbers(head) }
    }

    /// The same with a unit.
    pub fn unit(self, unit: impl Into<String>) -> Self {
        Column { unit: unit.into(), ..self }
    }

    /// The same for pages and CSV only.
    pub fn detail(self) -> Self {
        Column { is_detail: true, ..self }
    }

    /// The head, with the unit.
    pub fn title(&self) -> Text {
        match self.unit.as_str() {
            "" => self.head.clone(),
            unit => self.head.clone().then(format!(" ({unit})")),
        }
    }
}

/// A line of a table.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// A cell for each column.
    pub cells: Vec<Cell>,
    /// How the line is set off.
    pub tone: Tone,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// What is in the columns.
    pub columns: Vec<Column>,
    /// The lines.
    pub rows: Vec<Row>,
    /// Which columns say what a row is about.
    pub keys: Keys,
    /// How many of the other columns belong together.
    pub group: usize,
    /// The column of a terminal in which it begins.
    pub indent: usize,
    /// Rows that a terminal shows at first, and how to see the others.
    pub brief: Option<(usize, &'static str)>,
    /// Whether half of these are the last ones.
    pub has_end: bool,
    /// How a terminal lays it out.
    pub layout: Layout,
}

/// The columns that say what a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// So many, before the others.
    Before(usize),
    /// So many, behind the others.
    Behind(usize),
}

/// How a terminal lays a table out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Heads, then rows; in blocks where columns have no room beside each other.
    #[default]
    Blocks,
    /// Rows without heads, with this between cells. Texts of the last column go on in further lines.
    List(&'static str),
    /// Texts of this column are shortened to the room that there is; with less than they need at least, they stand above the others.
    Fitted(usize),
}

impl Table {
    /// A table whose first columns say what a row is about.
    pub fn new(columns: Vec<Column>, keys: usize, rows: impl IntoIterator<Item = Vec<Cell>>) -> Self {
        let rows = rows.into_iter().map(|cells| Row { cells, tone: Tone::Plain }).collect();
        Table {
            columns,
            rows,
            keys: Keys::Before(keys),
            group: 1,
            indent: 2,
            brief: None,
            has_end: false,
            layout: Layout::Blocks,
        }
    }

    /// Rows of a list of which a terminal shows the first ones.
    pub fn listed(self, most: usize, elsewhere: &'static str) -> Self {
        Table { layout: Layout::List("   "), brief: Some((most, elsewhere)), ..self }
    }

    /// The same with the last columns saying what a row is about.
    pub fn keyed_behind(self, keys: usize) -> Self {
        Table { keys: Keys::Behind(keys), ..self }
    }

    /// Whether a column says what a row is about.
    pub(crate) fn is_key(&self, column: usize) -> bool {
        match self.keys {
            Keys::Before(n) => column < n,
            Keys::Behind(n) => column + n >= self.columns.len(),
        }
    }
}
