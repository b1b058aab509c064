//! Memory within the limit.

use volvelle_control::{Control, Limits};
use volvelle_diagnostics::codes;
use volvelle_explicit::Allowance;

#[test]
fn refuses_what_is_beyond_the_limit() {
    let limits = Limits { memory_bytes: Some(100), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let allowance = Allowance::new(&control);
    assert_eq!(allowance.vec::<u64>(10).unwrap().capacity(), 10);
    assert_eq!(allowance.left_bytes(), 20);
    assert_eq!(allowance.vec::<u64>(3).unwrap_err().code, codes::MEMORY_LIMIT);
    allowance.give_back(80);
    assert!(allowance.vec::<u64>(12).is_ok());
    let unlimited = Control::unlimited();
    assert_eq!(Allowance::new(&unlimited).vec::<u64>(usize::MAX / 16).unwrap_err().code, codes::MEMORY_LIMIT);
}
