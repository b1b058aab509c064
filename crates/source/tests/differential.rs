//! Random kernels: texts of both languages against the reference interpreter, which runs the lanes one after the other. Exits
//! and all buffers must be equal, bit for bit (any two NaNs taken for equal).

mod support;

use support::adapt::adapt;
use support::{Job, Ran, Replay, Run, difference, host, nvrtc, opencl, skip};
use volvelle_kernel::generate::{Case, LaneByLane};
use volvelle_kernel::harness::{self, Outcome};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Compiler, Exit, Kernel};
use volvelle_source::{Dialect, Jumps, Notes, source, source_with};

/// Lanes of a case: no multiple of a block.
const LANES: usize = 21;

/// A job of many lanes, and what must come of it.
fn of_lanes(seed: u64, dialect: Dialect) -> (Job, Case, LaneByLane) {
    let case = Case::for_lanes(seed, LANES);
    let reference = case.lane_by_lane(LANES);
    let job = job(format!("seed {seed}"), case.kernel.clone(), dialect, |_| {
        vec![Run::new(case.params.clone(), LANES as u64, &case.buffers)]
    });
    (job, case, reference)
}

/// A job of one lane that may use everything in the IR, and what must come of it.
fn of_one_lane(seed: u64, dialect: Dialect) -> (Job, Outcome) {
    let case = Case::from_seed(seed);
    let adapted = adapt(&case.kernel);
    let (params, contents) = adapted.inputs(&case.params, &case.buffers);
    let code = Interpreter.compile(&adapted.kernel).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    let outcome = harness::run(&*code, &adapted.kernel.buffers, &params, &contents);
    let runs = vec![Run::new(params, 1, &contents)];
    (job(format!("seed {seed}"), adapted.kernel, dialect, |_| runs), outcome)
}

fn job(name: String, kernel: Kernel, dialect: Dialect, runs: impl FnOnce(&Kernel) -> Vec<Run>) -> Job {
    // Each way of jumping for every other kernel; labels are for OpenCL C only.
    let jumps = match dialect {
        Dialect::OpenCl if name.ends_with(['1', '3', '5', '7', '9']) => Jumps::Labels,
        _ => Jumps::Numbers,
    };
    let source = source_with(&kernel, dialect, &Notes::default(), jumps);
    let source = source.unwrap_or_else(|why| panic!("{name}: {why}"));
    let runs = runs(&kernel);
    Job { name, kernel, source, runs }
}

type Runner = dyn Fn(&[Job]) -> Result<Vec<(String, Vec<Ran>)>, String>;

/// Compares kernels over many lanes, then kernels of one lane.
fn compare(dialect: Dialect, lanes: std::ops::Range<u64>, single: std::ops::Range<u64>, run: &Runner) {
    let (mut done, mut failed, mut out_of_bounds) = (0, 0, 0);
    let (jobs, expected): (Vec<Job>, Vec<_>) = lanes
        .clone()
        .map(|seed| {
            let (job, case, reference) = of_lanes(seed, dialect);
            (job, (case, reference))
        })
        .unzip();
    let results = match run(&jobs) {
        Ok(results) => results,
        Err(why) => return skip(&why),
    };
    for ((job, (case, reference)), (_, mut ran)) in jobs.iter().zip(&expected).zip(results) {
        match reference.failures.first() {
            None => done += 1,
            Some(Exit::OutOfBounds(_)) => out_of_bounds += 1,
            Some(_) => failed += 1,
        }
        let outcome = ran.remove(0).unwrap_or_else(|log| panic!("{}: {log}\n{}", job.name, job.source.text));
        if let Err(difference) = case.agrees(reference, &Replay(outcome), LANES) {
            panic!("{}: {difference}\n{}\n{}", job.name, case.kernel, job.source.text);
        }
    }
    // The generator reaches every way out, and many runs go to the end.
    let cases = lanes.end - lanes.start;
    assert!(
        done > cases / 4 && failed > cases / 20 && out_of_bounds > 0,
        "{done}, {failed}, {out_of_bounds}"
    );

    let (jobs, expected): (Vec<Job>, Vec<_>) = single.map(|seed| of_one_lane(seed, dialect)).unzip();
    let results = run(&jobs).expect("it ran before");
    for ((job, expected), (_, mut ran)) in jobs.iter().zip(&expected).zip(results) {
        let outcome = ran.remove(0).unwrap_or_else(|log| panic!("{}: {log}\n{}", job.name, job.source.text));
        if let Some(difference) = difference(expected, &outcome) {
            panic!("{}: {difference}\n{}\n{}", job.name, job.kernel, job.source.text);
        }
    }
}

#[test]
fn opencl_text_on_a_device() {
    let options = Dialect::OpenCl.options().join(" ");
    compare(Dialect::OpenCl, 0..40, 0..30, &move |jobs| opencl::run("differential", jobs, &options));
}

#[test]
fn cuda_text_on_the_host() {
    compare(Dialect::Cuda, 0..200, 0..200, &|jobs| host::run("differential", jobs));
}

#[test]
fn cuda_text_is_accepted_by_its_compiler() {
    let mut texts: Vec<String> = (300..330).map(|seed| of_lanes(seed, Dialect::Cuda).0.source.text).collect();
    texts.extend((300..330).map(|seed| of_one_lane(seed, Dialect::Cuda).0.source.text));
    let mut options = Dialect::Cuda.options().to_vec();
    options.push("--gpu-architecture=compute_90");
    match nvrtc::run("differential", &texts, &options) {
        Err(why) => skip(&why),
        Ok(compiled) => {
            for (compiled, text) in compiled.iter().zip(&texts) {
                assert!(compiled.ptx.is_some(), "{}\n{text}", compiled.log);
            }
        }
    }
}

/// Printing is a total function on kernels that the verifier accepts; what it refuses, it refuses with a reason.
#[test]
fn printing_never_panics() {
    for seed in 0..3000 {
        let lanes = Case::for_lanes(seed, LANES).kernel;
        let adapted = adapt(&Case::from_seed(seed).kernel).kernel;
        for dialect in Dialect::ALL {
            for kernel in [&lanes, &adapted] {
                let text =
                    source(kernel, dialect, &Notes::default()).unwrap_or_else(|why| panic!("{seed}: {why}"));
                assert_eq!(Ok(text), source(kernel, dialect, &Notes::default()));
            }
        }
    }
}
