//! The threshold that was found, what it rests on, and the values that were evaluated.

use super::format::{LONGEST_PROPERTY, count, shortened};
use super::{Style, flow, grid};
use volvelle_verify::{Extreme, Found, Threshold};

/// The answer first, then the values.
pub fn block(found: &Found, file: &str, verbose: bool, style: Style) -> String {
    let Some(property) = found.evaluated.points.iter().flat_map(|p| &p.results).next() else {
        return String::new();
    };
    let name = &found.constant.name;
    let mut out = format!("{}\n", flow::text("", &heading(found, file, style), 2, style));
    let label = property.name.as_ref().map_or(String::new(), |name| format!("{}   ", style.bold(name)));
    let text = shortened(&property.text, LONGEST_PROPERTY);
    out.push_str(&flow::text(&format!("  {label}"), &text, 9, style));
    let answer = match &found.threshold {
        Threshold::Found(value) => style.good(&format!("{name} = {value}")),
        Threshold::Nowhere => style.bad(&format!("no value of {name} satisfies it")),
        Threshold::Open => style.doubtful("not found"),
    };
    let mut lines = vec![format!("{answer}      {}", found.basis())];
    lines.extend(found.contradiction.iter().map(|why| format!("evaluated every value: {why}")));
    match (&found.threshold, &found.fails, &found.holds) {
        (Threshold::Found(_), Some(fails), _) => lines.push(format!("it fails for {name} = {fails}")),
        (Threshold::Open, fails, holds) => {
            let fails = fails.as_ref().map(|value| format!("it fails for {name} = {value}"));
            let holds = holds.as_ref().map(|value| format!("it holds for {name} = {value}"));
            let known: Vec<String> = fails.into_iter().chain(holds).collect();
            if !known.is_empty() {
                lines.push(format!("known so far: {}", known.join(style.separator())));
            }
        }
        _ => {}
    }
    if let Some(value) = &found.too_large {
        lines.push(format!("{name} = {value} is too large for the limits"));
    }
    for line in lines {
        out.push_str(&flow::text("         ", &line, 11, style));
    }
    out.push_str(&grid::table(&found.evaluated, verbose, style));
    out
}

/// `queue.prism  CTMC  the least N of 1 ... 1,000`
fn heading(found: &Found, file: &str, style: Style) -> String {
    let kind = found.evaluated.models.first().map_or(String::new(), |m| format!("  {}", m.kind));
    let word = match found.extreme {
        Extreme::Least => "least",
        Extreme::Greatest => "greatest",
    };
    let values = &found.constant.values;
    let range = match values.as_slice() {
        [first, .., last] => format!("{first} to {last}, {} values", count(values.len() as u64)),
        _ => String::new(),
    };
    format!(
        "{}{kind}  {}",
        style.bold(file),
        style.dim(&format!("the {word} {} of {range}", found.constant.name))
    )
}
