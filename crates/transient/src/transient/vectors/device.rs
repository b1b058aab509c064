//! Vectors on a device: a launch for each multiplication, with a lane for each row.
//!
//! The operations of `Chain::step` in their order. Between batches only extremes come back, a few numbers for each thousand
//! rows, and the entries of rows that are requested.

use std::ops::Range;
use std::sync::Arc;

use volvelle_kernel::Const;
use volvelle_runtime::{Error, Executable};
use volvelle_solver::Context;
use volvelle_solver::sweeps::Sweeps;
use volvelle_solver::sweeps::reduction::Reduction;
use volvelle_solver::sweeps::regions::{DeviceArray, Launches, Parts, at_once, run};

use super::{Spread, SummedRows, Vectors};
use crate::transient::chain::{Chain, FLUSH, Weights};
use crate::transient::coefficients::Coefficients;

/// Extremes that a lane writes.
const EXTREMES: usize = 5;

/// Largest number of multiplications whose coefficients are on the device at once.
const STRETCH: u64 = 4096;

/// Vectors on a device.
pub struct OnDevice<'a> {
    context: &'a Context<'a>,
    coefficients: &'a [Coefficients],
    matrix: Matrix,
    /// The newest, and the one before.
    vectors: [DeviceArray; 2],
    rows: usize,
    entries: u64,
    sums: DeviceArray,
    /// Where only some rows have sums.
    keeping: Option<Keeping>,
    step: Arc<dyn Executable>,
    extremes: Arc<dyn Executable>,
    parts: Parts,
    told: DeviceArray,
    change: Option<Change>,
    sweeps: &'a Sweeps,
}

struct Matrix {
    starts: DeviceArray,
    columns: DeviceArray,
    /// Coded weights.
    codes: Option<DeviceArray>,
    weights: DeviceArray,
    stay: Option<DeviceArray>,
}

/// Sums of several sequences for some rows.
struct Keeping {
    rows: DeviceArray,
    count: usize,
    /// Coefficients of a stretch, by step and sequence.
    table: DeviceArray,
    add: Arc<dyn Executable>,
}

/// PRISM's test of a step.
struct Change {
    code: Arc<dyn Executable>,
    flags: DeviceArray,
}

impl<'a> OnDevice<'a> {
    /// Copies vectors and sums to the device.
    ///
    /// # Errors
    /// The device cannot take them.
    pub fn new(
        sweeps: &'a Sweeps,
        context: &'a Context<'a>,
        chain: &Chain,
        coefficients: &'a [Coefficients],
        kept: SummedRows<'_>,
        from: &mut impl Vectors,
    ) -> Result<Self, Error> {
        let storage = sweeps.executor()?.storage();
        let storage = &*storage;
        let rows = chain.len();
        // A device that cannot run them need not be filled.
        let whole = matches!(kept, SummedRows::Whole);
        let coded = matches!(chain.weights(), Weights::Coded { .. });
        let step = sweeps.executable(&step_text(coded, !chain.stay().is_empty(), whole))?;
        let extremes = sweeps.executable(&extremes_text(whole))?;
        let (codes, weights) = match chain.weights() {
            Weights::Coded { codes, table } => {
                (Some(DeviceArray::of(storage, codes)?), DeviceArray::of(storage, &table[..])?)
            }
            Weights::Plain(weights) => (None, DeviceArray::of(storage, weights)?),
        };
        let stay = match chain.stay() {
            [] => None,
            stay => Some(DeviceArray::of(storage, stay)?),
        };
        let sums: Vec<f64> =
            (0..coefficients.len()).map(|h| from.sum(h, None)).collect::<Result<Vec<_>, _>>()?.concat();
        let keeping = match kept {
            SummedRows::Whole => None,
            SummedRows::Rows(kept) => Some(Keeping {
                rows: DeviceArray::of(storage, kept)?,
                count: kept.len(),
                table: DeviceArray::zeros::<f64>(storage, STRETCH as usize * coefficients.len())?,
                add: sweeps.executable(ADD)?,
            }),
        };
        let parts = Parts::of(sweeps, rows);
        Ok(OnDevice {
            context,
            coefficients,
            matrix: Matrix {
                starts: DeviceArray::of(storage, chain.row_start())?,
                columns: DeviceArray::of(storage, chain.columns())?,
                codes,
                weights,
                stay,
            },
            vectors: [
                DeviceArray::of(storage, &from.newest(None)?)?,
                DeviceArray::zeros::<f64>(storage, rows)?,
            ],
            rows,
            entries: chain.columns().len() as u64,
            sums: DeviceArray::of(storage, &sums)?,
            keeping,
            step,
            extremes,
            parts,
            told: DeviceArray::zeros::<f64>(storage, parts.count * EXTREMES)?,
            change: None,
            sweeps,
        })
    }

    /// Makes the steps `steps` of a call of [`Vectors::advance`] that begins with step `first`: `to = P from`, and the sums.
    /// They lie within one stretch.
    fn steps(&mut self, steps: Range<u64>, first: u64, used: &[Option<&Coefficients>]) -> Result<(), Error> {
        let matrix = &self.matrix;
        let mut launches = Launches::default();
        for k in steps.clone() {
            let source = ((k - steps.start) % 2) as usize;
            let [from, to] = [source, 1 - source].map(|which| self.vectors[which].lend());
            let mut buffers = vec![matrix.starts.lend(), matrix.columns.lend()];
            buffers.extend(matrix.codes.as_ref().map(DeviceArray::lend));
            buffers.push(matrix.weights.lend());
            buffers.extend(matrix.stay.as_ref().map(DeviceArray::lend));
            buffers.extend([from, to]);
            let Some(keeping) = &self.keeping else {
                buffers.push(self.sums.lend());
                let coefficient = Const::f64(self.coefficients[0].get(first + k));
                launches = launches.then(&*self.step, self.rows, [coefficient], buffers);
                continue;
            };
            launches = launches.then(&*self.step, self.rows, [], buffers);
            if used.iter().flatten().any(|c| c.get(first + k) != 0.0) {
                let sequences = self.coefficients.len();
                let params = [keeping.count as u64, sequences as u64, k % STRETCH].map(Const::u64);
                let buffers = [keeping.rows.lend(), keeping.table.lend(), to, self.sums.lend()];
                launches = launches.then(&*keeping.add, keeping.count, params, buffers);
            }
        }
        launches.run(&**self.sweeps.executor()?)?;
        if (steps.end - steps.start) % 2 == 1 {
            self.vectors.swap(0, 1);
        }
        Ok(())
    }
}

impl Vectors for OnDevice<'_> {
    fn advance(&mut self, active: &[usize], first: u64, count: u64) -> Result<u64, Error> {
        let coefficients = self.coefficients;
        let used: Vec<Option<&Coefficients>> =
            (0..coefficients.len()).map(|h| active.contains(&h).then(|| &coefficients[h])).collect();
        let mut k = 0;
        while k < count {
            if k > 0 && self.context.control.check().is_err() {
                return Ok(k);
            }
            let mut end = count.min(k + at_once(self.entries));
            if let Some(keeping) = &self.keeping {
                // Coefficients of the next stretch take the place of those of this one.
                let next = (k / STRETCH + 1) * STRETCH;
                end = end.min(next);
                if k.is_multiple_of(STRETCH) {
                    let of_step = |k: u64| used.iter().map(move |c| c.map_or(0.0, |c| c.get(first + k)));
                    let table: Vec<f64> = (k..count.min(next)).flat_map(of_step).collect();
                    keeping.table.write(&table)?;
                }
            }
            self.steps(k..end, first, &used)?;
            k = end;
        }
        Ok(count)
    }

    fn spread(&mut self) -> Result<Spread, Error> {
        let mut buffers = vec![self.vectors[0].lend(), self.vectors[1].lend()];
        if self.keeping.is_none() {
            buffers.push(self.sums.lend());
        }
        buffers.push(self.told.lend());
        run(&*self.extremes, self.parts.count, &self.parts.params(), &buffers)?;
        let told: Vec<f64> = self.told.read(0..self.parts.count * EXTREMES)?;
        let mut spread = Spread::NONE;
        for part in told.chunks_exact(EXTREMES) {
            spread.min = spread.min.min(part[0]);
            spread.max = spread.max.max(part[1]);
            spread.slowest = spread.slowest.min(part[2]);
            spread.fastest = spread.fastest.max(part[3]);
            spread.least_sum = super::least(spread.least_sum, part[4]);
        }
        Ok(spread)
    }

    fn changes_little(&mut self, epsilon: f64, relative: bool) -> Result<bool, Error> {
        if self.change.is_none() {
            let flags = DeviceArray::zeros::<u8>(&*self.sweeps.executor()?.storage(), self.parts.count)?;
            self.change = Some(Change { code: self.sweeps.executable(&change_text())?, flags });
        }
        let Some(Change { code, flags }) = &self.change else { return Ok(false) };
        let [rows, first, distance] = self.parts.params();
        let params = [rows, first, distance, Const::f64(epsilon), Const::bool(relative)];
        let buffers = [self.vectors[0].lend(), self.vectors[1].lend(), flags.lend()];
        run(&**code, self.parts.count, &params, &buffers)?;
        let large: Vec<u8> = flags.read(0..self.parts.count)?;
        Ok(large.iter().all(|&flag| flag == 0))
    }

    fn newest(&mut self, rows: Option<&[u32]>) -> Result<Vec<f64>, Error> {
        match rows {
            Some(rows) => self.vectors[0].gather(rows),
            None => self.vectors[0].read(0..self.rows),
        }
    }

    fn sum(&mut self, sequence: usize, positions: Option<&[u32]>) -> Result<Vec<f64>, Error> {
        let count = self.keeping.as_ref().map_or(self.rows, |keeping| keeping.count);
        match positions {
            Some(positions) => {
                let places: Vec<u32> = positions.iter().map(|&i| (sequence * count) as u32 + i).collect();
                self.sums.gather(&places)
            }
            None => self.sums.read(sequence * count..(sequence + 1) * count),
        }
    }
}

/// The operations of `Chain::step`, and of `Chain::multiply` where sums are kept for all rows.
fn step_text(coded: bool, stays: bool, summed: bool) -> String {
    let on = |condition: bool, text: &'static str| if condition { text } else { "" };
    let weight = if coded { "weights[codes[at] as u64]" } else { "weights[at]" };
    format!(
        "kernel multiply(lane: u64{coefficient}) {{
            buffer starts: read u32;
            buffer columns: read u32;
            {codes}
            buffer weights: read f64;
            {stay}
            buffer source: read f64;
            buffer target: write f64;
            {sums}
            local at: u64;
            local value: f64;

            {diagonal}
            for at in (starts[lane] as u64)..(starts[lane + 1u64] as u64) {{
                value = value + {weight} * source[columns[at] as u64];
            }}
            if value < {FLUSH:?}f64 {{ value = 0.0f64; }}
            target[lane] = value;
            {sum}
        }}",
        coefficient = on(summed, ", coefficient: f64"),
        codes = on(coded, "buffer codes: read u8;"),
        stay = on(stays, "buffer stay: read f64;"),
        sums = on(summed, "buffer sums: write f64;"),
        diagonal = on(stays, "value = stay[lane] * source[lane];"),
        sum = on(summed, "sums[lane] = sums[lane] + coefficient * value;"),
    )
}

/// Sums of several sequences for some rows: a lane for each row.
const ADD: &str = "
kernel add(lane: u64, count: u64, sequences: u64, step: u64) {
    buffer rows: read u32;
    buffer coefficients: read f64;
    buffer newest: read f64;
    buffer sums: write f64;
    local h: u64;
    local value: f64;
    local coefficient: f64;

    value = newest[rows[lane] as u64];
    for h in 0u64..sequences {
        coefficient = coefficients[step * sequences + h];
        if coefficient != 0.0f64 {
            sums[h * count + lane] = sums[h * count + lane] + coefficient * value;
        }
    }
}";

/// The operations of [`Spread::add`], for some rows in each lane.
fn extremes_text(summed: bool) -> String {
    let on = |text: &'static str| if summed { text } else { "" };
    let declarations = format!(
        "buffer newest: read f64;
        buffer before: read f64;
        {sums}
        buffer parts: write f64;
        local least: f64;
        local greatest: f64;
        local slowest: f64;
        local fastest: f64;
        local least_sum: f64;
        local x: f64;
        local old: f64;
        local ratio: f64;
        local sum: f64;",
        sums = on("buffer sums: read f64;"),
    );
    let begin = "least = f64.inf;
        slowest = f64.inf;
        least_sum = f64.inf;";
    let each = format!(
        "x = newest[row];
        old = before[row];
        if x < least {{ least = x; }}
        if x > greatest {{ greatest = x; }}
        if x != 0.0f64 || old != 0.0f64 {{
            ratio = x / old;
            if ratio < slowest {{ slowest = ratio; }}
            if ratio > fastest {{ fastest = ratio; }}
        }}
        {sum}",
        sum = on("sum = sums[row];
        if sum < least_sum || sum != sum { least_sum = sum; }"),
    );
    let end = format!(
        "parts[lane * {EXTREMES}u64] = least;
        parts[lane * {EXTREMES}u64 + 1u64] = greatest;
        parts[lane * {EXTREMES}u64 + 2u64] = slowest;
        parts[lane * {EXTREMES}u64 + 3u64] = fastest;
        parts[lane * {EXTREMES}u64 + 4u64] = least_sum;"
    );
    let (declarations, each, end) = (&*declarations, &*each, &*end);
    Reduction { name: "extremes", params: "", declarations, begin, each, end }.text()
}

/// Whether some entry differs too much from the one before, as `solve::difference` has it.
fn change_text() -> String {
    let declarations = "buffer newest: read f64;
        buffer before: read f64;
        buffer flags: write bool;
        local x: f64;
        local difference: f64;
        local large: bool;";
    let each = "x = newest[row];
        difference = abs(x - before[row]);
        if relative && difference > 0.0f64 { difference = difference / abs(x); }
        if !(difference < epsilon) { large = true; }";
    let (params, end) = (", epsilon: f64, relative: bool", "flags[lane] = large;");
    Reduction { name: "change", params, declarations, begin: "", each, end }.text()
}
