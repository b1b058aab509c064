//! Value iteration in an end component on a device: a launch for each step, with a lane for each state.

use std::sync::Arc;

use volvelle_kernel::Const;
use volvelle_logic::Optimum;
use volvelle_runtime::{Error, Executable, Executor};

use super::component::{Component, DAMPING, Step};
use crate::scheduling::DeviceSteps;
use crate::sweeps::Sweeps;
use crate::sweeps::reduction::Reduction;
use crate::sweeps::regions::{DeviceArray, Launches, Parts};

/// A component with its values on a device.
pub struct OnDevice {
    choices: DeviceArray,
    rows: DeviceArray,
    columns: DeviceArray,
    weights: DeviceArray,
    rewards: DeviceArray,
    /// The newest, and those of the step before. All are too large by `base`.
    values: [DeviceArray; 2],
    base: f64,
    images: DeviceArray,
    sizes: DeviceArray,
    /// Three numbers for each part of the states: the least image, the largest, the largest size.
    told: DeviceArray,
    states: usize,
    parts: Parts,
    executor: Arc<dyn Executor>,
    step: Arc<dyn Executable>,
    extremes: Arc<dyn Executable>,
}

impl OnDevice {
    /// Copies a component to the device; values are zero.
    ///
    /// # Errors
    /// The device cannot take them.
    pub fn new(sweeps: &Sweeps, component: &Component) -> Result<Self, Error> {
        // A device that cannot run them need not be filled.
        let step = sweeps.executable(&step_text(component.optimum))?;
        let extremes = sweeps.executable(&extremes_text())?;
        let executor = Arc::clone(sweeps.executor()?);
        let storage = &*executor.storage();
        let states = component.len();
        let parts = Parts::of(sweeps, states);
        Ok(OnDevice {
            choices: DeviceArray::of(storage, &component.choices)?,
            rows: DeviceArray::of(storage, &component.rows)?,
            columns: DeviceArray::of(storage, &component.columns)?,
            weights: DeviceArray::of(storage, &component.values)?,
            rewards: DeviceArray::of(storage, &component.rewards)?,
            values: [
                DeviceArray::zeros::<f64>(storage, states)?,
                DeviceArray::zeros::<f64>(storage, states)?,
            ],
            base: 0.0,
            images: DeviceArray::zeros::<f64>(storage, states)?,
            sizes: DeviceArray::zeros::<f64>(storage, states)?,
            told: DeviceArray::zeros::<f64>(storage, 3 * parts.count)?,
            states,
            parts,
            executor,
            step,
            extremes,
        })
    }
}

impl DeviceSteps for OnDevice {
    type Outcome = Step;

    fn step(&mut self) -> Result<Step, Error> {
        let buffers = [
            &self.choices,
            &self.rows,
            &self.columns,
            &self.weights,
            &self.rewards,
            &self.values[0],
            &self.values[1],
            &self.images,
            &self.sizes,
        ];
        let step = buffers.map(DeviceArray::lend);
        let buffers = [self.images.lend(), self.sizes.lend(), self.told.lend()];
        Launches::default()
            .then(&*self.step, self.states, [Const::f64(self.base)], step)
            .then(&*self.extremes, self.parts.count, self.parts.params(), buffers)
            .run(&*self.executor)?;
        self.values.swap(0, 1);
        self.base = self.values[0].read::<f64>(0..1)?[0];
        let told: Vec<f64> = self.told.read(0..3 * self.parts.count)?;
        let parts = told.chunks_exact(3).map(|part| Step { span: [part[0], part[1]], size: part[2] });
        Ok(parts.fold(Step::empty(), Step::and))
    }

    fn read(&self, h: &mut [f64]) -> Result<(), Error> {
        let values: Vec<f64> = self.values[0].read(0..self.states)?;
        h.iter_mut().zip(values).for_each(|(h, value)| *h = value - self.base);
        Ok(())
    }

    fn write(&mut self, h: &[f64]) -> Result<(), Error> {
        self.base = 0.0;
        self.values[0].write(h)
    }
}

/// The operations of `Component::image` and of a step, over values that are too large by `base`.
fn step_text(optimum: Optimum) -> String {
    let (worst, better) = match optimum {
        Optimum::Min => ("f64.inf", "<"),
        Optimum::Max => ("-f64.inf", ">"),
    };
    format!(
        "kernel step(lane: u64, base: f64) {{
            buffer choices: read u32;
            buffer rows: read u32;
            buffer columns: read u32;
            buffer weights: read f64;
            buffer rewards: read f64;
            buffer source: read f64;
            buffer target: write f64;
            buffer images: write f64;
            buffer sizes: write f64;
            local choice: u64;
            local at: u64;
            local first: u64;
            local end: u64;
            local own: f64;
            local term: f64;
            local sum: f64;
            local total: f64;
            local size: f64;
            local best: f64;

            own = source[lane] - base;
            best = {worst};
            for choice in (choices[lane] as u64)..(choices[lane + 1u64] as u64) {{
                first = rows[choice] as u64;
                end = rows[choice + 1u64] as u64;
                sum = rewards[choice];
                total = sum;
                for at in first..end {{
                    term = weights[at] * ((source[columns[at] as u64] - base) - own);
                    sum = sum + term;
                    total = total + abs(term);
                }}
                total = total * (((end - first) + 4u64) as f64);
                if total > size {{ size = total; }}
                if sum {better} best {{ best = sum; }}
            }}
            best = best + 0.0f64;
            target[lane] = own + {DAMPING:?}f64 * best;
            images[lane] = best;
            sizes[lane] = size;
        }}"
    )
}

/// Extremes of some states in each lane.
fn extremes_text() -> String {
    let declarations = "buffer images: read f64;
        buffer sizes: read f64;
        buffer parts: write f64;
        local least: f64;
        local largest: f64;
        local size: f64;";
    let begin = "least = f64.inf;
        largest = -f64.inf;";
    let each = "if images[row] < least { least = images[row]; }
        if images[row] > largest { largest = images[row]; }
        if sizes[row] > size { size = sizes[row]; }";
    let end = "parts[lane * 3u64] = least;
        parts[lane * 3u64 + 1u64] = largest;
        parts[lane * 3u64 + 2u64] = size;";
    Reduction { name: "extremes", params: "", declarations, begin, each, end }.text()
}
