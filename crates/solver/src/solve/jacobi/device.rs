//! Jacobi's iteration on a device: a launch for each sweep, with a lane for each unknown.

use std::ops::Range;
use std::sync::Arc;

use volvelle_kernel::{Const, Type};
use volvelle_logic::Optimum;
use volvelle_runtime::{Error, Executable, Executor, Storage};
use volvelle_space::View;

use super::rule::Rule;
use crate::scheduling::DeviceSteps;
use crate::solve::block::Block;
use crate::sweeps::Sweeps;
use crate::sweeps::reduction::Reduction;
use crate::sweeps::regions::{DeviceArray, Launches, Parts};

/// Equations and values on a device.
pub struct OnDevice {
    rule: Rule,
    equations: Equations,
    /// The newest, and those of the sweep before.
    values: [DeviceArray; 2],
    /// The change of each unknown.
    changes: DeviceArray,
    /// The largest of each part of the unknowns.
    told: DeviceArray,
    parts: Parts,
    /// The unknowns of the block.
    range: Range<usize>,
    executor: Arc<dyn Executor>,
    sweep: Arc<dyn Executable>,
    largest: Arc<dyn Executable>,
}

struct Equations {
    /// First choices of unknowns.
    choices: DeviceArray,
    /// First entries of choices, without those that leave the block.
    rows: DeviceArray,
    columns: DeviceArray,
    codes: Option<DeviceArray>,
    weights: DeviceArray,
    constants: DeviceArray,
}

impl Equations {
    fn new(storage: &dyn Storage, block: &Block) -> Result<Self, Error> {
        let base = block.first_choice();
        let choices: Vec<u32> = block.system.choice_start[block.first..=block.first + block.len]
            .iter()
            .map(|&choice| choice - base as u32)
            .collect();
        let all = base..base + *choices.last().unwrap_or(&0) as usize;
        let mut rows = vec![0u32];
        let mut end = 0;
        rows.extend(all.clone().map(|choice| {
            end += block.inner(choice).len() as u32;
            end
        }));
        let inner = || all.clone().flat_map(|choice| block.inner(choice));
        let first = block.first as u32;
        let columns: Vec<u32> = inner().map(|at| block.system.columns[at] - first).collect();
        let constants: Vec<f64> = block.constant.iter().map(|[lo, hi]| 0.5 * (lo + hi)).collect();
        let (codes, weights) = match block.system.values.view() {
            View::Byte(codes, table) => {
                let codes: Vec<u8> = inner().map(|at| codes[at]).collect();
                (Some(DeviceArray::of(storage, &codes)?), DeviceArray::of(storage, table)?)
            }
            View::Short(codes, table) => {
                let codes: Vec<u16> = inner().map(|at| codes[at]).collect();
                (Some(DeviceArray::of(storage, &codes)?), DeviceArray::of(storage, table)?)
            }
            View::Plain(weights) => {
                let weights: Vec<f64> = inner().map(|at| weights[at]).collect();
                (None, DeviceArray::of(storage, &weights)?)
            }
        };
        Ok(Equations {
            choices: DeviceArray::of(storage, &choices)?,
            rows: DeviceArray::of(storage, &rows)?,
            columns: DeviceArray::of(storage, &columns)?,
            codes,
            weights,
            constants: DeviceArray::of(storage, &constants)?,
        })
    }
}

impl OnDevice {
    /// Copies the equations, and these values of all unknowns, to the device.
    ///
    /// # Errors
    /// The device cannot take them.
    pub fn new(sweeps: &Sweeps, block: &Block, rule: Rule, x: &[f64]) -> Result<Self, Error> {
        let code = match block.system.values.view() {
            View::Byte(..) => Some("u8"),
            View::Short(..) => Some("u16"),
            View::Plain(_) => None,
        };
        // A device that cannot run them need not be filled.
        let sweep = sweeps.executable(&sweep_text(code, rule, block.system.optimum))?;
        let largest = sweeps.executable(&largest_text())?;
        let executor = Arc::clone(sweeps.executor()?);
        let storage = executor.storage();
        let parts = Parts::of(sweeps, block.len);
        Ok(OnDevice {
            rule,
            equations: Equations::new(&*storage, block)?,
            values: [
                DeviceArray::of(&*storage, &x[block.range()])?,
                DeviceArray::zeros::<f64>(&*storage, block.len)?,
            ],
            changes: DeviceArray::zeros::<f64>(&*storage, block.len)?,
            told: DeviceArray::zeros::<f64>(&*storage, parts.count)?,
            range: block.range(),
            parts,
            executor,
            sweep,
            largest,
        })
    }
}

impl DeviceSteps for OnDevice {
    /// The largest change.
    type Outcome = f64;

    fn step(&mut self) -> Result<f64, Error> {
        let equations = &self.equations;
        let (unknowns, sweeps) = (self.range.len(), self.rule.sweeps() as usize);
        let mut launches = Launches::default();
        for k in 0..sweeps {
            let mut buffers = vec![equations.choices.lend(), equations.rows.lend(), equations.columns.lend()];
            buffers.extend(equations.codes.as_ref().map(DeviceArray::lend));
            buffers.extend([equations.weights.lend(), equations.constants.lend()]);
            buffers.extend([k % 2, 1 - k % 2].map(|which| self.values[which].lend()));
            buffers.push(self.changes.lend());
            let mut params = vec![Const::int(Type::U32, (k + 1 == sweeps).into())];
            if let Rule::Relaxed { weight, .. } = self.rule {
                params.push(Const::f64(weight));
            }
            launches = launches.then(&*self.sweep, unknowns, params, buffers);
        }
        let buffers = [self.changes.lend(), self.told.lend()];
        let launches = launches.then(&*self.largest, self.parts.count, self.parts.params(), buffers);
        launches.run(&*self.executor)?;
        if sweeps % 2 == 1 {
            self.values.swap(0, 1);
        }
        let told: Vec<f64> = self.told.read(0..self.parts.count)?;
        Ok(told.into_iter().fold(0.0, |most, change| if change > most { change } else { most }))
    }

    fn read(&self, x: &mut [f64]) -> Result<(), Error> {
        x[self.range.clone()].copy_from_slice(&self.values[0].read::<f64>(0..self.range.len())?);
        Ok(())
    }

    fn write(&mut self, x: &[f64]) -> Result<(), Error> {
        self.values[0].write(&x[self.range.clone()])
    }
}

/// The operations of [`Block::best`], of [`Rule::move_to`] and of [`Rule::change`].
fn sweep_text(code: Option<&str>, rule: Rule, optimum: Optimum) -> String {
    let (worst, better) = match optimum {
        Optimum::Min => ("f64.inf", "<"),
        Optimum::Max => ("-f64.inf", ">"),
    };
    let (param, before, new, change) = match rule {
        Rule::Pair => ("", "target", "best", &*format!("change / max(new, {:?}f64)", f64::MIN_POSITIVE)),
        Rule::Relaxed { relative, .. } => (
            ", weight: f64",
            "source",
            "source[lane] + weight * (best - source[lane])",
            if relative { "change / abs(new)" } else { "change" },
        ),
    };
    format!(
        "kernel sweep(lane: u64, tell: u32{param}) {{
            buffer choices: read u32;
            buffer rows: read u32;
            buffer columns: read u32;
            {codes}
            buffer weights: read f64;
            buffer constants: read f64;
            buffer source: read f64;
            buffer target: write f64;
            buffer changes: write f64;
            local choice: u64;
            local at: u64;
            local sum: f64;
            local best: f64;
            local before: f64;
            local new: f64;
            local change: f64;

            best = {worst};
            for choice in (choices[lane] as u64)..(choices[lane + 1u64] as u64) {{
                sum = 0.0f64;
                for at in (rows[choice] as u64)..(rows[choice + 1u64] as u64) {{
                    sum = sum + {weight} * source[columns[at] as u64];
                }}
                sum = sum + constants[choice];
                if sum {better} best {{ best = sum; }}
            }}
            before = {before}[lane];
            new = {new};
            target[lane] = new;
            if tell == 1u32 {{
                change = abs(new - before);
                if change > 0.0f64 {{ change = {change}; }}
                changes[lane] = change;
            }}
        }}",
        codes = code.map_or(String::new(), |ty| format!("buffer codes: read {ty};")),
        weight = if code.is_some() { "weights[codes[at] as u64]" } else { "weights[at]" },
    )
}

/// The largest change of some unknowns in each lane.
fn largest_text() -> String {
    let declarations = "buffer changes: read f64;
        buffer parts: write f64;
        local most: f64;";
    let each = "if changes[row] > most { most = changes[row]; }";
    let end = "parts[lane] = most;";
    Reduction { name: "largest", params: "", declarations, begin: "", each, end }.text()
}
