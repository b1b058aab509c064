//! Keys of machines.

use super::{Core, Machine, MemoryOrder, Mode, Placement, Protocols};
use crate::caches::{CacheShape, Policy};
use crate::limits::{MOST_CORES, MOST_IN_FLIGHT};
use crate::predictors::{TargetKind, Training};
use crate::tasks::Selection;
use std::ops::RangeInclusive;
use volvelle_diagnostics::{Diagnostic, codes, suggest};

/// All keys.
pub const KEYS: [&str; 47] = [
    "cores",
    "tasks_per_core",
    "task_length",
    "selection",
    "width",
    "alus",
    "load_store",
    "caches",
    "miss",
    "upgrade",
    "forward",
    "squash",
    "group",
    "protocol",
    "mode",
    "targets",
    "returns",
    "wrong_targets",
    "placement",
    "reorder_buffer",
    "forward_bus",
    "training",
    "history",
    "wrong_path",
    "younger",
    "memory_order",
    "l1d.size",
    "l1d.ways",
    "l1d.block",
    "l1d.policy",
    "l1i.size",
    "l1i.ways",
    "l1i.block",
    "l1i.policy",
    "l2.size",
    "l2.ways",
    "l2.block",
    "l2.policy",
    "l2.memory",
    "latency.alu",
    "latency.mul",
    "latency.div",
    "latency.fp",
    "latency.load",
    "latency.store",
    "latency.branch",
    "latency.jump",
];

const LARGEST_COST: u64 = 10_000;
const MOST_UNITS: u64 = 64;
const LONGEST_TASK: u64 = 256;

/// A value. TOML distinguishes numbers from texts, a command line does not.
#[derive(Clone, Copy, Debug)]
pub(super) enum Setting<'v> {
    Whole(u64),
    Text(&'v str),
}

/// What is wrong with a value. Only a protocol's file may have several mistakes.
pub(super) type Wrong = Vec<Diagnostic>;

impl Machine {
    /// Sets a key by its name, as `--const KEY=VALUE` does.
    ///
    /// # Errors
    /// The key is unknown, or cannot have this value.
    pub fn set(
        &mut self,
        key: &str,
        value: &str,
        protocols: &mut dyn Protocols,
    ) -> Result<(), Vec<Diagnostic>> {
        let setting = match value.parse() {
            Ok(number) if value.bytes().all(|byte| byte.is_ascii_digit()) => Setting::Whole(number),
            _ => Setting::Text(value),
        };
        if !KEYS.contains(&key) {
            let found =
                Diagnostic::error(codes::MACHINE_KEY, format!("unknown key `{}`", key.escape_debug()));
            return Err(vec![match suggest(key, KEYS) {
                Some(near) => found.help(format!("did you mean `{near}`?")),
                None => {
                    let part = key.split_once('.').map_or("", |(part, _)| part);
                    let near: Vec<&str> = KEYS
                        .into_iter()
                        .filter(|known| known.split_once('.').is_some_and(|(of, _)| of == part))
                        .collect();
                    let keys = if near.is_empty() { &KEYS[..] } else { &near };
                    found.help(format!("the keys are `{}`", keys.join("`, `")))
                }
            }]);
        }
        self.assign(key, setting, protocols)
    }

    /// Sets a key that there is.
    pub(super) fn assign(
        &mut self,
        key: &str,
        value: Setting<'_>,
        protocols: &mut dyn Protocols,
    ) -> Result<(), Wrong> {
        let units = 1..=MOST_UNITS;
        let costs = 0..=LARGEST_COST;
        match key {
            "cores" => {
                let count = whole(key, value, 1..=MOST_CORES as u64)? as usize;
                self.cores.resize(count, self.cores[0]);
            }
            "width" | "alus" | "load_store" => {
                let number = whole(key, value, units)?;
                self.cores.iter_mut().for_each(|core| core.assign(key, number));
            }
            "tasks_per_core" => self.tasks_per_core = whole(key, value, 1..=16)?,
            "task_length" => self.task_length = whole(key, value, 1..=LONGEST_TASK)?,
            "miss" => self.miss = whole(key, value, costs)?,
            "upgrade" => self.upgrade = whole(key, value, costs)?,
            "forward" => self.forward = whole(key, value, costs)?,
            "squash" => self.squash = whole(key, value, costs)?,
            "group" => self.group = whole(key, value, 1..=1024)?,
            "selection" => {
                let known = ["first-branch", "length", "loop", "postdominator", "span-1` to `span-64"];
                let read = |name: &str| Selection::parse(name);
                self.selection = word(key, value, &known, read)?;
            }
            "caches" => self.has_caches = one_of(key, value, &[("perfect", false), ("real", true)])?,
            "mode" => {
                let modes =
                    [("rounds", Mode::Rounds), ("rolling", Mode::Rolling), ("optimistic", Mode::Optimistic)];
                self.mode = one_of(key, value, &modes)?;
            }
            "targets" => {
                let kinds = [("cache", TargetKind::Cache), ("ittage", TargetKind::Ittage)];
                self.targets.kind = one_of(key, value, &kinds)?;
            }
            "returns" => {
                self.targets.has_return_stack = one_of(key, value, &[("cache", false), ("stack", true)])?;
            }
            "wrong_targets" => {
                self.targets.is_charged = one_of(key, value, &[("counted", false), ("squash", true)])?;
            }
            "protocol" => {
                let Setting::Text(name) = value else { return Err(no_text(key)) };
                self.protocol = protocols.find(name)?;
            }
            "placement" => {
                let placements = [
                    ("usual", Placement::Usual),
                    ("round-robin", Placement::RoundRobin),
                    ("first-free", Placement::FirstFree),
                ];
                self.placement = one_of(key, value, &placements)?;
            }
            "reorder_buffer" => self.reorder_buffer = whole(key, value, 0..=MOST_IN_FLIGHT as u64)?,
            "forward_bus" => self.forward_bus = whole(key, value, 0..=MOST_UNITS)?,
            "training" => {
                let moments = [
                    ("at-once", Training::AtOnce),
                    ("resolve", Training::Resolve),
                    ("commit", Training::Commit),
                ];
                self.training = one_of(key, value, &moments)?;
            }
            "history" => {
                self.is_history_repaired = one_of(key, value, &[("repaired", true), ("unrepaired", false)])?;
            }
            "younger" => {
                self.keeps_younger = one_of(key, value, &[("squashed", false), ("kept", true)])?;
            }
            "memory_order" => {
                let orders = [
                    ("exact", MemoryOrder::Exact),
                    ("after-stores", MemoryOrder::AfterStores),
                    ("free", MemoryOrder::Free),
                ];
                self.memory_order = one_of(key, value, &orders)?;
            }
            "wrong_path" => {
                self.has_wrong_paths = one_of(key, value, &[("false", false), ("true", true)])?;
            }
            _ => self.assign_part(key, value)?,
        }
        Ok(())
    }

    fn assign_part(&mut self, key: &str, value: Setting<'_>) -> Result<(), Wrong> {
        let (part, name) = key.split_once('.').unwrap_or((key, ""));
        match part {
            "l1d" => cache(&mut self.l1d, key, name, value),
            "l1i" => cache(&mut self.l1i, key, name, value),
            "l2" => match name {
                "memory" => {
                    self.l2.memory = whole(key, value, 0..=LARGEST_COST)?;
                    Ok(())
                }
                "size" => {
                    self.l2.shape.size_bytes = whole(key, value, 0..=CacheShape::LARGEST_BYTES)?.into();
                    Ok(())
                }
                _ => cache(&mut self.l2.shape, key, name, value),
            },
            _ => {
                let cycles = whole(key, value, 1..=LARGEST_COST)?;
                let latencies = &mut self.latencies;
                *match name {
                    "alu" => &mut latencies.alu,
                    "mul" => &mut latencies.mul,
                    "div" => &mut latencies.div,
                    "fp" => &mut latencies.fp,
                    "load" => &mut latencies.load,
                    "store" => &mut latencies.store,
                    "branch" => &mut latencies.branch,
                    _ => &mut latencies.jump,
                } = cycles;
                Ok(())
            }
        }
    }
}

impl Core {
    /// Keys of a core that is declared separately.
    pub(super) const KEYS: [&str; 3] = ["width", "alus", "load_store"];

    pub(super) fn assign(&mut self, key: &str, number: u32) {
        *match key {
            "width" => &mut self.width,
            "alus" => &mut self.alus,
            _ => &mut self.load_store,
        } = number;
    }

    pub(super) fn read(&mut self, key: &str, value: Setting<'_>) -> Result<(), Wrong> {
        whole(key, value, 1..=MOST_UNITS).map(|number| self.assign(key, number))
    }
}

fn cache(shape: &mut CacheShape, key: &str, name: &str, value: Setting<'_>) -> Result<(), Wrong> {
    match name {
        "size" => shape.size_bytes = whole(key, value, 1..=CacheShape::LARGEST_BYTES)?.into(),
        "ways" => shape.ways = whole(key, value, 1..=CacheShape::MOST_WAYS)?,
        "block" => shape.block_bytes = whole(key, value, 1..=CacheShape::LARGEST_BLOCK)?.into(),
        _ => {
            let policies = [("lru", Policy::Lru), ("fifo", Policy::Fifo), ("random", Policy::Random)];
            shape.policy = one_of(key, value, &policies)?;
        }
    }
    Ok(())
}

/// A whole number within a range that 32 bits hold.
fn whole(key: &str, value: Setting<'_>, range: RangeInclusive<u64>) -> Result<u32, Wrong> {
    let number = match value {
        Setting::Whole(number) if range.contains(&number) => u32::try_from(number).ok(),
        _ => None,
    };
    number.ok_or_else(|| {
        let message = format!("`{key}` is a whole number from {} to {}", range.start(), range.end());
        vec![Diagnostic::error(codes::MACHINE_VALUE, message)]
    })
}

fn no_text(key: &str) -> Wrong {
    vec![Diagnostic::error(codes::MACHINE_VALUE, format!("`{key}` is a text, not a number"))]
}

/// The value of a word that `read` knows.
fn word<T>(
    key: &str,
    value: Setting<'_>,
    known: &[&str],
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Wrong> {
    let text = match value {
        Setting::Text(text) => text.to_owned(),
        Setting::Whole(number) => number.to_string(),
    };
    read(&text).ok_or_else(|| {
        let message = format!("`{key}` is `{}`, not `{}`", known.join("`, `"), text.escape_debug());
        vec![Diagnostic::error(codes::MACHINE_VALUE, message)]
    })
}

fn one_of<T: Copy>(key: &str, value: Setting<'_>, known: &[(&str, T)]) -> Result<T, Wrong> {
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    word(key, value, &names, |text| known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value))
}
