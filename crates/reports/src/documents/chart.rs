//! Message sequence charts as SVG: a lifeline for each process, a row for each step, arrows for messages.
//!
//! A message in a buffered channel is an arrow from the row of its sending to the row of its receiving. Which message is
//! received is the oldest one of the channel with the same values. Lifelines are as far apart as the labels between them need.

use std::collections::BTreeMap;
use volvelle_present::page::markup::escaped;
use volvelle_session::trace::{Actor, Counterexample, Message, Moved};

/// Steps that are drawn.
const MOST_ROWS: usize = 1_000;

const ROW: usize = 26;
/// Room for the numbers of rows.
const LEFT: usize = 60;
const TOP: usize = 44;
/// Least distance of lifelines.
const NARROWEST: usize = 120;
/// Room around labels and names.
const MARGIN: usize = 18;
/// Width of a character, where fonts are wide.
const LETTER: f64 = 7.7;
/// Characters of a label; the pointer finds longer ones in full.
const LABEL: usize = 48;
/// How far a message to the sender itself, or to nobody, goes to the right.
const BOW: usize = 40;

/// A place: row and column.
type Place = (usize, usize);

/// A message under way.
struct Sent<'a> {
    at: Place,
    message: &'a Message,
}

/// A text beside a lifeline.
struct Label {
    at: Place,
    text: String,
    class: &'static str,
    is_left: bool,
}

/// What is drawn.
struct Chart<'a> {
    example: &'a Counterexample,
    /// Processes, by number and name (a number is used again when a process has ended), with their columns.
    columns: BTreeMap<(usize, &'a str), usize>,
    /// Messages with the place where they are received; none for those that no process receives.
    arrows: Vec<(Place, Option<Place>)>,
    labels: Vec<Label>,
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
    let mut chart = Chart { example, columns, arrows: Vec::new(), labels: Vec::new() };
    chart.collect(rows);
    chart.svg(rows, number)
}

fn y(row: usize) -> usize {
    TOP + ROW / 2 + row * ROW
}

fn width(text: &str) -> usize {
    (LETTER * text.chars().count().min(LABEL) as f64).ceil() as usize
}

/// A label, with all of it under the pointer where it is shortened.
fn labelled(text: &str) -> String {
    if text.chars().count() <= LABEL {
        return escaped(text);
    }
    let kept: String = text.chars().take(LABEL - 1).collect();
    format!("{}…<title>{}</title>", escaped(&kept), escaped(text))
}

impl<'a> Chart<'a> {
    fn column(&self, actor: &'a Actor) -> usize {
        self.columns.get(&(actor.process, actor.name.as_str())).copied().unwrap_or(0)
    }

    /// Finds out which messages go where.
    fn collect(&mut self, rows: usize) {
        let mut under_way: BTreeMap<&str, Vec<Sent<'a>>> = BTreeMap::new();
        let example = self.example;
        for (row, step) in example.steps[..rows].iter().enumerate() {
            let Some(actor) = &step.actor else { continue };
            let at = (row, self.column(actor));
            match (&step.message, &step.partner) {
                (Some(message), Some(partner)) if message.moved == Moved::Exchanged => {
                    self.arrow(at, Some((row, self.column(partner))), message);
                }
                (Some(message), _) if message.moved == Moved::Sent => {
                    under_way.entry(&message.channel).or_default().push(Sent { at, message });
                }
                (Some(message), _) => {
                    let waiting = under_way.entry(&message.channel).or_default();
                    match waiting.iter().position(|sent| sent.message.values == message.values) {
                        Some(found) => {
                            let sent = waiting.remove(found);
                            self.arrow(sent.at, Some(at), sent.message);
                        }
                        None => self.own(at, message.to_string()),
                    }
                }
                (None, _) => self.own(at, actor.at.text.clone()),
            }
        }
        for sent in under_way.into_values().flatten() {
            self.arrow(sent.at, None, sent.message);
        }
    }

    /// The label of a step that a process makes by itself.
    fn own(&mut self, at: Place, text: String) {
        self.labels.push(Label { at, text, class: "own", is_left: false });
    }

    /// A message. Its label stands near its beginning, where it has a row of its own.
    fn arrow(&mut self, from: Place, to: Option<Place>, message: &Message) {
        let is_left = to.is_some_and(|to| to.1 < from.1);
        self.labels.push(Label { at: from, text: message.to_string(), class: "sent", is_left });
        self.arrows.push((from, to));
    }

    /// Where the lifelines are, and the width of the chart.
    fn places(&self) -> (Vec<usize>, usize) {
        let names: Vec<usize> =
            self.columns.keys().map(|(process, name)| width(name) + width(&format!("({process})"))).collect();
        let count = names.len().max(1);
        // What stands on the left and on the right of each lifeline.
        let half = |column: usize| names.get(column).copied().unwrap_or(0) / 2;
        let mut sides: Vec<[usize; 2]> = (0..count).map(|column| [half(column); 2]).collect();
        for label in &self.labels {
            let side = &mut sides[label.at.1][usize::from(!label.is_left)];
            *side = (*side).max(width(&label.text));
        }
        for (from, _) in self.arrows.iter().filter(|(from, to)| to.is_none_or(|to| to.1 == from.1)) {
            sides[from.1][1] = sides[from.1][1].max(BOW);
        }
        let mut places = vec![LEFT + sides[0][0].max(MARGIN) + MARGIN];
        for column in 1..count {
            let names = half(column - 1) + half(column);
            let between = sides[column - 1][1].max(sides[column][0]).max(names).max(NARROWEST - MARGIN);
            places.push(places[column - 1] + between + MARGIN);
        }
        let end = places[count - 1] + sides[count - 1][1] + MARGIN;
        (places, end)
    }

    fn svg(&self, rows: usize, number: usize) -> String {
        let (x, width) = self.places();
        let height = y(rows) + ROW;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n\
             <defs><marker id=\"tip{number}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
             markerHeight=\"8\" orient=\"auto-start-reverse\"><path class=\"tip\" d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n",
            escaped(&self.example.reason)
        );
        for (&(process, name), &column) in &self.columns {
            let (x, end) = (x[column], height - ROW / 2);
            svg.push_str(&format!(
                "<line class=\"life\" x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{end}\"/>\n\
                 <text class=\"name\" x=\"{x}\" y=\"{}\">{}({process})</text>\n",
                TOP - 14,
                labelled(name)
            ));
        }
        for (row, step) in self.example.steps[..rows].iter().enumerate() {
            let y = y(row);
            if self.example.cycle_start == Some(row) {
                let (y, end) = (y - ROW / 2, width - 4);
                svg.push_str(&format!(
                    "<line class=\"cycle\" x1=\"4\" y1=\"{y}\" x2=\"{end}\" y2=\"{y}\"><title>from here on, this cycle repeats</title></line>\n"
                ));
            }
            let number = self.example.number(row);
            svg.push_str(&format!(
                "<text class=\"row\" x=\"{}\" y=\"{}\">{number}</text>\n",
                LEFT - 16,
                y + 4
            ));
            let Some(actor) = &step.actor else { continue };
            let both = std::iter::once(actor).chain(&step.partner);
            let both: Vec<String> =
                both.map(|actor| format!("{}, line {}", actor.at.text, actor.at.line)).collect();
            svg.push_str(&format!(
                "<circle class=\"step\" cx=\"{}\" cy=\"{y}\" r=\"4\"><title>{}</title></circle>\n",
                x[self.column(actor)],
                escaped(&both.join("; "))
            ));
        }
        for &(from, to) in &self.arrows {
            svg.push_str(&drawn(&x, from, to, number));
        }
        if rows < self.example.steps.len() {
            let more = self.example.steps.len() - rows;
            svg.push_str(&format!(
                "<text class=\"more\" x=\"{LEFT}\" y=\"{}\">{more} more steps in the table</text>\n",
                height - 4
            ));
        }
        // Labels stand over the arrows that cross them.
        for label in &self.labels {
            let (x, y) = (x[label.at.1], y(label.at.0));
            let x = if label.is_left { x - 9 } else { x + 9 };
            let y = if label.class == "own" { y + 4 } else { y - 5 };
            let anchor = if label.is_left { "end" } else { "start" };
            svg.push_str(&format!(
                "<text class=\"{}\" text-anchor=\"{anchor}\" x=\"{x}\" y=\"{y}\">{}</text>\n",
                label.class,
                labelled(&label.text)
            ));
        }
        svg + "</svg>\n"
    }
}

/// The arrow of a message.
fn drawn(x: &[usize], from: Place, to: Option<Place>, number: usize) -> String {
    let (x1, y1) = (x[from.1], y(from.0));
    let Some(to) = to else {
        let (end, circle) = (x1 + BOW - 14, x1 + BOW - 10);
        return format!(
            "<line class=\"message\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{end}\" y2=\"{y1}\"/>\n\
             <circle class=\"waiting\" cx=\"{circle}\" cy=\"{y1}\" r=\"4\"><title>no process receives it</title></circle>\n"
        );
    };
    let (x2, y2, tip) = (x[to.1], y(to.0), format!("marker-end=\"url(#tip{number})\""));
    match x1 == x2 {
        // To itself: a bow on the right.
        true => {
            let r = x1 + BOW;
            format!("<path class=\"message\" d=\"M{x1},{y1} C{r},{y1} {r},{y2} {x2},{y2}\" {tip}/>\n")
        }
        false => format!("<line class=\"message\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {tip}/>\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::{LETTER, chart};
    use volvelle_session::trace::{Actor, Counterexample, Message, Moved, TraceStep, VariableValue, Written};

    fn step(process: usize, name: &str, moved: Moved, text: &str) -> TraceStep {
        let at = Written { line: 1, text: text.to_owned(), through: Vec::new(), places: Vec::new() };
        let message =
            Message { moved, channel: "road".to_owned(), values: vec![VariableValue::Text(text.to_owned())] };
        let actor = Actor { process, name: name.to_owned(), at };
        TraceStep { actor: Some(actor), message: Some(message), ..TraceStep::stutter() }
    }

    /// From left to right and back, to nobody and to itself: with labels of every length, nothing is cut and nothing sticks out.
    #[test]
    fn labels_have_room() {
        for length in [1, 10, 22, 40, 48, 49, 200] {
            let text = "m".repeat(length);
            let names = ["a", "a_process_with_a_long_name", "c"];
            let (sent, received) = (Moved::Sent, Moved::Received);
            let moves =
                [(0, sent), (1, received), (1, sent), (0, received), (2, sent), (2, received), (2, sent)];
            let steps = moves.map(|(process, moved)| step(process, names[process], moved, &text)).to_vec();
            let svg = chart(&Counterexample { steps, ..Counterexample::default() }, 1);
            let document = roxmltree::Document::parse(&svg).expect("an SVG");
            let number = |node: roxmltree::Node<'_, '_>, name: &str| {
                node.attribute(name).and_then(|value| value.parse::<f64>().ok()).unwrap_or(0.0)
            };
            let width = number(document.root_element(), "width");
            let mut labels = 0;
            for node in document.descendants().filter(|node| node.has_tag_name("text")) {
                let text = node.text().unwrap_or_default();
                let (x, extent) = (number(node, "x"), LETTER * text.chars().count() as f64);
                let left = match (node.attribute("text-anchor"), node.attribute("class")) {
                    (Some("end"), _) | (_, Some("row")) => x - extent,
                    (_, Some("name")) => x - 0.5 * extent,
                    _ => x,
                };
                assert!(
                    left >= 0.0 && left + extent <= width,
                    "{length}: {text}: {left} + {extent} of {width}"
                );
                if node.attribute("class") == Some("sent") {
                    labels += 1;
                    let full = node.first_element_child().and_then(|title| title.text()).unwrap_or(text);
                    assert!(full.ends_with(&format!("!{}", "m".repeat(length))), "{full}");
                }
            }
            assert_eq!(labels, 4, "{svg}");
        }
    }
}
