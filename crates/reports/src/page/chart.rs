//! Message sequence charts as SVG: a lifeline for each process, a row for each step, arrows for messages.
//!
//! A message in a buffered channel is an arrow from the row of its sending to the row of its receiving. Which message is
//! received is the oldest one of the channel with the same values.

use super::markup::escaped;
use std::collections::BTreeMap;
use volvelle_session::trace::{Actor, Counterexample, Message, Moved};

/// Steps that are drawn.
const MOST_ROWS: usize = 1_000;

const COLUMN: usize = 170;
const ROW: usize = 26;
const LEFT: usize = 60;
const TOP: usize = 44;
/// Characters of a label that have room between two lifelines.
const LABEL: usize = 22;

/// A message under way.
struct Sent<'a> {
    row: usize,
    column: usize,
    message: &'a Message,
}

struct Chart<'a> {
    example: &'a Counterexample,
    /// Processes, by number and name (a number is used again when a process has ended), with their columns.
    columns: BTreeMap<(usize, &'a str), usize>,
    /// Distinguishes names inside of the chart from those of other charts.
    number: usize,
    svg: String,
    /// Labels, which stand over the arrows that cross them.
    labels: String,
}

/// The chart of a run; `number` tells it from other charts of the page.
pub fn chart(example: &Counterexample, number: usize) -> String {
    let rows = example.steps.len().min(MOST_ROWS);
    let mut columns = BTreeMap::new();
    for step in &example.steps[..rows] {
        for actor in step.actor.iter().chain(&step.partner) {
            columns.insert((actor.process, actor.name.as_str()), 0);
        }
    }
    for standing in &example.end {
        columns.insert((standing.process, standing.name.as_str()), 0);
    }
    for (column, place) in columns.values_mut().enumerate() {
        *place = column;
    }
    let mut chart = Chart { example, columns, number, svg: String::new(), labels: String::new() };
    chart.draw(rows);
    chart.svg
}

fn x(column: usize) -> usize {
    LEFT + COLUMN / 2 + column * COLUMN
}

fn y(row: usize) -> usize {
    TOP + ROW / 2 + row * ROW
}

fn short(text: &str) -> String {
    if text.chars().count() <= LABEL {
        return escaped(text);
    }
    escaped(&(text.chars().take(LABEL - 1).collect::<String>() + "…"))
}

impl<'a> Chart<'a> {
    fn column(&self, actor: &'a Actor) -> usize {
        self.columns.get(&(actor.process, actor.name.as_str())).copied().unwrap_or(0)
    }

    fn draw(&mut self, rows: usize) {
        // The labels of the last column stand on its right.
        let width = LEFT + self.columns.len().max(1) * COLUMN + COLUMN / 2 + 10;
        let height = y(rows) + ROW;
        self.svg.push_str(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n",
            escaped(&self.example.reason)
        ));
        self.svg.push_str(&format!(
            "<defs><marker id=\"tip{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
             markerHeight=\"8\" orient=\"auto-start-reverse\"><path class=\"tip\" d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n",
            self.number
        ));
        for (&(process, name), &column) in &self.columns {
            let (x, end) = (x(column), height - ROW / 2);
            self.svg.push_str(&format!(
                "<line class=\"life\" x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{end}\"/>\n\
                 <text class=\"name\" x=\"{x}\" y=\"{}\">{}({process})</text>\n",
                TOP - 14,
                short(name)
            ));
        }
        let mut under_way: BTreeMap<&str, Vec<Sent<'a>>> = BTreeMap::new();
        let example = self.example;
        for (row, step) in example.steps[..rows].iter().enumerate() {
            if example.cycle_start == Some(row) {
                let y = y(row) - ROW / 2;
                self.svg.push_str(&format!(
                    "<line class=\"cycle\" x1=\"4\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\"><title>from here on, this cycle repeats\
                     </title></line>\n",
                    width - 4
                ));
            }
            self.svg.push_str(&format!(
                "<text class=\"row\" x=\"{}\" y=\"{}\">{}</text>\n",
                LEFT - 16,
                y(row) + 4,
                row + 1
            ));
            let Some(actor) = &step.actor else { continue };
            let column = self.column(actor);
            let text = match &step.partner {
                None => format!("{}, line {}", actor.at.text, actor.at.line),
                Some(partner) => format!(
                    "{}, line {}; {}, line {}",
                    actor.at.text, actor.at.line, partner.at.text, partner.at.line
                ),
            };
            self.svg.push_str(&format!(
                "<circle class=\"step\" cx=\"{}\" cy=\"{}\" r=\"4\"><title>{}</title></circle>\n",
                x(column),
                y(row),
                escaped(&text)
            ));
            match (&step.message, &step.partner) {
                (Some(message), Some(partner)) if message.moved == Moved::Exchanged => {
                    let to = self.column(partner);
                    self.arrow((row, column), (row, to), message);
                }
                (Some(message), _) if message.moved == Moved::Sent => {
                    under_way.entry(&message.channel).or_default().push(Sent { row, column, message });
                }
                (Some(message), _) => {
                    let waiting = under_way.entry(&message.channel).or_default();
                    match waiting.iter().position(|sent| sent.message.values == message.values) {
                        Some(found) => {
                            let sent = waiting.remove(found);
                            self.arrow((sent.row, sent.column), (row, column), sent.message);
                        }
                        None => self.label(row, column, &message.to_string()),
                    }
                }
                (None, _) => self.label(row, column, &actor.at.text),
            }
        }
        for sent in under_way.into_values().flatten() {
            self.lost(&sent);
        }
        if rows < self.example.steps.len() {
            let more = format!("{} more steps in the table", self.example.steps.len() - rows);
            self.svg.push_str(&format!(
                "<text class=\"row\" x=\"{}\" y=\"{}\">{more}</text>\n",
                LEFT + 200,
                height - 8
            ));
        }
        self.svg.push_str(&self.labels);
        self.svg.push_str("</svg>\n");
    }

    /// Draws the label of a step that a process makes by itself.
    fn label(&mut self, row: usize, column: usize, text: &str) {
        self.labels.push_str(&format!(
            "<text class=\"own\" x=\"{}\" y=\"{}\">{}</text>\n",
            x(column) + 9,
            y(row) + 4,
            short(text)
        ));
    }

    fn arrow(&mut self, from: (usize, usize), to: (usize, usize), message: &Message) {
        let (x1, y1, x2, y2) = (x(from.1), y(from.0), x(to.1), y(to.0));
        let tip = self.number;
        if x1 == x2 {
            // To itself: a bow on the right.
            self.svg.push_str(&format!(
                "<path class=\"message\" d=\"M{x1},{y1} C{r},{y1} {r},{y2} {x2},{y2}\" marker-end=\"url(#tip{tip})\"/>\n",
                r = x1 + 40
            ));
        } else {
            self.svg.push_str(&format!(
                "<line class=\"message\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" marker-end=\"url(#tip{tip})\"/>\n"
            ));
        }
        // Near its beginning, where it has a row of its own.
        let (anchor, shift) = if x2 < x1 { ("end", -9) } else { ("start", 9) };
        self.labels.push_str(&format!(
            "<text class=\"sent\" text-anchor=\"{anchor}\" x=\"{}\" y=\"{}\">{}</text>\n",
            x1 as i64 + shift,
            y1 as i64 - 5,
            short(&message.to_string())
        ));
    }

    /// A message that no process receives.
    fn lost(&mut self, sent: &Sent<'_>) {
        let (x1, y1) = (x(sent.column), y(sent.row));
        self.svg.push_str(&format!(
            "<line class=\"message\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{}\" y2=\"{y1}\"/>\n\
             <circle class=\"waiting\" cx=\"{}\" cy=\"{y1}\" r=\"4\"><title>no process receives it</title></circle>\n",
            x1 + 26,
            x1 + 30
        ));
        self.labels.push_str(&format!(
            "<text class=\"sent\" x=\"{}\" y=\"{}\">{}</text>\n",
            x1 + 9,
            y1 as i64 - 5,
            short(&sent.message.to_string())
        ));
    }
}
