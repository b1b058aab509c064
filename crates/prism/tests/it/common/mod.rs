//! What the tests of the parser share: expectations drawn under the source, trees as S-expressions, and a
//! small random generator.

pub mod generate;

use volvelle_diagnostics::{Diagnostic, FileId, Severity, Sources};
use volvelle_prism::ast::{
    Counted, ExprId, ExprKind, Exprs, Model, Name, OldFilter, OpenEnd, Optimum, PropertyFile,
    QuantileVariable, Query, RewardName, RewardPath, TimeBound,
};
use volvelle_prism::parse;
pub use volvelle_random::Random;

/// Parses a model.
pub fn model(text: &str) -> (Model, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add("test.prism", text);
    parse::model(&sources, file)
}

/// Parses a property file.
pub fn properties(text: &str) -> (PropertyFile, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add("test.props", text);
    parse::properties(&sources, file)
}

/// Parses one property.
pub fn property(text: &str) -> (PropertyFile, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add("--prop", text);
    parse::property(&sources, file)
}

/// Parses a formula over runs.
pub fn formula(text: &str) -> (PropertyFile, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add("--ltl", text);
    parse::formula(&sources, file)
}

/// Parses a model; diagnostics must be those drawn in the text:
///
/// ```text
///   x = 5.;
/// //     ^ error V0101: digits must follow
/// //     | help: write
/// ```
///
/// A line of carets under a line of source stands for a diagnostic about that place; its words must be in the
/// message, those behind `|` in the helps and notes. A place at the end of the file is one caret.
pub fn check_model(text: &str) {
    check(text, model(text).1);
}

/// The same for a property file.
pub fn check_properties(text: &str) {
    check(text, properties(text).1);
}

/// The same for the text of one property.
pub fn check_property(text: &str) {
    check(text, property(text).1);
}

/// The same for the text of a formula over runs.
pub fn check_formula(text: &str) {
    check(text, formula(text).1);
}

pub fn check(text: &str, diagnostics: Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add("test", text);
    let drawn = drawn(text);
    let found: Vec<String> = diagnostics.iter().map(|d| shown(&sources, d)).collect();
    assert_eq!(drawn.len(), diagnostics.len(), "found:\n{}\nin:\n{text}", found.join("\n"));
    for (expected, diagnostic) in drawn.iter().zip(&diagnostics) {
        let place = place(&sources, file, diagnostic);
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let head = format!("{severity} {}: {}", diagnostic.code, diagnostic.message);
        assert_eq!(expected.place, place, "{head}\nin:\n{text}");
        assert!(head.starts_with(&expected.message), "expected: {}\nfound:    {head}", expected.message);
        let ways = [diagnostic.helps.clone(), diagnostic.notes.clone()].concat().join("\n");
        for way in &expected.ways {
            assert!(ways.contains(way), "expected: {way}\nfound:    {ways}");
        }
    }
}

/// Line from 1, column from 1, length in characters (1 where the place is empty).
type Place = (usize, usize, usize);

struct Drawn {
    place: Place,
    message: String,
    ways: Vec<String>,
}

fn drawn(text: &str) -> Vec<Drawn> {
    let mut all: Vec<Drawn> = Vec::new();
    let mut source_line = 0;
    for (index, line) in text.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            source_line = index + 1;
            continue;
        };
        let comment = comment.trim_start();
        if let Some(way) = comment.strip_prefix('|') {
            let last = all.last_mut().expect("`|` follows a line of carets");
            last.ways.push(way.trim().to_string());
        } else if comment.starts_with('^') {
            let length = comment.chars().take_while(|c| *c == '^').count();
            let column = line.chars().take_while(|c| *c != '^').count() + 1;
            all.push(Drawn {
                place: (source_line, column, length),
                message: comment[length..].trim().to_string(),
                ways: Vec::new(),
            });
        }
    }
    all
}

fn place(sources: &Sources, file: FileId, diagnostic: &Diagnostic) -> Place {
    let span = diagnostic.primary.as_ref().expect("a place").span;
    assert_eq!(span.file, file);
    let start = sources.line_column(span);
    let length = sources.text(span).chars().count().max(1);
    (start.line, start.column, length)
}

fn shown(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let place = diagnostic.primary.as_ref().map(|label| sources.line_column(label.span));
    format!(
        "{place:?} {} {} {:?} {:?}",
        diagnostic.code, diagnostic.message, diagnostic.helps, diagnostic.notes
    )
}

/// An expression as an S-expression; parentheses of the source do not show.
pub fn sexpr(exprs: &Exprs, id: ExprId) -> String {
    let sub = |id: ExprId| sexpr(exprs, id);
    match &exprs.get(id).kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Real(value) => format!("{value:?}"),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Ident(name) => name.clone(),
        ExprKind::Label(name) => format!("\"{name}\""),
        ExprKind::Neg(x) => format!("(neg {})", sub(*x)),
        ExprKind::Not(x) => format!("(! {})", sub(*x)),
        ExprKind::Binary { op, lhs, rhs } => format!("({} {} {})", op.symbol(), sub(*lhs), sub(*rhs)),
        ExprKind::Ite { cond, yes, no } => format!("(? {} {} {})", sub(*cond), sub(*yes), sub(*no)),
        ExprKind::Call { function, args } => {
            let args: Vec<String> = args.iter().map(|arg| sub(*arg)).collect();
            format!("({function:?} {})", args.join(" "))
        }
        ExprKind::Paren(x) => sub(*x),
        ExprKind::Prob { optimum, query, path, filter } => format!(
            "(P{}{} {}{})",
            optimum_text(*optimum),
            query_text(exprs, query),
            sub(*path),
            filter_text(exprs, filter)
        ),
        ExprKind::Reward { name, optimum, query, path, filter } => {
            let one = |name: &RewardName| match name {
                RewardName::Named(name) => format!("{{{}}}", name.text),
                RewardName::Index(index) => format!("{{#{}}}", sub(*index)),
                RewardName::First | RewardName::Ratio(_) => String::new(),
            };
            let name = name.each().map(one).collect::<Vec<_>>().join("/");
            let path = match path {
                RewardPath::CumulativeUpTo(t) => format!("(C<= {})", sub(*t)),
                RewardPath::Within(bound) => format!("(C{})", bound_text(exprs, bound)),
                RewardPath::Total => "C".to_string(),
                RewardPath::Discounted { factor, upto } => {
                    let upto = upto.map_or(String::new(), |t| format!("{} ", sub(t)));
                    format!("(Cdiscount {upto}{})", sub(*factor))
                }
                RewardPath::Instantaneous(t) => format!("(I= {})", sub(*t)),
                RewardPath::SteadyState => "S".to_string(),
                RewardPath::Path(path) => sub(*path),
            };
            format!(
                "(R{name}{}{} {path}{})",
                optimum_text(*optimum),
                query_text(exprs, query),
                filter_text(exprs, filter)
            )
        }
        ExprKind::Steady { optimum, query, states, filter } => {
            let optimum = optimum_text(*optimum);
            format!("(S{optimum}{} {}{})", query_text(exprs, query), sub(*states), filter_text(exprs, filter))
        }
        ExprKind::Time { optimum, query, path } => {
            format!("(T{}{} {})", optimum_text(*optimum), query_text(exprs, query), sub(*path))
        }
        ExprKind::Strategy { coalition, operands } => {
            let (open, close) = if coalition.exists { ("<<", ">>") } else { ("[[", "]]") };
            let names =
                |names: &Vec<Name>| names.iter().map(|n| n.text.clone()).collect::<Vec<_>>().join(",");
            let players = coalition.players.as_ref().map_or("*".to_string(), names);
            let operands: String = operands.iter().map(|&operand| format!(" {}", sub(operand))).collect();
            format!("({open}{players}{close}{operands})")
        }
        ExprKind::ForAll(x) => format!("(A {})", sub(*x)),
        ExprKind::Exists(x) => format!("(E {})", sub(*x)),
        ExprKind::Quantile { variables, property } => {
            let variable = |v: &QuantileVariable| format!("{}{}", optimum_text(v.optimum), v.name.text);
            let variables: Vec<String> = variables.iter().map(variable).collect();
            format!("(quantile {} {})", variables.join(" "), sub(*property))
        }
        ExprKind::Automaton { file, propositions } => {
            let each = propositions.iter().map(|(name, x)| format!(" {}={}", name.text, sub(*x)));
            format!("(HOA {}{})", file.text, each.collect::<String>())
        }
        ExprKind::Filter { op, property, states } => {
            let states = states.map_or(String::new(), |states| format!(" {}", sub(states)));
            format!("(filter {} {}{states})", op.text, sub(*property))
        }
        ExprKind::Conditional { path, given } => format!("(|| {} {})", sub(*path), sub(*given)),
        ExprKind::Temporal { op, lhs, rhs, bound } => {
            let lhs = lhs.map_or(String::new(), |lhs| format!("{} ", sub(lhs)));
            format!("({}{} {lhs}{})", op.letter(), bound_text(exprs, bound), sub(*rhs))
        }
        ExprKind::Unsupported { what } => format!("(unsupported: {what})"),
        ExprKind::Error => "(error)".to_string(),
    }
}

fn optimum_text(optimum: Option<Optimum>) -> &'static str {
    match optimum {
        Some(Optimum::Min) => "min",
        Some(Optimum::Max) => "max",
        None => "",
    }
}

fn query_text(exprs: &Exprs, query: &Query) -> String {
    match query {
        Query::Value => "=?".to_string(),
        Query::Bound(op, bound) => format!("{}{}", op.symbol(), sexpr(exprs, *bound)),
    }
}

fn filter_text(exprs: &Exprs, filter: &Option<OldFilter>) -> String {
    filter.as_ref().map_or(String::new(), |filter| {
        let min = if filter.min { "{min}" } else { "" };
        let max = if filter.max { "{max}" } else { "" };
        format!(" {{{}}}{min}{max}", sexpr(exprs, filter.states))
    })
}

fn bound_text(exprs: &Exprs, bound: &TimeBound) -> String {
    let all: Vec<String> = bound.all().map(|bound| one_bound(exprs, bound)).collect();
    all.join(",")
}

fn one_bound(exprs: &Exprs, bound: &TimeBound) -> String {
    let time = |id: ExprId| sexpr(exprs, id);
    let counted = match &bound.counted {
        Counted::Time => String::new(),
        Counted::Steps => "steps".to_string(),
        Counted::Reward(name) => format!("{{{}}}", name.text),
    };
    if let Some(OpenEnd { variable, upper, strict }) = &bound.open {
        let relation = match (upper, strict) {
            (true, false) => "<=",
            (true, true) => "<",
            (false, false) => ">=",
            (false, true) => ">",
        };
        return format!("{counted}{relation}{}", variable.text);
    }
    counted + &ends(bound, time)
}

fn ends(bound: &TimeBound, time: impl Fn(ExprId) -> String) -> String {
    match (bound.lower, bound.upper) {
        (None, None) => String::new(),
        (Some(lower), Some(upper)) if bound.equal => {
            assert_eq!(lower, upper);
            format!("={}", time(lower))
        }
        (Some(lower), Some(upper)) => format!("[{},{}]", time(lower), time(upper)),
        (Some(lower), None) => format!("{}{}", if bound.lower_strict { ">" } else { ">=" }, time(lower)),
        (None, Some(upper)) => format!("{}{}", if bound.upper_strict { "<" } else { "<=" }, time(upper)),
    }
}

/// The body of a formula as an S-expression; the text must parse.
#[track_caller]
pub fn tree(text: &str) -> String {
    let (model, diagnostics) = model(&format!("formula f = {text};"));
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    sexpr(&model.exprs, model.formulas[0].body)
}

/// A property as an S-expression; the text must parse.
#[track_caller]
pub fn property_tree(text: &str) -> String {
    let (file, diagnostics) = property(text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    assert_eq!(file.properties.len(), 1);
    sexpr(&file.exprs, file.properties[0].body)
}

/// What every tree of the parser keeps to: children before parents, places inside the text, nesting as
/// documented.
pub fn check_tree(exprs: &Exprs, text: &str) {
    for id in exprs.ids() {
        let expr = exprs.get(id);
        assert!(expr.span.start <= expr.span.end && expr.span.end as usize <= text.len());
        assert!(
            text.is_char_boundary(expr.span.start as usize) && text.is_char_boundary(expr.span.end as usize)
        );
        let mut nesting = 0;
        expr.kind.for_each_child(|child| {
            assert!(child < id, "children come before their parents");
            let child = exprs.get(child);
            assert!(expr.span.start <= child.span.start && child.span.end <= expr.span.end);
            nesting = nesting.max(child.nesting + 1);
        });
        if let ExprKind::Binary { lhs, rhs, .. } = expr.kind {
            nesting = exprs.get(lhs).nesting.max(exprs.get(rhs).nesting + 1);
        }
        assert_eq!(expr.nesting, nesting);
        assert!(nesting <= parse::NESTING_LIMIT);
    }
}

/// The debug form of a tree without places, and with expressions as S-expressions: equal for trees that differ
/// in layout and needless parentheses only.
pub fn shape(exprs: &Exprs, tree: &impl std::fmt::Debug) -> String {
    let text = format!("{tree:?}");
    let mut out = String::new();
    let mut rest = text.as_str();
    loop {
        let span = rest.find("Span {");
        let expr = rest.find("ExprId(");
        match (span, expr) {
            (Some(at), expr) if expr.is_none_or(|expr| at < expr) => {
                out.push_str(&rest[..at]);
                let end = at + rest[at..].find('}').expect("a span ends");
                rest = &rest[end + 1..];
            }
            (_, Some(at)) => {
                out.push_str(&rest[..at]);
                let end = at + rest[at..].find(')').expect("an id ends");
                let id: u32 = rest[at + "ExprId(".len()..end].parse().expect("an id is a number");
                out.push_str(&sexpr(exprs, ExprId(id)));
                rest = &rest[end + 1..];
            }
            _ => {
                out.push_str(rest);
                return out;
            }
        }
    }
}

/// The shape of all parts of a model.
pub fn model_shape(model: &Model) -> String {
    let parts = (
        (&model.ty, &model.constants, &model.formulas, &model.labels, &model.globals),
        (&model.modules, &model.rewards, &model.init, &model.systems, &model.unsupported),
    );
    shape(&model.exprs, &parts)
}

/// The shape of all parts of a property file.
pub fn properties_shape(file: &PropertyFile) -> String {
    let parts = (&file.constants, &file.formulas, &file.labels, &file.properties);
    shape(&file.exprs, &parts)
}
