//! Compiled segments, ready to run.

use super::{Ended, Importance, Lost, Rare, plain};
use crate::error::Refusal;
use crate::path::segment;
use std::ops::Range;
use volvelle_kernel::{BufferMut, Code, Compiler, Const, Exit, Type};

/// States from which segments begin: fields, time and steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Population {
    /// Fields and steps of each.
    rows: Vec<i64>,
    times: Vec<f64>,
}

/// How segments ended, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ends {
    /// The greatest importance on each; that of the target where the property was satisfied.
    pub bests: Vec<i32>,
    /// Steps of each, twice, plus one if it was given up.
    pub status: Vec<u64>,
    states: Population,
    values: Vec<f64>,
}

impl Population {
    /// The initial state only.
    pub fn initial(rare: &Rare) -> Self {
        let mut rows = rare.plan.initial.clone();
        rows.push(0);
        Population { rows, times: vec![0.0] }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Fields, steps and time of a state.
    pub fn get(&self, index: usize) -> (&[i64], u32, f64) {
        let width = self.rows.len() / self.times.len();
        let row = &self.rows[index * width..(index + 1) * width];
        (&row[..width - 1], row[width - 1] as u32, self.times[index])
    }

    /// Adds the end of a segment.
    pub fn push(&mut self, ends: &Ends, index: usize) {
        let width = ends.states.rows.len() / ends.states.times.len();
        self.rows.extend_from_slice(&ends.states.rows[index * width..(index + 1) * width]);
        self.times.push(ends.states.times[index]);
    }

    /// Drops all states.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.times.clear();
    }
}

impl Ends {
    /// Fields, steps and time at the end of a segment.
    pub fn get(&self, index: usize) -> (&[i64], u32, f64) {
        self.states.get(index)
    }
}

/// What all segments of a run have in common.
pub struct Segments<'r> {
    pub(super) rare: &'r Rare,
    code: Box<dyn Code>,
    max_steps: u32,
}

impl<'r> Segments<'r> {
    /// Makes code. `max_steps`: steps since the initial state at which a path is given up.
    ///
    /// # Errors
    /// No code could be made.
    pub fn new(rare: &'r Rare, compiler: &dyn Compiler, max_steps: u32) -> Result<Self, Refusal> {
        let kernel = segment::segment(&rare.plan, &rare.importance);
        let code = compiler.compile_well(&kernel).map_err(|e| Refusal::Compile(e.0))?;
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
    ) -> Result<(), Ended> {
        if self.attempt(seed, paths.clone(), level, from, out) == Exit::Done
            && out.status.iter().all(|status| status & 1 == 0)
        {
            return Ok(());
        }
        for path in paths {
            let exit = self.attempt(seed, path..path + 1, level, from, out);
            if exit != Exit::Done || out.status.iter().any(|status| status & 1 != 0) {
                let end = plain::segment(self.rare, from, level, seed, path, self.max_steps);
                return Err(Ended::Lost(Lost { site: end.failed, state: end.state, steps: end.steps }));
            }
        }
        unreachable!("a segment that fails among others fails alone")
    }

    fn attempt(&self, seed: u64, paths: Range<u64>, level: i32, from: &Population, out: &mut Ends) -> Exit {
        let count = (paths.end - paths.start) as usize;
        let width = self.rare.plan.initial.len() + 1;
        // What was there is overwritten.
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
