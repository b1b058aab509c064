//! Kernels over many lanes: every level of vector code, native code and the reference interpreter agree.

use volvelle_kernel::generate::Case;
use volvelle_kernel::{Compiler, Exit};
use volvelle_native::{Native, Options};
use volvelle_vector::{Level, Vector};

/// A multiple of what any level runs at once.
const LANES: usize = 128;

/// Runs the kernel that the bytes choose on 128 lanes, in all ways; gives the exit. Where lanes fail, a run may end with
/// the exit of any of them.
pub fn vector_levels(bytes: &[u8]) -> Exit {
    let case = Case::for_lanes_from_bytes(bytes, LANES);
    let reference = case.lane_by_lane(LANES);
    let mut exit = Exit::Done;
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        let code = match Vector::new(level).compile(&case.kernel) {
            Ok(code) => code,
            Err(error) => panic!("{level:?}: {error}\n{}", case.kernel),
        };
        exit = case
            .agrees(&reference, &code, code.lanes())
            .unwrap_or_else(|difference| panic!("{level:?}: {difference}\n{}", case.kernel));
    }
    if let Ok(code) = Native::new(Options::default()).and_then(|native| native.compile(&case.kernel)) {
        let agreed = case.agrees(&reference, &*code, 1);
        assert!(agreed.is_ok(), "native code: {agreed:?}\n{}", case.kernel);
    }
    exit
}
