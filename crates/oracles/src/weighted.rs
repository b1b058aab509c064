//! Weighted structures and formulas of weighted CTL as texts: no panic, a reason for each refusal, and what was read is written and read
//! again.

use rustc_hash::FxHashMap;
use std::borrow::Cow;
use volvelle_diagnostics::{Diagnostic, RenderOptions, Sources, codes, has_errors, render_all};
use volvelle_logic::{Wctl, WctlFormula, wctl_operands};
use volvelle_wks::structure::{Explicit, read, read_json, write, write_dot, write_json};
use volvelle_wks::wctl::formula;

/// Parts of a formula, each counted as often as it is printed, beyond which a formula is not printed: parts that are used twice by parts
/// that are used twice make long texts.
const PRINTED: usize = 20_000;

/// Reads a text as `.wks`, writes what was read, and reads it again.
///
/// # Panics
/// A text is refused without a reason, or what was written is another structure.
pub fn weighted_text(text: &str) {
    let Some(explicit) = read_text(text) else { return };
    let printed = wks(&explicit);
    let again = read_text(&printed).unwrap_or_else(|| panic!("what was written is no structure:\n{printed}"));
    same(&again, &explicit, &printed);
    assert_eq!(again.parametric, explicit.parametric, "{printed}");
    assert_eq!(wks(&again), printed);
    let _ = write_dot(
        explicit.name.as_deref(),
        &explicit.structure,
        explicit.parametric.as_ref(),
        name_of(&explicit),
    );
    if explicit.parametric.is_none() {
        json_again(&explicit);
    }
}

/// Reads a text as JSON, writes what was read in both forms, and reads it again.
///
/// # Panics
/// A text is refused without a reason, or what was written is another structure.
pub fn weighted_json(text: &str) {
    for (name, explicit) in json(text) {
        assert_eq!(name, explicit.name);
        json_again(&explicit);
        let printed = wks(&explicit);
        let again =
            read_text(&printed).unwrap_or_else(|| panic!("what was written is no structure:\n{printed}"));
        same(&again, &explicit, &printed);
    }
}

/// Reads a text as a formula, prints it, and reads it again.
///
/// # Panics
/// A text is refused without a reason, or what was printed is another formula.
pub fn wctl_text(text: &str) {
    let Ok(first) = read_formula(text) else { return };
    if printed_parts(&first) > PRINTED {
        return;
    }
    let printed = first.to_string();
    let again = match read_formula(&printed) {
        Ok(again) => again,
        // `p => q` is printed with a pair of parentheses that it needs not, which counts.
        Err(reasons) if reasons.iter().any(|reason| reason.code == codes::WCTL_TOO_LARGE) => return,
        Err(reasons) => panic!("what was printed is no formula:\n{printed}\n{reasons:?}"),
    };
    assert_eq!(canonical(&again), canonical(&first), "{printed}");
    assert_eq!(again.to_string(), printed);
}

fn drawn(sources: &Sources, diagnostics: &[Diagnostic]) {
    let _ = render_all(diagnostics, sources, RenderOptions { color: true, ..RenderOptions::default() });
}

fn read_text(text: &str) -> Option<Explicit> {
    let mut sources = Sources::new();
    let file = sources.add("model.wks", text);
    let (explicit, diagnostics) = read(file, text);
    assert_eq!(explicit.is_none(), has_errors(&diagnostics), "a structure is refused with a reason");
    drawn(&sources, &diagnostics);
    explicit
}

fn json(text: &str) -> Vec<(Option<String>, Explicit)> {
    let mut sources = Sources::new();
    let file = sources.add("model.json", text);
    let (found, diagnostics) = read_json(file, text);
    assert_eq!(found.is_empty(), has_errors(&diagnostics), "structures are refused with a reason");
    drawn(&sources, &diagnostics);
    found
}

fn name_of<'e>(explicit: &'e Explicit) -> impl Fn(u32) -> Cow<'e, str> {
    |state| Cow::Borrowed(explicit.states[state as usize].as_str())
}

fn wks(explicit: &Explicit) -> String {
    write(explicit.name.as_deref(), &explicit.structure, explicit.parametric.as_ref(), name_of(explicit))
}

fn json_again(explicit: &Explicit) {
    let printed = write_json(explicit.name.as_deref(), &explicit.structure, name_of(explicit));
    let again = json(&printed);
    assert_eq!(again.len(), 1, "one structure was written:\n{printed}");
    same(&again[0].1, explicit, &printed);
}

fn same(again: &Explicit, first: &Explicit, printed: &str) {
    assert_eq!((&again.name, &again.states), (&first.name, &first.states), "{printed}");
    assert_eq!(again.structure, first.structure, "{printed}");
}

fn read_formula(text: &str) -> Result<WctlFormula, Vec<Diagnostic>> {
    let mut sources = Sources::new();
    let file = sources.add("formula.wctl", text);
    let (parsed, diagnostics) = formula(file, text);
    assert_eq!(parsed.is_none(), has_errors(&diagnostics), "a formula is refused with a reason");
    drawn(&sources, &diagnostics);
    parsed.map(|parsed| parsed.formula).ok_or(diagnostics)
}

fn printed_parts(formula: &WctlFormula) -> usize {
    let mut parts: Vec<usize> = Vec::new();
    for node in &formula.nodes {
        let own = if let Wctl::Atom(atom) = node { formula.atom_text(*atom).len() } else { 1 };
        let below = wctl_operands(node).map(|operand| parts[operand.index()]);
        parts.push(below.fold(own, usize::saturating_add));
    }
    parts[formula.root.index()]
}

/// Different parts in the order of a walk from the root, with names instead of numbers: equal exactly for equal formulas.
fn canonical(formula: &WctlFormula) -> Vec<String> {
    let mut number: Vec<Option<usize>> = vec![None; formula.nodes.len()];
    let (mut found, mut number_of) = (Vec::new(), FxHashMap::default());
    let mut stack = vec![(formula.root, false)];
    while let Some((id, is_done)) = stack.pop() {
        if number[id.index()].is_some() {
            continue;
        }
        let operands: Vec<_> = wctl_operands(formula.node(id)).collect();
        if !is_done {
            stack.push((id, true));
            stack.extend(operands.iter().rev().map(|&operand| (operand, false)));
            continue;
        }
        let text = match formula.node(id) {
            Wctl::Constant(value) => value.to_string(),
            Wctl::Atom(atom) => formula.atom_text(*atom),
            Wctl::Not(_) => "not".to_owned(),
            Wctl::And(..) => "and".to_owned(),
            Wctl::Or(..) => "or".to_owned(),
            Wctl::Next(quantifier, interval, _) => format!("{quantifier}X{interval}"),
            Wctl::Until(quantifier, _, interval, _) => format!("{quantifier}U{interval}"),
        };
        let operands: Vec<_> = operands.iter().map(|operand| number[operand.index()]).collect();
        let text = format!("{text} {operands:?}");
        number[id.index()] = Some(*number_of.entry(text.clone()).or_insert_with(|| {
            found.push(text);
            found.len() - 1
        }));
    }
    found
}
