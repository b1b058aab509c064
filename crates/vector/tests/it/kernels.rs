//! Kernels like those of simulation: the results of a path depend on the path alone, for any level and number
//! of lanes, and equal those of the interpreter.

use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::text::parse;
use volvelle_kernel::{BufferMut, Code, Compiler, Const, Exit, Kernel, Type};
use volvelle_vector::{Level, Vector};

const PATHS: u64 = 150;

/// More lanes than any level has.
const LANES: usize = 128;

/// The levels of this machine.
fn levels() -> impl Iterator<Item = Level> {
    Level::ALL.into_iter().filter(|level| level.is_available())
}

fn kernel(text: &str) -> Kernel {
    parse(text).expect("it parses").remove(0)
}

/// Runs the lanes `0..lanes`, in steps of what the code takes at once.
fn run(code: &dyn Code, width: usize, lanes: usize, params: &[Const], buffers: &mut [BufferMut<'_>]) {
    for lane in (0..lanes).step_by(width) {
        let mut all = vec![Const::u64(lane as u64), Const::u64(lanes as u64)];
        all.extend(params);
        assert_eq!(code.run(&all, buffers), Exit::Done);
    }
}

fn tandem(code: &dyn Code, width: usize, lanes: usize) -> Vec<u32> {
    let mut results = vec![u32::MAX; 4 * PATHS as usize];
    let params = [Const::u64(42), Const::u64(1000), Const::u64(1000 + PATHS), Const::int(Type::U32, 700)];
    run(code, width, lanes, &params, &mut [BufferMut::U32(&mut results)]);
    results
}

fn clock(code: &dyn Code, width: usize, lanes: usize) -> (Vec<u64>, Vec<u64>, Vec<i32>) {
    let mut times = vec![0f64; PATHS as usize];
    let (mut steps, mut heads) = (vec![u64::MAX; PATHS as usize], vec![-1; PATHS as usize]);
    let params =
        [Const::u64(7), Const::u64(0), Const::u64(PATHS), Const::f64(1.5), Const::int(Type::I32, 30)];
    let buffers = &mut [BufferMut::F64(&mut times), BufferMut::U64(&mut steps), BufferMut::I32(&mut heads)];
    run(code, width, lanes, &params, buffers);
    (times.into_iter().map(f64::to_bits).collect(), steps, heads)
}

#[test]
fn two_queues() {
    let kernel = kernel(include_str!("../../kernels/tandem.vk"));
    let expected = tandem(&*Interpreter.compile(&kernel).unwrap(), 1, 3);
    // The numbers make sense: every path has steps, some end early since both queues are full, most continue.
    let ends: Vec<(u32, u32)> = expected.chunks(4).map(|path| (path[0], path[1])).collect();
    assert!(ends.iter().all(|&(steps, full)| steps <= 700 && (full == 1 || steps == 700)));
    assert!(ends.iter().any(|end| end.1 == 1) && ends.iter().any(|end| end.1 == 0));
    for level in levels() {
        let code = Vector::new(level).compile(&kernel).unwrap();
        for lanes in [code.lanes(), LANES, 2 * LANES] {
            assert_eq!(tandem(&code, code.lanes(), lanes), expected, "{level:?}, {lanes} lanes");
        }
    }
}

#[test]
fn waiting_times() {
    let kernel = kernel(include_str!("../../kernels/clock.vk"));
    let expected = clock(&*Interpreter.compile(&kernel).unwrap(), 1, 2);
    // Heads drift towards a hundred, at a rate of two: 30 + 70 (1 - e^-3) after one and a half units of time.
    let mean = expected.2.iter().map(|&h| f64::from(h)).sum::<f64>() / PATHS as f64;
    assert!((mean - 96.5).abs() < 3.0, "{mean}");
    for level in levels() {
        let code = Vector::new(level).compile(&kernel).unwrap();
        for lanes in [code.lanes(), LANES] {
            assert_eq!(clock(&code, code.lanes(), lanes), expected, "{level:?}, {lanes} lanes");
        }
    }
}
