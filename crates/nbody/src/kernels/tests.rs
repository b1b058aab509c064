//! What is written, and what it computes.

use super::*;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::verify::verify;
use volvelle_kernel::{BufferMut, Compiler, Const, Exit};
use volvelle_random::Random;

/// A function of one number, at some numbers.
fn values(f: impl for<'w> Fn(&'w Writer, Number<'w>) -> Number<'w>, at: &[f64]) -> Vec<f64> {
    let writer = Writer::new("function");
    let x = writer.record("x", Access::Read, &[("x", 1)]);
    let y = writer.record("y", Access::Write, &[("y", 1)]);
    let value = f(&writer, writer.keep(x.at(writer.lane()).number("x")));
    y.at(writer.lane()).set("y", value);
    let kernel = writer.take();
    assert_eq!(verify(&kernel), Ok(()));
    let code = Interpreter.compile(&kernel).unwrap();
    let mut found = vec![0.0; at.len()];
    for lane in 0..at.len() {
        let buffers = &mut [BufferMut::ReadF64(at), BufferMut::F64(&mut found)];
        assert_eq!(code.run(&[Const::u64(lane as u64)], buffers), Exit::Done);
    }
    found
}

/// Numbers from one extreme to the other.
fn samples() -> Vec<f64> {
    let mut random = Random(77);
    let mut samples = vec![1.0, 2.0, 4.0, SMALLEST_SQUARE, 1.0 / SMALLEST_SQUARE, 1.0_f64.next_down()];
    samples.extend((0..20_000).map(|_| {
        let exponent = (random.bits() % 1190) as i32 - 595;
        f64::from_bits(random.bits() >> 12 | 1023 << 52) * 2_f64.powi(exponent)
    }));
    samples
}

#[test]
fn inverse_roots_are_those_of_divisions() {
    let samples = samples();
    let mut worst = [0.0_f64; 2];
    let (roots, cubes) = (values(inverse_root, &samples), values(inverse_cube, &samples));
    for (i, &x) in samples.iter().enumerate() {
        worst[0] = worst[0].max((roots[i] * x.sqrt() - 1.0).abs());
        worst[1] = worst[1].max((cubes[i] * x * x.sqrt() - 1.0).abs());
    }
    // These divisions are rounded themselves: up to 2e-16 each time.
    assert!(worst[0] < 7e-16 && worst[1] < 1.2e-15, "{worst:?}");
}

#[test]
fn what_is_no_number_stays_none() {
    for f in [inverse_root, inverse_cube] {
        let found = values(f, &[f64::NAN, -1.0, f64::INFINITY]);
        assert!(found[0].is_nan());
        assert!(found[2].is_nan() || found[2] <= 0.0, "{}", found[2]);
    }
}

#[test]
fn formulas_become_kernels() {
    let writer = Writer::new("pull");
    let factor = writer.number("factor");
    let bodies = writer.record("bodies", Access::Read, &[("place", 3), ("mass", 1)]);
    let out = writer.record("out", Access::Write, &[("pull", 3)]);
    let sum = Sum::new(&writer);
    writer.each(writer.count(2), |j| {
        let row = bodies.at(j);
        writer.when(row.number("mass").differs(writer.constant(0.0)), || {
            sum.add_times(row.vector("place") - bodies.at(writer.lane()).vector("place"), factor);
        });
    });
    out.at(writer.lane()).set_vector("pull", sum.value());
    let kernel = writer.take();
    assert_eq!(verify(&kernel), Ok(()));
    let code = Interpreter.compile(&kernel).unwrap();
    let bodies = [1.0, 2.0, 3.0, 0.0, 5.0, 7.0, 9.0, 1.0];
    let mut out = [0.0; 6];
    for lane in 0..2 {
        let buffers = &mut [BufferMut::ReadF64(&bodies), BufferMut::F64(&mut out)];
        assert_eq!(code.run(&[Const::u64(lane), Const::f64(2.0)], buffers), Exit::Done);
    }
    assert_eq!(out, [8.0, 10.0, 12.0, 0.0, 0.0, 0.0]);
}
