//! Keys of machines.

use super::form::range;
use super::{Core, Machine, MemoryOrder, Mode, Placement, Protocols};
use crate::caches::{CacheShape, Policy};
use crate::predictors::{TargetKind, Training};
use crate::tasks::Selection;
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
        match key {
            "cores" => {
                let count = whole(key, value)? as usize;
                self.cores.resize(count, self.cores[0]);
            }
            "width" | "alus" | "load_store" => {
                let number = whole(key, value)?;
                self.cores.iter_mut().for_each(|core| core.assign(key, number));
            }
            "tasks_per_core" => self.tasks_per_core = whole(key, value)?,
            "task_length" => self.task_length = whole(key, value)?,
            "miss" => self.miss = whole(key, value)?,
            "upgrade" => self.upgrade = whole(key, value)?,
            "forward" => self.forward = whole(key, value)?,
            "squash" => self.squash = whole(key, value)?,
            "group" => self.group = whole(key, value)?,
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
            "reorder_buffer" => self.reorder_buffer = whole(key, value)?,
            "forward_bus" => self.forward_bus = whole(key, value)?,
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
                    self.l2.memory = whole(key, value)?;
                    Ok(())
                }
                "size" => {
                    self.l2.shape.size_bytes = whole(key, value)?.into();
                    Ok(())
                }
                _ => cache(&mut self.l2.shape, key, name, value),
            },
            _ => {
                let cycles = whole(key, value)?;
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
    pub(super) fn assign(&mut self, key: &str, number: u32) {
        *match key {
            "width" => &mut self.width,
            "alus" => &mut self.alus,
            _ => &mut self.load_store,
        } = number;
    }

    pub(super) fn read(&mut self, key: &str, value: Setting<'_>) -> Result<(), Wrong> {
        whole(key, value).map(|number| self.assign(key, number))
    }
}

fn cache(shape: &mut CacheShape, key: &str, name: &str, value: Setting<'_>) -> Result<(), Wrong> {
    match name {
        "size" => shape.size_bytes = whole(key, value)?.into(),
        "ways" => shape.ways = whole(key, value)?,
        "block" => shape.block_bytes = whole(key, value)?.into(),
        _ => {
            let policies = [("lru", Policy::Lru), ("fifo", Policy::Fifo), ("random", Policy::Random)];
            shape.policy = one_of(key, value, &policies)?;
        }
    }
    Ok(())
}

/// A whole number within the range of its key.
fn whole(key: &str, value: Setting<'_>) -> Result<u32, Wrong> {
    let range = range(key);
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
