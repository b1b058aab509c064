//! Rates and probabilities in labels, by the conventions of CADP.

/// The meaning of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning<'a> {
    /// An action: the whole label.
    Action(&'a str),
    /// A probability, perhaps with an action: the number as written, and the action.
    Probability(&'a str, &'a str),
    /// A rate, perhaps with an action: the number as written, and the action.
    Rate(&'a str, &'a str),
}

/// The meaning of a label: `rate 2.5`, `prob 0.1`, or either behind an action and a semicolon.
pub fn meaning(label: &str) -> Meaning<'_> {
    let (action, last) = match label.rsplit_once(';') {
        Some((action, last)) => (action.trim(), last.trim()),
        None => ("", label.trim()),
    };
    let number = |word: &str| -> Option<&str> {
        let rest = last.strip_prefix(word)?;
        let number = rest.trim_start();
        let is_number = number.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-'))
            || ["nan", "inf"].iter().any(|word| number.to_ascii_lowercase().starts_with(word));
        (rest.len() > number.len() && is_number).then_some(number)
    };
    match (number("prob"), number("rate")) {
        (Some(number), _) => Meaning::Probability(number, action),
        (_, Some(number)) => Meaning::Rate(number, action),
        _ => Meaning::Action(label),
    }
}

/// Like [`meaning`], but a rate may also be a name: `rate LAMBDA`, `a; rate LAMBDA`.
pub fn meaning_with_names(label: &str) -> Meaning<'_> {
    let found = meaning(label);
    let Meaning::Action(_) = found else { return found };
    let (action, last) = label.rsplit_once(';').unwrap_or(("", label));
    let name = last.trim().strip_prefix("rate").filter(|rest| rest.starts_with(char::is_whitespace));
    match name.map(str::trim) {
        Some(name) if is_name(name) => Meaning::Rate(name, action.trim()),
        _ => found,
    }
}

/// The parts of the number of a rate: `2.5`, the name of one, or a number times a name (`2*LAMBDA`).
pub fn factor_and_name(text: &str) -> (Option<&str>, Option<&str>) {
    if is_name(text) && !["nan", "inf", "infinity"].contains(&text.to_ascii_lowercase().as_str()) {
        return (None, Some(text));
    }
    match text.rsplit_once('*').map(|(factor, name)| (factor.trim(), name.trim())) {
        Some((factor, name)) if is_name(name) => (Some(factor), Some(name)),
        _ => (Some(text), None),
    }
}

/// Whether a text is a name, in the way of programming languages.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The action of a label, without its probability or rate; empty where it has none.
pub fn action(label: &str) -> &str {
    let (Meaning::Action(action) | Meaning::Probability(_, action) | Meaning::Rate(_, action)) =
        meaning(label);
    action
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rates() {
        assert_eq!(meaning_with_names("rate LAMBDA"), Meaning::Rate("LAMBDA", ""));
        assert_eq!(meaning_with_names("a !1; rate MU_2"), Meaning::Rate("MU_2", "a !1"));
        assert_eq!(meaning_with_names("rate 2*MU"), Meaning::Rate("2*MU", ""));
        assert_eq!(meaning_with_names("rate !1"), Meaning::Action("rate !1"));
        assert_eq!(factor_and_name("2 * MU"), (Some("2"), Some("MU")));
        assert_eq!(factor_and_name("MU"), (None, Some("MU")));
        assert_eq!(factor_and_name("1/3"), (Some("1/3"), None));
        assert_eq!(factor_and_name("inf"), (Some("inf"), None));
    }

    #[test]
    fn rates_and_probabilities() {
        for (label, expected) in [
            ("rate 2.5", Meaning::Rate("2.5", "")),
            ("prob 0.1", Meaning::Probability("0.1", "")),
            ("a !1; prob  1/3", Meaning::Probability("1/3", "a !1")),
            ("a;b;rate 1e3", Meaning::Rate("1e3", "a;b")),
            ("prob nan", Meaning::Probability("nan", "")),
            ("rate", Meaning::Action("rate")),
            ("rates 5", Meaning::Action("rates 5")),
            ("rate5", Meaning::Action("rate5")),
            ("prob !1", Meaning::Action("prob !1")),
            ("i", Meaning::Action("i")),
        ] {
            assert_eq!(meaning(label), expected, "{label}");
        }
    }
}
