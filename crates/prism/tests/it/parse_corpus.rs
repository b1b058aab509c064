//! Every model and property file of the corpus parses without diagnostics.
//!
//! Runs where `VOLVELLE_CORPUS` names the folder of the corpus; skipped otherwise.

use std::path::{Path, PathBuf};
use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_prism::ast::ExprKind;
use volvelle_prism::parse;

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn corpus_parses() {
    let Some(corpus) = std::env::var_os("VOLVELLE_CORPUS") else {
        // Not `eprintln!`: the harness keeps to itself what a test that passes prints.
        let test = std::thread::current();
        let line = format!("skipped: {}: VOLVELLE_CORPUS is not set\n", test.name().unwrap_or_default());
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
        return;
    };
    let corpus = PathBuf::from(corpus);
    let prism = corpus.join("prism");
    let mut files = Vec::new();
    files_below(if prism.is_dir() { &prism } else { &corpus }, &mut files);
    let mut parsed = 0;
    for path in files {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        let is_model = matches!(extension, "prism" | "pm" | "sm" | "nm");
        if !is_model && !matches!(extension, "props" | "prctl" | "csl" | "pctl") {
            continue;
        }
        let mut sources = Sources::new();
        let file = sources.add(path.display().to_string(), std::fs::read_to_string(&path).unwrap());
        let diagnostics = if is_model {
            let (model, diagnostics) = parse::model(&sources, file);
            assert!(model.ty.is_some() && !model.modules.is_empty(), "{}", path.display());
            diagnostics
        } else {
            let (properties, diagnostics) = parse::properties(&sources, file);
            assert!(!properties.properties.is_empty(), "{}", path.display());
            for property in &properties.properties {
                let body = &properties.exprs.get(property.body).kind;
                assert!(!matches!(body, ExprKind::Error), "{}", path.display());
            }
            diagnostics
        };
        let shown = render_all(&diagnostics, &sources, RenderOptions::default());
        assert!(diagnostics.is_empty(), "{shown}");
        parsed += 1;
    }
    assert!(parsed > 0, "no model or property file in {}", corpus.display());
}
