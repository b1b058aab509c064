//! What is wrong with a grammar whose names are known: rules that begin with themselves, loops over nothing, rules that are not used.

use super::ambiguity;
use super::firsts::Firsts;
use super::model::{Model, Part};
use super::syntax::Times;
use volvelle_diagnostics::{Diagnostic, Span, codes, has_errors};

/// Reports it. Errors since `before` were found already: then what is only likely to be wrong is left for another time.
pub(crate) fn check(model: &Model, firsts: &Firsts, before: usize, found: &mut Vec<Diagnostic>) {
    left_recursion(model, firsts, found);
    for rule in &model.rules {
        loops(&rule.body, firsts, found);
    }
    if !has_errors(&found[before..]) {
        unused(model, found);
        ambiguity::check(model, firsts, found);
    }
}

/// Calls all parts of a part, itself first.
fn each<'p>(part: &'p Part, visit: &mut impl FnMut(&'p Part)) {
    visit(part);
    match part {
        Part::Sequence(parts) | Part::Choice(parts, _) => parts.iter().for_each(|part| each(part, visit)),
        Part::Repeat { inner, .. } => each(inner, visit),
        Part::Token { .. } | Part::Call { .. } | Part::New { .. } | Part::Wrap { .. } => {}
    }
}

/// The rules that a part may begin with, and whether it may be nothing.
fn begins(part: &Part, firsts: &Firsts, rules: &mut Vec<(usize, Span)>) {
    match part {
        Part::Sequence(parts) => {
            for part in parts {
                begins(part, firsts, rules);
                if !firsts.of(part).is_nullable {
                    return;
                }
            }
        }
        Part::Choice(parts, _) => parts.iter().for_each(|part| begins(part, firsts, rules)),
        Part::Repeat { inner, .. } => begins(inner, firsts, rules),
        Part::Call { rule, span, .. } => rules.push((*rule, *span)),
        Part::Token { .. } | Part::New { .. } | Part::Wrap { .. } => {}
    }
}

fn left_recursion(model: &Model, firsts: &Firsts, found: &mut Vec<Diagnostic>) {
    let mut calls: Vec<Vec<(usize, Span)>> = Vec::new();
    for rule in &model.rules {
        let mut begun = Vec::new();
        begins(&rule.body, firsts, &mut begun);
        calls.push(begun);
    }
    // Depth first, with what is on the way.
    let mut state = vec![0u8; model.rules.len()];
    for root in 0..model.rules.len() {
        if state[root] != 0 {
            continue;
        }
        state[root] = 1;
        let mut way: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some((rule, next)) = way.last_mut() {
            let rule = *rule;
            let Some(&(to, span)) = calls[rule].get(*next) else {
                state[rule] = 2;
                way.pop();
                continue;
            };
            *next += 1;
            match state[to] {
                0 => {
                    state[to] = 1;
                    way.push((to, 0));
                }
                1 => {
                    let from = way.iter().position(|(rule, _)| *rule == to).unwrap_or(0);
                    let circle: Vec<usize> = way[from..].iter().map(|(rule, _)| *rule).collect();
                    found.push(circular(model, &circle, span));
                }
                _ => {}
            }
        }
    }
}

fn circular(model: &Model, circle: &[usize], span: Span) -> Diagnostic {
    let mut names: Vec<&str> = circle.iter().map(|&rule| model.rules[rule].name.as_str()).collect();
    let first = names[0].to_owned();
    names.push(&first);
    let way = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" → ");
    let message = format!("`{first}` begins with itself: it would be called for ever");
    let diagnostic = Diagnostic::error(codes::GRAMMAR_LEFT_RECURSION, message).at(span, "begins again here");
    let help = "write a loop, `Operand ({Class.left=current} \"+\" right=Operand)*`, or `operators`";
    diagnostic.note(format!("the first thing of each: {way}")).help(help)
}

fn loops(body: &Part, firsts: &Firsts, found: &mut Vec<Diagnostic>) {
    each(body, &mut |part| {
        if let Part::Repeat { inner, times, span } = part
            && *times != Times::Optional
            && firsts.of(inner).is_nullable
        {
            let message = "what is repeated here may be nothing: the loop would not end";
            let diagnostic = Diagnostic::error(codes::GRAMMAR_EMPTY, message).at(*span, "");
            found.push(diagnostic.help("let each round read at least one token"));
        }
    });
}

fn unused(model: &Model, found: &mut Vec<Diagnostic>) {
    let mut is_used = vec![false; model.rules.len()];
    is_used[model.entry] = true;
    let mut next = vec![model.entry];
    while let Some(rule) = next.pop() {
        each(&model.rules[rule].body, &mut |part| {
            if let Part::Call { rule, .. } = part
                && !std::mem::replace(&mut is_used[*rule], true)
            {
                next.push(*rule);
            }
        });
    }
    for (rule, _) in model.rules.iter().zip(&is_used).filter(|(rule, is_used)| !rule.is_level && !**is_used) {
        let message = format!("no text has a `{}`: no rule that is used calls it", rule.name);
        found.push(Diagnostic::warning(codes::GRAMMAR_UNUSED, message).at(rule.span, ""));
    }
}
