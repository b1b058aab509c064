//! Random kernels: texts of both languages against the reference interpreter, which runs the lanes one after the other. Exits
//! and all buffers must be equal, bit for bit (any two NaNs taken for equal).

use crate::support::adapt::adapt;
use crate::support::{Job, Run, compare, host, nvrtc, opencl, skip};
use std::ops::Range;
use volvelle_kernel::generate::Case;
use volvelle_kernel::{Exit, Kernel};
use volvelle_source::{Dialect, Jumps, Notes, source};

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

/// Kernels over many lanes, and kernels of one lane.
fn jobs(dialect: Dialect, lanes: Range<u64>, single: Range<u64>) -> Vec<Job> {
    let cases = lanes.map(of_lanes).chain(single.map(of_one_lane)).enumerate();
    // Every other kernel with labels.
    let job = |(number, (kernel, run))| {
        let jumps = if number % 2 == 0 { Jumps::Numbers } else { Jumps::Labels };
        Job::jumping(kernel, dialect, jumps, vec![run])
    };
    cases.map(job).collect()
}

#[test]
fn opencl_text_on_a_device() {
    let jobs = jobs(Dialect::OpenCl, 0..32, 0..32);
    compare(&jobs, opencl::run("differential", &jobs, &Dialect::OpenCl.options().join(" ")));
}

#[test]
fn cuda_text_on_the_host() {
    let jobs = jobs(Dialect::Cuda, 0..60, 0..60);
    let Some(exits) = compare(&jobs, host::run("differential", &jobs)) else { return };
    // The generator reaches every way out, and many runs go to the end.
    let count = |fits: fn(&Exit) -> bool| exits.iter().filter(|exit| fits(exit)).count();
    let (done, out_of_bounds) =
        (count(|exit| *exit == Exit::Done), count(|exit| matches!(exit, Exit::OutOfBounds(_))));
    assert!(done > 30 && exits.len() - done > 12 && out_of_bounds > 0, "{done}, {out_of_bounds}");
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
    for seed in 0..1000 {
        for (kernel, _) in [of_lanes(seed), of_one_lane(seed)] {
            for dialect in Dialect::ALL {
                let text = source(&kernel, dialect, &Notes::default());
                let text = text.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
                assert_eq!(Ok(text), source(&kernel, dialect, &Notes::default()));
            }
        }
    }
}
