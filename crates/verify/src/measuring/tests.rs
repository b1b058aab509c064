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
