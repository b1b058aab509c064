//! Predictors on golden streams: 630 counts, with bits.

use crate::corpus;
use std::collections::HashMap;
use std::rc::Rc;
use volvelle_diagnostics::Sources;
use volvelle_multicore::{Outcome, Predictor, Specification, outcomes};

/// A golden count.
pub struct Case {
    pub stream: Rc<Vec<Outcome>>,
    pub predictor: String,
    pub group: u32,
    predictions: u64,
    pub mispredictions: u64,
    bits: u64,
    /// The line that says all this.
    line: String,
}

/// All golden counts; `None` if they are missing, which a line reports.
pub fn golden() -> Option<Vec<Case>> {
    let folder = corpus::folder("predictors")?;
    let mut streams: HashMap<String, Rc<Vec<Outcome>>> = HashMap::new();
    let mut cases = Vec::new();
    for line in corpus::text(&folder, "expected.tsv").lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [stream, predictor, group, predictions, mispredictions, bits] = columns[..] else {
            panic!("{line}")
        };
        let stream = streams.entry(stream.to_owned()).or_insert_with(|| {
            let text = corpus::text(&folder, &format!("{stream}.tsv"));
            let file = Sources::new().add("stream", text.as_str());
            Rc::new(outcomes(file, &text).expect("golden streams are right"))
        });
        let number = |text: &str| text.parse().expect("a number");
        cases.push(Case {
            stream: stream.clone(),
            predictor: predictor.to_owned(),
            group: group.parse().expect("a number"),
            predictions: number(predictions),
            mispredictions: number(mispredictions),
            bits: number(bits),
            line: line.to_owned(),
        });
    }
    Some(cases)
}

#[test]
fn golden_counts() {
    let Some(cases) = golden() else { return };
    assert_eq!(cases.len(), 630);
    for Case { stream, predictor, group, predictions, mispredictions, bits, line } in &cases {
        let specification = Specification::parse(predictor).expect("a known name");
        assert_eq!(specification.kind.bits(), *bits, "{line}");
        // In pieces of any length the counts are the same.
        for piece in [stream.len(), 7, 1] {
            let mut predictor = Predictor::new(&specification.kind, *group);
            let mut wrong = Vec::new();
            for part in stream.chunks(piece) {
                predictor.observe(part, &mut wrong);
            }
            let found = [predictor.predictions, predictor.mispredictions];
            assert_eq!(found, [*predictions, *mispredictions], "{line}");
        }
    }
}
