//! Answers as JSON.

use super::executed::{CLASSES, Executed};
use super::report::{Mean, Report, Row};
use serde_json::{Map, Value, json};
use volvelle_multicore::{Answer, CacheCounts, Window};
use volvelle_riscv::Symbols;

/// An object without the fields that do not apply.
pub fn present(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => other,
    }
}

/// The answer for a program, a machine and a predictor.
pub fn row(row: &Row, report: &Report, symbols: Option<&Symbols>) -> Value {
    let Row { program, exit, reading, answer, stack, gain, .. } = row;
    let mut all = Map::new();
    let mut put = |key: &str, value: Value| drop(all.insert(key.to_owned(), value));
    put("program", json!(program));
    if let Some(reading) = reading {
        put("reading", json!(reading));
    }
    put("machine", json!(answer.machine));
    put("predictor", json!(answer.predictor));
    put("bits", json!(answer.bits));
    if let Some(exit) = exit {
        put("exit", json!(exit));
    }
    put("instructions", json!(answer.instructions));
    put("tasks", json!(answer.tasks));
    put("predictions", json!(answer.predictions));
    put("mispredictions", json!(answer.mispredictions));
    put("mpki", json!(answer.mpki()));
    put("target_lookups", json!(answer.target_lookups));
    put("target_misses", json!(answer.target_misses));
    if answer.cycles > 0 {
        put("cores", json!(answer.cores));
        put("cycles", json!(answer.cycles));
        put("ipc", json!(answer.ipc()));
        put("rounds", json!(answer.rounds));
        let parts = stack.iter().map(|(name, cycles)| ((*name).to_owned(), json!(cycles)));
        put("stack", Value::Object(parts.collect()));
        let bounds = &answer.bounds;
        put(
            "bounds",
            present(json!({
                "dataflow": Some(bounds.dataflow_cycles).filter(|&cycles| cycles > 0),
                "width": bounds.width_cycles,
                "alus": bounds.alu_cycles,
                "load_store": bounds.memory_cycles,
            })),
        );
        put("caches", caches(&answer.dcache));
        put("icache_misses", json!(answer.icache_misses));
        if answer.l2_accesses > 0 {
            put("l2_accesses", json!(answer.l2_accesses));
            put("l2_misses", json!(answer.l2_misses));
        }
        if !answer.windows.is_empty() {
            let window =
                |window: &Window| json!({"instructions": window.instructions, "cycles": window.cycles});
            put("windows", answer.windows.iter().map(window).collect());
            if let Some(interval) = answer.ipc_interval() {
                put("ipc_lower", json!(interval.lo));
                // It may be infinite, which is no number of JSON.
                if interval.hi.is_finite() {
                    put("ipc_upper", json!(interval.hi));
                }
            }
        }
        if let Some(gain) = gain {
            put("gain", gain.json());
        }
        if let Some(model) = &report.model {
            put("model_constants", json!(model.given));
            if let Some(ipc) = model.ipc() {
                put("model_ipc", json!(ipc));
            }
            if let Some([lower, upper]) = model.interval() {
                put("model_ipc_lower", json!(lower));
                put("model_ipc_upper", json!(upper));
            }
        }
    }
    if let Some(choice) = report.choice.as_ref().filter(|_| reading.is_none())
        && let Some(choice) = choice.json(&answer.machine, &answer.predictor)
    {
        put("choice", choice);
    }
    lists(answer, report.branches, symbols, &mut all);
    Value::Object(all)
}

fn lists(answer: &Answer, branches: usize, symbols: Option<&Symbols>, all: &mut Map<String, Value>) {
    let name = |address: u64| symbols.and_then(|symbols| symbols.name(address));
    if branches > 0 {
        let branch = |branch: &volvelle_multicore::Branch| {
            present(json!({
                "pc": branch.pc,
                "symbol": name(branch.pc),
                "executions": branch.executions,
                "taken": branch.taken,
                "mispredictions": branch.mispredictions,
            }))
        };
        all.insert("branches".to_owned(), answer.branches.iter().take(branches).map(branch).collect());
    }
    if !answer.shared_blocks.is_empty() {
        let block = |block: &volvelle_multicore::SharedBlock| {
            present(json!({
                "address": block.address,
                "symbol": name(block.address),
                "coherence_misses": block.coherence_misses,
                "false_sharing": block.false_sharing,
            }))
        };
        all.insert("shared_blocks".to_owned(), answer.shared_blocks.iter().map(block).collect());
    }
    if !answer.timeline.is_empty() {
        all.insert("timeline".to_owned(), json!(answer.timeline));
    }
}

/// Counts of caches, by the names of the golden data.
pub fn caches(counts: &CacheCounts) -> Value {
    json!(counts)
}

/// A mean over all programs.
pub fn mean(mean: &Mean) -> Value {
    present(json!({
        "reading": mean.reading,
        "machine": mean.machine,
        "predictor": mean.predictor,
        "ipc": mean.ipc,
        "gain": mean.gain.map(|gain| gain.value),
        "gain_lower": mean.gain.and_then(|gain| Some(gain.interval?.0)),
        "gain_upper": mean.gain.and_then(|gain| Some(gain.interval?.1)),
        "expected": mean.expected,
    }))
}

/// What a program executed.
pub fn executed(program: &str, found: &Executed) -> Value {
    let mix: Map<String, Value> =
        CLASSES.iter().zip(found.mix).map(|((name, _), count)| ((*name).to_owned(), json!(count))).collect();
    present(json!({
        "program": program,
        "exit": found.exit,
        "instructions": found.instructions,
        "mix": mix,
        "taken": found.taken,
        "loads": found.hashes.loads,
        "stores": found.hashes.stores,
        "pc_hash": format!("{:016x}", found.hashes.pc),
        "memory_hash": format!("{:016x}", found.hashes.memory),
        "output": String::from_utf8_lossy(&found.output),
        "output_bytes": found.printed,
    }))
}
