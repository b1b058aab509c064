//! The locals and buffers of path segments.

use crate::importance::Importance;
use volvelle_kernel::{Access, Buffer, Kernel, Local, Type};

/// Locals and buffers of segments.
pub(super) struct Segment<'a> {
    pub importance: &'a Importance,
    pub level: Local,
    pub count: Local,
    pub start: Local,
    pub begun: Local,
    pub here: Local,
    pub best: Local,
    pub starts: Buffer,
    pub start_times: Buffer,
    pub table: Buffer,
    pub ends: Buffer,
    pub end_times: Buffer,
    pub bests: Buffer,
}

impl<'a> Segment<'a> {
    /// Declares the parameters.
    pub fn params(kernel: &mut Kernel) -> [Local; 2] {
        [kernel.param("level", Type::I32), kernel.param("count", Type::U64)]
    }

    /// Declares the rest.
    pub fn declare(kernel: &mut Kernel, [level, count]: [Local; 2], importance: &'a Importance) -> Self {
        Segment {
            importance,
            level,
            count,
            start: kernel.local("start", Type::U64),
            begun: kernel.local("begun", Type::U32),
            here: kernel.local("here", Type::I32),
            best: kernel.local("best", Type::I32),
            starts: kernel.buffer("starts", Type::I64, Access::Read),
            start_times: kernel.buffer("start_times", Type::F64, Access::Read),
            table: kernel.buffer("table", Type::U16, Access::Read),
            ends: kernel.buffer("ends", Type::I64, Access::Write),
            end_times: kernel.buffer("end_times", Type::F64, Access::Write),
            bests: kernel.buffer("bests", Type::I32, Access::Write),
        }
    }

    /// A copy; its parts are numbers.
    pub fn parts(&self) -> Segment<'a> {
        Segment { ..*self }
    }
}
