//! Whatever a user may write more of is doubled: work and memory may grow with the power 1.3 of it at most.
//!
//! In the test suite work is what the allocator of the program counts: bytes allocated in all, and bytes held at the same time. Sizes
//! are n, 2n and 4n, and what counts are the differences, so that the constant part of each run plays no role. A loop that goes
//! through everything again and again without allocating is not seen so. With more time (`cargo xtask attack attack_scaling`) each size is
//! doubled until a run takes half a second, and the seconds of the last runs are compared, too.

mod kernels;
mod lotos;
mod measured;
mod mpi;
mod prism;
mod promela;
mod reviewed;
mod systems;
mod weighted;

use super::common::{Folder, command, markdown};
use measured::Cost;
use reviewed::REVIEWED;

/// A file of a model: its name and text.
type File = (&'static str, String);

/// Something of an input that may be doubled.
struct Dimension {
    name: &'static str,
    /// How much of it the tests begin with.
    size: usize,
    /// How much of it a long run ends with.
    most: usize,
    /// The files of an input with this much of it.
    files: fn(usize) -> Vec<File>,
    /// What is done with them; `{n}` stands for how much it is.
    command: &'static str,
}

/// Work and memory may grow with this power of what is doubled.
const LARGEST_EXPONENT: f64 = 1.3;

/// Bytes that do not count: those of small numbers of things are allocated in large pieces.
const FEW_BYTES: f64 = 1e6;

/// Seconds after which a dimension is not doubled again, and those that count.
const LONG_S: f64 = 0.5;
const SHORT_S: f64 = 0.1;

/// How often something that grew too fast is doubled once more: what has one way for few and another one for many grows faster once.
const TIMES_MORE: u32 = 2;

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| line(i) + "\n").collect()
}

fn joined(n: usize, between: &str, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(between)
}

impl Dimension {
    fn run(&self, n: usize, options: &[&str]) -> Result<Cost, String> {
        let files = (self.files)(n);
        let folder = files.into_iter().fold(Folder::new(), |folder, (name, text)| folder.file(name, text));
        let mut command = command(folder.path());
        let words = markdown::words(self.command);
        command.args(words.iter().map(|word| word.replace("{n}", &n.to_string())));
        if !["info", "lint"].contains(&words[0].as_str()) {
            command.args(options);
        }
        measured::run(&mut command, &folder)
    }

    /// What grows too fast: counted, not timed.
    fn counted(&self) -> Result<(), String> {
        let run = |n: usize| self.run(n, &["--threads", "1"]);
        let mut n = self.size;
        let mut costs = [run(n)?, run(2 * n)?, run(4 * n)?];
        for times_left in (0..=TIMES_MORE).rev() {
            if let Some(other) = costs.iter().find(|cost| cost.code != costs[0].code) {
                // Where there is a limit, that is said.
                return if other.code == 2 {
                    Ok(())
                } else {
                    Err(format!("other codes for more: {costs:?}"))
                };
            }
            let Some(why) = too_fast(&costs) else { return Ok(()) };
            if times_left == 0 || 8 * n > self.most {
                return Err(format!("{n}, and four times as much: {why}"));
            }
            costs = [costs[1], costs[2], run(8 * n)?];
            n *= 2;
        }
        Ok(())
    }

    /// The same for as much as takes long, with seconds.
    fn timed(&self) -> Result<(), String> {
        let run = |n: usize| self.run(n, &["--timeout", "60"]);
        let least = run(self.size)?;
        let mut costs = vec![least];
        let mut n = self.size;
        let mut times_left = TIMES_MORE;
        loop {
            if 2 * n > self.most || costs[costs.len() - 1].cpu_s >= LONG_S {
                let Some(why) = costs.last_chunk().and_then(|last| too_slow(&least, last)) else {
                    return Ok(());
                };
                if times_left == 0 {
                    return Err(format!("{n}: {why}"));
                }
                times_left -= 1;
            }
            n *= 2;
            let next = run(n)?;
            if next.code != least.code {
                // Where there is a limit, that is said.
                return if next.code == 2 { Ok(()) } else { Err(format!("exit code {} for {n}", next.code)) };
            }
            costs.push(next);
        }
    }
}

/// What grows too fast from the first to the third of some costs, each of which is for twice as much as the one before.
fn too_fast(costs: &[Cost; 3]) -> Option<String> {
    let kinds =
        [("allocated", costs.map(|cost| cost.allocated_bytes)), ("held", costs.map(|cost| cost.held_bytes))];
    kinds.into_iter().find_map(|(kind, bytes)| {
        let [one, two, four] = bytes.map(|bytes| bytes as f64);
        let exponent = ((four - two) / (two - one).max(1.0)).log2();
        let is_much = four - one > FEW_BYTES && exponent > LARGEST_EXPONENT;
        is_much.then(|| format!("bytes {kind}: {one}, {two}, {four}: exponent {exponent:.2}"))
    })
}

/// The same for seconds and for bytes held, where both are much. What counts are the last two times that it was doubled, each and together:
/// one measurement says little. Tables that double have steps in what is held, and what the program holds at first is no part of them.
fn too_slow(least: &Cost, costs: &[Cost; 3]) -> Option<String> {
    let seconds = costs.map(|cost| (cost.cpu_s - least.cpu_s).max(0.0));
    let bytes = costs.map(|cost| cost.held_bytes as f64);
    let kinds = [
        ("seconds", seconds, seconds[2] > SHORT_S && seconds[0] > SHORT_S / 10.0),
        ("bytes held", bytes, bytes[2] > least.held_bytes as f64 + FEW_BYTES),
    ];
    kinds.into_iter().find_map(|(kind, [one, two, four], is_much)| {
        let (last, both) = ((four / two).log2(), (four / one).log2() / 2.0);
        let is_too_much = is_much && last.min(both) > LARGEST_EXPONENT;
        is_too_much.then(|| format!("{kind} {one}, {two}, {four}: exponents {last:.2}, {both:.2}"))
    })
}

fn check(language: &str, dimensions: &[Dimension]) {
    let is_long = std::env::var_os("VOLVELLE_ATTACK").is_some();
    let mut failures = Vec::new();
    for dimension in dimensions {
        let found = if is_long { dimension.timed() } else { dimension.counted() };
        let is_reviewed = REVIEWED.iter().any(|(of, name, _)| *of == language && *name == dimension.name);
        if let (Err(why), false) = (found, is_reviewed) {
            failures.push(format!("{}: {why}", dimension.name));
        }
    }
    assert!(failures.is_empty(), "{language}:\n{}", failures.join("\n"));
}

#[test]
fn attack_scaling_of_prism() {
    check("PRISM", prism::DIMENSIONS);
}

#[test]
fn attack_scaling_of_promela() {
    check("Promela", promela::DIMENSIONS);
}

#[test]
fn attack_scaling_of_lotos() {
    check("LOTOS", lotos::DIMENSIONS);
}

#[test]
fn attack_scaling_of_systems() {
    check("systems", systems::DIMENSIONS);
}

#[test]
fn attack_scaling_of_weighted_systems() {
    check("weighted systems", weighted::DIMENSIONS);
}

#[test]
fn attack_scaling_of_kernels() {
    check("kernels", kernels::DIMENSIONS);
}

#[test]
fn attack_scaling_of_mpi() {
    check("mpi", mpi::DIMENSIONS);
}

#[test]
fn reviewed_dimensions_exist() {
    let all: [(&str, &[Dimension]); 7] = [
        ("PRISM", prism::DIMENSIONS),
        ("Promela", promela::DIMENSIONS),
        ("LOTOS", lotos::DIMENSIONS),
        ("systems", systems::DIMENSIONS),
        ("weighted systems", weighted::DIMENSIONS),
        ("kernels", kernels::DIMENSIONS),
        ("mpi", mpi::DIMENSIONS),
    ];
    for (language, name, why) in REVIEWED {
        let of = all.iter().find(|(known, _)| known == language).map_or(&[][..], |(_, of)| of);
        assert!(of.iter().any(|dimension| dimension.name == *name) && !why.is_empty(), "{language}: {name}");
    }
}
