//! Cycles of golden traces: 46 cases with every cycle of issue.

use crate::corpus;
use crate::slow;
use serde_json::Value;
use volvelle_control::Control;
use volvelle_diagnostics::Sources;
use volvelle_multicore::{
    Ahead, Configuration, Machine, ShippedProtocols, Specification, TextTrace, Times, run_in_batches,
};

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

#[test]
fn golden_cycles() {
    let Some(folder) = corpus::folder("timing") else { return };
    let cases: Value = serde_json::from_str(&corpus::text(&folder, "expected.json")).expect("JSON");
    let cases = cases.as_array().expect("a list");
    assert_eq!(cases.len(), 46);
    for case in cases {
        let name = case["case"].as_str().expect("a name");
        let configuration = configuration(case);
        let text = corpus::text(&folder, &format!("{name}.tsv"));
        for batch in [1, 3, 1000] {
            let mut trace =
                TextTrace::new(Sources::new().add("trace", text.as_str()), &text).expect("columns");
            let configurations = [configuration.clone()];
            let answers =
                run_in_batches(&mut trace, &configurations, &Ahead::default(), batch, &Control::unlimited());
            let answer = &answers.expect("a right trace")[0];
            for (key, found) in [
                ("cycles", answer.cycles),
                ("instructions", answer.instructions),
                ("tasks", answer.tasks),
                ("rounds", answer.rounds),
                ("predictions", answer.predictions),
                ("mispredictions", answer.mispredictions),
                ("icache_misses", answer.icache_misses),
            ] {
                assert_eq!(Some(found), case[key].as_u64(), "{name}: {key}");
            }
            let dcache = &answer.dcache;
            for (key, found) in [
                ("hits", dcache.hits),
                ("misses", dcache.misses),
                ("upgrades", dcache.upgrades),
                ("invalidations", dcache.invalidations),
                ("transfers", dcache.transfers),
            ] {
                assert_eq!(Some(found), case["dcache"][key].as_u64(), "{name}: {key}");
            }
            let timeline: Vec<[u64; 5]> = answer.timeline.iter().map(columns).collect();
            assert_eq!(timeline, expected(case), "{name}");
            assert_eq!(
                answer.stack.total(),
                answer.cycles * configuration.machine.cores.len() as u64,
                "{name}"
            );
        }
        // The slow one knows the same cycles.
        let mut trace = TextTrace::new(Sources::new().add("trace", text.as_str()), &text).expect("columns");
        let answer = slow::simulate(
            &slow::executed(&mut trace),
            &configuration.machine,
            &configuration.predictor.kind,
        );
        assert_eq!(Some(answer.cycles), case["cycles"].as_u64(), "{name}");
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
