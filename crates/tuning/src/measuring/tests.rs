//! Contents and comparisons; jobs on a device where there is one.

use super::*;
use crate::measuring::compare::difference;
use crate::measuring::contents::{bytes, numbers, scalar};

#[test]
fn contents_are_numbers_of_their_type() {
    for element in ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"] {
        let counting = bytes(element, 100, Contents::Counting);
        let expected: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(numbers(element, &counting), expected, "{element}");
        let random = numbers(element, &bytes(element, 100, Contents::Random));
        assert!(random.iter().all(|x| (0.0..(1 << 20) as f64).contains(x)), "{element}");
        assert!(random.iter().any(|x| *x != random[0]), "{element}");
        assert_eq!(numbers(element, &scalar(element, 7.0)), [7.0], "{element}");
    }
    assert_eq!(numbers("short", &scalar("short", -3.0)), [-3.0]);
    assert_eq!(numbers("float", &bytes("float", 2, Contents::Constant(0.5))), [0.5, 0.5]);
}

#[test]
fn differences() {
    let ints = |all: &[f64]| all.iter().flat_map(|x| scalar("int", *x)).collect::<Vec<u8>>();
    let floats = |all: &[f64]| all.iter().flat_map(|x| scalar("float", *x)).collect::<Vec<u8>>();
    let (a, b) = (ints(&[3.0, 1.0, 2.0]), ints(&[1.0, 5.0]));
    assert_eq!(difference("int", Compared::Least, &a, &b), None);
    let found = difference("int", Compared::Greatest, &a, &b);
    assert_eq!(found.as_deref(), Some("the greatest element is 3 instead of 5"));
    assert_eq!(difference("int", Compared::Sum, &a, &b), None);
    let found = difference("int", Compared::Each, &a, &b);
    assert_eq!(found.as_deref(), Some("there are 3 elements instead of 2"));
    let (a, b) = (floats(&[1.0, 100.0, 1e-9]), floats(&[1.0005, 100.05, 0.0]));
    assert_eq!(difference("float", Compared::Each, &a, &b), None);
    let found = difference("float", Compared::Each, &floats(&[f64::NAN]), &floats(&[1.0]));
    assert_eq!(found.as_deref(), Some("element 0 is NaN instead of 1"));
}

#[test]
fn medians() {
    let answer = |times: &[f64]| Answer { times: times.to_vec(), ..Answer::default() };
    assert_eq!(answer(&[]).median(), None);
    assert_eq!(answer(&[3.0, 1.0, 2.0]).median(), Some(2.0));
    assert_eq!(answer(&[4.0, 1.0, 2.0, 3.0]).median(), Some(2.5));
}

const TEXT: &str = "kernel void halve(global const int *from, global int *to, const int n) {
    int i = get_global_id(0);
    if (i < n) to[i] = from[i] / BY;
}";

#[test]
fn jobs_and_failures_by_kind() {
    let Ok(mut bench) = Bench::open(0) else {
        // No OpenCL here.
        return;
    };
    let buffer = |contents, compared| JobArgument::Buffer {
        element: "int".to_owned(),
        length: 64,
        contents,
        compared,
    };
    let job = |options: &str, local: usize, results: Results| Job {
        text: TEXT.to_owned(),
        kernel: "halve".to_owned(),
        options: options.to_owned(),
        global: vec![64],
        local: vec![local],
        arguments: vec![
            buffer(Contents::Counting, None),
            buffer(Contents::Constant(0.0), Some(Compared::Each)),
            JobArgument::Scalar { element: "int".to_owned(), value: 64.0 },
        ],
        repetitions: 3,
        enough_ms: 1e9,
        results,
    };
    let kept = bench.run(&job("-D BY=2", 1, Results::Keep));
    assert_eq!((kept.failure(), kept.times.len()), (None, 3), "{kept:?}");
    assert_eq!(bench.run(&job("-D BY=2", 16, Results::Compare)).failure(), None);
    let wrong = bench.run(&job("-D BY=3", 16, Results::Compare));
    assert_eq!(wrong.failure(), Some(Failure::Incorrect));
    assert_eq!(wrong.detail, "argument 2: element 2 is 0 instead of 1");
    assert_eq!(bench.run(&job("-D BY=", 16, Results::Compare)).failure(), Some(Failure::Compile));
    assert_eq!(bench.run(&job("-D BY=2", 5, Results::Compare)).failure(), Some(Failure::Launch));
    let mut unknown = job("-D BY=2", 4, Results::Compare);
    unknown.arguments[2] = JobArgument::Scalar { element: "half".to_owned(), value: 0.0 };
    assert_eq!(bench.run(&unknown).failure(), Some(Failure::Launch));
    // As lines of JSON.
    let text = serde_json::to_string(&unknown).unwrap();
    assert_eq!(serde_json::from_str::<Job>(&text).unwrap(), unknown);
}

const DESCRIBED: &str = "// volvelle: size = 64
// volvelle: parameter WG = powers(1, 8); parameter PER = 1, 2, 3
// volvelle: constraint WG * PER <= 16
// volvelle: global = size / PER, local = WG
// volvelle: argument from = iota int[size]; argument to = zero float[size / PER] -> sum
// volvelle: argument tile = local double[WG]; argument n = int size - 1
// volvelle: reference WG = 1; reference PER = 2
__kernel void add(__global const int *from, __global float *to, __local double *tile, int n) {}
";

fn task(text: &str, wanted: &[Wanted]) -> Task {
    let (found, diagnostics) =
        volvelle_opencl::launch::described(volvelle_diagnostics::FileId(0), text, None, None);
    assert_eq!(diagnostics, []);
    Task::from_launch(&found.expect("a description"), text, wanted).expect("a task")
}

#[test]
fn launches_of_configurations() {
    let task = task(DESCRIBED, &[]);
    let space = task.space(1).unwrap();
    // PER = 3 does not divide 64; four work-group sizes with PER 1 and 2, all within 16.
    assert_eq!(space.len(), 8);
    let int = volvelle_tune::Value::Int;
    let job = task.job(&[int(8), int(2)], 5, 9.0, Results::Compare).unwrap();
    assert_eq!((job.options.as_str(), &job.global, &job.local), ("-D WG=8 -D PER=2", &vec![32], &vec![8]));
    let expected = [
        JobArgument::Buffer {
            element: "int".into(),
            length: 64,
            contents: Contents::Counting,
            compared: None,
        },
        JobArgument::Buffer {
            element: "float".into(),
            length: 32,
            contents: Contents::Constant(0.0),
            compared: Some(Compared::Sum),
        },
        JobArgument::Local { bytes: 64 },
        JobArgument::Scalar { element: "int".into(), value: 63.0 },
    ];
    assert_eq!(job.arguments, expected);
    assert!(
        task.job(&[int(8), int(3)], 1, 0.0, Results::Ignore).unwrap_err().contains("divided into groups")
    );
    // Vectors are as many numbers as they have room for, and numbers may have fractions.
    let vectors = DESCRIBED.replace("int[size]", "int3[size / 4]").replace("int size - 1", "float -2.5e-1");
    assert_ne!(vectors, DESCRIBED);
    let wide = self::task(&vectors, &[]).job(&[int(8), int(2)], 5, 9.0, Results::Compare).unwrap();
    assert_eq!(wide.arguments[..3], expected[..3]);
    assert_eq!(wide.arguments[3], JobArgument::Scalar { element: "float".into(), value: -0.25 });
    // A parameter that is not wanted keeps the value of the reference.
    let wanted = Wanted { name: "WG".into(), values: Some(vec![int(4), int(16)]) };
    let part = self::task(DESCRIBED, &[wanted]);
    assert_eq!(part.parameters[1].values, [int(2)]);
    assert_eq!(part.space(1).unwrap().len(), 1);
}

/// A campaign on a device whose times are known: `WG` milliseconds, halved by `PER` = 2; some configurations fail.
#[test]
fn campaigns() {
    use volvelle_tune::formats::Measurement;
    use volvelle_tune::strategy::{Outcome, by_name};
    let task = task(DESCRIBED, &[]);
    let space = task.space(1).unwrap();
    let run = |budget: Option<u64>, known: Vec<Measurement>, reference_fails: bool| {
        let (mut jobs, mut records) = (Vec::new(), 0);
        let mut strategy = by_name("random", &space, 3, None).unwrap();
        let effort = Effort { budget, repetitions: 3, enough_ms: 1.0 };
        let campaign = Campaign::run(
            &task,
            &space,
            strategy.as_mut(),
            &effort,
            known,
            &volvelle_control::Control::unlimited(),
            &mut Hooks {
                measure: &mut |job| {
                    jobs.push(job.results);
                    if job.results == Results::Keep && reference_fails {
                        return Answer::failed(Failure::Compile, "a mistake");
                    }
                    if job.local[0] == 4 {
                        return Answer::failed(Failure::Timeout, "slow");
                    }
                    let time = job.local[0] as f64 * job.global[0] as f64 / 64.0;
                    Answer { times: vec![time, time, 9.0 * time], ..Answer::default() }
                },
                record: &mut |_, _| records += 1,
                now: &|| "now".to_owned(),
            },
        );
        (campaign, jobs, records)
    };
    let (all, jobs, records) = run(None, Vec::new(), false);
    assert_eq!((all.measurements.len(), records, all.known), (8, 8, 0));
    assert_eq!(jobs[0], Results::Keep);
    assert!(jobs[1..].iter().all(|results| *results == Results::Compare));
    let failed = all.measurements.iter().filter(|(_, one)| one.outcome == Outcome::Failed(Failure::Timeout));
    assert_eq!(failed.count(), 2);
    let tuning = all.tuning(&task, &space, String::new(), |_| Some(0.5));
    let best: Vec<String> = tuning.best().next().unwrap().values.iter().map(ToString::to_string).collect();
    assert_eq!((tuning.time(), best.join(" ").as_str()), (Some(0.5), "1 2"));
    assert!(!tuning.is_proven() && tuning.has_predictions() && !tuning.is_about_states());
    // What is known is not measured again, and does not count for the budget.
    let known: Vec<Measurement> = all.measurements[..3].iter().map(|(_, one)| one.clone()).collect();
    let (part, jobs, records) = run(Some(2), known, true);
    assert_eq!((part.measurements.len(), part.known, records), (5, 3, 2));
    assert!(part.is_budget_spent);
    assert_eq!(part.unchecked.as_deref(), Some("the reference does not run: compile: a mistake"));
    assert_eq!(jobs, [Results::Keep, Results::Ignore, Results::Ignore]);
}
