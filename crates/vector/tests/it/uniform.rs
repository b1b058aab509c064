//! Loads of one element for all lanes, and loops whose bounds are computed, against the interpreter.

use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::text::parse;
use volvelle_kernel::{BufferMut, Code, Compiler, Const, Exit, Type};
use volvelle_vector::{Level, Vector};

/// All that a lane adds up of buffers whose elements have different sizes, at indices that are the same in all lanes.
const KERNEL: &str = "
    kernel sums(lane: u64, shift: u64) {
        buffer wide: read f64; buffer narrow: read f32; buffer integers: read i32; buffer bytes: read u8;
        buffer out: write f64;
        local i: u64; local j: u64; local sum: f64; local kept: f64;
        j = shift;
        for i in 0u64..len(wide) >> 1u64 {
            kept = wide[i * 2u64];
            sum = sum + kept * (lane as f64) + wide[i * 2u64 + 1u64];
            sum = fma(narrow[j + 1u64] as f64, sum, integers[i] as f64);
            sum = sum + (bytes[i & 3u64] as f64);
            j = j + 1u64;
        }
        out[lane] = sum;
    }";

fn run(code: &dyn Code, lanes: Option<usize>, shift: u64, count: usize) -> (Exit, Vec<f64>) {
    let wide: Vec<f64> = (0..count).map(|i| i as f64 + 0.5).collect();
    let narrow: Vec<f32> = (0..count).map(|i| 0.25 / (i as f32 + 1.0)).collect();
    let integers: Vec<i32> = (0..count as i32).map(|i| 3 - i).collect();
    let bytes = [1, 2, 250, 7];
    let mut out = vec![0.0; 384];
    let step = lanes.unwrap_or(1);
    let mut exit = Exit::Done;
    for lane in (0..out.len()).step_by(step) {
        let buffers = &mut [
            BufferMut::ReadF64(&wide),
            BufferMut::ReadF32(&narrow),
            BufferMut::ReadI32(&integers),
            BufferMut::ReadU8(&bytes),
            BufferMut::F64(&mut out),
        ];
        let found = code.run(&[Const::u64(lane as u64), Const::u64(shift)], buffers);
        if found != Exit::Done {
            exit = found;
            break;
        }
    }
    (exit, out)
}

#[test]
fn elements_for_all_lanes() {
    let kernel = parse(KERNEL).unwrap().remove(0);
    assert_eq!(kernel.locals[1].ty, Type::U64);
    let reference = Interpreter.compile(&kernel).unwrap();
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        let code = Vector::new(level).compile(&kernel).unwrap();
        // Nothing, one round, many; the first index of `narrow` wraps to 0, and one is beyond the end.
        for (count, shift) in
            [(0, 0), (1, 5), (2, 0), (2, u64::MAX), (40, 0), (40, 18), (40, 19), (40, 20), (40, u64::MAX - 3)]
        {
            let (expected, found) =
                (run(&*reference, None, shift, count), run(&code, Some(code.lanes()), shift, count));
            assert_eq!(found.0, expected.0, "{level:?}, {count} elements from {shift} on");
            if expected.0 == Exit::Done {
                assert_eq!(found.1, expected.1, "{level:?}, {count} elements from {shift} on");
            }
        }
    }
}

#[test]
fn they_are_found() {
    let kernel = parse(KERNEL).unwrap().remove(0);
    let text = Vector::new(Level::Portable).explain(&kernel).unwrap();
    assert_eq!(text.matches("LoadUniform").count(), 4, "{text}");
    // Elements of a byte are gathered.
    assert_eq!(text.matches(" Load {").count() + text.matches("\nLoad {").count(), 1, "{text}");
}
