//! The PRISM front end: any text in; no panic, diagnostics that can be drawn, and printing what was parsed loses
//! nothing.

use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, FileId, RenderOptions, Sources, render_all};
use volvelle_prism::ast::{ConstType, Model, PropertyFile};
use volvelle_prism::lower::{self, Constants, open_constants};
use volvelle_prism::{parse, print, properties};

/// Marks what only the parser can make, in printed trees.
const UNPRINTABLE: char = '⟨';

/// Parses, prints and lowers a model.
pub fn prism_model(text: &str) {
    let (sources, model, diagnostics) = read(text, parse::model);
    if diagnostics.is_empty() {
        let printed = print::model(&model);
        round_trip(&printed, parse::model, print::model);
    }
    let constants = with_constants(&model, &[]);
    let (_, diagnostics) = lower::lower(&sources, Arc::new(model), &constants);
    draw(&diagnostics, &sources);
}

/// Parses and prints a property file, and lowers it against a model of each kind.
pub fn prism_properties(text: &str) {
    let (_, file, diagnostics) = read(text, parse::properties);
    if diagnostics.is_empty() {
        let printed = print::properties(&file);
        round_trip(&printed, parse::properties, print::properties);
    }
    // The texts behind `--prop` and `--ltl` are read by other entries.
    let _ = read(text, parse::property);
    let _ = read(text, parse::formula);
    for kind in ["dtmc", "ctmc", "mdp"] {
        lower_properties(&MODEL.replace("KIND", kind), text);
    }
}

/// A model with something of everything that properties can mention.
const MODEL: &str = r#"
KIND
const int N = 2;
const double p = 0.5;
formula busy = x>0;
global g : [0..1];
module m
  x : [0..N] init 0;
  b : bool;
  [a] x<N -> p : (x'=x+1) + 1-p : (b'=!b);
  [c] x=N -> (x'=0);
endmodule
label "done" = x=N;
rewards "steps" [a] true : 1; x=1 : 0.5; endrewards
rewards true : g; endrewards
"#;

fn lower_properties(model: &str, text: &str) {
    let mut sources = Sources::new();
    let (model_file, file) = (sources.add("model.prism", model), sources.add("text.props", text));
    let (model, _) = parse::model(&sources, model_file);
    let (file, parsed) = parse::properties(&sources, file);
    // The model leaves nothing open; a file may declare one of its names again.
    let constants = with_constants(&Model::default(), &[&file]);
    let (lowered, diagnostics) = lower::lower(&sources, Arc::new(model), &Constants::new());
    let mut lowered = lowered.unwrap_or_else(|| panic!("{}", draw(&diagnostics, &sources)));
    let (results, diagnostics) =
        properties::lower_properties(&mut lowered, &sources, Arc::new(file), &constants);
    draw(&diagnostics, &sources);
    // Errors of the parser or of a declaration are not reported again.
    let blamed = !parsed.is_empty() || !diagnostics.is_empty();
    for diagnostics in results.iter().filter_map(|result| result.as_ref().err()) {
        assert!(blamed || !diagnostics.is_empty(), "a property is refused without a reason");
        draw(diagnostics, &sources);
    }
}

type Parse<T> = fn(&Sources, FileId) -> (T, Vec<Diagnostic>);

fn read<T>(text: &str, parse: Parse<T>) -> (Sources, T, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add("text", text);
    let (tree, diagnostics) = parse(&sources, file);
    draw(&diagnostics, &sources);
    (sources, tree, diagnostics)
}

/// Draws diagnostics as a terminal and as a pipe would show them.
fn draw(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let _ = render_all(diagnostics, sources, RenderOptions { color: true, ..RenderOptions::default() });
    render_all(diagnostics, sources, RenderOptions::default())
}

/// Checks that printed text parses without diagnostics, and prints again as it is.
fn round_trip<T>(printed: &str, parse: Parse<T>, print: fn(&T) -> String) {
    if printed.contains(UNPRINTABLE) {
        return;
    }
    let (sources, tree, diagnostics) = read(printed, parse);
    assert!(diagnostics.is_empty(), "{}\nprinted:\n{printed}", draw(&diagnostics, &sources));
    assert_eq!(print(&tree), printed);
}

/// Small values for all open constants.
pub fn with_constants(model: &Model, files: &[&PropertyFile]) -> Constants {
    let value = |ty| match ty {
        ConstType::Int => "2",
        ConstType::Double => "0.5",
        ConstType::Bool => "true",
    };
    open_constants(model, files).into_iter().map(|c| (c.name, value(c.ty))).collect()
}
