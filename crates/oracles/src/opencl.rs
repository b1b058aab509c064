//! The front end of OpenCL kernels: any text in; no panic, diagnostics that can be drawn, and models that Promela can read.

use volvelle_diagnostics::{RenderOptions, Severity, Sources, render_all};
use volvelle_opencl::processor::Cache;
use volvelle_opencl::{Model, Platform, Question, emit, features, problem, table, tally};
use volvelle_promela::{Include, parse};

const CACHE: Cache = Cache { bytes: 1 << 10, ways: 2, line: 64 };

struct NoFiles;

impl Include for NoFiles {
    fn read(&mut self, _: &str) -> Option<String> {
        None
    }
}

/// Reads a text as a kernel, computes times on two platforms, and reads the models that are written.
pub fn opencl_front(text: &str) {
    let mut sources = Sources::new();
    let file = sources.add("kernel.cl", text);
    let question = Question { size: Some("8".to_owned()), ..Question::default() };
    let (problem, found) = problem(&mut sources, file, text, &question);
    let _ = render_all(&found, &sources, RenderOptions::default());
    let Some(problem) = problem else { return };
    for warp in [1, 4] {
        let platform = Platform { elements: 4, warp, units: 2, prefetch: warp == 1, ..Platform::default() };
        let model = match Model::new(&problem.kernel, &platform) {
            Ok(model) => model,
            Err(found) => {
                let _ = render_all(&found, &sources, RenderOptions::default());
                return;
            }
        };
        // Enough to meet every kind of expression.
        let few = &problem.configurations[..problem.configurations.len().min(8)];
        for values in few {
            let _ = table::row(&model, &problem.names, values);
            let _ = features::features(&model, &problem.values(values));
            let _ = tally::tally(&model, &problem.values(values), &[CACHE]);
        }
        let written = emit::promela(&model, "kernel.cl", &problem.names, &problem.choices, few);
        readable(&written);
    }
}

/// What is written is Promela, unless the kernel has numbers that Promela does not have.
fn readable(written: &str) {
    let digits = written.split(|c: char| !c.is_ascii_digit());
    if digits.filter(|digits| !digits.is_empty()).any(|digits| digits.parse::<i32>().is_err()) {
        return;
    }
    let mut sources = Sources::new();
    let file = sources.add("model.pml", written);
    let parsed = parse(&mut sources, file, &mut NoFiles, &[]);
    let errors: Vec<_> = parsed.diagnostics.into_iter().filter(|d| d.severity == Severity::Error).collect();
    let drawn = render_all(&errors, &sources, RenderOptions::default());
    assert!(errors.is_empty(), "{drawn}\n{written}");
}
