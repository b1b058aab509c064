//! Structures as texts: `.wks`, which is read again as the same structure, and DOT for drawings.

use dashu_ratio::RBig;
use std::borrow::Cow;
use std::fmt::Write;
use volvelle_media::dot::escaped;
use volvelle_space::{LinearWeight, ParametricStructure, WeightedStructure};

/// Words and texts in quotation marks: a name that is no word is put in such marks.
fn quoted(name: &str) -> Cow<'_, str> {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_inside = |c: char| is_start(c) || c.is_ascii_digit() || matches!(c, '.' | '\'');
    if name.starts_with(is_start) && name.chars().all(is_inside) {
        return Cow::Borrowed(name);
    }
    let mut text = String::from("\"");
    for character in name.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            other => text.push(other),
        }
    }
    text.push('"');
    Cow::Owned(text)
}

/// The text form `.wks`. States have the names that `state` gives, which are all different; where there are parameters, `structure` is not
/// looked at.
pub fn write<'s>(
    name: Option<&str>,
    structure: &WeightedStructure,
    parametric: Option<&ParametricStructure>,
    state: impl Fn(u32) -> Cow<'s, str>,
) -> String {
    let mut text = String::new();
    if let Some(name) = name {
        let _ = writeln!(text, "wks {};", quoted(name));
    }
    let drawn = parametric.map_or(structure, |parametric| &parametric.skeleton);
    for parameter in parametric.iter().flat_map(|parametric| &parametric.parameters) {
        let _ = writeln!(
            text,
            "parameter {} in [{}, {}];",
            quoted(&parameter.name),
            parameter.low,
            parameter.high
        );
    }
    if drawn.initial != 0 {
        let _ = writeln!(text, "initial {};", quoted(&state(drawn.initial)));
    }
    for number in 0..drawn.num_states() as u32 {
        let _ = write!(text, "state {}", quoted(&state(number)));
        for (place, &(proposition, times)) in drawn.valuation(number).iter().enumerate() {
            text.push_str(if place == 0 { " {" } else { ", " });
            text.push_str(&quoted(&drawn.propositions[proposition as usize]));
            if times != 1 {
                let _ = write!(text, "*{times}");
            }
        }
        text.push_str(if drawn.valuation(number).is_empty() { "" } else { "}" });
        for (place, step) in drawn.outgoing(number).iter().enumerate() {
            text.push_str(if place == 0 { ": " } else { ", " });
            let weight = weight_text(structure, parametric, step.weight, true);
            let _ = write!(text, "-{weight}-> {}", quoted(&state(step.target)));
        }
        text.push_str(";\n");
    }
    text
}

/// A drawing: states with their names and propositions, steps with their weights; a mark points to the initial state.
pub fn write_dot<'s>(
    name: Option<&str>,
    structure: &WeightedStructure,
    parametric: Option<&ParametricStructure>,
    state: impl Fn(u32) -> Cow<'s, str>,
) -> String {
    let drawn = parametric.map_or(structure, |parametric| &parametric.skeleton);
    let mut text = format!("digraph \"{}\" {{\n", escaped(name.unwrap_or("wks")));
    text.push_str("  node [shape=box, style=rounded];\n  initial [shape=point, label=\"\"];\n");
    let _ = writeln!(text, "  initial -> s{};", drawn.initial);
    for number in 0..drawn.num_states() as u32 {
        let propositions: Vec<String> = drawn
            .valuation(number)
            .iter()
            .map(|&(proposition, times)| {
                let name = &drawn.propositions[proposition as usize];
                if times != 1 { format!("{name}*{times}") } else { name.clone() }
            })
            .collect();
        let mut label = escaped(&state(number));
        if !propositions.is_empty() {
            let _ = write!(label, "\\n{{{}}}", escaped(&propositions.join(", ")));
        }
        let _ = writeln!(text, "  s{number} [label=\"{label}\"];");
    }
    for number in 0..drawn.num_states() as u32 {
        for step in drawn.outgoing(number) {
            let weight = escaped(&weight_text(structure, parametric, step.weight, false));
            let _ = writeln!(text, "  s{number} -> s{} [label=\"{weight}\"];", step.target);
        }
    }
    text.push_str("}\n");
    text
}

/// A weight as it is written: a number, or an expression of parameters, which is in parentheses where that is asked for.
fn weight_text(
    structure: &WeightedStructure,
    parametric: Option<&ParametricStructure>,
    weight: u64,
    in_parentheses: bool,
) -> String {
    let Some(parametric) = parametric else { return structure.number(weight).to_string() };
    let weight = &parametric.weights[weight as usize];
    let text = linear_text(weight, parametric);
    if in_parentheses && !weight.coefficients.is_empty() { format!("({text})") } else { text }
}

fn linear_text(weight: &LinearWeight, parametric: &ParametricStructure) -> String {
    let mut text = String::new();
    for (parameter, coefficient) in &weight.coefficients {
        let name = quoted(&parametric.parameters[*parameter as usize].name);
        let is_negative = *coefficient < RBig::ZERO;
        text.push_str(match (text.is_empty(), is_negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        let size = if is_negative { -coefficient } else { coefficient.clone() };
        if size != RBig::ONE {
            let _ = write!(text, "{size}*");
        }
        text.push_str(&name);
    }
    match (&weight.constant, text.is_empty()) {
        (constant, true) => constant.to_string(),
        (constant, false) if constant.is_zero() => text,
        (constant, false) if *constant < RBig::ZERO => format!("{text} - {}", -constant),
        (constant, false) => format!("{text} + {constant}"),
    }
}
