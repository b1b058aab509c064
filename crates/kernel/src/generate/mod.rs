//! Random kernels with inputs, valid by construction: for differential tests of back ends and for fuzzing.
//!
//! All node kinds, statements, types and accesses occur; constants lean towards the edges of their type.
//! Every kernel ends after few steps (loops run at most a handful of times), exits in all possible ways,
//! and on its normal way out emits every local, so that a wrong value shows. The same seed (or bytes)
//! gives the same case.

mod case;
mod consts;
mod exprs;
mod lanes;
mod source;
mod stmts;

pub use case::Case;
use case::{Builder, Lanes};

use crate::code::Code;
use crate::harness::{Contents, Outcome, run};
use crate::kernel::{Access, FailKind, Kernel, Stmt};
use crate::types::{Const, Type};
pub use lanes::LaneByLane;
use source::Source;

impl Case {
    /// The case of a seed.
    pub fn from_seed(seed: u64) -> Self {
        generate(&mut Source::seeded(seed), None)
    }

    /// The case that a fuzzer's bytes choose. Any bytes will do; where they end, zeros follow.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        generate(&mut Source::bytes(bytes), None)
    }

    /// The case of a seed for back ends that run a kernel on many lanes: the first parameter is the number of the lane,
    /// a `u64`, from that of [`Case::params`] on for `lanes` lanes. No buffer grows, and no lane touches what another
    /// one stores; on the normal way out each lane stores every local.
    pub fn for_lanes(seed: u64, lanes: usize) -> Self {
        generate(&mut Source::seeded(seed), Some(lanes))
    }

    /// As [`Case::for_lanes`], chosen by the bytes of a fuzzer.
    pub fn for_lanes_from_bytes(bytes: &[u8], lanes: usize) -> Self {
        generate(&mut Source::bytes(bytes), Some(lanes))
    }

    /// Runs code compiled from the kernel on the inputs.
    pub fn run(&self, code: &dyn Code) -> Outcome {
        run(code, &self.kernel.buffers, &self.params, &self.buffers)
    }
}

fn generate(source: &mut Source<'_>, lanes: Option<usize>) -> Case {
    let statements_left = 1 + source.below(24) as usize;
    let kernel = Kernel::new("generated");
    let mut b = Builder {
        source,
        kernel,
        made: Vec::new(),
        counters: Vec::new(),
        blocks: 0,
        statements_left,
        lanes: None,
    };
    let mut params = Vec::new();
    if let Some(lanes) = lanes {
        params.push(b.declare_lane(lanes));
    }
    params.extend(b.declare_locals());
    let mut buffers = b.declare_buffers();
    let start = if lanes.is_some() { b.set_locals(&mut buffers) } else { Vec::new() };
    let body = b.body();
    b.kernel.body = start;
    b.kernel.body.extend(body);
    if b.lanes.is_some() {
        b.store_locals(&mut buffers);
    } else {
        b.emit_locals();
    }
    let mut case = Case { kernel: b.kernel, params, buffers };
    case.buffers.resize(case.kernel.buffers.len(), Contents::Room(64));
    case
}

impl Builder<'_, '_> {
    fn declare_locals(&mut self) -> Vec<Const> {
        let mut params = Vec::new();
        for i in 0..self.source.below(6) {
            let ty = self.source.ty();
            self.kernel.param(format!("p{i}"), ty);
            params.push(self.source.constant(ty));
        }
        for i in 0..1 + self.source.below(8) {
            let ty = self.source.ty();
            self.kernel.local(format!("x{i}"), ty);
        }
        for (kind, tag) in [
            (FailKind::Division, 0),
            (FailKind::Overflow, 7),
            (FailKind::Range, u32::MAX),
            (FailKind::Conversion, 1),
            (FailKind::Assertion, 2),
        ] {
            self.kernel.site(kind, tag);
        }
        params
    }

    fn declare_buffers(&mut self) -> Vec<Contents> {
        let mut contents = Vec::new();
        for i in 0..self.source.below(6) {
            let ty = self.source.ty();
            let access = match self.source.below(3) {
                0 => Access::Read,
                1 => Access::Write,
                _ if self.lanes.is_some() => Access::Write,
                _ => Access::Append,
            };
            self.kernel.buffer(format!("b{i}"), ty, access);
            if let (Some(lanes), Access::Write) = (self.lanes, access) {
                contents.push(self.many(ty, lanes.elements()));
                continue;
            }
            let size = self.source.below(12);
            contents.push(if access == Access::Append {
                Contents::Room(2 * size as usize)
            } else {
                Contents::Elements((0..size).map(|_| self.source.constant(ty)).collect())
            });
        }
        contents
    }

    /// Ends the body by showing every local.
    fn emit_locals(&mut self) {
        for ty in Type::ALL {
            let locals: Vec<usize> =
                (0..self.kernel.locals.len()).filter(|&i| self.kernel.locals[i].ty == ty).collect();
            if locals.is_empty() {
                continue;
            }
            let buffer = self.kernel.buffer(format!("final_{ty}"), ty, Access::Append);
            for i in locals {
                let value = self.kernel.get(crate::entities::Local(i as u32));
                self.kernel.body.push(Stmt::Emit { buffer, value });
            }
        }
    }
}
