//! The coefficients of a device: small kernels are measured, and non-negative least squares find the costs that explain the times.
//!
//! The kernels differ in what they do much of: work-groups, items, operations, accesses of either kind, barriers. What they do is
//! counted by the same code that counts the features of a user's kernel ([`volvelle_opencl::features`]), so that the costs
//! mean the same. Rows are weighted by the reciprocals of their times: relative errors are minimised, since configurations are
//! compared by ratios.

use super::prediction::{Predictor, Subject};
use super::{Answer, Device, Job, Results, Task, Wanted};
use volvelle_diagnostics::{Diagnostic, FileId};
use volvelle_opencl::platform::{COEFFICIENTS, Nanoseconds};
use volvelle_opencl::processor::{Cache, KIND_COUNT, Processor};
use volvelle_opencl::{Platform, launch::described};
use volvelle_tune::fit::non_negative;
use volvelle_tune::{Value, correlation::spearman};

/// The kernels, in OpenCL C with launch descriptions.
const KERNELS: [(&str, &str); 5] = [
    ("groups and items", include_str!("calibration/items.cl")),
    ("operations", include_str!("calibration/operations.cl")),
    ("global memory", include_str!("calibration/global.cl")),
    ("local memory", include_str!("calibration/local.cl")),
    ("barriers", include_str!("calibration/barriers.cl")),
];

/// Sums of numbers of a type, also in trees.
const SUMS: &str = include_str!("calibration/processor/sums.cl");

/// Words of a text, with what stands for them.
type Words = &'static [(&'static str, &'static str)];

/// The kernels for processors, where what a piece of work costs depends on the size of the group, with words to
/// replace.
const PROCESSOR_KERNELS: [(&str, &str, Words); 9] = [
    ("groups and items", include_str!("calibration/processor/items.cl"), &[]),
    ("barriers", include_str!("calibration/processor/barriers.cl"), &[]),
    ("copies", include_str!("calibration/processor/copy.cl"), &[]),
    ("whole numbers", SUMS, &[("NUMBER", "int"), ("TREES", "0")]),
    ("real numbers", SUMS, &[("NUMBER", "float"), ("TREES", "0, 1")]),
    ("single accesses", include_str!("calibration/processor/single.cl"), &[]),
    ("strides", include_str!("calibration/processor/strides.cl"), &[]),
    ("private arrays", include_str!("calibration/processor/elements.cl"), &[]),
    ("operations", include_str!("calibration/processor/operations.cl"), &[]),
];

/// The kernels for a device, with their names.
fn kernels(device: &Device) -> Vec<(&'static str, String)> {
    match device.is_cpu {
        true => PROCESSOR_KERNELS
            .map(|(name, text, words)| {
                let filled = words.iter().fold(text.to_owned(), |text, (word, by)| text.replace(word, by));
                (name, filled)
            })
            .to_vec(),
        false => KERNELS.map(|(name, text)| (name, text.to_owned())).to_vec(),
    }
}

/// A calibrated platform, and how well it explains the measurements.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// The platform.
    pub platform: Platform,
    /// For each kernel its name, its launches, and the mean and the greatest relative error.
    pub kernels: Vec<(String, usize, f64, f64)>,
    /// Spearman's correlation of predicted and measured times over all launches.
    pub correlation: Option<f64>,
    /// Launches that failed.
    pub failed: usize,
}

/// The platform of a device as its driver describes it, without costs.
pub fn described_platform(device: &Device) -> Platform {
    let mut platform = Platform {
        name: device.name.clone(),
        units: device.units.max(1),
        elements: if device.is_cpu { 1 } else { (4 * device.warp).max(1) },
        warp: device.warp.max(1),
        local_memory_bytes: device.local_memory_bytes,
        work_group_max: u32::try_from(device.work_group_max).unwrap_or(u32::MAX),
        ..Platform::default()
    };
    if device.cache_line_bytes > 0 {
        platform.segment_bytes = device.cache_line_bytes;
    }
    platform
}

/// A launch with its features and its time.
struct Row {
    kernel: usize,
    features: Vec<f64>,
    /// Its work by kind, and the items of a group.
    work: ([f64; KIND_COUNT], i64),
    nanoseconds: f64,
}

/// Measures the kernels and finds the costs. `repetitions` are the timed runs of each launch; `stop` is asked before each.
///
/// # Errors
/// A mistake in a kernel of the calibration, or too few launches that succeed.
pub fn calibrate(
    device: &Device,
    repetitions: u32,
    measure: &mut dyn FnMut(&Job) -> Answer,
    done: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<Calibration, Vec<Diagnostic>> {
    let platform = described_platform(device);
    let mut launches = Vec::new();
    for (number, (_, text)) in kernels(device).iter().enumerate() {
        let (found, diagnostics) = described(FileId(0), text, None, None);
        let Some(found) = found else { return Err(diagnostics) };
        let task = Task::from_launch(&found, text, &[] as &[Wanted])?;
        let size = task.sizes.iter().find_map(|(name, value)| match value {
            Value::Int(value) if name == "size" => Some(*value),
            _ => None,
        });
        let subject = Subject { size, ..Subject::default() };
        let predictor = Predictor::new(FileId(0), text, subject, &platform)?;
        let Ok(space) = task.space(1) else { continue };
        for configuration in (0..space.len()).map(volvelle_tune::space::ConfigurationId) {
            launches.push((number, predictor.clone(), task.clone(), Task::values(&space, configuration)));
        }
    }
    let total = launches.len();
    let caches = caches(device);
    let mut rows = Vec::with_capacity(total);
    let mut failed = 0;
    for (i, (kernel, predictor, task, values)) in launches.into_iter().enumerate() {
        if !done(i, total) {
            break;
        }
        let named: Vec<(String, Value)> = task
            .parameters
            .iter()
            .map(|parameter| parameter.name.clone())
            .zip(values.iter().cloned())
            .collect();
        let job = task.job(&values, repetitions, 200.0, Results::Ignore);
        let answer = job.map(|job| measure(&job));
        let time = answer.ok().and_then(|answer| least(&answer));
        match (predictor.features(&named), predictor.work(&named, &caches), time) {
            (Some(features), Some(work), Some(time)) if time > 0.0 => {
                rows.push(Row { kernel, features, work, nanoseconds: time * 1e6 });
            }
            _ => failed += 1,
        }
    }
    Ok(fitted(platform, device, &rows, failed))
}

fn caches(device: &Device) -> Vec<Cache> {
    device.caches.iter().map(|&[bytes, ways, line]| Cache { bytes, ways, line }).collect()
}

/// The costs of a processor: for each size of a group those that explain its launches.
fn processor(device: &Device, rows: &[Row]) -> Processor {
    let mut sizes: Vec<i64> = rows.iter().map(|row| row.work.1).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let costs = sizes.iter().map(|size| {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.work.1 == *size).collect();
        let work: Vec<Vec<f64>> = rows.iter().map(|row| row.work.0.to_vec()).collect();
        let times: Vec<f64> = rows.iter().map(|row| row.nanoseconds).collect();
        let weights: Vec<f64> = times.iter().map(|time| 1.0 / time).collect();
        let mut costs = [0.0; KIND_COUNT];
        for (cost, found) in costs.iter_mut().zip(non_negative(&work, &times, &weights)) {
            *cost = rounded(found);
        }
        costs
    });
    let costs = costs.collect();
    let groups = sizes.iter().map(|size| u32::try_from(*size).unwrap_or(u32::MAX)).collect();
    Processor { caches: caches(device), groups, costs }
}

/// The least time: what a machine with other work adds is not what the kernel costs.
fn least(answer: &Answer) -> Option<f64> {
    answer.times.iter().copied().min_by(f64::total_cmp)
}

fn fitted(mut platform: Platform, device: &Device, rows: &[Row], failed: usize) -> Calibration {
    let features: Vec<Vec<f64>> = rows.iter().map(|row| row.features.clone()).collect();
    let times: Vec<f64> = rows.iter().map(|row| row.nanoseconds).collect();
    let weights: Vec<f64> = times.iter().map(|time| 1.0 / time).collect();
    let found = non_negative(&features, &times, &weights);
    let mut coefficients = [0.0; COEFFICIENTS.len()];
    for (coefficient, found) in coefficients.iter_mut().zip(&found) {
        // Four digits: the fifth differs from run to run.
        *coefficient = rounded(*found);
    }
    let nanoseconds = Nanoseconds(coefficients);
    if device.is_cpu {
        platform.processor = Some(processor(device, rows));
    }
    let predicted: Vec<f64> = rows
        .iter()
        .map(|row| match &platform.processor {
            Some(processor) => processor.predict(&row.work.0, row.work.1),
            None => nanoseconds.predict(&row.features),
        })
        .collect();
    let error = |i: usize| (predicted[i] - times[i]).abs() / times[i];
    let kernels = kernels(device).into_iter().enumerate().map(|(number, (name, _))| {
        let errors: Vec<f64> = (0..rows.len()).filter(|i| rows[*i].kernel == number).map(error).collect();
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        (name.to_owned(), errors.len(), mean, errors.iter().copied().fold(0.0, f64::max))
    });
    let kernels = kernels.collect();
    platform.costs = costs(&nanoseconds);
    platform.nanoseconds = Some(nanoseconds);
    let correlation = if rows.is_empty() { None } else { spearman(&predicted, &times) };
    Calibration { platform, kernels, correlation, failed }
}

fn rounded(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 0.0;
    }
    let digits = 10_f64.powi(3 - value.log10().floor() as i32);
    (value * digits).round() / digits
}

/// The costs of the model in whole units: one unit is what an access to local memory takes, or the cheapest thing that takes
/// any time.
fn costs(nanoseconds: &Nanoseconds) -> volvelle_opencl::platform::Costs {
    let of = |name: &str| {
        let place = COEFFICIENTS.iter().position(|other| *other == name);
        place.map_or(0.0, |place| nanoseconds.0[place])
    };
    let accesses = [of("local"), of("operation"), of("global_coalesced"), of("iteration"), of("item")];
    let unit = accesses.into_iter().filter(|cost| *cost > 0.0).fold(f64::INFINITY, f64::min);
    let unit = if unit.is_finite() { unit } else { 1.0 };
    let units = |cost: f64| (cost / unit).round().clamp(0.0, 1e9) as u32;
    volvelle_opencl::platform::Costs {
        global: units(of("global_coalesced")),
        local: units(of("local")),
        private: 0,
        operation: units(of("operation")),
        launch: units(of("launch")),
        group: units(of("group")),
        barrier: units(of("barrier")),
        phase: units(of("item")),
        message_host: 0,
        message_unit: 0,
    }
}

#[cfg(test)]
mod tests;
