//! Cycles of golden traces: 46 cases with every cycle of issue.

use crate::corpus;
use crate::slow;
use serde_json::Value;
use volvelle_control::Control;
use volvelle_diagnostics::Sources;
use volvelle_multicore::{
    Ahead, Answer, Configuration, Machine, ShippedProtocols, Specification, TextTrace, Times, run_in_batches,
};

/// A golden trace, and what a machine makes of it.
pub struct Case {
    pub name: String,
    pub configuration: Configuration,
    text: String,
    expected: Value,
}

/// All golden traces; `None` if they are missing, which a line reports.
pub fn golden() -> Option<Vec<Case>> {
    let folder = corpus::folder("timing")?;
    let cases: Value = serde_json::from_str(&corpus::text(&folder, "expected.json")).expect("JSON");
    let case = |expected: &Value| {
        let name = expected["case"].as_str().expect("a name").to_owned();
        Case {
            configuration: configuration(expected),
            text: corpus::text(&folder, &format!("{name}.tsv")),
            expected: expected.clone(),
            name,
        }
    };
    Some(cases.as_array().expect("a list").iter().map(case).collect())
}

fn configuration(case: &Value) -> Configuration {
    let mut machine = Machine::default();
    let mut predictor = "oracle".to_owned();
    for (key, value) in case["machine"].as_object().expect("keys") {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match key.as_str() {
            "predictor" => predictor = text,
            _ => machine
                .set(key, &text, &mut ShippedProtocols)
                .unwrap_or_else(|found| panic!("{key}: {found:?}")),
        }
    }
    let predictor = Specification::parse(&predictor).expect("a known predictor");
    Configuration { timeline: usize::MAX, ..Configuration::new(machine, predictor) }
}

impl Case {
    fn trace(&self) -> TextTrace<'_> {
        TextTrace::new(Sources::new().add("trace", self.text.as_str()), &self.text).expect("columns")
    }

    /// What a machine makes of the trace, and where that is not what is expected.
    pub fn compare(&self, configuration: &Configuration, batch: usize) -> (Answer, Vec<String>) {
        let configurations = std::slice::from_ref(configuration);
        let (ahead, control) = (Ahead::default(), Control::unlimited());
        let answers = run_in_batches(&mut self.trace(), configurations, &ahead, batch, &control);
        let answer = answers.expect("a right trace").remove(0);
        let mut differences = Vec::new();
        let dcache = &answer.dcache;
        for (of, key, found) in [
            (&self.expected, "cycles", answer.cycles),
            (&self.expected, "instructions", answer.instructions),
            (&self.expected, "tasks", answer.tasks),
            (&self.expected, "rounds", answer.rounds),
            (&self.expected, "predictions", answer.predictions),
            (&self.expected, "mispredictions", answer.mispredictions),
            (&self.expected, "icache_misses", answer.icache_misses),
            (&self.expected["dcache"], "hits", dcache.hits),
            (&self.expected["dcache"], "misses", dcache.misses),
            (&self.expected["dcache"], "upgrades", dcache.upgrades),
            (&self.expected["dcache"], "invalidations", dcache.invalidations),
            (&self.expected["dcache"], "transfers", dcache.transfers),
        ] {
            let expected = of[key].as_u64().expect("a count");
            if found != expected {
                differences.push(format!("{key}: {found}, not {expected}"));
            }
        }
        let timeline: Vec<[u64; 5]> = answer.timeline.iter().map(columns).collect();
        let expected = expected(&self.expected);
        if timeline != expected {
            differences.push(format!("{timeline:?}, not {expected:?}"));
        }
        (answer, differences)
    }
}

#[test]
fn golden_cycles() {
    let Some(cases) = golden() else { return };
    assert_eq!(cases.len(), 46);
    for case in cases {
        let Case { name, configuration, expected, .. } = &case;
        for batch in [1, 3, 1000] {
            let (answer, differences) = case.compare(configuration, batch);
            assert!(differences.is_empty(), "{name}: {differences:?}");
            let cores = configuration.machine.cores.len() as u64;
            assert_eq!(answer.stack.total(), answer.cycles * cores, "{name}");
        }
        // The slow one knows the same cycles.
        let executed = slow::executed(&mut case.trace());
        let answer = slow::simulate(&executed, &configuration.machine, &configuration.predictor.kind);
        assert_eq!(Some(answer.cycles), expected["cycles"].as_u64(), "{name}");
    }
}

fn columns(times: &Times) -> [u64; 5] {
    [times.instruction, times.core.into(), times.fetch, times.issue, times.complete]
}

fn expected(case: &Value) -> Vec<[u64; 5]> {
    let issues = case["issue"].as_array().expect("a list").iter();
    let keys = ["instruction", "core", "fetch", "issue", "complete"];
    let mut all: Vec<[u64; 5]> =
        issues.map(|issue| keys.map(|key| issue[key].as_u64().expect("a number"))).collect();
    all.sort_unstable();
    all
}
