//! Prints expressions and properties, with an explicit stack: chains may be long.

use crate::ast::{
    BinaryOp, Coalition, Counted, ExprId, ExprKind, Exprs, OldFilter, Optimum, Query, RewardName, RewardPath,
    Temporal, TimeBound,
};
use crate::parse::level;
use std::borrow::Cow;

/// An expression as PRISM text.
pub fn expr(exprs: &Exprs, id: ExprId) -> String {
    let mut out = String::new();
    let mut waiting = vec![Piece::Expr(id, level::CONDITIONAL)];
    while let Some(piece) = waiting.pop() {
        match piece {
            Piece::Text(text) => {
                // `a=<<*>> …` would be read as `a =< <*>> …`.
                if text.starts_with('<') && out.ends_with(['=', '<']) {
                    out.push(' ');
                }
                out.push_str(&text);
            }
            Piece::Expr(id, least) => {
                let kind = &exprs.get(id).kind;
                let mut pieces = Vec::new();
                let inside = binding(kind) < least;
                if inside {
                    pieces.push(Piece::text("("));
                }
                push_pieces(exprs, kind, &mut pieces);
                if inside {
                    pieces.push(Piece::text(")"));
                }
                waiting.extend(pieces.into_iter().rev());
            }
        }
    }
    out
}

enum Piece {
    Text(Cow<'static, str>),
    /// In parentheses, unless it binds at least as tightly as the level.
    Expr(ExprId, u8),
}

impl Piece {
    fn text(text: impl Into<Cow<'static, str>>) -> Piece {
        Piece::Text(text.into())
    }
}

fn binding(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Binary { op, .. } => level::binary(*op),
        ExprKind::Neg(_) => level::NEG,
        ExprKind::Not(_) => level::NOT,
        ExprKind::Ite { .. } => level::ITE,
        ExprKind::Temporal { lhs: None, .. } => level::TEMPORAL,
        ExprKind::Temporal { .. } => level::UNTIL,
        ExprKind::Conditional { .. } => level::CONDITIONAL,
        // Not a literal of PRISM; as an operand it is a negation.
        ExprKind::Int(value) if *value < 0 => level::NEG,
        ExprKind::Real(value) if value.is_sign_negative() => level::NEG,
        _ => level::ATOM,
    }
}

fn push_pieces(exprs: &Exprs, kind: &ExprKind, out: &mut Vec<Piece>) {
    match kind {
        ExprKind::Int(value) => out.push(Piece::text(value.to_string())),
        // The shortest text that reads back as the same number, always with a point or an exponent.
        ExprKind::Real(value) => out.push(Piece::text(format!("{value:?}"))),
        ExprKind::Bool(value) => out.push(Piece::text(if *value { "true" } else { "false" })),
        ExprKind::Ident(name) => out.push(Piece::text(name.clone())),
        ExprKind::Label(name) => out.push(Piece::text(format!("\"{name}\""))),
        ExprKind::Neg(x) => {
            // `-a^b` is refused by the parser.
            let power = matches!(exprs.get(*x).kind, ExprKind::Binary { op: BinaryOp::Pow, .. });
            let least = if power { level::ATOM } else { level::NEG };
            out.extend([Piece::text("-"), Piece::Expr(*x, least)]);
        }
        ExprKind::Not(x) => out.extend([Piece::text("!"), Piece::Expr(*x, level::NOT)]),
        ExprKind::Binary { op, lhs, rhs } => {
            let own = level::binary(*op);
            let left = if *op == BinaryOp::Pow { level::ATOM } else { own };
            out.extend([Piece::Expr(*lhs, left), Piece::text(binary_text(*op)), Piece::Expr(*rhs, own + 1)]);
        }
        ExprKind::Ite { cond, yes, no } => out.extend([
            Piece::Expr(*cond, level::ITE + 1),
            Piece::text(" ? "),
            Piece::Expr(*yes, level::ITE + 1),
            Piece::text(" : "),
            Piece::Expr(*no, level::ITE),
        ]),
        ExprKind::Call { function, args } => {
            out.push(Piece::text(format!("{}(", function.name())));
            for (i, arg) in args.iter().enumerate() {
                if i > 0 {
                    out.push(Piece::text(", "));
                }
                out.push(Piece::Expr(*arg, level::UNTIL));
            }
            out.push(Piece::text(")"));
        }
        ExprKind::Paren(x) => {
            out.extend([Piece::text("("), Piece::Expr(*x, level::UNTIL), Piece::text(")")]);
        }
        ExprKind::Temporal { op, lhs, rhs, bound } => push_temporal(exprs, *op, *lhs, *rhs, bound, out),
        ExprKind::Conditional { path, given } => out.extend([
            Piece::Expr(*path, level::UNTIL),
            Piece::text(" || "),
            Piece::Expr(*given, level::UNTIL),
        ]),
        ExprKind::Strategy { coalition, operands } => push_strategy(coalition, operands, out),
        ExprKind::ForAll(x) => bracketed("A", *x, out),
        ExprKind::Exists(x) => bracketed("E", *x, out),
        ExprKind::Unsupported { what } => out.push(Piece::text(format!("⟨{what}⟩"))),
        ExprKind::Error => out.push(Piece::text("⟨error⟩")),
        _ => push_operator(kind, out),
    }
}

fn push_strategy(coalition: &Coalition, operands: &[ExprId], out: &mut Vec<Piece>) {
    let (open, close) = if coalition.exists { ("<<", ">>") } else { ("[[", "]]") };
    let players = match &coalition.players {
        None => "*".to_string(),
        Some(players) => players.iter().map(|player| player.text.as_str()).collect::<Vec<_>>().join(", "),
    };
    out.push(Piece::text(format!("{open}{players}{close} ")));
    let [operand] = operands else {
        out.push(Piece::text("("));
        for (i, operand) in operands.iter().enumerate() {
            if i > 0 {
                out.push(Piece::text(", "));
            }
            out.push(Piece::Expr(*operand, level::UNTIL));
        }
        out.push(Piece::text(")"));
        return;
    };
    out.push(Piece::Expr(*operand, level::ATOM));
}

fn bracketed(word: &'static str, path: ExprId, out: &mut Vec<Piece>) {
    out.extend([Piece::text(word), Piece::text(" [ "), Piece::Expr(path, level::UNTIL), Piece::text(" ]")]);
}

/// `P`, `R`, `S`, `T` and `filter`.
fn push_operator(kind: &ExprKind, out: &mut Vec<Piece>) {
    match kind {
        ExprKind::Prob { optimum, query, path, filter } => {
            out.push(Piece::text("P"));
            push_query(*optimum, query, level::ITE, out);
            out.extend([Piece::text(" [ "), Piece::Expr(*path, level::CONDITIONAL)]);
            push_end(filter, out);
        }
        ExprKind::Steady { optimum, query, states, filter } => {
            // `Smin` is a name like any other.
            out.push(Piece::text(if optimum.is_some() { "S " } else { "S" }));
            push_query(*optimum, query, level::ITE, out);
            out.extend([Piece::text(" [ "), Piece::Expr(*states, level::ITE)]);
            push_end(filter, out);
        }
        ExprKind::Time { optimum, query, path } => {
            out.push(Piece::text("T"));
            // The simplicity of `e` distinguishes `T>=e [` from a comparison.
            push_query(*optimum, query, level::binary(BinaryOp::Add), out);
            out.extend([Piece::text(" [ "), Piece::Expr(*path, level::CONDITIONAL)]);
            push_end(&None, out);
        }
        ExprKind::Reward { name, optimum, query, path, filter } => {
            out.push(Piece::text("R"));
            for (i, name) in name.each().enumerate() {
                if i > 0 {
                    out.push(Piece::text("/"));
                }
                match name {
                    RewardName::Named(name) => out.push(Piece::text(format!("{{\"{}\"}}", name.text))),
                    RewardName::Index(index) => {
                        out.extend([Piece::text("{"), Piece::Expr(*index, level::ITE), Piece::text("}")]);
                    }
                    RewardName::First | RewardName::Ratio(_) => {}
                }
            }
            push_query(*optimum, query, level::ITE, out);
            out.push(Piece::text(" [ "));
            match path {
                RewardPath::CumulativeUpTo(t) => {
                    out.extend([Piece::text("C<="), Piece::Expr(*t, level::ITE)]);
                }
                RewardPath::Instantaneous(t) => out.extend([Piece::text("I="), Piece::Expr(*t, level::ITE)]),
                RewardPath::Within(bound) => {
                    out.push(Piece::text("C"));
                    push_bounds(bound, out);
                }
                RewardPath::Total => out.push(Piece::text("C")),
                RewardPath::Discounted { factor, upto } => {
                    match upto {
                        Some(t) => {
                            out.extend([Piece::text("C<="), Piece::Expr(*t, level::ATOM), Piece::text(" ")]);
                        }
                        None => out.push(Piece::text("C")),
                    }
                    out.extend([Piece::text("discount="), Piece::Expr(*factor, level::ITE)]);
                }
                RewardPath::SteadyState => out.push(Piece::text("S")),
                RewardPath::Path(path) => out.push(Piece::Expr(*path, level::CONDITIONAL)),
            }
            push_end(filter, out);
        }
        ExprKind::Automaton { file, propositions } => {
            out.push(Piece::text(format!("HOA: {{\"{}\"", file.text)));
            for (name, condition) in propositions {
                out.push(Piece::text(format!(", \"{}\" <- ", name.text)));
                out.push(Piece::Expr(*condition, level::ITE));
            }
            out.push(Piece::text("}"));
        }
        ExprKind::Quantile { variables, property } => {
            out.push(Piece::text("quantile("));
            for variable in variables {
                let word = match variable.optimum {
                    Some(Optimum::Min) => "min ",
                    Some(Optimum::Max) => "max ",
                    None => "",
                };
                out.push(Piece::text(format!("{word}{}, ", variable.name.text)));
            }
            out.extend([Piece::Expr(*property, level::ITE), Piece::text(")")]);
        }
        ExprKind::Filter { op, property, states } => {
            out.push(Piece::text(format!("filter({}, ", op.text)));
            out.push(Piece::Expr(*property, level::ITE));
            if let Some(states) = states {
                out.extend([Piece::text(", "), Piece::Expr(*states, level::ITE)]);
            }
            out.push(Piece::text(")"));
        }
        // All others are printed by the caller.
        _ => {}
    }
}

fn push_query(optimum: Option<Optimum>, query: &Query, least: u8, out: &mut Vec<Piece>) {
    match optimum {
        Some(Optimum::Min) => out.push(Piece::text("min")),
        Some(Optimum::Max) => out.push(Piece::text("max")),
        None => {}
    }
    match query {
        Query::Value => out.push(Piece::text("=?")),
        Query::Bound(relation, threshold) => {
            out.extend([Piece::text(binary_text(*relation)), Piece::Expr(*threshold, least)]);
        }
    }
}

/// The filter of older PRISM, where there is one, and the closing bracket.
fn push_end(filter: &Option<OldFilter>, out: &mut Vec<Piece>) {
    if let Some(filter) = filter {
        out.extend([Piece::text(" {"), Piece::Expr(filter.states, level::ITE), Piece::text("}")]);
        if filter.min {
            out.push(Piece::text("{min}"));
        }
        if filter.max {
            out.push(Piece::text("{max}"));
        }
    }
    out.push(Piece::text(" ]"));
}

fn push_temporal(
    exprs: &Exprs,
    op: Temporal,
    lhs: Option<ExprId>,
    rhs: ExprId,
    bound: &TimeBound,
    out: &mut Vec<Piece>,
) {
    if let Some(lhs) = lhs {
        out.extend([Piece::Expr(lhs, level::TEMPORAL), Piece::text(" ")]);
    }
    out.push(Piece::text(op.letter()));
    if !bound.is_time() {
        push_bounds(bound, out);
        out.extend([Piece::text(" "), Piece::Expr(rhs, level::TEMPORAL)]);
        return;
    }
    let mut least = level::TEMPORAL;
    let one_sided = match (bound.lower, bound.upper) {
        (None, None) => None,
        (Some(time), Some(_)) if bound.equal => Some(("=", time)),
        (Some(lower), Some(upper)) => {
            // PRISM writes closed intervals only.
            let (open, close) =
                (if bound.lower_strict { "(" } else { "[" }, if bound.upper_strict { ")" } else { "]" });
            out.extend([Piece::text(open), Piece::Expr(lower, level::ITE), Piece::text(",")]);
            out.extend([Piece::Expr(upper, level::ITE), Piece::text(close)]);
            None
        }
        (Some(lower), None) => Some((if bound.lower_strict { ">" } else { ">=" }, lower)),
        (None, Some(upper)) => Some((if bound.upper_strict { "<" } else { "<=" }, upper)),
    };
    if let Some((relation, time)) = one_sided {
        // Bound and formula stand side by side: a call and an operator would be misread.
        let call = matches!(exprs.get(time).kind, ExprKind::Call { .. });
        let open = if call { level::ATOM + 1 } else { level::ATOM };
        out.extend([Piece::text(relation), Piece::Expr(time, open)]);
        if starts_with_minus(exprs, rhs) {
            least = level::ATOM + 1;
        }
    }
    out.extend([Piece::text(" "), Piece::Expr(rhs, least)]);
}

/// `^{rew{"a"}<=3, steps<=10}`
fn push_bounds(bound: &TimeBound, out: &mut Vec<Piece>) {
    for (i, bound) in bound.all().enumerate() {
        out.push(Piece::text(if i == 0 { "^{" } else { ", " }));
        match &bound.counted {
            Counted::Time => {}
            Counted::Steps => out.push(Piece::text("steps")),
            Counted::Reward(name) => out.push(Piece::text(format!("rew{{\"{}\"}}", name.text))),
        }
        if let Some(open) = &bound.open {
            let relation = match (open.upper, open.strict) {
                (true, false) => "<=",
                (true, true) => "<",
                (false, false) => ">=",
                (false, true) => ">",
            };
            out.push(Piece::text(format!("{relation}{}", open.variable.text)));
            continue;
        }
        match (bound.lower, bound.upper) {
            (None, None) => {}
            (Some(end), Some(_)) if bound.equal => {
                out.extend([Piece::text("="), Piece::Expr(end, level::ITE)]);
            }
            (Some(lower), Some(upper)) => {
                out.extend([Piece::text("["), Piece::Expr(lower, level::ITE)]);
                out.extend([Piece::text(","), Piece::Expr(upper, level::ITE), Piece::text("]")]);
            }
            (Some(lower), None) => {
                let relation = if bound.lower_strict { ">" } else { ">=" };
                out.extend([Piece::text(relation), Piece::Expr(lower, level::ITE)]);
            }
            (None, Some(upper)) => {
                let relation = if bound.upper_strict { "<" } else { "<=" };
                out.extend([Piece::text(relation), Piece::Expr(upper, level::ITE)]);
            }
        }
    }
    out.push(Piece::text("}"));
}

/// Whether the text of an expression starts with `-`, which would continue an expression before it.
fn starts_with_minus(exprs: &Exprs, id: ExprId) -> bool {
    let mut id = id;
    loop {
        id = match exprs.get(id).kind {
            ExprKind::Binary { lhs, .. } => lhs,
            ExprKind::Temporal { lhs: Some(lhs), .. } => lhs,
            ExprKind::Ite { cond, .. } => cond,
            ExprKind::Neg(_) => return true,
            ExprKind::Int(value) => return value < 0,
            ExprKind::Real(value) => return value.is_sign_negative(),
            _ => return false,
        };
    }
}

/// A binary operator with the space around it.
fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Implies => " => ",
        BinaryOp::Iff => " <=> ",
        BinaryOp::Or => " | ",
        BinaryOp::And => " & ",
        BinaryOp::Eq => "=",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Add => " + ",
        BinaryOp::Sub => " - ",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Pow => "^",
    }
}
