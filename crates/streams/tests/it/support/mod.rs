//! What the tests share: kernels that draw many times, and back ends to run them on.

pub mod battery;

use volvelle_kernel::harness::{self, Contents};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Access, Block, Compiler, Const, Exit, ExprId, Kernel, Local, Stmt, Type};
use volvelle_native::{Native, OptLevel, Options};
use volvelle_streams::{Generator, Stream};

/// The interpreter, and native code as it comes, optimised, and for any processor.
pub fn back_ends() -> Vec<Box<dyn Compiler>> {
    let default = Options { verify_ir: true, ..Options::default() };
    let speed = Options { opt_level: OptLevel::Speed, max_register_uses: u32::MAX, ..default };
    let anywhere = Options { host_features: false, opt_level: OptLevel::Speed, ..default };
    let mut all: Vec<Box<dyn Compiler>> = vec![Box::new(Interpreter)];
    for options in [default, speed, anywhere] {
        all.push(Box::new(Native::new(options).expect("a supported host")));
    }
    all
}

/// Statements of one draw, for a local that takes the result.
pub type Draw<'d> = &'d dyn Fn(&Stream, &mut Kernel, Local) -> Block;

/// A kernel that seeds a stream, and then draws and emits `count` (its third parameter) values.
pub fn drawing(generator: Generator, ty: Type, draw: Draw<'_>) -> Kernel {
    let mut k = Kernel::new("draws");
    let params = ["seed", "path", "count"].map(|name| k.param(name, Type::U64));
    let out = k.buffer("out", ty, Access::Append);
    let value = k.local("value", ty);
    let counter = k.local("i", Type::U64);
    let stream = Stream::declare(&mut k, generator);
    let [seed, path, to]: [ExprId; 3] = params.map(|param| k.get(param));
    let mut body = stream.seed(&mut k, seed, path);
    let mut inside = draw(&stream, &mut k, value);
    let drawn = k.get(value);
    inside.push(Stmt::Emit { buffer: out, value: drawn });
    let from = k.exprs.u64(0);
    body.push(Stmt::For { local: counter, from, to, body: inside });
    k.body = body;
    k
}

/// The values that a kernel of [`drawing`] emits.
pub fn run(back_end: &dyn Compiler, kernel: &Kernel, seed: u64, path: u64, count: usize) -> Vec<Const> {
    let code = back_end.compile(kernel).unwrap_or_else(|e| panic!("{}: {e}", back_end.name()));
    let params = [seed, path, count as u64].map(Const::u64);
    let mut outcome = harness::run(&*code, &kernel.buffers, &params, &[Contents::Room(count)]);
    assert_eq!(outcome.exit, Exit::Done);
    outcome.buffers.remove(0)
}

/// Random numbers for choosing cases.
pub struct Cases(pub u64);

impl Cases {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}
