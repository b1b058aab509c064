//! Kernels by hand on devices, against what they should do.

use crate::devices::storage::contents;
use crate::devices::texts;
use std::ops::Range;
use std::sync::Arc;
use volvelle_kernel::{Access, Buffer, Const, Exit, Site, Type};
use volvelle_runtime::{Command, Error, Executable, Executor, Launch, LaunchBuffer, Region, in_turn};

/// Everything about launches, with several kernels at once.
pub fn check(device: &dyn Executor, kernels: u64) {
    ragged(device);
    far_lanes(device);
    within_regions(device);
    in_order(device);
    every_type(device);
    failures(device);
    nothing_to_do(device);
    wrong_texts(device);
    many_kernels(device, kernels);
    one_kernel_in_many_threads(device);
}

fn words(device: &dyn Executor, values: &[u64]) -> Box<dyn Region> {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let region = device.storage().allocate(bytes.len()).unwrap();
    region.write(0, &bytes).unwrap();
    region
}

fn as_words(region: &dyn Region) -> Vec<u64> {
    contents(region).chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect()
}

/// Commands see what earlier ones have written, even if the device gets all of them at once. If lanes fail,
/// that is reported, and the kernels work afterwards.
fn in_order(device: &dyn Executor) {
    const ELEMENTS: usize = 1000;
    let (scale, fails) = (device.build(&texts::scale_and_add()).unwrap(), texts::sometimes_failing());
    let fails = device.build(&fails).unwrap();
    let start: Vec<u64> = (0..ELEMENTS as u64).map(|i| i * 7 + 1).collect();
    let (one, two) = (words(device, &start), words(device, &[0; ELEMENTS]));
    let counts = device.storage().allocate(4 * ELEMENTS).unwrap();
    counts.write(0, &[0; 4 * ELEMENTS]).unwrap();
    let lent = [LaunchBuffer::first(&*one, ELEMENTS), LaunchBuffer::first(&*two, ELEMENTS)];
    let back = [lent[1], lent[0]];
    // From the middle of a region on.
    let half = LaunchBuffer { offset: 8 * (ELEMENTS / 2), elements: ELEMENTS / 2, region: &*two };
    let halves = [half, LaunchBuffer { region: &*one, ..half }];
    let params: Vec<[Const; 2]> = (0..9).map(|k| [Const::u64(3 + k), Const::u64(0)]).collect();
    let (many, few) = ([Const::u64(5000)], [Const::u64(2)]);
    let counted = [LaunchBuffer::first(&*counts, ELEMENTS)];
    let command = |k: usize| {
        let (lanes, buffers) = match k {
            7 => (0..ELEMENTS as u64 / 2, &halves),
            3 => (0..0, &lent),
            _ => (0..ELEMENTS as u64, if k.is_multiple_of(2) { &lent } else { &back }),
        };
        Command { code: &*scale, launch: Launch { lanes, block: None, params: &params[k], buffers } }
    };
    let count = |params| {
        let launch = Launch { lanes: 1..ELEMENTS as u64, block: None, params, buffers: &counted };
        Command { code: &*fails, launch }
    };
    for range in [0..0, 0..1, 0..7, 2..9] {
        let commands: Vec<Command<'_>> = range.flat_map(|k| [command(k), count(&many)]).collect();
        let run = |all: &dyn Fn() -> Result<Exit, Error>| {
            one.write(0, &contents(&*words(device, &start))).unwrap();
            counts.write(0, &[0; 4 * ELEMENTS]).unwrap();
            assert_eq!(all(), Ok(Exit::Done));
            (as_words(&*one), as_words(&*two), contents(&*counts))
        };
        let expected = run(&|| in_turn(&commands));
        assert_eq!(run(&|| device.run_in_order(&commands)), expected);
    }
    assert_eq!(device.run_in_order(&[command(0), count(&few), command(1)]), Ok(Exit::Failed(Site(3))));
    assert_eq!(device.run_in_order(&[command(0), count(&many), command(1)]), Ok(Exit::Done));
}

/// Launches `scale_and_add` on new buffers, the lanes counted from `base`.
fn scaled(
    device: &dyn Executor,
    kernel: &dyn Executable,
    lanes: Range<u64>,
    base: u64,
    elements: usize,
    block: Option<u32>,
) -> (Exit, Vec<u64>) {
    let from = words(device, &(0..elements as u64).map(|i| i * i + 1).collect::<Vec<_>>());
    let to = words(device, &vec![7; elements]);
    let params = [Const::u64(1_000_000_007), Const::u64(base)];
    let buffers = [LaunchBuffer::first(&*from, elements), LaunchBuffer::first(&*to, elements)];
    let exit = kernel.launch(&Launch { lanes, block, params: &params, buffers: &buffers }).unwrap();
    (exit, as_words(&*to))
}

fn expected(lanes: Range<u64>, base: u64, elements: usize) -> Vec<u64> {
    let value = |i: u64| {
        let lane = base.wrapping_add(i);
        if lanes.contains(&lane) { 1_000_000_007_u64.wrapping_mul(i * i + 1).wrapping_add(lane) } else { 7 }
    };
    (0..elements as u64).map(value).collect()
}

fn ragged(device: &dyn Executor) {
    let kernel = device.build(&texts::scale_and_add()).unwrap();
    for lanes in [0..0, 0..1, 3..4, 0..1000, 17..999, 5..70_001] {
        for block in [None, Some(0), Some(1), Some(7), Some(u32::MAX)] {
            let elements = lanes.end as usize + 3;
            let (exit, to) = scaled(device, &*kernel, lanes.clone(), 0, elements, block);
            assert_eq!(exit, Exit::Done);
            assert_eq!(to, expected(lanes.clone(), 0, elements), "{lanes:?} in blocks of {block:?}");
        }
    }
}

/// Numbers of lanes next to the end of their type: the items beyond the last one must not come round to the first ones.
fn far_lanes(device: &dyn Executor) {
    let kernel = device.build(&texts::scale_and_add()).unwrap();
    for (first, end) in [(u64::MAX - 100, u64::MAX), (u64::MAX - 77, u64::MAX - 40), (1 << 63, (1 << 63) + 5)]
    {
        for block in [None, Some(64)] {
            let (exit, to) = scaled(device, &*kernel, first..end, first, 110, block);
            assert_eq!(exit, Exit::Done);
            assert_eq!(to, expected(first..end, first, 110), "{first}..{end}");
        }
    }
}

fn within_regions(device: &dyn Executor) {
    let kernel = device.build(&texts::scale_and_add()).unwrap();
    let from = words(device, &(0..100).collect::<Vec<_>>());
    let to = words(device, &[7; 100]);
    for (at, elements) in [(1, 10), (33, 64), (100, 0)] {
        let buffers = [
            LaunchBuffer { region: &*from, offset: 8 * (100 - elements), elements },
            LaunchBuffer { region: &*to, offset: 8 * at.min(100 - elements), elements },
        ];
        let params = [Const::u64(3), Const::u64(0)];
        let lanes = 0..elements as u64;
        let launch = Launch { lanes, block: None, params: &params, buffers: &buffers };
        assert_eq!(kernel.launch(&launch), Ok(Exit::Done));
        let mut model = vec![7; 100];
        for i in 0..elements {
            model[at.min(100 - elements) + i] = 3 * (100 - elements + i) as u64 + i as u64;
        }
        assert_eq!(as_words(&*to), model);
        to.write(0, &contents(&*words(device, &[7; 100]))).unwrap();
    }
    // One element more than there is, seen from the start of the buffer.
    let buffers = [LaunchBuffer { region: &*from, offset: 80, elements: 5 }, LaunchBuffer::first(&*to, 100)];
    let params = [Const::u64(3), Const::u64(0)];
    let launch = Launch { lanes: 0..6, block: None, params: &params, buffers: &buffers };
    assert_eq!(kernel.launch(&launch), Ok(Exit::OutOfBounds(Buffer(0))));
}

fn every_type(device: &dyn Executor) {
    if !device.offer().has_f64 {
        return;
    }
    let kernel = device.build(&texts::all_types()).unwrap();
    let bits = [u64::MAX, 0, 1 << 63, 0x0123_4567_89ab_cdef, 0x8182_8384_8586_8788, 0x7ff0_0000_0000_0001];
    for bits in bits {
        let value = |ty: Type| match ty {
            Type::F32 => Const { ty, bits: bits & 0x7f7f_ffff },
            Type::F64 => Const { ty, bits: bits & 0xffef_ffff_ffff_ffff },
            ty => Const { ty, bits: volvelle_kernel::types::canonical_int(ty, bits) },
        };
        let params: Vec<Const> = Type::ALL.iter().map(|ty| value(*ty)).collect();
        let regions: Vec<Box<dyn Region>> =
            Type::ALL.iter().map(|ty| device.storage().allocate(3 * ty.bytes()).unwrap()).collect();
        let buffers: Vec<LaunchBuffer<'_>> =
            regions.iter().map(|region| LaunchBuffer::first(&**region, 3)).collect();
        let launch = Launch { lanes: 1..3, block: None, params: &params, buffers: &buffers };
        assert_eq!(kernel.launch(&launch), Ok(Exit::Done));
        for ((param, region), ty) in params.iter().zip(&regions).zip(Type::ALL) {
            let one = &param.bits.to_le_bytes()[..ty.bytes()];
            assert_eq!(
                contents(&**region),
                [vec![0; ty.bytes()], one.to_vec(), one.to_vec()].concat(),
                "{ty}"
            );
        }
    }
}

fn failures(device: &dyn Executor) {
    let kernel = device.build(&texts::sometimes_failing()).unwrap();
    let to = device.storage().allocate(4 * 500).unwrap();
    let buffers = [LaunchBuffer::first(&*to, 500)];
    let run = |lanes: Range<u64>, k: u64| {
        kernel.launch(&Launch { lanes, block: None, params: &[Const::u64(k)], buffers: &buffers })
    };
    for _ in 0..3 {
        assert_eq!(run(1..500, 499), Ok(Exit::Failed(Site(3))));
        assert_eq!(run(1..499, 499), Ok(Exit::Done));
        assert_eq!(run(1..502, 1000), Ok(Exit::OutOfBounds(Buffer(0))));
        assert_eq!(run(1..2, 1), Ok(Exit::Failed(Site(3))));
        assert_eq!(run(499..500, 7), Ok(Exit::Done));
    }
}

/// No lanes, no elements, no parameters, no buffers.
fn nothing_to_do(device: &dyn Executor) {
    let kernel = device.build(&texts::sometimes_failing()).unwrap();
    let none = device.storage().allocate(0).unwrap();
    let buffers = [LaunchBuffer::first(&*none, 0)];
    let params = [Const::u64(1000)];
    let run = |lanes| kernel.launch(&Launch { lanes, block: None, params: &params, buffers: &buffers });
    assert_eq!(run(1..1), Ok(Exit::Done));
    #[expect(clippy::reversed_empty_ranges, reason = "a range without lanes")]
    let backwards = 9..3;
    assert_eq!(run(backwards), Ok(Exit::Done));
    assert_eq!(run(1..5), Ok(Exit::OutOfBounds(Buffer(0))));
    let bare = device.build(&texts::function("bare", &[], &[], "if (lane == 5) FAIL(1);")).unwrap();
    let run = |lanes| bare.launch(&Launch { lanes, block: Some(2), params: &[], buffers: &[] });
    assert_eq!((run(0..5), run(0..6)), (Ok(Exit::Done), Ok(Exit::Failed(Site(0)))));
}

fn wrong_texts(device: &dyn Executor) {
    let error = |function| match device.build(&function) {
        Err(error) => error,
        Ok(_) => panic!("`{}` was built", function.name),
    };
    match error(texts::function("broken", &[], &[], "this is no statement;")) {
        Error::Build(log) => assert!(log.contains("error"), "{log}"),
        other => panic!("{other}"),
    }
    let mut renamed = texts::scale_and_add();
    renamed.name = "another_name".to_owned();
    assert!(matches!(error(renamed), Error::Build(why) if why.contains("another_name")));
    let mut strange = texts::scale_and_add();
    strange.name = "no name\0at all".to_owned();
    assert!(matches!(error(strange), Error::Build(_)));
    let mut narrow = texts::scale_and_add();
    narrow.params[1].ty = Type::U32;
    assert!(matches!(error(narrow), Error::Build(why) if why.contains("scale_and_add")));
    let mut more = texts::scale_and_add();
    more.buffers.pop();
    assert!(matches!(error(more), Error::Build(why) if why.contains("scale_and_add")));
    let mut growing = texts::scale_and_add();
    growing.buffers[1].access = Access::Append;
    assert!(matches!(error(growing), Error::Refused(why) if why.contains("`to`")));
    let mut none = texts::scale_and_add();
    none.texts.clear();
    assert!(matches!(error(none), Error::Refused(_)));
}

fn many_kernels(device: &dyn Executor, kernels: u64) {
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for n in (0..kernels).filter(|n| n % 4 == thread) {
                    let name = format!("kernel_{n}");
                    let to = [("to", Type::U64, Access::Write)];
                    let function =
                        texts::function(&name, &[], &to, &format!("to[lane] = lane * {n}ul + {n}ul;"));
                    let kernel = device.build(&function).unwrap();
                    let to = device.storage().allocate(8 * 10).unwrap();
                    let buffers = [LaunchBuffer::first(&*to, 10)];
                    let launch = Launch { lanes: 0..10, block: None, params: &[], buffers: &buffers };
                    assert_eq!(kernel.launch(&launch), Ok(Exit::Done));
                    assert_eq!(as_words(&*to), (0..10).map(|i| i * n + n).collect::<Vec<_>>());
                }
            });
        }
    });
}

fn one_kernel_in_many_threads(device: &dyn Executor) {
    let kernel: Arc<dyn Executable> = device.build(&texts::scale_and_add()).unwrap();
    let all = words(device, &[0; 4000]);
    let ones = words(device, &[1; 4000]);
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (kernel, all, ones) = (&kernel, &*all, &*ones);
            scope.spawn(move || {
                for round in 0..25 {
                    let first = thread * 1000 + round * 40;
                    let params = [Const::u64(thread * 10_000), Const::u64(0)];
                    let buffers = [LaunchBuffer::first(ones, 4000), LaunchBuffer::first(all, 4000)];
                    let lanes = first..first + 40;
                    let launch = Launch { lanes, block: None, params: &params, buffers: &buffers };
                    assert_eq!(kernel.launch(&launch), Ok(Exit::Done));
                }
            });
        }
    });
    assert_eq!(as_words(&*all), (0..4000).map(|i| i / 1000 * 10_000 + i).collect::<Vec<_>>());
}
