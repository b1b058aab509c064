//! Predictors on golden streams: 630 counts, with bits.

use crate::corpus;
use std::collections::HashMap;
use volvelle_diagnostics::Sources;
use volvelle_multicore::{Outcome, Predictor, Specification, outcomes};

#[test]
fn golden_counts() {
    let Some(folder) = corpus::folder("predictors") else { return };
    let mut streams: HashMap<String, Vec<Outcome>> = HashMap::new();
    let mut count = 0;
    for line in corpus::text(&folder, "expected.tsv").lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [stream, name, group, predictions, mispredictions, bits] = columns[..] else { panic!("{line}") };
        let stream = streams.entry(stream.to_owned()).or_insert_with(|| {
            let text = corpus::text(&folder, &format!("{stream}.tsv"));
            outcomes(Sources::new().add("stream", text.as_str()), &text).expect("golden streams are right")
        });
        let specification = Specification::parse(name).expect("a known name");
        assert_eq!(specification.kind.bits().to_string(), bits, "{line}");
        // In pieces of any length the counts are the same.
        for piece in [stream.len(), 7, 1] {
            let mut predictor = Predictor::new(&specification.kind, group.parse().expect("a number"));
            let mut wrong = Vec::new();
            for part in stream.chunks(piece) {
                predictor.observe(part, &mut wrong);
            }
            assert_eq!(predictor.predictions.to_string(), predictions, "{line}");
            assert_eq!(predictor.mispredictions.to_string(), mispredictions, "{line}");
        }
        count += 1;
    }
    assert_eq!(count, 630);
}
