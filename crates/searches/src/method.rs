//! Searches for assertions and end states, by each method.

use crate::settings::{SearchMethod, SearchSettings};
use volvelle_control::Control;
use volvelle_explore::Processes;
use volvelle_logic::{Guarantee, gate};
use volvelle_search::approximate::swarm;
use volvelle_search::approximate::{self, Estimate, Memory};
use volvelle_search::{Report, Turns, bfs, dfs};

/// Bits of the array of a bitstate search, unless the user allows less.
const BITS: u64 = 1 << 30;

/// Bits of the array of each search of a swarm.
const SWARM_BITS: u64 = 1 << 24;

/// Searches of a swarm that has no time limit.
const SWARM_SEARCHES: u64 = 32;

/// Bits that a state sets.
const FUNCTIONS: u32 = 3;

/// Searches, breadth first perhaps beside a probe; also gives how far it can be trusted that there is no error if none was found.
pub(super) fn search(
    system: &Processes<'_>,
    settings: &SearchSettings,
    turns: Option<&Turns>,
    control: &Control<'_>,
) -> (Report, Guarantee) {
    let SearchSettings { all_errors, max_depth, .. } = *settings;
    let reduce = system.is_reduced();
    match settings.method {
        SearchMethod::Automatic | SearchMethod::BreadthFirst => {
            let options =
                bfs::Options { all_errors, max_depth, no_trails: false, listing: settings.listing() };
            let report = bfs::search_in_turns(system, &options, turns, control);
            bounded(report, max_depth)
        }
        SearchMethod::DepthFirst => {
            let options = dfs::Options { all_errors, max_depth, reduce, listing: settings.listing() };
            bounded(dfs::search(system, &options, control), max_depth)
        }
        SearchMethod::Bitstate => {
            let bits = within(BITS, settings, 1);
            let memory = Memory::Bits { bits, functions: FUNCTIONS };
            let options = approximate::Options { memory, all_errors, max_depth, reduce };
            estimated(approximate::search(system, &options, control))
        }
        SearchMethod::HashCompact => {
            let options =
                approximate::Options { memory: Memory::Fingerprints, all_errors, max_depth, reduce };
            estimated(approximate::search(system, &options, control))
        }
        SearchMethod::Swarm => {
            let searches = if settings.allowance.timeout.is_some() { u64::MAX } else { SWARM_SEARCHES };
            let bits = within(SWARM_BITS, settings, control.threads.max(1) as u64);
            let options = swarm::Options {
                bits,
                functions: FUNCTIONS,
                searches,
                seed: 0,
                all_errors,
                max_depth,
                reduce,
            };
            estimated(swarm::search(system, &options, control))
        }
    }
}

/// `bits` for each of `arrays` arrays, or fewer where memory is limited: half of it is for the stacks.
fn within(bits: u64, settings: &SearchSettings, arrays: u64) -> u64 {
    let most = settings.allowance.memory_bytes.map_or(bits, |bytes| 8 * (bytes / 2 / arrays));
    // The largest power of two that is not more.
    if most >= bits { bits } else { 1 << most.max(1).ilog2() }
}

/// All states, unless some lie too deep.
pub(super) fn bounded(report: Report, max_depth: Option<u64>) -> (Report, Guarantee) {
    let is_cut = max_depth.is_some_and(|most| report.depth >= most);
    let guarantee = if is_cut { Guarantee::Partial { omission: None } } else { gate::exact() };
    (report, guarantee)
}

fn estimated((report, estimate): (Report, Estimate)) -> (Report, Guarantee) {
    // The number of states beyond the depth limit is unknown.
    let omission = (!estimate.is_bounded).then_some(estimate.omission);
    (report, Guarantee::Partial { omission })
}
