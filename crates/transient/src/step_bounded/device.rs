//! Steps of value iteration on a device: a launch for each, with a lane for each state.
//!
//! The operations of `best` in their order. Besides its value each state has a mark: whether the value still changes, rises or
//! falls, and whether it got tiny. A lane for each thousand states combines marks.

use std::sync::Arc;

use volvelle_control::Control;
use volvelle_kernel::{Const, Type};
use volvelle_logic::Optimum;
use volvelle_runtime::{Error, Executable, Executor};
use volvelle_solver::sweeps::Sweeps;
use volvelle_solver::sweeps::reduction::Reduction;
use volvelle_solver::sweeps::regions::{DeviceArray, Launches, Parts, at_once, run};
use volvelle_space::{Space, View};

use super::rule::{BatchOutcome, Rule, TINY_VALUE};

/// Most steps of a batch: their numbers have room in a mark.
pub const MOST: u64 = 1 << 20;

/// A state got a tiny value, did not rise, did not fall; below these bits is the last step that changed it.
const TINY: u32 = 1 << 31;
const FELL: u32 = 1 << 30;
const ROSE: u32 = 1 << 29;
const STEPS: u32 = ROSE - 1;

/// Modes of a state in a step.
mod mode {
    pub const ZERO: u8 = 0;
    pub const KEEP: u8 = 1;
    pub const MOVE: u8 = 2;
}

/// Values and matrix on a device.
pub struct OnDevice {
    matrix: Matrix,
    /// The newest, and those before.
    values: [DeviceArray; 2],
    marks: DeviceArray,
    states: usize,
    entries: u64,
    parts: Parts,
    told: DeviceArray,
    executor: Arc<dyn Executor>,
    step: Arc<dyn Executable>,
    gather: Arc<dyn Executable>,
}

struct Matrix {
    /// First choices of states.
    choices: DeviceArray,
    /// First entries of choices.
    rows: DeviceArray,
    columns: DeviceArray,
    codes: Option<DeviceArray>,
    weights: DeviceArray,
    rewards: Option<DeviceArray>,
    modes: DeviceArray,
}

impl OnDevice {
    /// Copies a space and these values to the device.
    ///
    /// # Errors
    /// The device cannot take them.
    pub fn new(
        sweeps: &Sweeps,
        space: &Space,
        optimum: Optimum,
        rule: &Rule,
        values: &[f64],
    ) -> Result<Self, Error> {
        let executor = Arc::clone(sweeps.executor()?);
        let storage = &*executor.storage();
        let states = space.num_states();
        let code = match space.values.view() {
            View::Byte(..) => Some("u8"),
            View::Short(..) => Some("u16"),
            View::Plain(_) => None,
        };
        // A device that cannot run them need not be filled.
        let step = sweeps.executable(&step_text(code, rule.reward.is_some(), optimum))?;
        let gather = sweeps.executable(&gather_text())?;
        let (codes, weights) = match space.values.view() {
            View::Byte(codes, table) => (Some(DeviceArray::of(storage, codes)?), table),
            View::Short(codes, table) => (Some(DeviceArray::of(storage, codes)?), table),
            View::Plain(weights) => (None, weights),
        };
        let first_choices: Vec<u32> = (0..states)
            .map(|s| space.choices_of(s).start as u32)
            .chain([space.num_choices() as u32])
            .collect();
        let modes: Vec<u8> = (0..states)
            .map(|s| match () {
                () if rule.keep.is_some_and(|keep| keep.contains(s)) => mode::KEEP,
                () if rule.inside.is_none_or(|inside| inside.contains(s)) => mode::MOVE,
                () => mode::ZERO,
            })
            .collect();
        let parts = Parts::of(sweeps, states);
        Ok(OnDevice {
            matrix: Matrix {
                choices: DeviceArray::of(storage, &first_choices)?,
                rows: DeviceArray::of(storage, &space.row_start)?,
                columns: DeviceArray::of(storage, &space.columns)?,
                codes,
                weights: DeviceArray::of(storage, weights)?,
                rewards: rule.reward.map(|reward| DeviceArray::of(storage, reward)).transpose()?,
                modes: DeviceArray::of(storage, &modes)?,
            },
            values: [DeviceArray::of(storage, values)?, DeviceArray::zeros::<f64>(storage, states)?],
            marks: DeviceArray::zeros::<u32>(storage, states)?,
            states,
            entries: space.num_transitions() as u64,
            parts,
            told: DeviceArray::zeros::<u32>(storage, parts.count)?,
            executor,
            step,
            gather,
        })
    }

    /// Up to `count` steps; fewer where nothing changes any more, or where the work is to stop.
    pub fn steps(&mut self, count: u64, control: &Control) -> Result<BatchOutcome, Error> {
        let count = count.min(MOST);
        let mut made = 0;
        while made < count {
            if made > 0 && control.check().is_err() {
                break;
            }
            let end = count.min(made + at_once(self.entries));
            self.steps_from(made, end)?;
            made = end;
        }
        run(&*self.gather, self.parts.count, &self.parts.params(), &[self.marks.lend(), self.told.lend()])?;
        let told: Vec<u32> = self.told.read(0..self.parts.count)?;
        let all = told.iter().fold(0, |all, mark| all | (mark & !STEPS));
        let last = told.iter().map(|mark| u64::from(mark & STEPS)).max().unwrap_or(0);
        let is_fixed = last < made;
        Ok(BatchOutcome {
            // The one in which nothing changed is the last that counts.
            steps: if is_fixed { last + 1 } else { made },
            is_fixed,
            rises: all & FELL == 0,
            falls: all & ROSE == 0,
            underflow: all & TINY != 0,
        })
    }

    /// The steps after step `first` up to step `last`.
    fn steps_from(&mut self, first: u64, last: u64) -> Result<(), Error> {
        let matrix = &self.matrix;
        let mut launches = Launches::default();
        for number in first + 1..=last {
            let mut buffers = vec![matrix.choices.lend(), matrix.rows.lend(), matrix.columns.lend()];
            buffers.extend(matrix.codes.as_ref().map(DeviceArray::lend));
            buffers.push(matrix.weights.lend());
            buffers.extend(matrix.rewards.as_ref().map(DeviceArray::lend));
            buffers.push(matrix.modes.lend());
            let source = ((number - first - 1) % 2) as usize;
            buffers.extend([source, 1 - source].map(|which| self.values[which].lend()));
            buffers.push(self.marks.lend());
            let params = [Const::int(Type::U32, number as i64)];
            launches = launches.then(&*self.step, self.states, params, buffers);
        }
        launches.run(&*self.executor)?;
        if (last - first) % 2 == 1 {
            self.values.swap(0, 1);
        }
        Ok(())
    }

    /// The newest values.
    pub fn values(&self) -> Result<Vec<f64>, Error> {
        self.values[0].read(0..self.states)
    }
}

/// The operations of `best` and of [`Rule::steps`]. Marks restart with step 1, whose direction they hold.
fn step_text(code: Option<&str>, has_rewards: bool, optimum: Optimum) -> String {
    let (worst, better) = match optimum {
        Optimum::Min => ("f64.inf", "<"),
        Optimum::Max => ("-f64.inf", ">"),
    };
    format!(
        "kernel step(lane: u64, number: u32) {{
            buffer choices: read u32;
            buffer rows: read u32;
            buffer columns: read u32;
            {codes}
            buffer weights: read f64;
            {rewards}
            buffer modes: read u8;
            buffer source: read f64;
            buffer target: write f64;
            buffer marks: write u32;
            local choice: u64;
            local at: u64;
            local sum: f64;
            local best: f64;
            local value: f64;
            local old: f64;
            local mark: u32;

            old = source[lane];
            if modes[lane] == {keep}u8 {{ value = old; }}
            if modes[lane] == {moves}u8 {{
                best = {worst};
                for choice in (choices[lane] as u64)..(choices[lane + 1u64] as u64) {{
                    sum = 0.0f64;
                    for at in (rows[choice] as u64)..(rows[choice + 1u64] as u64) {{
                        sum = sum + {weight} * source[columns[at] as u64];
                    }}
                    {add_reward}
                    if sum {better} best {{ best = sum; }}
                }}
                if abs(best) < f64.inf {{ value = best; }}
            }}
            target[lane] = value;
            if number == 1u32 {{
                if !(value >= old) {{ mark = {FELL}u32; }}
                if !(value <= old) {{ mark = mark | {ROSE}u32; }}
            }} else {{
                mark = marks[lane];
            }}
            if value != old {{ mark = (mark & {high}u32) | number; }}
            if value > 0.0f64 && value < {TINY_VALUE:?}f64 {{ mark = mark | {TINY}u32; }}
            marks[lane] = mark;
        }}",
        codes = code.map_or(String::new(), |ty| format!("buffer codes: read {ty};")),
        rewards = if has_rewards { "buffer rewards: read f64;" } else { "" },
        weight = if code.is_some() { "weights[codes[at] as u64]" } else { "weights[at]" },
        add_reward = if has_rewards { "sum = sum + rewards[choice];" } else { "" },
        keep = mode::KEEP,
        moves = mode::MOVE,
        high = !STEPS,
    )
}

/// Marks of some states in each lane: all their flags, and the last step that changed one of them.
fn gather_text() -> String {
    let declarations = "buffer marks: read u32;
            buffer parts: write u32;
            local flags: u32;
            local last: u32;";
    let each = format!(
        "flags = flags | (marks[row] & {high}u32);
        last = max(last, marks[row] & {STEPS}u32);",
        high = !STEPS,
    );
    let end = "parts[lane] = flags | last;";
    Reduction { name: "gather", params: "", declarations, begin: "", each: &each, end }.text()
}
