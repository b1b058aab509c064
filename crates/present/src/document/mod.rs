//! Documents: what an answer says, once for all media.
//!
//! A document is a list of typed [blocks](Block). Renderers draw it on a [terminal](crate::terminal::draw), on a
//! [page](crate::page::content), and its tables as [CSV](crate::csv::table).

mod sides;
mod steps;
mod table;
mod text;

pub use sides::{Digest, Entry, Interval, Mark, Medium};
pub use steps::{Step, Steps};
pub use table::{Cell, Column, Keys, Layout, Number, Row, Table, Trust};
pub use text::{Kind, Name, Span, Text, Tone, bad, cost, doubtful, faint, good, name, strong, took};
use volvelle_plot::Format;
use volvelle_plot::bar_chart::BarChart;
use volvelle_plot::heat_map::HeatMap;
use volvelle_plot::scatter::Scatter;

/// What an answer says.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What is asked, for the title of a page.
    pub title: Text,
    /// What is said, in order.
    pub blocks: Vec<Block>,
}

/// A part of a document.
#[derive(Clone, Debug)]
pub enum Block {
    /// A question with its answer; notes on it follow.
    Answer(Answer),
    /// The same with all that is told of it.
    Finding(Box<Finding>),
    /// What is told of a thing.
    Digest(Digest),
    /// Nested intervals with marks; terminals have none.
    Interval(Interval),
    /// What is shown in one medium only.
    On(Medium, Vec<Block>),
    /// What can be opened on a page, under a title; terminals have none.
    Folded(Text, Vec<Block>),
    /// The title of what follows.
    Heading(Heading),
    /// A line of items that stay whole.
    Items(Items),
    /// A sentence.
    Note(Note),
    /// A statement that holds or does not.
    Verdict(Option<bool>, Text),
    /// Names with values.
    Facts(Vec<Fact>),
    /// Names with texts, of which this many characters have room in front of the texts.
    Labels(usize, Vec<(Text, Text)>),
    /// A table.
    Table(Table),
    /// A run with few parts of each step.
    Path(Path),
    /// A run with what each step changes.
    Steps(Steps),
    /// A text with amounts at its lines.
    Listing(Listing),
    /// A picture; terminals have none.
    Chart(Box<Chart>),
    /// A picture that is drawn for pages alone: SVG or other markup, whose texts are escaped.
    Picture(String),
    /// An empty line of a terminal. Pages keep their own distances.
    Gap,
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

/// A question with its answer.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// What is asked.
    pub question: Text,
    /// The answer, in its tone; empty where the rest says it all.
    pub verdict: Text,
    /// More about it.
    pub about: Vec<Text>,
    /// The time that it took.
    pub took: std::time::Duration,
}

/// The title of what follows.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// The title.
    pub title: Text,
    /// More about it: methods, sizes, times.
    pub about: Text,
    /// Spaces between both.
    pub gap: usize,
    /// The column of a terminal in which it begins.
    pub indent: usize,
}

/// A line of items.
#[derive(Clone, Debug, Default)]
pub struct Items {
    /// The items. The first one says what the others are about.
    pub items: Vec<Text>,
    /// The column of a terminal in which it begins.
    pub indent: usize,
}

/// A sentence.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// The sentence.
    pub text: Text,
    /// The column of a terminal in which it begins.
    pub indent: usize,
    /// The column in which it goes on.
    pub further: usize,
}

/// A name with a value, and why it is so.
#[derive(Clone, Debug, Default)]
pub struct Fact {
    /// What it is about.
    pub name: Text,
    /// The value.
    pub value: Text,
    /// Why it is so.
    pub why: Text,
}

/// The steps of a run.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// What the parts of a step are.
    pub heads: Vec<&'static str>,
    /// The steps, each with its parts. A step of one part is a remark.
    pub steps: Vec<Vec<Text>>,
    /// The step at which a cycle begins.
    pub cycle_start: Option<usize>,
    /// Characters up to which the parts stand below each other; 0: they follow one another.
    pub aligned: usize,
    /// How it is set off on a terminal.
    pub tone: Tone,
    /// Steps that a terminal shows.
    pub most: usize,
    /// The column of a terminal in which it begins.
    pub indent: usize,
}

/// A text with amounts at its lines.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The name of the text.
    pub name: Name,
    /// What the amounts are.
    pub heads: Vec<&'static str>,
    /// The lines, with the amounts of those that have some.
    pub lines: Vec<(Option<Vec<String>>, String)>,
}

/// A picture.
#[derive(Clone, Debug)]
pub enum Chart {
    /// Lines with bounds.
    Lines(volvelle_plot::Chart),
    /// Bars.
    Bars(BarChart),
    /// Points of a plane.
    Points(Scatter),
    /// Values over two parameters.
    Map(HeatMap),
}

impl Chart {
    /// The file of the picture.
    pub fn render(&self, format: Format) -> Vec<u8> {
        match self {
            Chart::Lines(chart) => volvelle_plot::render(chart, format),
            Chart::Bars(chart) => volvelle_plot::render_bar_chart(chart, format),
            Chart::Points(chart) => volvelle_plot::render_scatter(chart, format),
            Chart::Map(chart) => volvelle_plot::render_heat_map(chart, format),
        }
    }
}

impl Document {
    /// A document without blocks.
    pub fn new(title: impl Into<Text>) -> Self {
        Document { title: title.into(), blocks: Vec::new() }
    }

    /// A document that answers one question.
    pub fn answering(title: impl Into<Text>, answer: Answer) -> Self {
        Document { title: title.into(), blocks: vec![Block::Answer(answer)] }
    }

    /// Adds a block.
    pub fn push(&mut self, block: impl Into<Block>) {
        self.blocks.push(block.into());
    }

    /// Adds a sentence that begins in a column, and goes on two columns further to the right.
    pub fn note(&mut self, indent: usize, text: impl Into<Text>) {
        self.push(Note { text: text.into(), indent, further: indent + 2 });
    }

    /// Adds a remark that not all are shown, if that is so.
    pub fn rest(&mut self, indent: usize, all: usize, shown: usize, what: &str) {
        if all > shown {
            let more = crate::format::count((all - shown) as u64);
            self.note(indent, format!("{more} more{what}; all of them with --json"));
        }
    }

    /// Adds a title between empty lines.
    pub fn part(&mut self, title: impl Into<Text>, about: impl Into<Text>) {
        self.push(Block::Gap);
        self.push(Heading { title: title.into(), about: about.into(), gap: 6, indent: 2 });
        self.push(Block::Gap);
    }
}

macro_rules! blocks {
    ($($block:ident),*) => {
        $(impl From<$block> for Block {
            fn from(block: $block) -> Self {
                Block::$block(block)
            }
        })*
    };
}

blocks!(Answer, Digest, Heading, Interval, Items, Note, Table, Path, Steps, Listing);

impl From<Finding> for Block {
    fn from(finding: Finding) -> Self {
        Block::Finding(Box::new(finding))
    }
}

impl From<Chart> for Block {
    fn from(chart: Chart) -> Self {
        Block::Chart(Box::new(chart))
    }
}
