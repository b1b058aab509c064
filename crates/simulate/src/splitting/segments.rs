//! Compiled segments, ready to run.

use super::population::{Ends, Population};
use super::reference;
use super::task::{Lost, NoEstimate, SplittingTask};
use crate::error::Unsupported;
use crate::importance::Importance;
use crate::path::segment;
use std::ops::Range;
use volvelle_kernel::{BufferMut, Code, Compiler, Const, Exit, Type};

/// The code and settings that all segments of a run share.
pub struct Segments<'r> {
    pub(super) rare: &'r SplittingTask,
    code: Box<dyn Code>,
    max_steps: u32,
}

impl<'r> Segments<'r> {
    /// Compiles the code. `max_steps`: number of steps since the initial state at which a path is given up.
    ///
    /// # Errors
    /// Compilation failed.
    pub fn new(
        rare: &'r SplittingTask,
        compiler: &dyn Compiler,
        max_steps: u32,
    ) -> Result<Self, Unsupported> {
        let kernel = segment::segment(&rare.plan, &rare.importance);
        let code = compiler.compile_well(&kernel).map_err(|e| Unsupported::Compile(e.0))?;
        Ok(Segments { rare, code, max_steps })
    }

    /// Runs segments with these numbers, from states of a population that is not empty, up to a level.
    ///
    /// # Errors
    /// The first one, by number, that fails or takes too many steps.
    pub fn run(
        &self,
        seed: u64,
        paths: Range<u64>,
        level: i32,
        from: &Population,
        out: &mut Ends,
    ) -> Result<(), NoEstimate> {
        if self.attempt(seed, paths.clone(), level, from, out) == Exit::Done
            && out.status.iter().all(|status| status & 1 == 0)
        {
            return Ok(());
        }
        for path in paths {
            let exit = self.attempt(seed, path..path + 1, level, from, out);
            if exit != Exit::Done || out.status.iter().any(|status| status & 1 != 0) {
                let end = reference::segment(self.rare, from, level, seed, path, self.max_steps);
                return Err(NoEstimate::Lost(Lost { site: end.failed, state: end.state, steps: end.steps }));
            }
        }
        unreachable!("a segment that fails among others fails alone")
    }

    fn attempt(&self, seed: u64, paths: Range<u64>, level: i32, from: &Population, out: &mut Ends) -> Exit {
        let count = (paths.end - paths.start) as usize;
        let width = self.rare.plan.initial.len() + 1;
        // Old contents are overwritten.
        out.values.resize(count, 0.0);
        out.status.resize(count, 0);
        out.bests.resize(count, 0);
        out.states.rows.resize(count * width, 0);
        out.states.times.resize(count, 0.0);
        let params = [
            Const::u64(0),
            Const::u64(1),
            Const::u64(seed),
            Const::u64(paths.start),
            Const::u64(paths.end),
            Const::int(Type::U32, self.max_steps.into()),
            Const::int(Type::I32, level.into()),
            Const::u64(from.len() as u64),
        ];
        let table: &[u16] = match &self.rare.importance {
            Importance::Table(table) => &table.entries,
            Importance::Expression(_) => &[],
        };
        self.code.run(
            &params,
            &mut [
                BufferMut::F64(&mut out.values),
                BufferMut::U64(&mut out.status),
                BufferMut::ReadI64(&from.rows),
                BufferMut::ReadF64(&from.times),
                BufferMut::ReadU16(table),
                BufferMut::I64(&mut out.states.rows),
                BufferMut::F64(&mut out.states.times),
                BufferMut::I32(&mut out.bests),
            ],
        )
    }
}
