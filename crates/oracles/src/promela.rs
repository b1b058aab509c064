//! The text half of the Promela front end: any text in; no panic, diagnostics that can be drawn, and printing what was
//! parsed loses nothing.

use volvelle_diagnostics::{RenderOptions, Severity, Sources, render_all};
use volvelle_promela::{Include, Parsed, parse, parse_formula, print};
use volvelle_promela_testing::{Choices, random_tree, shape};

/// Marks what could not be read, in printed trees.
const UNREADABLE: char = '⟨';

/// Two files, so that inclusion is met: one that is right, and one that includes itself.
struct Files;

impl Include for Files {
    fn read(&mut self, name: &str) -> Option<String> {
        match name {
            "a.h" => Some("#define N 2\nbyte included;\n".to_owned()),
            "b.h" => Some("#include \"b.h\"\n".to_owned()),
            _ => None,
        }
    }
}

/// Parses and prints a text: as a model, as a formula, and as choices of a tree.
pub fn promela_front(text: &str) {
    let (parsed, errors) = read(text);
    let printed = print::model(&parsed.model);
    if printed.contains(UNREADABLE) {
        assert!(errors, "something is left out without a word:\n{printed}");
    } else if !errors {
        agrees(&printed, &shape(&parsed.model));
    }
    formula(text);
    let tree = random_tree(&mut Choices::from_bytes(text.as_bytes()));
    agrees(&print::model(&tree), &shape(&tree));
}

/// Parses a text and renders its diagnostics; returns whether there are errors.
fn read(text: &str) -> (Parsed, bool) {
    let mut sources = Sources::new();
    let file = sources.add("text", text);
    let parsed = parse(&mut sources, file, &mut Files, &[]);
    let _ = render_all(&parsed.diagnostics, &sources, RenderOptions::default());
    let errors = parsed.diagnostics.iter().any(|d| d.severity == Severity::Error);
    (parsed, errors)
}

/// Checks that printed text parses without errors to a tree of the same shape.
fn agrees(printed: &str, expected: &str) {
    let (parsed, errors) = read(printed);
    assert!(!errors, "printed:\n{printed}");
    assert_eq!(shape(&parsed.model), expected, "printed:\n{printed}");
}

fn formula(text: &str) {
    let mut sources = Sources::new();
    let file = sources.add("model", "#define p (x == 1)\nproctype P() { skip }\n");
    let mut model = parse(&mut sources, file, &mut Files, &[]).model;
    let file = sources.add("--ltl", text);
    let (id, diagnostics) = parse_formula(&mut sources, file, &mut model);
    let _ = render_all(&diagnostics, &sources, RenderOptions::default());
    let errors = diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert!(errors || !print::expr(&model.exprs, id).contains(UNREADABLE));
}
