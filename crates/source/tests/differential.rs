//! Random kernels: texts of both languages against the reference interpreter, which runs the lanes one after the other. Exits
//! and all buffers must be equal, bit for bit (any two NaNs taken for equal).

mod support;

use std::ops::Range;
use support::adapt::adapt;
use support::{Job, Results, Run, host, nvrtc, opencl, reference, skip};
use volvelle_kernel::generate::Case;
use volvelle_kernel::{Exit, Kernel};
use volvelle_source::{Dialect, Notes, source};

/// Lanes of a case: no multiple of a block.
const LANES: usize = 21;

/// A kernel over many lanes.
fn of_lanes(seed: u64) -> (Kernel, Run) {
    let case = Case::for_lanes(seed, LANES);
    let run = Run::new(case.params, LANES as u64, &case.buffers);
    (case.kernel, run)
}

/// A kernel of one lane that may use everything in the IR.
fn of_one_lane(seed: u64) -> (Kernel, Run) {
    let case = Case::from_seed(seed);
    let adapted = adapt(&case.kernel);
    let (params, contents) = adapted.inputs(&case.params, &case.buffers);
    (adapted.kernel, Run::new(params, 1, &contents))
}

/// Compares kernels over many lanes, and kernels of one lane.
fn compare(dialect: Dialect, lanes: Range<u64>, single: Range<u64>, run: impl Fn(&[Job]) -> Results) {
    let cases = lanes.map(of_lanes).chain(single.map(of_one_lane));
    let jobs: Vec<Job> = cases.map(|(kernel, run)| Job::new(kernel, dialect, vec![run])).collect();
    let results = match run(&jobs) {
        Ok(results) => results,
        Err(why) => return skip(&why),
    };
    let (mut done, mut failed, mut out_of_bounds) = (0, 0, 0);
    for (job, (_, ran)) in jobs.iter().zip(results) {
        let expected = reference(&job.kernel, &job.runs[0]);
        match expected.failures.first() {
            None => done += 1,
            Some(Exit::OutOfBounds(_)) => out_of_bounds += 1,
            Some(_) => failed += 1,
        }
        let outcome = ran[0].as_ref().unwrap_or_else(|log| panic!("{log}\n{}", job.source.text));
        if let Some(difference) = expected.difference(outcome) {
            panic!("{difference}\n{}\n{}", job.kernel, job.source.text);
        }
    }
    // The generator reaches every way out, and many runs go to the end.
    let least = jobs.len() / 20;
    let left_buffers = out_of_bounds > 0 || jobs.len() < 200;
    assert!(done > 5 * least && failed > least && left_buffers, "{done}, {failed}, {out_of_bounds}");
}

#[test]
fn opencl_text_on_a_device() {
    let options = Dialect::OpenCl.options().join(" ");
    compare(Dialect::OpenCl, 0..40, 0..30, |jobs| opencl::run("differential", jobs, &options));
}

#[test]
fn cuda_text_on_the_host() {
    compare(Dialect::Cuda, 0..150, 0..150, |jobs| host::run("differential", jobs));
}

#[test]
fn cuda_text_is_accepted_by_its_compiler() {
    let kernels = (300..325).map(of_lanes).chain((300..325).map(of_one_lane));
    let texts: Vec<String> =
        kernels.map(|(kernel, _)| Job::new(kernel, Dialect::Cuda, vec![]).source.text).collect();
    let compiled = match nvrtc::run("differential", &texts) {
        Err(why) => return skip(&why),
        Ok(compiled) => compiled,
    };
    for (compiled, text) in compiled.iter().zip(&texts) {
        assert!(compiled.ptx.is_some(), "{}\n{text}", compiled.log);
    }
}

/// Printing is a total function on kernels that the verifier accepts; what it refuses, it refuses with a reason.
#[test]
fn printing_never_panics() {
    for seed in 0..2000 {
        for (kernel, _) in [of_lanes(seed), of_one_lane(seed)] {
            for dialect in Dialect::ALL {
                let text = source(&kernel, dialect, &Notes::default());
                let text = text.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
                assert_eq!(Ok(text), source(&kernel, dialect, &Notes::default()));
            }
        }
    }
}
