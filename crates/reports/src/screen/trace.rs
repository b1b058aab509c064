//! Runs of processes as tables: a line for each step.

use super::flow::Lines;
use super::{Style, flow};
use volvelle_present::terminal::marks as terminal;
use volvelle_session::limits::counted;
use volvelle_session::trace::{Counterexample, Standing, TraceStep, TrailLength, Written};

/// Steps of a counterexample that are shown at its beginning and at its end without `-v`.
const STEPS_SHOWN: usize = 40;

/// Narrowest columns for statements and for changes on a narrow terminal.
const NARROWEST: usize = 16;

/// Indentation of each line.
const INDENT: &str = "    ";

/// One step, in cells.
struct Row {
    cells: [String; 4],
    /// Messages and changes, each of which stays on one line.
    changes: Vec<String>,
    /// The text that the statement prints.
    printed: String,
}

/// The widths of the columns but the last.
struct Widths([usize; 4]);

const HEADS: [&str; 4] = ["step", "process", "line", "statement"];

impl Widths {
    fn of<'r>(rows: impl Iterator<Item = &'r Row>, style: Style) -> Self {
        let mut widths = HEADS.map(|h| h.chars().count());
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(&row.cells) {
                *width = (*width).max(cell.chars().count());
            }
        }
        if style.width > 0 {
            let others = INDENT.len() + widths[..3].iter().map(|w| w + 2).sum::<usize>();
            let room = style.width.saturating_sub(others);
            widths[3] = widths[3].min((room * 3 / 5).max(NARROWEST));
        }
        Widths(widths)
    }

    /// Whether there is room for changes beside the statements.
    fn are_beside(&self, style: Style) -> bool {
        style.width == 0 || self.before_statement() + self.0[3] + 2 + NARROWEST <= style.width
    }

    fn before_statement(&self) -> usize {
        INDENT.len() + self.0[..3].iter().map(|w| w + 2).sum::<usize>()
    }

    /// All columns but that of the changes, which begin in their column or in a new line.
    fn line(&self, cells: [&str; 4], style: Style) -> Lines {
        let [step, process, line, statement] = self.0;
        let start = format!("{INDENT}{:>step$}  ", cells[0]);
        let mut out = Lines::new(&start, start.len(), style);
        out.item("", &format!("{:<process$}  {:>line$}", cells[1], cells[2]));
        if self.are_beside(style) {
            let text = if style.width > 0 { style.fit(cells[3], statement) } else { cells[3].into() };
            out.item("  ", &format!("{text:<statement$}"));
            out.indent_here("  ");
        } else {
            out.column("  ", NARROWEST);
            out.words("  ", cells[3]);
            out.new_line();
        }
        out
    }

    fn head(&self, style: Style) -> String {
        let mut line = self.line(HEADS, style);
        line.item("  ", "changes");
        line.finish().lines().map(|line| style.dim(line) + "\n").collect()
    }

    /// A row, its changes on as many lines as they need.
    fn row(&self, row: &Row, style: Style) -> String {
        let mut cells = row.cells.iter().map(String::as_str);
        let mut line = self.line(std::array::from_fn(|_| cells.next().unwrap_or_default()), style);
        for (i, change) in row.changes.iter().enumerate() {
            line.item(if i == 0 { "  " } else { " " }, change);
        }
        let mut out = line.finish();
        for line in row.printed.split_terminator('\n') {
            let mark = if style.unicode { "│" } else { "|" };
            let start = format!("{INDENT}{:>1$}  {mark} ", "", self.0[0]);
            out.push_str(&verbatim(&start, line, style));
        }
        out
    }
}

/// A line that a model prints, with its spaces; what is longer than the screen goes on behind the same beginning.
fn verbatim(start: &str, line: &str, style: Style) -> String {
    let room = match style.width {
        0 => usize::MAX,
        width => width.saturating_sub(start.chars().count()).max(NARROWEST),
    };
    let line = terminal::untabbed(line);
    let letters: Vec<char> = terminal::line(&line).chars().collect();
    if letters.is_empty() {
        return format!("{start}\n");
    }
    letters.chunks(room).map(|part| format!("{start}{}\n", part.iter().collect::<String>())).collect()
}

/// A counterexample.
pub fn counterexample(example: &Counterexample, verbose: bool, style: Style) -> String {
    let title = [style.bold(&example.reason), length(example, style)];
    let mut out = format!("\n{}", flow::items(INDENT, &title, "   ", INDENT.len(), style));
    let rows: Vec<Row> =
        example.steps.iter().enumerate().map(|(i, s)| row(example.number(i) as usize, s)).collect();
    if rows.is_empty() {
        out.push_str(&format!("{INDENT}in the initial state\n"));
    }
    let shown = |i: usize| verbose || i < STEPS_SHOWN || i + STEPS_SHOWN >= rows.len();
    let widths = Widths::of(rows.iter().enumerate().filter(|(i, _)| shown(*i)).map(|(_, r)| r), style);
    if !rows.is_empty() {
        out.push_str(&widths.head(style));
    }
    for (i, row) in rows.iter().enumerate() {
        if example.cycle_start == Some(i) {
            out.push_str(&format!("{INDENT}{}\n", style.bold("from here on, this cycle repeats:")));
        }
        if shown(i) {
            out.push_str(&widths.row(row, style));
        } else if i == STEPS_SHOWN {
            let hidden = example.len() as usize - 2 * STEPS_SHOWN;
            out.push_str(&format!(
                "{INDENT}{}\n",
                style.dim(&format!("... {hidden} steps (-v shows all) ..."))
            ));
        }
    }
    if example.cycle_start == Some(rows.len()) {
        out.push_str(&format!("{INDENT}{}\n", style.bold("from here on, nothing happens")));
    }
    if example.is_stuck {
        out.push_str(&standings(&example.end, style));
    }
    out
}

/// How many steps there are, and whether fewer would do.
fn length(example: &Counterexample, style: Style) -> String {
    let why = match example.length {
        TrailLength::Unsaid => return String::new(),
        TrailLength::Shortest => "shortest".to_owned(),
        TrailLength::Unknown(None) => "not known to be the shortest".to_owned(),
        TrailLength::Unknown(Some(help)) => format!("not known to be the shortest: {help}"),
    };
    match example.len() {
        // The initial state: there is no shorter run.
        0 => String::new(),
        steps => style.dim(&format!("({}, {why})", counted(steps, "step"))),
    }
}

/// How a run ended, behind an empty line.
pub fn end(text: &str, style: Style) -> String {
    format!("\n{}", flow::text("  ", text, 4, style))
}

/// Where every process is.
pub fn standings(end: &[Standing], style: Style) -> String {
    let process = |s: &Standing| format!("{}({})", s.name, s.process);
    let width = end.iter().map(|s| process(s).chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for standing in end {
        let place = match &standing.at {
            Some(at) => {
                let may_stay = if standing.is_end { " (valid end state)" } else { "" };
                format!("before line {}: {}{}{may_stay}", at.line, at.text, through(at))
            }
            None => "at its end".to_owned(),
        };
        let start = format!("{INDENT}{:<width$}  ", process(standing));
        out.push_str(&flow::text(&start, &place, start.len(), style));
    }
    out
}

/// Steps that come one after the other, as in a simulation.
pub struct Steps {
    widths: Option<Widths>,
    style: Style,
}

/// Columns of steps that are not known beforehand.
const USUAL: [usize; 4] = [5, 16, 4, 32];

impl Steps {
    /// A table that begins.
    pub fn new(style: Style) -> Self {
        Steps { widths: None, style }
    }

    /// The next step, from 1, with the heads of the columns before the first.
    pub fn step(&mut self, number: usize, step: &TraceStep) -> String {
        let row = row(number, step);
        let style = self.style;
        let mut out = String::new();
        if self.widths.is_none() {
            let mut widths = Widths::of(std::iter::once(&row), style);
            for (width, usual) in widths.0.iter_mut().zip(USUAL) {
                *width = usual;
            }
            if style.width > 0 {
                widths.0[3] = widths.0[3].min((style.width / 3).max(NARROWEST));
            }
            out.push_str(&widths.head(style));
            self.widths = Some(widths);
        }
        if let Some(widths) = &self.widths {
            out.push_str(&widths.row(&row, style));
        }
        out
    }
}

/// The steps that can be taken, numbered.
pub fn choices(steps: &[TraceStep], style: Style) -> String {
    let rows: Vec<Row> = steps.iter().enumerate().map(|(i, s)| row(i + 1, s)).collect();
    let mut widths = Widths::of(rows.iter(), style);
    widths.0[0] = rows.iter().map(|r| r.cells[0].len()).max().unwrap_or(0);
    let lines = rows.iter().map(|row| widths.row(row, style));
    std::iter::once("\n".to_owned()).chain(lines).collect()
}

fn through(at: &Written) -> String {
    at.through.iter().map(|(name, line)| format!("  [{name}, line {line}]")).collect()
}

fn row(number: usize, step: &TraceStep) -> Row {
    let number = number.to_string();
    let Some(actor) = &step.actor else {
        let statement = "no process can move".to_owned();
        let cells = [number, String::new(), String::new(), statement];
        return Row { cells, changes: Vec::new(), printed: String::new() };
    };
    let mut process = format!("{}({})", actor.name, actor.process);
    let mut line = actor.at.line.to_string();
    let mut statement = format!("{}{}", actor.at.text, through(&actor.at));
    if let Some(partner) = &step.partner {
        process.push_str(&format!(" > {}({})", partner.name, partner.process));
        line.push_str(&format!(",{}", partner.at.line));
        statement.push_str(&format!("  {}{}", partner.at.text, through(&partner.at)));
    }
    let mut changes = Vec::new();
    if let Some(message) = &step.message {
        let text = message.to_string();
        // Changes that the statement itself shows are omitted.
        let plain = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        if plain(&actor.at.text) != plain(&text) {
            changes.push(text);
        }
    }
    changes.extend(step.changes.iter().map(|c| format!("{}={}", c.name, c.after)));
    // Text that a model prints must not control the terminal.
    let tame = |c: char| if c.is_control() && !matches!(c, '\t' | '\n') { '.' } else { c };
    let printed = step.printed.chars().map(tame).collect();
    Row { cells: [number, process, line, statement], changes, printed }
}
