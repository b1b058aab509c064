//! Many groups of lanes in one call, on random kernels: the same as the lanes one after the other.

use super::*;
use volvelle_kernel::generate::Case;

/// More than two groups of any level.
const LANES: usize = 3 * portable::LANES;

/// Code that runs all lanes of a case at once.
struct Whole(VectorCode);

impl Code for Whole {
    fn run(&self, params: &[Const], buffers: &mut [BufferMut<'_>]) -> Exit {
        let parts: Vec<RawParts> = buffers.iter_mut().map(BufferMut::raw_parts).collect();
        let first = params[0].bits;
        let mut params = params.to_vec();
        // `run_lanes` gets the lanes as a range, and ignores this parameter.
        params[0] = Const::u64(0xdead);
        // SAFETY: the buffers are borrowed for the call, and those of the case's declarations.
        unsafe { self.0.run_lanes(first..first + LANES as u64, &params, &parts) }
    }

    unsafe fn run_shared(&self, params: &[Const], buffers: &[RawParts]) -> Exit {
        // SAFETY: the contract is that of this function.
        unsafe { self.0.run_shared(params, buffers) }
    }
}

#[test]
fn groups_of_lanes_follow_one_another() {
    let mut done = 0;
    for seed in 0..250 {
        let case = Case::for_lanes(seed, LANES);
        if case.params[0].bits.checked_add(LANES as u64).is_none() {
            continue;
        }
        let reference = case.lane_by_lane(LANES);
        done += usize::from(reference.failures.is_empty());
        for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
            let code = Whole(Vector::new(level).compile(&case.kernel).unwrap());
            if let Err(difference) = case.agrees(&reference, &code, LANES) {
                panic!("seed {seed}, {level:?}: {difference}\n{}", case.kernel);
            }
        }
    }
    assert!(done > 60, "{done} kernels run to their end");
}
