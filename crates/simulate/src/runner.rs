//! Runners of compiled paths: a range of path numbers in, their values out, on any kind of code.

use crate::automaton::MonitorAutomaton;
use crate::error::{Failure, Unsupported};
use crate::measure::UNDECIDED;
use crate::monitor::Monitors;
use crate::path::{self, Plan, Shape};
use crate::table::Rows;
use std::ops::Range;
use volvelle_kernel::{BufferMut, Code, Compiler, Const, Exit};
use volvelle_model::Kind;

/// A path kernel, ready to run.
pub struct Runner {
    code: Box<dyn Code>,
    lanes: u64,
    given: Tables,
    monitors: Monitors,
    /// Number of values of a final state, if the kernel reports it.
    ends: Option<usize>,
}

/// The tables that path kernels read.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    automata: Vec<MonitorAutomaton>,
    /// The table of the scheduler, if there is one.
    table: Option<Vec<u64>>,
    curves: Vec<Horizons>,
    rows: Option<Rows>,
}

impl Tables {
    pub fn of(plan: &Plan) -> Self {
        let curves = plan.monitors.all().iter().filter(|monitor| monitor.tells_values());
        Tables {
            automata: plan.automata.clone(),
            table: plan.scheduler.as_ref().map(|scheduler| scheduler.table.clone()),
            curves: curves.map(|curve| Horizons::of(plan.program.kind(), &curve.horizons)).collect(),
            rows: plan.rows.clone(),
        }
    }

    /// As buffers, in the order of the kernel.
    pub fn buffers(&self) -> Vec<BufferMut<'_>> {
        let mut buffers = Vec::new();
        for automaton in &self.automata {
            buffers.push(BufferMut::ReadU32(&automaton.steps));
            buffers.push(BufferMut::ReadU32(&automaton.for_ever));
        }
        buffers.extend(self.table.as_deref().map(BufferMut::ReadU64));
        buffers.extend(self.curves.iter().map(|horizons| match horizons {
            Horizons::Times(times) => BufferMut::ReadF64(times),
            Horizons::Steps(steps) => BufferMut::ReadU32(steps),
        }));
        buffers.extend(self.rows.iter().flat_map(Rows::buffers));
        buffers
    }
}

/// The horizons of a curve, followed by one that no path passes, not even in a state that is never left.
#[derive(Clone, Debug)]
enum Horizons {
    Times(Vec<f64>),
    Steps(Vec<u32>),
}

/// Values and status of paths, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paths {
    /// The row of each path: one number per column of the plan's monitors, which interpret them.
    pub values: Vec<f64>,
    /// For each path twice its steps, plus one if it was given up.
    pub status: Vec<u64>,
    /// For each path, the final values of all fields, then the states of all automata, if the runner reports
    /// them.
    pub ends: Vec<i64>,
}

impl Paths {
    /// Steps of all paths.
    pub fn steps(&self) -> u64 {
        self.status.iter().map(|status| status >> 1).sum()
    }

    /// The first path that was given up, from the first on.
    pub fn given_up(&self) -> Option<usize> {
        self.status.iter().position(|status| status & 1 != 0)
    }

    /// Whether a path was given up.
    pub fn is_given_up(&self, path: usize) -> bool {
        self.status[path] & 1 != 0
    }

    /// The row of a path.
    pub fn row(&self, path: usize) -> &[f64] {
        let columns = self.values.len() / self.status.len();
        &self.values[path * columns..][..columns]
    }

    /// The row of a path, to be changed.
    pub fn row_mut(&mut self, path: usize) -> &mut [f64] {
        let columns = self.values.len() / self.status.len();
        &mut self.values[path * columns..][..columns]
    }

    /// Adds the paths that follow.
    pub fn append(&mut self, more: &Paths) {
        self.values.extend_from_slice(&more.values);
        self.status.extend_from_slice(&more.status);
        self.ends.extend_from_slice(&more.ends);
    }

    /// Takes values and status of another's path.
    pub fn take(&mut self, path: usize, from: &Paths, theirs: usize) {
        self.row_mut(path).copy_from_slice(from.row(theirs));
        self.status[path] = from.status[theirs];
    }
}

impl Horizons {
    fn of(kind: Kind, horizons: &[f64]) -> Self {
        if kind == Kind::Ctmc {
            Horizons::Times(horizons.iter().copied().chain([f64::NAN]).collect())
        } else {
            Horizons::Steps(horizons.iter().map(|&steps| steps as u32).chain([u32::MAX]).collect())
        }
    }
}

impl Runner {
    /// One path at a time.
    pub fn scalar(plan: &Plan, compiler: &dyn Compiler) -> Result<Self, Unsupported> {
        let code =
            compiler.compile_well(&path::path(plan, Shape::Nested)).map_err(|e| Unsupported::Compile(e.0))?;
        Ok(Self::lanes(plan, code, 1))
    }

    /// Runs one path at a time, and reports its final state.
    pub fn final_state(plan: &Plan, compiler: &dyn Compiler) -> Result<Self, Unsupported> {
        let code = compiler.compile_well(&path::final_state(plan)).map_err(|e| Unsupported::Compile(e.0))?;
        Ok(Runner { ends: Some(plan.numbers_of_state() + plan.automata.len()), ..Self::lanes(plan, code, 1) })
    }

    /// Code made of the flat kernel that runs this many lanes at once.
    pub fn lanes(plan: &Plan, code: Box<dyn Code>, lanes: usize) -> Self {
        let monitors = plan.monitors.clone();
        Runner { code, lanes: lanes as u64, given: Tables::of(plan), monitors, ends: None }
    }

    /// The monitors, which say how to read the rows of paths.
    pub fn monitors(&self) -> &Monitors {
        &self.monitors
    }

    /// Runs paths; on failure says which one failed first.
    pub fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Result<(), Failure> {
        match self.attempt(seed, paths.clone(), max_steps, out) {
            Exit::Done => Ok(()),
            Exit::Failed(_) => {
                // The first failing path is found by running paths one by one, since lanes have no order.
                for path in paths {
                    if let Exit::Failed(site) = self.attempt(seed, path..path + 1, max_steps, out) {
                        return Err(Failure { path, site });
                    }
                }
                unreachable!("a path that failed among others fails alone")
            }
            other => unreachable!("the path kernel keeps within its buffers: {other:?}"),
        }
    }

    fn attempt(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Exit {
        let count = (paths.end - paths.start) as usize;
        out.values.clear();
        // A column that the kernel does not write is undecided.
        out.values.resize(count * self.monitors.columns(), UNDECIDED);
        out.status.clear();
        out.status.resize(count, 0);
        out.ends.clear();
        out.ends.resize(count * self.ends.unwrap_or(0), 0);
        let params = [
            Const::u64(0),
            Const::u64(self.lanes),
            Const::u64(seed),
            Const::u64(paths.start),
            Const::u64(paths.end),
            Const::int(volvelle_kernel::Type::U32, i64::from(max_steps)),
        ];
        let mut buffers = vec![BufferMut::F64(&mut out.values), BufferMut::U64(&mut out.status)];
        buffers.extend(self.given.buffers());
        if self.ends.is_some() {
            buffers.push(BufferMut::I64(&mut out.ends));
        }
        self.code.run(&params, &mut buffers)
    }
}
