//! Kernels that are long, deep, shared, or many: printing overflows no stack and does not explode, the text is one that
//! compilers take, and what is not supported is refused.

use crate::support::{Job, Run, compare, host, nvrtc, opencl, skip};
use volvelle_kernel::verify::{MAX_BLOCK_NESTING, MAX_NESTING};
use volvelle_kernel::{
    Access, BinaryOp, Block, CheckedOp, Const, ExprId, FailKind, Kernel, Local, Stmt, Type, UnaryOp,
};
use volvelle_source::{Dialect, Notes, Unsupported, source};

const LANES: u64 = 24;

/// A kernel that stores one `i64` per lane, computed from the number of the lane and the parameter `x`.
fn store(name: &str, build: impl FnOnce(&mut Kernel, ExprId, ExprId) -> ExprId) -> Kernel {
    let mut k = Kernel::new(name);
    let lane = k.param("lane", Type::U64);
    let x = k.param("x", Type::I64);
    let out = k.buffer("out", Type::I64, Access::Write);
    let index = k.get(lane);
    let signed = k.exprs.convert(Type::I64, index);
    let x = k.get(x);
    let value = build(&mut k, signed, x);
    k.body.push(Stmt::Store { buffer: out, index, value });
    k
}

/// Prints on a thread with a small stack.
fn print(kernel: &Kernel, dialect: Dialect) -> Result<String, Unsupported> {
    let kernel = kernel.clone();
    let work = move || source(&kernel, dialect, &Notes::default()).map(|source| source.text);
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap()
}

fn long_chain_to_the_left(length: usize) -> Kernel {
    store("long_chain_to_the_left", |k, lane, x| {
        let site = k.site(FailKind::Overflow, 0);
        (0..length).fold(x, |sum, _| k.exprs.checked(CheckedOp::Add, sum, lane, site))
    })
}

fn long_chain_that_cannot_fail(length: usize) -> Kernel {
    store("long_chain_that_cannot_fail", |k, lane, x| {
        (0..length).fold(x, |sum, i| {
            let op = [BinaryOp::Add, BinaryOp::Mul, BinaryOp::BitXor, BinaryOp::Max][i % 4];
            k.exprs.binary(op, sum, lane)
        })
    })
}

fn deep_nesting_to_the_right() -> Kernel {
    store("deep_nesting_to_the_right", |k, lane, x| {
        let deep = (1..MAX_NESTING).fold(x, |inner, _| k.exprs.binary(BinaryOp::Sub, lane, inner));
        assert_eq!(k.exprs.nesting(deep), MAX_NESTING - 1);
        deep
    })
}

/// `levels` nested lazy choices, whose operands fail.
fn lazy_choices(levels: i64) -> Kernel {
    store("lazy_choices", |k, lane, x| {
        let site = k.site(FailKind::Overflow, 0);
        let mut value = x;
        for i in 1..levels {
            let bound = k.exprs.i64(i);
            let cond = k.exprs.binary(BinaryOp::Lt, lane, bound);
            let other = k.exprs.checked(CheckedOp::Add, x, bound, site);
            value = k.exprs.select(cond, other, value);
        }
        value
    })
}

/// The same with operands that cannot fail, which are as deep as they may be.
fn choices() -> Kernel {
    store("choices", |k, lane, x| {
        (1..i64::from(MAX_NESTING) / 2).fold(x, |value, i| {
            let bound = k.exprs.i64(i);
            let cond = k.exprs.binary(BinaryOp::Lt, lane, bound);
            let other = k.exprs.binary(BinaryOp::Mul, x, bound);
            k.exprs.select(cond, other, value)
        })
    })
}

/// 2^60 paths, 60 nodes.
fn sharing() -> Kernel {
    store("sharing", |k, lane, x| {
        let site = k.site(FailKind::Overflow, 0);
        let start = k.exprs.binary(BinaryOp::BitAnd, lane, x);
        let checked = (0..30).fold(start, |sum, _| k.exprs.checked(CheckedOp::Add, sum, sum, site));
        (0..30).fold(checked, |sum, i| {
            let one = k.exprs.i64(i);
            let other = k.exprs.binary(BinaryOp::Sub, sum, one);
            k.exprs.binary(BinaryOp::BitXor, sum, other)
        })
    })
}

/// An expression that lazy operands share and that may fail: it is computed again in each.
fn sharing_across_lazy_operands(levels: i64) -> Kernel {
    store("sharing_across_lazy_operands", |k, lane, x| {
        let site = k.site(FailKind::Overflow, 0);
        (0..levels).fold(x, |inner, i| {
            let (bound, one) = (k.exprs.i64(i), k.exprs.i64(1));
            let cond = k.exprs.binary(BinaryOp::Lt, lane, bound);
            let yes = k.exprs.checked(CheckedOp::Add, inner, one, site);
            let no = k.exprs.checked(CheckedOp::Sub, inner, one, site);
            k.exprs.select(cond, yes, no)
        })
    })
}

fn deep_blocks(levels: usize) -> Kernel {
    let mut kernel = store("deep_blocks", |_, _, x| x);
    let (lane, x) = (kernel.get(Local(0)), kernel.get(Local(1)));
    let mut block: Block = std::mem::take(&mut kernel.body);
    for level in 1..levels {
        block = if level % 7 == 0 {
            let counter = kernel.local(format!("i{level}"), Type::U8);
            let [from, to] = [0, 1].map(|bound| kernel.exprs.constant(Const::int(Type::U8, bound)));
            vec![Stmt::For { local: counter, from, to, body: block }]
        } else if level % 2 == 0 {
            let bound = kernel.exprs.i64(level as i64);
            let cond = kernel.exprs.binary(BinaryOp::Lt, x, bound);
            vec![Stmt::If { cond, then: block, otherwise: vec![Stmt::Return] }]
        } else {
            let bound = kernel.exprs.u64(level as u64 / 4);
            let cond = kernel.exprs.binary(BinaryOp::Ne, lane, bound);
            vec![Stmt::If { cond, then: block, otherwise: vec![Stmt::Return] }]
        };
    }
    kernel.body = block;
    kernel
}

/// A chain of choices, as deep as blocks may nest: `else if` nests nothing.
fn else_ifs() -> Kernel {
    let mut kernel = store("else_ifs", |_, _, x| x);
    let x = kernel.get(Local(1));
    let mut block = Vec::new();
    for level in (1..MAX_BLOCK_NESTING as i64 - 1).rev() {
        let (bound, value) = (kernel.exprs.i64(level), kernel.exprs.i64(-level));
        let cond = kernel.exprs.binary(BinaryOp::Eq, x, bound);
        block = vec![Stmt::If { cond, then: vec![Stmt::Set { local: Local(1), value }], otherwise: block }];
    }
    kernel.body.splice(0..0, block);
    kernel
}

fn many_cases() -> Kernel {
    let mut kernel = store("many_cases", |_, _, x| x);
    let (lane, x) = (kernel.get(Local(0)), kernel.get(Local(1)));
    let lane = kernel.exprs.convert(Type::I64, lane);
    let on = kernel.exprs.binary(BinaryOp::Add, lane, x);
    let mut cases = Vec::new();
    for key in 0..1000i64 {
        let value = kernel.exprs.i64(key * 3);
        // Dense, sparse, negative, extreme.
        let at = match key % 4 {
            0 => key,
            1 => key << 40,
            2 => -key,
            _ => i64::MIN + key - 3,
        };
        cases.push((at, vec![Stmt::Set { local: Local(1), value }]));
    }
    kernel.body.insert(0, Stmt::Switch { on, cases, default: Vec::new() });
    kernel
}

/// A machine that jumps around in loops, switches and machines.
fn jumps() -> Kernel {
    let text = "kernel jumps(lane: u64, x: i64) {
        buffer out: write i64;
        local i: i8; local j: u32; local k: u64; local n: i64;
        machine i in -3i8..100i8 at lane as u32 & 3u32 {
            block 0 {
                for k in 0u64..5u64 {
                    switch k + lane { case 3 { break; } case 4 { n = n + 1i64; } default { n = n + x; } }
                    if n > 1000i64 { break; }
                }
                goto 1;
            }
            block 1 {
                n = n * 3i64 + i as i64;
                switch n & 3i64 {
                    case 0 { goto 0; }
                    case 1 { if i > 50i8 { break; } goto 2; }
                    case 2 { machine j in 0u32..7u32 at 0u32 {
                        block 0 { n = n ^ 5i64; switch n & 1i64 { case 0 { goto 0; } default { break; } } }
                    } }
                    default { goto 3; }
                }
                n = n + 100i64;
            }
            block 2 { n = n + k as i64; goto 3; }
        }
        out[lane] = n * 1000i64 + i as i64;
    }";
    volvelle_kernel::text::parse(&text.replace("goto 3", "goto 2")).unwrap().remove(0)
}

/// Kernels that have a text, with values of the parameter.
fn accepted() -> Vec<(Kernel, Vec<i64>)> {
    vec![
        (long_chain_to_the_left(300), vec![3, i64::MAX - 5]),
        (long_chain_that_cannot_fail(1000), vec![3, i64::MIN]),
        (deep_nesting_to_the_right(), vec![5]),
        (lazy_choices(120), vec![17, i64::MAX - 7]),
        (choices(), vec![17]),
        (sharing(), vec![1]),
        (sharing_across_lazy_operands(6), vec![3, i64::MIN]),
        (deep_blocks(130), vec![0, -5, 400]),
        (else_ifs(), vec![0, 1, 77, 498]),
        (many_cases(), vec![400, 401 << 40, -402, i64::MIN, 401, -1000]),
        (jumps(), vec![0, 1, -7]),
    ]
}

fn jobs(dialect: Dialect) -> Vec<Job> {
    let run = |&x: &i64| {
        let out = vec![Const::i64(0); LANES as usize];
        Run { params: vec![Const::u64(0), Const::i64(x)], lanes: LANES, buffers: vec![out] }
    };
    let job = |(kernel, xs): (Kernel, Vec<i64>)| {
        print(&kernel, dialect).unwrap_or_else(|why| panic!("{}: {why}", kernel.name));
        Job::new(kernel, dialect, xs.iter().map(run).collect())
    };
    accepted().into_iter().map(job).collect()
}

#[test]
fn opencl_text_on_a_device() {
    let jobs = jobs(Dialect::OpenCl);
    compare(&jobs, opencl::run("extremes", &jobs, &Dialect::OpenCl.options().join(" ")));
}

#[test]
fn cuda_text_on_the_host() {
    let jobs = jobs(Dialect::Cuda);
    compare(&jobs, host::run("extremes", &jobs));
}

#[test]
fn cuda_text_is_accepted_by_its_compiler() {
    let texts: Vec<String> = jobs(Dialect::Cuda).into_iter().map(|job| job.source.text).collect();
    match nvrtc::run("extremes", &texts) {
        Err(why) => skip(&why),
        Ok(compiled) => {
            for (compiled, text) in compiled.iter().zip(&texts) {
                assert!(compiled.ptx.is_some(), "{}\n{}", compiled.log, &text[..text.len().min(3000)]);
            }
        }
    }
}

#[test]
fn texts_are_as_long_as_kernels() {
    // Compilers take very long for the first two.
    let more = [long_chain_to_the_left(5_000), long_chain_that_cannot_fail(20_000)];
    for kernel in accepted().into_iter().map(|(kernel, _)| kernel).chain(more) {
        let size = kernel.exprs.len() + kernel.to_string().len();
        for dialect in Dialect::ALL {
            let text = print(&kernel, dialect).unwrap();
            // Indentation of deep blocks is most of some texts.
            assert!(text.len() < 40 * size + 20_000, "{}: {} bytes", kernel.name, text.len());
            assert!(text.lines().all(|line| line.len() < 1000), "{}", kernel.name);
        }
    }
}

#[test]
fn what_explodes_or_is_too_deep_is_refused() {
    for dialect in Dialect::ALL {
        assert_eq!(print(&sharing_across_lazy_operands(64), dialect), Err(Unsupported::TooLarge));
        assert_eq!(print(&deep_blocks(MAX_BLOCK_NESTING), dialect), Err(Unsupported::TooDeep));
        assert_eq!(print(&lazy_choices(i64::from(MAX_NESTING) / 2), dialect), Err(Unsupported::TooDeep));
        let large = store("large", |k, lane, x| {
            (0..300_000).fold(x, |sum, i| {
                let term = k.exprs.i64(i);
                let product = k.exprs.binary(BinaryOp::Mul, lane, term);
                k.exprs.binary(BinaryOp::Add, sum, product)
            })
        });
        assert_eq!(print(&large, dialect), Err(Unsupported::TooLarge));
    }
}

#[test]
fn what_is_not_supported_is_refused() {
    let refused = |kernel: &Kernel| {
        let reasons = Dialect::ALL.map(|dialect| print(kernel, dialect).unwrap_err().to_string());
        assert_eq!(reasons[0], reasons[1]);
        reasons[0].clone()
    };
    let mut invalid = store("invalid", |_, _, x| x);
    invalid.body.push(Stmt::Break);
    assert!(refused(&invalid).starts_with("the kernel is not valid: statement 2"));
    let mut growing = store("growing", |_, _, x| x);
    growing.buffer("more", Type::I64, Access::Append);
    assert!(refused(&growing).contains("`more` grows"));
    let mut other = Kernel::new("k");
    assert!(refused(&other).contains("first parameter"));
    other.param("lane", Type::I64);
    assert!(refused(&other).contains("first parameter"));
}

/// Notes are words of others: whatever they hold, they stay comments.
#[test]
fn notes_stay_comments() {
    let mut kernel = store("k", |k, lane, x| {
        let site = k.site(FailKind::Overflow, 0);
        k.exprs.checked(CheckedOp::Mul, lane, x, site)
    });
    let local = kernel.local("busy", Type::F64);
    let value = kernel.get(local);
    let value = kernel.exprs.unary(UnaryOp::Neg, value);
    kernel.body.push(Stmt::Set { local, value });
    let nasty = "a \\\nb */ } \u{2028} ??/ \\";
    let notes = Notes {
        header: vec![nasty.into(), "The model.".into()],
        locals: vec![(local, nasty.into())],
        sites: vec![(volvelle_kernel::Site(0), nasty.into())],
    };
    let plain = source(&kernel, Dialect::Cuda, &Notes::default()).unwrap().text;
    let noted = source(&kernel, Dialect::Cuda, &notes).unwrap().text;
    assert!(noted.contains("// The model.\n"));
    assert!(noted.contains("FAILED(0);  // a ??b */ } ? ??/ ?\n"), "{noted}");
    let without: Vec<&str> = noted.lines().map(|line| line.split("//").next().unwrap().trim_end()).collect();
    let without: Vec<&str> = without.into_iter().skip_while(|line| line.is_empty()).collect();
    assert_eq!(without, plain.lines().collect::<Vec<_>>());
}

#[test]
fn what_a_device_must_have_is_told() {
    let needs = |text: &str| {
        let kernel = volvelle_kernel::text::parse(text).unwrap().remove(0);
        Dialect::ALL.map(|dialect| {
            let source = source(&kernel, dialect, &Notes::default()).unwrap();
            assert_eq!(source.text.contains("cl_khr_fp64"), source.needs_f64 && dialect == Dialect::OpenCl);
            (source.needs_f64, source.needs_f32)
        })
    };
    assert_eq!(needs("kernel k(lane: u64) { local t: f64; local i: u8; i = 3u8; }"), [(false, false); 2]);
    assert_eq!(needs("kernel k(lane: u64, x: f32) { }"), [(false, true); 2]);
    assert_eq!(needs("kernel k(lane: u64) { buffer x: read f64; }"), [(true, false); 2]);
    let both = "kernel k(lane: u64) { buffer y: write f32; y[lane] = (lane as f64 * 0.1f64) as f32; }";
    assert_eq!(needs(both), [(true, true); 2]);
}

#[test]
fn exits_come_back_from_their_codes() {
    use volvelle_kernel::{Buffer, Exit, Site};
    use volvelle_source::{code_of_exit, exit_of_code};
    assert_eq!(
        [0, 1, 2, 3, 4].map(exit_of_code),
        [
            Exit::Done,
            Exit::Failed(Site(0)),
            Exit::OutOfBounds(Buffer(0)),
            Exit::Failed(Site(1)),
            Exit::OutOfBounds(Buffer(1)),
        ]
    );
    for code in (0..100).chain([u32::MAX - 1, u32::MAX]) {
        assert_eq!(code_of_exit(exit_of_code(code)), Some(code));
    }
    assert_eq!(code_of_exit(Exit::Full(Buffer(0))), None);
    assert_eq!(code_of_exit(Exit::Failed(Site(u32::MAX))), None);
}
