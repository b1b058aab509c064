//! Properties in words.

use volvelle_diagnostics::{FileId, Sources, Span};
use volvelle_prism::ast::{
    BinaryOp, Counted, ExprId, ExprKind, Optimum, PropertyFile, Query, RewardName, RewardPath, Temporal,
    TimeBound,
};
use volvelle_prism::parse;

/// What the property at an offset of a file of properties asks, in words, and where it stands; `None` where there is none, or none with an
/// operator that has words.
pub fn property_in_words(text: &str, offset: u32) -> Option<(String, Span)> {
    let mut sources = Sources::new();
    let file = sources.add("", text);
    let (tree, _) = parse::properties(&sources, file);
    let around = |span: Span| span.start <= offset && offset <= span.end;
    let property = tree.properties.iter().find(|property| {
        around(property.span)
            || property.name.as_ref().is_some_and(|name| around(name.span.to(property.span)))
    })?;
    let words = Words { tree: &tree, text }.property(property.body)?;
    let mut letters = words.chars();
    let first = letters.next()?;
    Some((first.to_uppercase().chain(letters).collect(), property.span))
}

struct Words<'a> {
    tree: &'a PropertyFile,
    text: &'a str,
}

impl Words<'_> {
    /// As it is written.
    fn written(&self, expr: ExprId) -> String {
        let span = self.tree.exprs.span(expr);
        debug_assert_eq!(span.file, FileId(0));
        let written = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        format!("`{}`", written.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn property(&self, expr: ExprId) -> Option<String> {
        Some(match &self.tree.exprs.get(expr).kind {
            ExprKind::Paren(inner) => self.property(*inner)?,
            ExprKind::Prob { optimum, query, path, .. } => {
                let what = format!("{}probability that {}", extreme(*optimum), self.path(*path));
                self.queried(&what, query)
            }
            ExprKind::Reward { name, optimum, query, path, .. } => {
                let name = match name {
                    RewardName::Named(name) => format!("`{}`", name.text),
                    _ => "reward".to_owned(),
                };
                let when = match path {
                    RewardPath::CumulativeUpTo(time) => format!("up to time {}", self.written(*time)),
                    RewardPath::Within(bound) => format!("while{}", self.bound(bound)),
                    RewardPath::Total => "in total".to_owned(),
                    RewardPath::Discounted { factor, upto } => {
                        let upto =
                            upto.map_or(String::new(), |upto| format!(" up to step {}", self.written(upto)));
                        format!("discounted by {} in each step{upto}", self.written(*factor))
                    }
                    RewardPath::Instantaneous(time) => format!("at time {}", self.written(*time)),
                    RewardPath::SteadyState => "in the long run".to_owned(),
                    RewardPath::Path(path) => self.until(*path),
                };
                self.queried(&format!("{}expected {name} {when}", extreme(*optimum)), query)
            }
            ExprKind::Time { optimum, query, path } => {
                let what = format!("{}expected time {}", extreme(*optimum), self.until(*path));
                self.queried(&what, query)
            }
            ExprKind::Steady { optimum, query, states, .. } => {
                let what = format!(
                    "{}share of time in {} in the long run",
                    extreme(*optimum),
                    self.written(*states)
                );
                self.queried(&what, query)
            }
            ExprKind::ForAll(path) => format!("on all paths {}", self.path(*path)),
            ExprKind::Exists(path) => format!("on some path {}", self.path(*path)),
            ExprKind::Filter { op, property, states } => {
                let inner = self.property(*property).unwrap_or_else(|| self.written(*property));
                let states = states.map_or("all states".to_owned(), |states| {
                    format!("the states with {}", self.written(states))
                });
                let what = match op.text.as_str() {
                    "min" => "the least value of",
                    "max" => "the largest value of",
                    "avg" => "the mean value of",
                    "sum" => "the sum of",
                    "count" => "the number of states with",
                    "range" => "the least and the largest value of",
                    "forall" => "in all of them",
                    "exists" => "in one of them",
                    "first" => "in the first of them",
                    "state" => "in the only one of them",
                    "argmin" => "the states with the least value of",
                    "argmax" => "the states with the largest value of",
                    _ => "the values of",
                };
                format!("of {states}, {what}: {inner}")
            }
            ExprKind::Strategy { coalition, operands } => {
                let players: Vec<String> =
                    coalition.players.iter().flatten().map(|player| format!("`{}`", player.text)).collect();
                let [operand] = operands[..] else { return None };
                let inner = self.property(operand)?;
                format!(
                    "with the choices of {}: {inner}",
                    if players.is_empty() { "nobody".to_owned() } else { players.join(", ") }
                )
            }
            _ => return None,
        })
    }

    /// What is asked about a value.
    fn queried(&self, what: &str, query: &Query) -> String {
        match query {
            Query::Value => format!("the {what}"),
            Query::Bound(op, threshold) => {
                let how = match op {
                    BinaryOp::Lt => "below",
                    BinaryOp::Le => "at most",
                    BinaryOp::Gt => "above",
                    BinaryOp::Ge => "at least",
                    _ => "exactly",
                };
                format!("whether the {what} is {how} {}", self.written(*threshold))
            }
        }
    }

    /// What a path does.
    fn path(&self, expr: ExprId) -> String {
        match &self.tree.exprs.get(expr).kind {
            ExprKind::Paren(inner) => self.path(*inner),
            ExprKind::Conditional { path, given } => {
                format!("{}, given that {}", self.path(*path), self.path(*given))
            }
            ExprKind::Temporal { op, lhs, rhs, bound } => {
                let (right, bound) = (self.written(*rhs), self.bound(bound));
                let left = lhs.map_or(String::new(), |left| self.written(left));
                match op {
                    Temporal::Next => format!("{right} holds in the next state{bound}"),
                    Temporal::Finally => format!("{right} is reached{bound}"),
                    Temporal::Globally if bound.is_empty() => format!("{right} always holds"),
                    Temporal::Globally => format!("{right} holds all the time{bound}"),
                    Temporal::Until => format!("{left} holds until {right} is reached{bound}"),
                    Temporal::WeakUntil => format!("{left} holds until {right} is reached{bound}, or always"),
                    Temporal::Release => format!("{right} holds until {left} holds, too{bound}, or always"),
                }
            }
            _ => format!("{} holds", self.written(expr)),
        }
    }

    /// Up to when something is counted.
    fn until(&self, path: ExprId) -> String {
        match &self.tree.exprs.get(path).kind {
            ExprKind::Paren(inner) => self.until(*inner),
            ExprKind::Temporal { op: Temporal::Finally, rhs, bound, .. } => {
                format!("until {} is reached{}", self.written(*rhs), self.bound(bound))
            }
            _ => format!("until {} is decided", self.written(path)),
        }
    }

    /// ` within 3`; nothing where nothing is limited.
    fn bound(&self, bound: &TimeBound) -> String {
        let mut words = String::new();
        for bound in bound.all() {
            let counted = match &bound.counted {
                Counted::Time => "time ".to_owned(),
                Counted::Steps => "step ".to_owned(),
                Counted::Reward(name) => format!("`{}` ", name.text),
            };
            let part = match (bound.lower, bound.upper) {
                (_, Some(upper)) if bound.equal => format!(" at {counted}{}", self.written(upper)),
                (Some(lower), Some(upper)) => {
                    format!(" between {counted}{} and {}", self.written(lower), self.written(upper))
                }
                (None, Some(upper)) => {
                    let how = if bound.upper_strict { "before" } else { "up to" };
                    format!(" {how} {counted}{}", self.written(upper))
                }
                (Some(lower), None) => {
                    let how = if bound.lower_strict { "after" } else { "from" };
                    format!(" {how} {counted}{}", self.written(lower))
                }
                (None, None) => String::new(),
            };
            words += &part;
        }
        words
    }
}

fn extreme(optimum: Option<Optimum>) -> &'static str {
    match optimum {
        Some(Optimum::Max) => "largest ",
        Some(Optimum::Min) => "least ",
        None => "",
    }
}
