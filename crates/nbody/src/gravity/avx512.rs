//! Accelerations with instructions of AVX-512, for processors that have them.
//!
//! Four vectors of eight bodies each go through all bodies together: an element, once loaded, serves 32
//! bodies, and the latencies of four independent chains overlap. The inverse root starts with the instruction
//! `vrsqrt14pd`, whose relative error is below 2^-14 on all processors. One step of fourth order makes the
//! relative error of a force less than 2e-15. Results differ from those of other devices in the last bits,
//! and also between processors, since the instruction has more correct bits on some.
#![allow(unsafe_code, reason = "instructions of a processor")]

use super::direct::COINCIDENT;
use crate::kernels::SMALLEST_SQUARE;
use std::arch::x86_64::*;
use std::ops::Range;
use std::sync::Arc;
use volvelle_kernel::{Const, Exit, RawParts, Type};
use volvelle_runtime::Closure;

/// Vectors that go together.
const TOGETHER: usize = 4;
/// Bodies in a vector.
const WIDTH: usize = 8;

/// Whether the processor has the instructions.
pub(crate) fn is_available() -> bool {
    std::is_x86_feature_detected!("avx512f")
}

/// The closure that does the same as the kernel `acceleration`, with the same parameters and buffers; `None`
/// if the processor lacks the instructions.
pub(crate) fn closure(softened: bool) -> Option<Arc<Closure>> {
    let closure = move |lanes: Range<u64>, params: &[Const], buffers: &[RawParts]| {
        let [_, first, bodies, softening] = params else {
            return Exit::OutOfBounds(volvelle_kernel::Buffer(0));
        };
        debug_assert!(softening.ty == Type::F64);
        let (first, bodies, softening) = (first.bits, bodies.bits, f64::from_bits(softening.bits));
        let [position, acceleration] = buffers else { return Exit::OutOfBounds(volvelle_kernel::Buffer(0)) };
        let (count, owned) = (position.len as u64 / 4, acceleration.len as u64 / 3);
        if bodies > count || lanes.end > count {
            return Exit::OutOfBounds(volvelle_kernel::Buffer(0));
        }
        if lanes.start < first || lanes.end - first > owned {
            return Exit::OutOfBounds(volvelle_kernel::Buffer(1));
        }
        // SAFETY: the buffers have the types of the declarations (`f64`) and as many elements as they say, and live for the call; no lane stores
        // positions meanwhile (contract of closures).
        let positions =
            unsafe { std::slice::from_raw_parts(position.data.cast::<[f64; 4]>(), count as usize) };
        let least = (softening * softening).max(SMALLEST_SQUARE);
        let mut start = lanes.start;
        while start < lanes.end {
            let end = lanes.end.min(start + (TOGETHER * WIDTH) as u64);
            let mut own = [[0.0; TOGETHER * WIDTH]; 3];
            for (i, body) in (start..end).enumerate() {
                (0..3).for_each(|axis| own[axis][i] = positions[body as usize][axis]);
            }
            // SAFETY: the processor has the instructions, or there would be no closure.
            let pulls = unsafe { pulls(&own, &positions[..bodies as usize], least, softened) };
            for (i, body) in (start..end).enumerate() {
                for (axis, pull) in pulls.iter().enumerate() {
                    let place = 3 * (body - first) as usize + axis;
                    // SAFETY: a lane from `first` on, within the accelerations (checked above), which only this lane stores.
                    unsafe { acceleration.data.cast::<f64>().add(place).write(pull[i]) };
                }
            }
            start = end;
        }
        Exit::Done
    };
    is_available().then(|| -> Arc<Closure> { Arc::new(closure) })
}

/// The accelerations of some bodies by all.
///
/// # Safety
/// The processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
unsafe fn pulls(
    own: &[[f64; TOGETHER * WIDTH]; 3],
    all: &[[f64; 4]],
    least: f64,
    softened: bool,
) -> [[f64; TOGETHER * WIDTH]; 3] {
    let zero = _mm512_setzero_pd();
    let load = |axis: usize, v: usize| {
        // SAFETY: eight numbers of an array of `TOGETHER * WIDTH`.
        unsafe { _mm512_loadu_pd(own[axis].as_ptr().add(v * WIDTH)) }
    };
    let own: [[__m512d; TOGETHER]; 3] = std::array::from_fn(|axis| std::array::from_fn(|v| load(axis, v)));
    let mut sums = [[zero; TOGETHER]; 3];
    let mut closeness = [zero; TOGETHER];
    let least = _mm512_set1_pd(least);
    let one = _mm512_set1_pd(1.0);
    let (c1, c2, c3) = (_mm512_set1_pd(1.5), _mm512_set1_pd(1.875), _mm512_set1_pd(2.1875));
    for other in all {
        let place = [0, 1, 2].map(|axis: usize| _mm512_set1_pd(other[axis]));
        let mass = _mm512_set1_pd(other[3]);
        for v in 0..TOGETHER {
            let towards: [__m512d; 3] = std::array::from_fn(|axis| _mm512_sub_pd(place[axis], own[axis][v]));
            let square = towards.iter().fold(least, |sum, &d| _mm512_fmadd_pd(d, d, sum));
            let y = _mm512_rsqrt14_pd(square);
            let yy = _mm512_mul_pd(y, y);
            // square^(-3/2) = y^3 (1 - t)^(-3/2) = y^3 (1 + 3/2 t + 15/8 t^2 + 35/16 t^3 + ...), where t = 1 - square y^2 is below 2^-13: the next
            // term is below 6e-16.
            let t = _mm512_fnmadd_pd(square, yy, one);
            let step = _mm512_fmadd_pd(_mm512_fmadd_pd(_mm512_fmadd_pd(c3, t, c2), t, c1), t, one);
            let cube = _mm512_mul_pd(_mm512_mul_pd(yy, y), step);
            if !softened {
                closeness[v] = _mm512_add_pd(closeness[v], cube);
            }
            let pull = _mm512_mul_pd(cube, mass);
            for axis in 0..3 {
                sums[axis][v] = _mm512_fmadd_pd(towards[axis], pull, sums[axis][v]);
            }
        }
    }
    let mut found = [[0.0; TOGETHER * WIDTH]; 3];
    for v in 0..TOGETHER {
        let is_apart = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(closeness[v], _mm512_set1_pd(COINCIDENT));
        for axis in 0..3 {
            let sum = _mm512_mask_blend_pd(is_apart, _mm512_set1_pd(f64::NAN), sums[axis][v]);
            // SAFETY: eight numbers of an array of `TOGETHER * WIDTH`.
            unsafe { _mm512_storeu_pd(found[axis].as_mut_ptr().add(v * WIDTH), sum) };
        }
    }
    found
}
