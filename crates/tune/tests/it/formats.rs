//! Files are read as they were written; files of Kernel Tuner are read; wrong ones are refused with a reason.

use volvelle_random::Random;
use volvelle_tune::Value;
use volvelle_tune::formats::cache::{Cache, END};
use volvelle_tune::formats::{FAILURES, Measurement, python, t1, t4};
use volvelle_tune::space::{Parameter, values};
use volvelle_tune::strategy::{Failure, Outcome};

fn parameters() -> Vec<Parameter> {
    let parameter =
        |name: &str, list: &str| Parameter { name: name.to_owned(), values: values(list).unwrap() };
    // Not in the order of the alphabet: the order counts.
    vec![
        parameter("WG", "32, 64"),
        parameter("TS", "1, 2.5"),
        parameter("how", "['a b', 'c']"),
        parameter("f", "[True]"),
    ]
}

fn measurements() -> Vec<Measurement> {
    let value = |list: &str| values(list).unwrap();
    let mut fine = Measurement::new(value("32, 2.5, 'a b', True"), Outcome::Time(0.25));
    fine.times = vec![0.25, 0.5];
    fine.compile_ms = 31.5;
    fine.timestamp = "2026-11-26 11:00:00+00:00".to_owned();
    let mut all = vec![fine];
    for (i, (failure, ..)) in FAILURES.iter().enumerate() {
        let list = format!("64, {}, 'c', True", i + 1);
        all.push(Measurement::new(value(&list), Outcome::Failed(*failure)));
    }
    all
}

#[test]
fn caches_round_trip() {
    let cache = Cache {
        device: "cpu \"x\"".to_owned(),
        kernel: "minimum".to_owned(),
        size: vec![1024, 2],
        parameters: parameters(),
        entries: measurements(),
    };
    let text = cache.write();
    assert!(text.ends_with(END) && text.trim_end().ends_with("}\n}"));
    let mut back = Cache::read(&text).unwrap();
    // The entries of a JSON object have no order.
    let key = |entry: &Measurement| entry.values.iter().map(python).collect::<Vec<_>>();
    let sort = |entries: &mut Vec<Measurement>| entries.sort_by_key(key);
    let mut expected = cache.clone();
    sort(&mut back.entries);
    sort(&mut expected.entries);
    assert_eq!(back, expected);
    // As an interrupted run leaves it, also in the middle of a line.
    let whole = &text[..text.len() - END.len()];
    for cut in [whole.to_owned(), format!("{whole},"), format!("{whole},\n\"32,1\": {{\"WG\": 3")] {
        assert_eq!(Cache::read(&cut).unwrap().entries.len(), cache.entries.len(), "{cut}");
    }
    assert_eq!(Cache::read(&format!("{}{END}", cache.header())).unwrap().entries, []);
    assert_eq!(cache.fits("cpu \"x\"", "minimum", &[1024, 2], &parameters()), Ok(()));
    let other = cache.fits("gpu", "minimum", &[1024, 2], &parameters());
    assert_eq!(other, Err("device `cpu \"x\"`, not `gpu`".to_owned()));
}

/// A file of Kernel Tuner 1.5.0, shortened.
const KERNEL_TUNER: &str = r#"{
"device_name": "cpu-znver3",
"kernel_name": "vector_add",
"problem_size": 1000000,
"tune_params_keys": [
"block_size_x"
],
"tune_params": {
"block_size_x": [
64,
2048
]
},
"objective": "time",
"cache": {
"64": {"block_size_x": 64, "time": 0.5, "times": [0.4, 0.6], "compile_time": 12.5, "verification_time": 0, "benchmark_time": 3.1, "strategy_time": 0, "framework_time": 0.4, "timestamp": "2026-11-26 10:00:00+00:00"},
"2048": {"block_size_x": 2048, "__error__": "RuntimeFailedConfig", "time": "RuntimeFailedConfig", "compile_time": 9.5},"#;

#[test]
fn a_cache_of_kernel_tuner() {
    let cache = Cache::read(KERNEL_TUNER).unwrap();
    assert_eq!((cache.size.as_slice(), cache.kernel.as_str()), ([1_000_000].as_slice(), "vector_add"));
    let mut outcomes: Vec<&Outcome> = cache.entries.iter().map(|entry| &entry.outcome).collect();
    outcomes.sort_by_key(|outcome| outcome.time().is_none());
    assert_eq!(outcomes, [&Outcome::Time(0.5), &Outcome::Failed(Failure::Launch)]);
}

#[test]
fn results_round_trip() {
    let (parameters, measurements) = (parameters(), measurements());
    let (names, mut back) = t4::read(&t4::write(&parameters, &measurements)).unwrap();
    // The members of a JSON object have no order.
    let names: Vec<&str> = names.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["TS", "WG", "f", "how"]);
    for measurement in &mut back {
        let [ts, wg, f, how] = measurement.values.clone().try_into().unwrap();
        measurement.values = vec![wg, ts, how, f];
    }
    assert_eq!(back, measurements);
}

#[test]
fn a_problem() {
    let text = r#"{
      "ConfigurationSpace": {
        "TuningParameters": [
          { "Name": "WG", "Type": "int", "Values": "[32, 64]" },
          { "Name": "mode", "Type": "string", "Values": "['a', 'b']" } ],
        "Conditions": [ { "Parameters": ["WG"], "Expression": "WG > 32 or mode == 'a'" } ] },
      "KernelSpecification": {
        "Language": "OpenCL", "KernelName": "add", "KernelFile": "add.cl", "CompilerOptions": ["-cl-fast-relaxed-math"],
        "GlobalSize": { "X": "4096", "Y": "1" }, "LocalSize": { "X": "WG" },
        "Arguments": [
          { "Name": "c", "Type": "float", "MemoryType": "Vector", "Size": 4096, "FillType": "Constant", "FillValue": 0 },
          { "Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 4096, "AccessType": "ReadOnly" } ] },
      "Budget": [ { "Type": "TuningDuration", "BudgetValue": 10 }, { "Type": "ConfigurationCount", "BudgetValue": 20 } ] }"#;
    let found = t1::read(text).unwrap();
    assert_eq!(found.parameters[1].values, [Value::Text("a".to_owned()), Value::Text("b".to_owned())]);
    assert_eq!(found.conditions, ["WG > 32 or mode == 'a'"]);
    assert_eq!((found.global.len(), found.local.as_slice()), (2, ["WG".to_owned()].as_slice()));
    assert_eq!(found.arguments[0].fill, t1::Fill::Constant(0.0));
    assert_eq!((found.arguments[1].memory, found.budget), (t1::Memory::Scalar, Some(20)));
    let wrong = text.replace("[32, 64]", "[32, 64");
    assert_eq!(t1::read(&wrong).unwrap_err().message, "`Values` of `WG`, `[32, 64`: `]` was expected here");
    let wrong = text.replace("\"Constant\"", "\"Script\"");
    assert_eq!(
        t1::read(&wrong).unwrap_err().message,
        "argument `c` is filled by `Script`, which is not supported"
    );
}

/// Sizes by the size of the problem and by all values of a parameter, and groups by divisors, as in the problems of the benchmark hub.
#[test]
fn sizes_of_problems() {
    let text = r#"{
      "ConfigurationSpace": { "TuningParameters": [
          { "Name": "bx", "Type": "int", "Values": "[32, 64]" },
          { "Name": "filter", "Type": "int", "Values": "[15, 17]" } ] },
      "KernelSpecification": {
        "Language": "OpenCL", "KernelName": "k", "KernelFile": "k.cl", "ProblemSize": [4096, 100],
        "GlobalSizeType": "CUDA", "GlobalSize": { "X": "262144 // bx", "Y": "1", "Z": "1" },
        "LocalSize": { "X": "bx", "Y": "1", "Z": "1" }, "GridDivX": ["bx", 2], "GridDivY": ["4"],
        "Arguments": [
          { "Name": "a", "Type": "float", "MemoryType": "Vector", "FillType": "Random",
            "Size": "(ProblemSize[0]+max(filter)-1) * (ProblemSize[1]+min(filter))" } ] } }"#;
    let found = t1::read(text).unwrap();
    assert_eq!(found.arguments[0].size, "(4096+17-1) * (100+15)");
    assert_eq!(found.global, ["(4096 + (bx) * 2 - 1) // ((bx) * 2)", "(100 + (4) - 1) // ((4))"]);
    assert!(found.counts_groups);
    let without = text.replace("\"GridDivX\": [\"bx\", 2], \"GridDivY\": [\"4\"],", "");
    assert_eq!(t1::read(&without).unwrap().global, ["262144 // bx", "1", "1"]);
}

/// What CPython 3.11 prints for `str(x)`.
#[test]
fn numbers_of_python() {
    let cases = [
        (0.1, "0.1"),
        (1.0, "1.0"),
        (1e-7, "1e-07"),
        (1e16, "1e+16"),
        (1.5e300, "1.5e+300"),
        (1e15, "1000000000000000.0"),
        (1e-4, "0.0001"),
        (-2.5e-5, "-2.5e-05"),
        (0.0, "0.0"),
    ];
    for (number, text) in cases {
        assert_eq!(python(&Value::Float(number)), text);
    }
}

/// Parts of files in any order: readers refuse or accept, and never panic.
#[test]
fn damaged_files() {
    let whole = [KERNEL_TUNER.to_owned(), t4::write(&parameters(), &measurements())];
    let mut random = Random(11);
    for _ in 0..500 {
        let text = &whole[random.below(2)];
        let mut bytes = text.clone().into_bytes();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = random.pick(b"{}[],:\"0 x"),
                _ => {
                    bytes.remove(at);
                    bytes.push(b'}');
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let _ = (Cache::read(&text), t4::read(&text), t1::read(&text));
    }
}
