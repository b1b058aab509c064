//! State spaces as pictures: a box for each state with the values of its variables and its labels, an arrow for each transition.
//!
//! A choice with several outcomes is a dot between its state and theirs, so that what is chosen and what chance does are told
//! apart. Colours are those of the page.

mod layers;

use super::markup::escaped;
use layers::{Drawing, Route, Size, drawing};
use std::collections::BTreeMap;
use volvelle_present::format::{count, number};
use volvelle_session::report::ModelReport;
use volvelle_session::state_graph::{GraphState, StateGraph};

/// States and transitions that are drawn at most.
const MOST_STATES: u64 = 60;
const MOST_TRANSITIONS: u64 = 180;

/// Characters of a line in a box, and lines of it.
const LINE: usize = 24;
const MOST_LINES: usize = 8;
/// Characters of a label of an arrow.
const LABEL: usize = 26;

/// Sizes of letters: width of a character, height of a line.
const LETTER: f64 = 7.3;
const ROW: f64 = 16.0;
/// Radius of a dot.
const DOT: f64 = 4.0;
/// Room beside a box for an arrow to itself.
const LOOP: f64 = 26.0;
/// Room around a dot, so that labels of its arrows have places.
const DOT_ROOM: f64 = 44.0;

/// Whether a state space is small enough for a picture.
pub fn is_small(space: &ModelReport) -> bool {
    space.complete && space.states <= MOST_STATES && space.transitions <= MOST_TRANSITIONS
}

/// The picture, or why there is none and how to get another.
pub fn section(space: &ModelReport, graph: Option<&StateGraph>) -> String {
    match graph {
        Some(graph) if fits(graph) => figure(graph),
        _ if !space.complete => String::new(),
        _ => format!(
            "<p class=\"faint\">{} states and {} transitions are too many for a picture on this page, which shows at most \
             {MOST_STATES} and {MOST_TRANSITIONS}. For Graphviz: <code>volvelle explore {} --export graph.dot</code></p>\n",
            count(space.states),
            count(space.transitions),
            escaped(&space.file)
        ),
    }
}

fn fits(graph: &StateGraph) -> bool {
    let transitions: usize = graph.choices.iter().map(|choice| choice.branches.len()).sum();
    graph.states.len() as u64 <= MOST_STATES && transitions as u64 <= MOST_TRANSITIONS
}

/// An arrow.
struct Arrow {
    from: usize,
    to: usize,
    /// What stands beside it, and in full where that is short.
    label: String,
    title: String,
    class: &'static str,
}

/// What is drawn: boxes of states, then dots of choices, and arrows between them.
struct Picture<'a> {
    graph: &'a StateGraph,
    /// Lines of the boxes, each with its class.
    boxes: Vec<Vec<(&'static str, String)>>,
    /// What the dots stand for.
    dots: Vec<String>,
    arrows: Vec<Arrow>,
}

fn figure(graph: &StateGraph) -> String {
    let picture = Picture::of(graph);
    let has_dots = !picture.dots.is_empty();
    let mut about = vec!["The initial state has a thick border".to_owned()];
    if graph.states.iter().filter(|state| state.is_initial).count() > 1 {
        about = vec!["Initial states have a thick border".to_owned()];
    }
    if has_dots {
        about.push("a dot is a choice, and the arrows from it are its outcomes".to_owned());
    }
    format!(
        "<figure class=\"scroll\">\n{}<figcaption class=\"faint\">{}. The first number in a box is the number of the state.</figcaption>\n\
         </figure>\n",
        picture.svg(),
        about.join("; ")
    )
}

impl<'a> Picture<'a> {
    fn of(graph: &'a StateGraph) -> Self {
        let boxes = graph.states.iter().enumerate().map(|(i, state)| lines(i, state)).collect();
        let mut picture = Picture { graph, boxes, dots: Vec::new(), arrows: Vec::new() };
        // Steps with the same ends are one arrow with several labels.
        let mut merged: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        for choice in &graph.choices {
            match choice.branches.as_slice() {
                [(to, weight)] if choice.is_nondeterministic => {
                    let weight = weight.filter(|&weight| weight != 1.0).map(|weight| number(weight, 0.0));
                    let label = [action(&choice.action), weight.unwrap_or_default()].join(" ");
                    merged.entry((choice.from, *to)).or_default().push(label.trim().to_owned());
                }
                branches if choice.is_nondeterministic => {
                    let dot = graph.states.len() + picture.dots.len();
                    let name = action(&choice.action);
                    picture.dots.push(format!("a choice of state {} {name}", choice.from).trim().to_owned());
                    picture.arrow(choice.from, dot, &[name], "choice");
                    branches.iter().for_each(|&(to, weight)| picture.weighted(dot, to, weight));
                }
                branches => {
                    branches.iter().for_each(|&(to, weight)| picture.weighted(choice.from, to, weight))
                }
            }
        }
        for ((from, to), labels) in merged {
            picture.arrow(from, to, &labels, "arrow");
        }
        picture
    }

    fn weighted(&mut self, from: usize, to: usize, weight: Option<f64>) {
        let short = weight.map_or(String::new(), |weight| number(weight, 1e-4 * weight.abs()));
        let title = weight.map_or(String::new(), |weight| weight.to_string());
        self.arrows.push(Arrow { from, to, label: short, title, class: "arrow" });
    }

    fn arrow(&mut self, from: usize, to: usize, labels: &[String], class: &'static str) {
        let title = labels.join("\n");
        let label = match labels {
            [] => String::new(),
            [only] => shortened(only, LABEL),
            [first, rest @ ..] => {
                let all = labels.join(", ");
                match all.chars().count() <= LABEL {
                    true => all,
                    false => format!("{} and {}", shortened(first, LABEL - 6), rest.len()),
                }
            }
        };
        self.arrows.push(Arrow { from, to, label, title, class });
    }

    /// The room that a box or a dot needs.
    fn size(&self, node: usize) -> Size {
        let Some(lines) = self.boxes.get(node) else {
            return Size { width: DOT_ROOM, height: 2.0 * DOT, ports: 0.0 };
        };
        let (width, height) = extent(lines);
        let has_loop = self.arrows.iter().any(|arrow| arrow.from == node && arrow.to == node);
        // Beside each other, long labels need more room than boxes.
        let labels = self.arrows.iter().filter(|arrow| arrow.from != arrow.to && arrow.to == node);
        let longest = labels.map(|arrow| arrow.label.chars().count()).max().unwrap_or(0);
        let slot = (LETTER * longest as f64).max(width + if has_loop { 2.0 * LOOP } else { 0.0 });
        Size { width: slot, height, ports: width - 12.0 }
    }

    fn svg(&self) -> String {
        let count = self.boxes.len() + self.dots.len();
        let sizes: Vec<Size> = (0..count).map(|node| self.size(node)).collect();
        let (loops, others): (Vec<&Arrow>, Vec<&Arrow>) = self.arrows.iter().partition(|a| a.from == a.to);
        let edges: Vec<(usize, usize)> = others.iter().map(|arrow| (arrow.from, arrow.to)).collect();
        let roots: Vec<usize> = (0..self.boxes.len()).filter(|&s| self.graph.states[s].is_initial).collect();
        let drawing = drawing(&sizes, &edges, &roots);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" width=\"{w:.0}\" height=\"{h:.0}\" viewBox=\"0 0 {w:.0} {h:.0}\" \
             role=\"img\">\n<title>Graph of {states} states</title>\n<defs><marker id=\"graph-tip\" viewBox=\"0 0 8 8\" refX=\"7\" \
             refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path class=\"tip\" d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n",
            w = drawing.width,
            h = drawing.height,
            states = self.boxes.len()
        );
        let mut labels = Labels::of(&drawing, self);
        for (arrow, route) in others.iter().zip(&drawing.routes) {
            let is_to_dot = arrow.to >= self.boxes.len();
            out.push_str(&path(arrow, &curve(route), !is_to_dot));
            labels.add(arrow, route);
        }
        for arrow in loops {
            let (x, y) = drawing.places[arrow.from];
            let side = x + 0.5 * extent(&self.boxes[arrow.from]).0;
            let bow = format!(
                "M{side:.1},{:.1} C{far:.1},{:.1} {far:.1},{:.1} {side:.1},{:.1}",
                y - 7.0,
                y - 16.0,
                y + 16.0,
                y + 7.0,
                far = side + 28.0
            );
            out.push_str(&path(arrow, &bow, true));
            labels.put(arrow, (side + 14.0, y - 16.0), "start");
        }
        for (state, lines) in self.boxes.iter().enumerate() {
            out.push_str(&self.state(state, lines, drawing.places[state]));
        }
        for (i, text) in self.dots.iter().enumerate() {
            let (x, y) = drawing.places[self.boxes.len() + i];
            out.push_str(&format!(
                "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{DOT}\"><title>{}</title></circle>\n",
                escaped(text)
            ));
        }
        out.push_str(&labels.svg);
        out.push_str("</svg>\n");
        out
    }

    fn state(&self, number: usize, lines: &[(&'static str, String)], (x, y): (f64, f64)) -> String {
        let state = &self.graph.states[number];
        let (width, height) = extent(lines);
        let class = if state.is_initial { "state initial" } else { "state" };
        let mut title = format!("state {number}: {}", state.values.join(" "));
        if !state.labels.is_empty() {
            title.push_str(&format!(", {}", state.labels.join(", ")));
        }
        let mut out = format!(
            "<g><title>{}</title><rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\"/>",
            escaped(&title),
            x - 0.5 * width,
            y - 0.5 * height
        );
        for (row, (class, text)) in lines.iter().enumerate() {
            let y = y - 0.5 * height + ROW * (row as f64 + 1.0) + 2.0;
            out.push_str(&format!(
                "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
                escaped(text)
            ));
        }
        out.push_str("</g>\n");
        out
    }
}

/// `[up]`; empty without a name. Labels of processes have no brackets.
fn action(name: &str) -> String {
    match name.contains(": ") || name.is_empty() {
        true => name.to_owned(),
        false => format!("[{name}]"),
    }
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).collect::<String>() + "…"
}

/// The lines of a box: number, values, labels.
fn lines(number: usize, state: &GraphState) -> Vec<(&'static str, String)> {
    let labels: Vec<String> = state.labels.iter().map(|label| format!("\"{label}\"")).collect();
    let parts = std::iter::once(("own", number.to_string()))
        .chain(state.values.iter().map(|value| ("value", value.clone())))
        .chain(labels.into_iter().map(|label| ("name", label)));
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    for (class, part) in parts {
        let part = shortened(&part, LINE);
        match lines.last_mut() {
            Some((last, line))
                if *last == class && line.chars().count() + 1 + part.chars().count() <= LINE =>
            {
                line.push(' ');
                line.push_str(&part);
            }
            _ => lines.push((class, part)),
        }
    }
    if lines.len() > MOST_LINES {
        let left = lines.len() + 1 - MOST_LINES;
        lines.truncate(MOST_LINES - 1);
        lines.push(("own", format!("… {left} more lines")));
    }
    lines
}

/// Width and height of a box.
fn extent(lines: &[(&'static str, String)]) -> (f64, f64) {
    let longest = lines.iter().map(|(_, line)| line.chars().count()).max().unwrap_or(0);
    (LETTER * longest as f64 + 20.0, ROW * lines.len() as f64 + 10.0)
}

fn path(arrow: &Arrow, curve: &str, has_tip: bool) -> String {
    let tip = if has_tip { " marker-end=\"url(#graph-tip)\"" } else { "" };
    let title = match arrow.title.is_empty() {
        true => String::new(),
        false => format!("<title>{}</title>", escaped(&arrow.title)),
    };
    format!("<path class=\"{}\" d=\"{curve}\"{tip}>{title}</path>\n", arrow.class)
}

/// Curves that leave and meet boxes upright.
fn curve(route: &Route) -> String {
    let Some(&(x, y)) = route.points.first() else { return String::new() };
    let mut out = format!("M{x:.1},{y:.1}");
    for pair in route.points.windows(2) {
        let [a, b, c, d] = bezier(pair[0], pair[1], route.is_flat);
        debug_assert_eq!(a, pair[0]);
        out.push_str(&format!(" C{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}", b.0, b.1, c.0, c.1, d.0, d.1));
    }
    out
}

type Point = (f64, f64);

/// The four points of a curve.
fn bezier(from: Point, to: Point, is_flat: bool) -> [Point; 4] {
    let (first, second) = match is_flat {
        true => (from.1.max(to.1) + 48.0, from.1.max(to.1) + 48.0),
        false => (0.5 * (from.1 + to.1), 0.5 * (from.1 + to.1)),
    };
    [from, (from.0, first), (to.0, second), to]
}

/// A point of a curve, from 0 to 1.
fn along([a, b, c, d]: [Point; 4], t: f64) -> Point {
    let s = 1.0 - t;
    let mix = |a: f64, b: f64, c: f64, d: f64| {
        s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
    };
    (mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1))
}

/// Labels of arrows, where they cover neither boxes nor each other.
struct Labels {
    svg: String,
    /// Rectangles that are taken: left, top, right, bottom.
    taken: Vec<[f64; 4]>,
}

/// Places along an arrow that are tried.
const TRIED: [f64; 7] = [0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2];

impl Labels {
    fn of(drawing: &Drawing, picture: &Picture<'_>) -> Self {
        let taken = picture.boxes.iter().zip(&drawing.places).map(|(lines, &(x, y))| {
            let (width, height) = extent(lines);
            [x - 0.5 * width, y - 0.5 * height, x + 0.5 * width, y + 0.5 * height]
        });
        Labels { svg: String::new(), taken: taken.collect() }
    }

    fn add(&mut self, arrow: &Arrow, route: &Route) {
        let [from, to, ..] = route.points[..] else { return };
        let curve = bezier(from, to, route.is_flat);
        let half = 0.5 * LETTER * arrow.label.chars().count() as f64;
        let room = |t: f64| {
            let (x, y) = along(curve, t);
            [x - half - 4.0, y - 9.0, x + half + 4.0, y + 7.0]
        };
        let overlap = |t: f64| {
            let [l, t, r, b] = room(t);
            let shared = |&[l2, t2, r2, b2]: &[f64; 4]| {
                (r.min(r2) - l.max(l2)).max(0.0) * (b.min(b2) - t.max(t2)).max(0.0)
            };
            self.taken.iter().map(shared).sum::<f64>()
        };
        let best = TRIED.into_iter().min_by(|&a, &b| overlap(a).total_cmp(&overlap(b))).unwrap_or(0.5);
        let at = along(curve, best);
        self.taken.push(room(best));
        self.put(arrow, (at.0, at.1 + 4.0), "middle");
    }

    fn put(&mut self, arrow: &Arrow, (x, y): Point, anchor: &str) {
        if arrow.label.is_empty() {
            return;
        }
        self.svg.push_str(&format!(
            "<text class=\"weight\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>\n",
            escaped(&arrow.label)
        ));
    }
}
