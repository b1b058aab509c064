//! What must hold of any text that is read as the declaration of a pipeline. The fuzzer `pipeline_text` asks the same.

use volvelle_diagnostics::{RenderOptions, Severity, Sources, render_all};
use volvelle_pipelines::{Source, read};

/// Points of a step beyond which they are not gone through.
const POINTS: usize = 200;

/// No panic, a reason for each refusal, and steps in an order in which they can be made.
pub fn check(text: &str) {
    let mut sources = Sources::new();
    let file = sources.add("experiment.toml", text);
    let (pipeline, diagnostics) = read(file, text);
    let _ = render_all(&diagnostics, &sources, RenderOptions { color: true, ..RenderOptions::default() });
    let has_errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(pipeline.is_none(), has_errors, "a pipeline is refused with a reason");
    let Some(pipeline) = pipeline else { return };
    assert_eq!(pipeline.order.len(), pipeline.steps.len());
    for (place, &at) in pipeline.order.iter().enumerate() {
        let step = &pipeline.steps[at];
        assert!(step.needs().all(|needed| pipeline.order[..place].contains(&needed)));
        let size: usize = step.depends.iter().map(|&at| pipeline.constants[at].values.len()).product();
        if size > POINTS {
            continue;
        }
        let points = pipeline.points_of(at);
        assert_eq!(points.len(), size);
        for (number, point) in points.iter().enumerate() {
            assert_eq!(pipeline.point_within(at, point, at), number);
            assert_eq!(pipeline.constants_at(at, point).len(), point.len());
            if let Source::Model { constants, defines, .. } = &step.source {
                assert_eq!(pipeline.settings_at(at, point, constants).len(), constants.len());
                assert_eq!(pipeline.settings_at(at, point, defines).len(), defines.len());
            }
            for file in step.csv.iter().chain(&step.write) {
                let _ = pipeline.file_at(at, point, file);
            }
        }
    }
}
