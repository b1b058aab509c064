//! Sums of rows on a device: a lane for each block and job.
//!
//! A job is a measure, or the count of steps. Only the input of statistics is transferred: two integers and
//! four floats per lane.

use crate::monitor::{Monitors, Within};
use crate::summary::Summary;
use volvelle_kernel::{BufferMut, Kernel, text};
use volvelle_statistics::{Moments, Tally};

/// The kinds of jobs, for the kernel.
mod kind {
    /// Steps of all paths, and the number of paths given up.
    pub const STATUS: u32 = 0;
    /// The number of ones in the column.
    pub const TALLY: u32 = 1;
    /// The moments of the finite values of the column, and the number of other values.
    pub const MOMENTS: u32 = 2;
    /// The number of times in the column within a horizon, and the number of undecided ones.
    pub const WITHIN: u32 = 3;
}

/// The number of integers that a lane returns.
const COUNTS: usize = 2;
/// The number of floats that a lane returns.
const NUMBERS: usize = 4;

/// The operations of `Moments::push` and `Reading::value`, in the order of the paths.
const TEXT: &str = "
kernel sum_up(lane: u64, blocks: u64, block_paths: u64, paths: u64, columns: u64) {
    buffer rows: read f64;
    buffer status: read u64;
    buffer kinds: read u32;
    buffer places: read u64;
    buffer horizons: read f64;
    buffer counts: write u64;
    buffer numbers: write f64;
    site @0: division, tag 0;
    local job: u64;
    local path: u64;
    local last: u64;
    local value: f64;
    local horizon: f64;
    local first_count: u64;
    local second_count: u64;
    local mean: f64;
    local squares: f64;
    local least: f64;
    local greatest: f64;
    local before: f64;

    job = lane /@0 blocks;
    path = (lane - job * blocks) * block_paths;
    last = min(path + block_paths, paths);
    horizon = horizons[job];
    least = f64.inf;
    greatest = -f64.inf;
    switch kinds[job] {
        case 0 {
            for path in path..last {
                first_count = first_count + (status[path] >> 1u64);
                second_count = second_count + (status[path] & 1u64);
            }
        }
        case 1 {
            for path in path..last {
                first_count = first_count + ((rows[path * columns + places[job]] == 1.0f64) as u64);
            }
        }
        case 2 {
            for path in path..last {
                value = rows[path * columns + places[job]];
                if abs(value) < f64.inf {
                    first_count = first_count + 1u64;
                    before = value - mean;
                    mean = mean + before / (first_count as f64);
                    squares = squares + before * (value - mean);
                    if value < least { least = value; }
                    if value > greatest { greatest = value; }
                } else {
                    second_count = second_count + 1u64;
                }
            }
        }
        case 3 {
            for path in path..last {
                value = rows[path * columns + places[job]];
                if abs(value) <= horizon {
                    if (value as bits u64) >> 63u64 == 0u64 {
                        first_count = first_count + 1u64;
                    } else {
                        second_count = second_count + 1u64;
                    }
                }
            }
        }
        default { }
    }
    counts[lane * 2u64] = first_count;
    counts[lane * 2u64 + 1u64] = second_count;
    numbers[lane * 4u64] = mean;
    numbers[lane * 4u64 + 1u64] = squares;
    numbers[lane * 4u64 + 2u64] = least;
    numbers[lane * 4u64 + 3u64] = greatest;
}";

/// The jobs of summing.
#[derive(Clone, Debug)]
pub struct Jobs {
    /// A kind, a column and a horizon per job; the first job counts steps.
    kinds: Vec<u32>,
    places: Vec<u64>,
    horizons: Vec<f64>,
    /// Set for measures of an event *not* happening within a horizon.
    negated: Vec<bool>,
}

/// The sums of a block.
#[derive(Clone, Debug)]
pub struct Sums {
    /// Steps of all its paths.
    pub steps: u64,
    /// The number of paths that were given up.
    pub given_up: u64,
    /// One for each measure.
    pub summaries: Vec<Summary>,
}

impl Jobs {
    /// The jobs for the measures of monitors.
    pub fn new(monitors: &Monitors) -> Self {
        let mut jobs =
            Jobs { kinds: vec![kind::STATUS], places: vec![0], horizons: vec![0.0], negated: vec![false] };
        for (reading, &indicator) in monitors.readings().iter().zip(monitors.indicators()) {
            let (kind, horizon, negated) = match reading.within {
                Some(Within { horizon, negated, .. }) => (kind::WITHIN, horizon, negated),
                None if indicator => (kind::TALLY, 0.0, false),
                None => (kind::MOMENTS, 0.0, false),
            };
            jobs.kinds.push(kind);
            jobs.places.push(reading.column as u64);
            jobs.horizons.push(horizon);
            jobs.negated.push(negated);
        }
        jobs
    }

    /// The number of jobs: lanes for each block.
    pub fn count(&self) -> usize {
        self.kinds.len()
    }

    /// Whether the sums are smaller than the rows.
    pub fn pays(&self, columns: usize) -> bool {
        self.count() * (COUNTS + NUMBERS) < crate::summary::BLOCK as usize * (columns + 1)
    }

    /// The numbers of integers and floats that `lanes` lanes return.
    pub fn told(lanes: usize) -> [usize; 2] {
        [COUNTS * lanes, NUMBERS * lanes]
    }

    /// Kinds, places and horizons, in the layout of the kernel.
    pub fn buffers(&self) -> [BufferMut<'_>; 3] {
        [
            BufferMut::ReadU32(&self.kinds),
            BufferMut::ReadU64(&self.places),
            BufferMut::ReadF64(&self.horizons),
        ]
    }

    /// The kernel. Buffers: rows and status of paths; kinds, places and horizons of jobs; counts and numbers of lanes.
    pub fn kernel() -> Kernel {
        let kernels = text::parse(TEXT).unwrap_or_default();
        kernels.into_iter().next().expect("the text above is a kernel")
    }

    /// The sums of block `block` of `blocks`, which has the given number of paths.
    pub fn read(&self, block: usize, blocks: usize, paths: u64, counts: &[u64], numbers: &[f64]) -> Sums {
        let of = |job: usize| {
            let lane = job * blocks + block;
            (&counts[lane * COUNTS..][..COUNTS], &numbers[lane * NUMBERS..][..NUMBERS])
        };
        let (account, _) = of(0);
        let summaries = (1..self.count()).map(|job| {
            let (counts, numbers) = of(job);
            if self.kinds[job] == kind::MOMENTS {
                let [mean, squares, least, greatest] = [numbers[0], numbers[1], numbers[2], numbers[3]];
                let moments = Moments::as_pushed(counts[0], mean, squares, least, greatest);
                return Summary::Moments { moments, infinite: counts[1] };
            }
            let successes = if self.negated[job] { paths - counts[0] - counts[1] } else { counts[0] };
            Summary::Tally(Tally::new(successes, paths).unwrap_or_default())
        });
        Sums { steps: account[0], given_up: account[1], summaries: summaries.collect() }
    }
}
