//! Trails of SPIN, read and written.

use volvelle_promela::{SpinStep, SpinTrail};

#[test]
fn a_trail_with_a_claim_and_a_cycle() {
    let trail = SpinTrail::read("-2:3:-2\n-4:-4:-4\n1:0:80\n2:1:7\n-1:-1:-1\n3:0:80\n4:2:5\n").unwrap();
    let step = |line, process, statement| SpinStep { line, process, statement };
    assert_eq!(trail.steps, [step(4, 0, 7), step(7, 1, 5)]);
    assert_eq!((trail.cycle_start, trail.is_merged), (Some(1), true));
}

#[test]
fn what_is_written_is_read() {
    let step = |line, process, statement| SpinStep { line, process, statement };
    let steps = vec![step(1, 0, 4), step(3, 2, 0)];
    let trail = SpinTrail { steps, cycle_start: Some(1), is_merged: false };
    assert_eq!(trail.to_text(), "1:0:4\n-1:-1:-1\n2:2:0\n");
    assert_eq!(SpinTrail::read(&trail.to_text()), Ok(trail));
}

#[test]
fn odd_lines_are_told() {
    for (text, line) in [
        ("1:2", 1),
        ("1:0:3\nx", 2),
        ("1:2:3:4", 1),
        ("1:-1:3", 1),
        ("1:0:-7", 1),
        ("1:0:99999999999", 1),
        ("-3:0:0", 1),
        ("-99999999999999999999:0:0", 1),
    ] {
        assert_eq!(SpinTrail::read(text).unwrap_err().line, line, "{text}");
    }
}
