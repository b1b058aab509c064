//! The quantity that a property asks for, in words for an axis: by its outermost operator.
//!
//! The words need not be more than a hint: they are read from the text of the property, and texts that are not a single
//! operator (arithmetic, filters, several objectives) have no word of their own.

use volvelle_logic::Value;
use volvelle_session::report::PropertyReport;

/// For quantities without a word.
pub const VALUE: &str = "value";

/// What the values of a property are: `probability`, `expected reward "lost"`.
pub fn quantity(result: &PropertyReport) -> String {
    if let Ok(answer) = &result.outcome
        && matches!(answer.value, Value::Bool(_))
        && answer.compared.is_none()
    {
        return "true (1) or false (0)".to_owned();
    }
    of_text(&result.text)
}

fn of_text(text: &str) -> String {
    let text = text.trim().trim_end_matches(';').trim_end();
    let Some((head, inside)) = operator(text) else { return VALUE.to_owned() };
    let mut rest = head.chars();
    let letter = rest.next();
    let rest = rest.as_str().trim_start();
    let (structure, rest) = structure(rest);
    let optimum = match rest {
        _ if rest.starts_with("min") => "minimum ",
        _ if rest.starts_with("max") => "maximum ",
        _ => "",
    };
    let comparison = rest.trim_start_matches("min").trim_start_matches("max").trim_start();
    if !comparison.starts_with(['=', '<', '>']) {
        return VALUE.to_owned();
    }
    let reward = if structure.is_empty() { "reward".to_owned() } else { format!("reward {structure}") };
    match letter {
        Some('P') => format!("{optimum}probability"),
        Some('S') => format!("{optimum}long-run probability"),
        Some('T') => format!("{optimum}expected time"),
        Some('R') if inside.trim() == "S" => format!("{optimum}long-run {reward}"),
        Some('R') => format!("{optimum}expected {reward}"),
        _ => VALUE.to_owned(),
    }
}

/// Operator and content of `operator [ content ]`, where that is the whole text.
fn operator(text: &str) -> Option<(&str, &str)> {
    let (head, _) = text.split_once('[')?;
    let mut depth = 0_usize;
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    let is_whole = at + 1 == text.len();
                    return is_whole.then(|| (head.trim(), &text[head.len() + 1..at]));
                }
            }
            _ => {}
        }
    }
    None
}

/// The name of a reward structure in braces, and what follows; of two names for `R` the optimum may stand between.
fn structure(text: &str) -> (&str, &str) {
    let named = text.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    named.map_or(("", text), |(name, rest)| (name.trim(), rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::of_text;

    #[test]
    fn operators_have_words() {
        for (text, words) in [
            ("P=? [ F<=T \"full\" ]", "probability"),
            ("Pmax=? [ F x=9 ]", "maximum probability"),
            ("P>=0.2 [ F s=7 & d=1 ]", "probability"),
            ("P<0.2[F[2,3] s=7];", "probability"),
            ("S=? [ waiting=room ]", "long-run probability"),
            ("R{\"lost\"}=? [ S ]", "long-run reward \"lost\""),
            ("R{\"lost\"}min=? [ C<=T ]", "minimum expected reward \"lost\""),
            ("R{2}>=3 [ F x=1 ]", "expected reward 2"),
            ("R=? [ I=T ]", "expected reward"),
            ("Tmin=? [ F x=1 ]", "minimum expected time"),
            ("R{\"lost\"}=? [ S ] / arrivals", "value"),
            ("1 - P=? [ F x=1 ]", "value"),
            ("P=? [ F x=1 ] + P=? [ F x=2 ]", "value"),
            ("filter(max, P=? [ F x=1 ], y=2)", "value"),
            ("multi(Pmax=? [ F a ], P>=0.5 [ F b ])", "value"),
            ("P=? [ F \"]\" ]", "probability"),
            ("", "value"),
            ("P", "value"),
            ("]", "value"),
            ("[ ]", "value"),
            ("Process [ x ]", "value"),
        ] {
            assert_eq!(of_text(text), words, "{text}");
        }
    }
}
