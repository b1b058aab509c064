//! Looking through the syntax tree: errors, depth, and which variables a loop assigns.

use super::NESTING_LIMIT;
use crate::text::Cleaned;
use std::collections::HashMap;
use tree_sitter::Node as Syntax;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// Limit of mistakes reported for one text.
const MISTAKES_LIMIT: usize = 8;

/// Whether the text is C that does not nest too deeply. Reports why not.
pub(super) fn is_well_formed(
    root: Syntax<'_>,
    file: FileId,
    cleaned: &Cleaned,
    found: &mut Vec<Diagnostic>,
) -> bool {
    let mut mistakes = 0;
    let mut cursor = root.walk();
    let mut depth = 0_usize;
    loop {
        let node = cursor.node();
        if depth > NESTING_LIMIT {
            let at = cleaned.origins.of(node.start_byte());
            let span = Span::new(file, at, at);
            let message = "the code nests too deep";
            found.push(Diagnostic::error(codes::NESTING_TOO_DEEP, message).at(span, "here"));
            return false;
        }
        if (node.is_error() || node.is_missing()) && mistakes < MISTAKES_LIMIT {
            mistakes += 1;
            found.push(mistake(node, file, cleaned));
        }
        // What is inside an error adds nothing.
        if !node.is_error() && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return mistakes == 0;
            }
            depth -= 1;
        }
    }
}

fn mistake(node: Syntax<'_>, file: FileId, cleaned: &Cleaned) -> Diagnostic {
    let text = &cleaned.code;
    let span = |range: std::ops::Range<usize>| {
        let range = cleaned.origins.of_range(&range);
        Span::new(file, range.start, range.end)
    };
    let help = "kernels are OpenCL C without C++ features";
    if node.is_missing() {
        let at = text[..node.start_byte()].trim_end().len();
        let message = format!("`{}` is missing", node.kind());
        let before = span(at.saturating_sub(1)..at);
        return Diagnostic::error(codes::KERNEL_TEXT, message).at(before, "behind this").help(help);
    }
    // An error may swallow half of the file: its first line is enough.
    let range = node.byte_range();
    let first_line = text[range.clone()].find('\n').map_or(range.end, |length| range.start + length);
    let line = span(range.start..first_line);
    Diagnostic::error(codes::KERNEL_TEXT, "this cannot be read as OpenCL C").at(line, "").help(help)
}

/// How a loop changes a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change<'t> {
    /// The assignment, if it is the only one and stands directly in the loop.
    pub only: Option<Syntax<'t>>,
}

/// All variables that are assigned in `parts`, the body and the update of a loop.
pub(super) fn assigned<'t>(parts: &[Syntax<'t>], code: &str) -> HashMap<String, Change<'t>> {
    let mut found: HashMap<String, Change<'t>> = HashMap::new();
    for part in parts {
        let mut cursor = part.walk();
        let (mut depth, mut conditional) = (0_usize, 0_usize);
        // Depths at which conditionally executed syntax began.
        let mut begins: Vec<usize> = Vec::new();
        // Statements after a `continue` are not executed in each iteration.
        let mut continues = false;
        loop {
            let node = cursor.node();
            continues |= node.kind() == "continue_statement" && !is_in_loop(node, *part);
            if let Some(target) = target(node).and_then(|target| code.get(target.byte_range())) {
                let known = found.contains_key(target);
                let only = (!known && conditional == 0 && !continues).then_some(node);
                found.insert(target.to_owned(), Change { only });
            }
            if cursor.goto_first_child() {
                if is_conditional(node) {
                    begins.push(depth);
                    conditional += 1;
                }
                depth += 1;
                continue;
            }
            let mut done = false;
            while !cursor.goto_next_sibling() {
                if depth == 0 || !cursor.goto_parent() {
                    done = true;
                    break;
                }
                depth -= 1;
                if begins.last() == Some(&depth) {
                    begins.pop();
                    conditional -= 1;
                }
            }
            if done || depth == 0 {
                break;
            }
        }
    }
    found
}

/// Whether there is a loop around a node within a part.
fn is_in_loop(node: Syntax<'_>, part: Syntax<'_>) -> bool {
    let outer = std::iter::successors(node.parent(), |node| node.parent());
    let mut inside = outer.take_while(|outer| part.byte_range().contains(&outer.start_byte()));
    inside.any(|outer| {
        outer != part && matches!(outer.kind(), "for_statement" | "while_statement" | "do_statement")
    })
}

/// Whether an iteration may execute the inside of a node never or several times. The condition of an `if` is
/// executed once.
fn is_conditional(node: Syntax<'_>) -> bool {
    let of_if = |parent: Syntax<'_>| {
        parent.kind() == "if_statement" && parent.child_by_field_name("condition") != Some(node)
    };
    if node.parent().is_some_and(of_if) {
        return true;
    }
    matches!(
        node.kind(),
        "for_statement" | "while_statement" | "do_statement" | "switch_statement" | "conditional_expression"
    )
}

/// The variable that an expression assigns.
fn target(node: Syntax<'_>) -> Option<Syntax<'_>> {
    let target = match node.kind() {
        "assignment_expression" => node.child_by_field_name("left"),
        "update_expression" => node.child_by_field_name("argument"),
        "init_declarator" => node.child_by_field_name("declarator"),
        _ => None,
    };
    target.filter(|target| target.kind() == "identifier")
}
