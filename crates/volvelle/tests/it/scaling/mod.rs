//! Whatever a user may write more of is doubled: work and memory at most about double, too.

mod kernels;
mod lotos;
mod measured;
mod mpi;
mod prism;
mod promela;
mod systems;
mod weighted;

use super::common::{Folder, command, markdown};
use measured::Cost;

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

const LANGUAGES: &[(&str, &[Dimension])] = &[
    ("PRISM", prism::DIMENSIONS),
    ("Promela", promela::DIMENSIONS),
    ("LOTOS", lotos::DIMENSIONS),
    ("systems", systems::DIMENSIONS),
    ("weighted", weighted::DIMENSIONS),
    ("kernels", kernels::DIMENSIONS),
    ("mpi", mpi::DIMENSIONS),
];

/// Work and memory may grow with this power of what is doubled.
const LARGEST_EXPONENT: f64 = 1.3;

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| line(i) + "\n").collect()
}

fn joined(n: usize, between: &str, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(between)
}

impl Dimension {
    fn run(&self, n: usize) -> Result<Cost, String> {
        let folder =
            (self.files)(n).into_iter().fold(Folder::new(), |folder, (name, text)| folder.file(name, text));
        let mut command = command(folder.path());
        if let Ok(path) = std::env::var("VOLVELLE_SCALING") {
            command = std::process::Command::new(path);
            command.current_dir(folder.path());
        }
        command.args(markdown::words(self.command).iter().map(|word| word.replace("{n}", &n.to_string())));
        command.args(["--max-memory", "4GB", "--timeout", "60"]);
        measured::run(&mut command)
    }
}

#[test]
fn attack_scaling() {
    let only = std::env::var("VOLVELLE_ONLY").unwrap_or_default();
    for (language, dimensions) in LANGUAGES {
        for dimension in *dimensions {
            if !format!("{language}: {}", dimension.name).contains(&only) {
                continue;
            }
            let least = dimension.run(dimension.size);
            let Ok(least) = least else {
                println!("{language}: {}: {least:?}", dimension.name);
                continue;
            };
            let mut n = dimension.size;
            let (mut before, mut last) = (least, least);
            let mut failed = String::new();
            while n * 2 <= dimension.most && last.cpu_s - least.cpu_s < 0.5 {
                match dimension.run(n * 2) {
                    Ok(cost) if cost.code == last.code => (before, last) = (last, cost),
                    other => {
                        failed = format!("{other:?} at {}", n * 2);
                        break;
                    }
                }
                n *= 2;
            }
            let exponent = |f: fn(&Cost) -> f64| ((f(&last) - f(&least)) / (f(&before) - f(&least))).log2();
            let (work, memory) = (exponent(|c| c.cpu_s), exponent(|c| c.peak_bytes as f64));
            println!(
                "{}{language}: {}: code {} n={n} cpu {:.3} {:.3} {:.3} ^{work:.2}, peak {:.1} {:.1} {:.1} ^{memory:.2} {failed}",
                if work > LARGEST_EXPONENT && last.cpu_s - least.cpu_s > 0.1
                    || memory > LARGEST_EXPONENT && last.peak_bytes > (1 << 25) + least.peak_bytes
                {
                    "!! "
                } else {
                    ""
                },
                dimension.name,
                least.code,
                least.cpu_s,
                before.cpu_s,
                last.cpu_s,
                least.peak_bytes as f64 / 1e6,
                before.peak_bytes as f64 / 1e6,
                last.peak_bytes as f64 / 1e6,
            );
        }
    }
}
