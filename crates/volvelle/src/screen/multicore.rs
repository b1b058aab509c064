//! Programs on multicores: a table of machines and predictors, where the cycles go, and what limits a program.

use super::columns::{Columns, Keys};
use super::{Style, written as files_line};
use crate::commands::multicore::{AccessRow, CLASSES, Executed, Mean, OutcomeRow, Report, Row};
use volvelle_multicore::{Branch, CacheCounts, SharedBlock, Times};
use volvelle_verify::limits::{bytes, count, counted};

/// Everything about programs, machines and predictors.
pub fn rows(
    report: &Report,
    symbol: impl Fn(&str, u64) -> Option<String>,
    written: &[String],
    style: Style,
) -> String {
    let mut out = String::new();
    if !report.title.is_empty() {
        out.push_str(&format!("{}\n\n", style.bold(&report.title)));
    }
    if report.means.is_empty() {
        let programs = report.rows.chunk_by(|one, other| one.program == other.program);
        let programs: Vec<String> = programs.map(|of| program(report, of, &symbol, style)).collect();
        out.push_str(&programs.join("\n"));
    } else {
        out.push_str(&study(report, style));
    }
    out.push_str(&files_line(written, style));
    out
}

fn program(
    report: &Report,
    of: &[Row],
    symbol: &impl Fn(&str, u64) -> Option<String>,
    style: Style,
) -> String {
    let first = &of[0];
    let mut about = vec![counted(first.answer.instructions, "instruction")];
    about.extend(first.exit.map(|exit| format!("exit {exit}")));
    let windows = &first.answer.windows;
    if !windows.is_empty() {
        let inside: u64 = windows.iter().map(|window| window.instructions).sum();
        about.push(format!(
            "{} with {}",
            counted(windows.len() as u64, "window"),
            counted(inside, "instruction")
        ));
    }
    let mut out =
        format!("{}  {}\n\n", style.bold(&first.program), style.dim(&about.join(style.separator())));
    out.push_str(&table(report, of).draw(2, style, |_, text| text.to_owned()));
    if first.answer.cycles > 0 {
        out.push('\n');
        out.push_str(&stacks(report, of).draw(2, style, |_, text| text.to_owned()));
        if of.iter().all(|row| row.answer.bounds == first.answer.bounds) {
            out.push_str(&format!("\n  {}\n", style.dim(&limit(first))));
        }
    }
    for row in of {
        out.push_str(&lists(row, report.branches, symbol, style));
    }
    out
}

/// What a row is about.
fn names(report: &Report, row: &Row) -> Vec<String> {
    let mut names = Vec::new();
    if report.has_readings() {
        names.push(row.reading.clone().unwrap_or_default());
    }
    names.extend([row.answer.machine.clone(), row.answer.predictor.clone()]);
    names
}

fn table(report: &Report, of: &[Row]) -> Columns {
    let mut head: Vec<String> = Vec::new();
    if report.has_readings() {
        head.push("reading".to_owned());
    }
    head.extend(["machine", "predictor"].map(str::to_owned));
    let keys = head.len();
    let (is_timed, is_sampled) = (report.is_timed(), report.is_sampled());
    if is_timed {
        head.push("IPC".to_owned());
        if is_sampled {
            head.extend(["with 95 %", "gain"].map(str::to_owned));
        }
        head.extend(["at most", "cycles"].map(str::to_owned));
    }
    head.extend(["tasks", "predicted", "wrong", "MPKI", "bits"].map(str::to_owned));
    if is_timed {
        head.extend(["D misses", "coherence"].map(str::to_owned));
    }
    let cells = |row: &Row| {
        let answer = &row.answer;
        let mut cells = names(report, row);
        if is_timed {
            let least = answer.bounds.cycles().max(1);
            let most = answer.instructions as f64 / least as f64;
            cells.push(format!("{:.3}", answer.ipc()));
            if is_sampled {
                let interval = answer.ipc_interval();
                cells
                    .push(interval.map_or_else(String::new, |ipc| format!("{:.3} to {:.3}", ipc.lo, ipc.hi)));
                cells.push(row.gain.map_or_else(String::new, |gain| gain.text()));
            }
            cells.extend([format!("{most:.3}"), count(answer.cycles)]);
        }
        let share = percent(answer.mispredictions, answer.predictions);
        cells.extend([
            count(answer.tasks),
            count(answer.predictions),
            format!("{} ({share})", count(answer.mispredictions)),
            format!("{:.2}", answer.mpki()),
            count(answer.bits),
        ]);
        if is_timed {
            cells.extend([count(answer.dcache.misses), count(answer.dcache.coherence_misses)]);
        }
        cells
    };
    Columns { head, rows: of.iter().map(cells).collect(), keys: Keys::Before(keys), group: 1 }
}

/// Where the cycles go, in parts of a hundred.
fn stacks(report: &Report, of: &[Row]) -> Columns {
    let mut head = vec!["cycles of cores".to_owned()];
    let keys = names(report, &of[0]).len();
    head.resize(keys, String::new());
    head.extend(of[0].stack.iter().map(|(name, _)| (*name).to_owned()));
    let cells = |row: &Row| {
        let total: f64 = row.stack.iter().map(|(_, cycles)| cycles).sum();
        let share = |(_, cycles): &(&str, f64)| format!("{:.1} %", 100.0 * cycles / total.max(1.0));
        names(report, row).into_iter().chain(row.stack.iter().map(share)).collect()
    };
    Columns { head, rows: of.iter().map(cells).collect(), keys: Keys::Before(keys), group: 1 }
}

/// What no predictor can change.
fn limit(row: &Row) -> String {
    let bounds = &row.answer.bounds;
    let all = [
        (bounds.dataflow_cycles, "dependences"),
        (bounds.width_cycles, "width"),
        (bounds.alu_cycles, "ALUs"),
        (bounds.memory_cycles, "load/store units"),
    ];
    let ipc = |cycles: u64| row.answer.instructions as f64 / cycles.max(1) as f64;
    let known = all.iter().filter(|(cycles, _)| *cycles > 0);
    let texts: Vec<String> = known.map(|(cycles, name)| format!("{name} {:.3}", ipc(*cycles))).collect();
    format!("IPC is at most, by {}", texts.join(", "))
}

fn percent(part: u64, of: u64) -> String {
    if of == 0 { "-".to_owned() } else { format!("{:.2} %", 100.0 * part as f64 / of as f64) }
}

/// Branches that are mispredicted most, shared blocks, and the way of the first instructions.
fn lists(row: &Row, branches: usize, symbol: &impl Fn(&str, u64) -> Option<String>, style: Style) -> String {
    let answer = &row.answer;
    let mut out = String::new();
    let title = |what: &str| {
        format!("\n  {}\n", style.dim(&format!("{what}: {} {}", answer.machine, answer.predictor)))
    };
    let name = |address: u64| symbol(&row.program, address).unwrap_or_default();
    if branches > 0 && !answer.branches.is_empty() {
        let cells = |branch: &Branch| {
            vec![
                format!("{:#x}", branch.pc),
                name(branch.pc),
                count(branch.executions),
                percent(branch.taken, branch.executions),
                count(branch.mispredictions),
                percent(branch.mispredictions, answer.mispredictions),
            ]
        };
        let head = ["branch", "symbol", "executed", "taken", "wrong", "of all"].map(str::to_owned).to_vec();
        let rows = answer.branches.iter().take(branches).map(cells).collect();
        out.push_str(&title("branches"));
        out.push_str(
            &Columns { head, rows, keys: Keys::Before(2), group: 1 }.draw(2, style, |_, t| t.to_owned()),
        );
    }
    if !answer.shared_blocks.is_empty() {
        let cells = |block: &SharedBlock| {
            vec![
                format!("{:#x}", block.address),
                name(block.address),
                count(block.coherence_misses),
                count(block.false_sharing),
            ]
        };
        let head = ["block", "symbol", "coherence misses", "false sharing"].map(str::to_owned).to_vec();
        let rows = answer.shared_blocks.iter().map(cells).collect();
        out.push_str(&title("blocks that cores take from each other"));
        out.push_str(
            &Columns { head, rows, keys: Keys::Before(2), group: 1 }.draw(2, style, |_, t| t.to_owned()),
        );
    }
    if !answer.timeline.is_empty() {
        out.push_str(&title("F fetched, I issued, = at work, C complete, R retired"));
        out.push_str(&timeline(&answer.timeline, style));
    }
    out
}

/// Cycles that fit into a line.
const MOST_CYCLES: u64 = 100;

/// The way of instructions through the machine, cycle by cycle; as numbers where it is long.
fn timeline(all: &[Times], style: Style) -> String {
    let numbers = ["instruction", "core", "fetch", "issue", "complete", "retire"];
    let start = all.iter().map(|times| times.fetch).min().unwrap_or(0);
    let end = all.iter().map(|times| times.retire).max().unwrap_or(0);
    let is_drawn = end - start < MOST_CYCLES;
    let cells = |times: &Times| {
        let Times { instruction, core, fetch, issue, complete, retire } = *times;
        match is_drawn {
            true => {
                let sign = |cycle: u64| match cycle {
                    _ if cycle == fetch => 'F',
                    _ if cycle == retire => 'R',
                    _ if cycle == complete => 'C',
                    _ if cycle == issue => 'I',
                    _ if cycle > issue && cycle < complete => '=',
                    _ if cycle > fetch && cycle < retire => '.',
                    _ => ' ',
                };
                let drawn: String = (start..=retire).map(sign).collect();
                vec![instruction.to_string(), core.to_string(), drawn]
            }
            false => [instruction, u64::from(core), fetch, issue, complete, retire]
                .map(|number| number.to_string())
                .to_vec(),
        }
    };
    let head = match is_drawn {
        true => vec!["instruction".to_owned(), "core".to_owned(), format!("from cycle {start}")],
        false => numbers.map(str::to_owned).to_vec(),
    };
    let rows = all.iter().map(cells).collect();
    Columns { head, rows, keys: Keys::Before(1), group: 1 }.draw(2, style, |_, text| text.to_owned())
}

/// A study of several programs: means, gains by program, and both under other readings.
fn study(report: &Report, style: Style) -> String {
    let programs: Vec<&[Row]> = report.rows.chunk_by(|one, other| one.program == other.program).collect();
    let per_reading = report.means.iter().take_while(|mean| mean.reading.is_none()).count();
    let usual = &report.means[..per_reading];
    let mut out = section("geometric means over all programs", &means(usual), style);
    let machines: Vec<&str> =
        usual.iter().step_by(report.predictors).map(|mean| mean.machine.as_str()).collect();
    let others = (0..report.predictors).filter(|&other| report.base.is_some_and(|base| base != other));
    let others: Vec<usize> = others.collect();
    let Some(base) = report.base else { return out };
    let gain = |rows: &[Row], other: usize| {
        let of_machine = rows[..per_reading].chunks(report.predictors);
        let gain = |of: &[Row]| of[other].gain.map_or_else(String::new, |gain| gain.text());
        of_machine.map(gain).collect::<Vec<String>>()
    };
    for &other in &others {
        let title = format!("gain of {} over {}, by program", usual[other].predictor, usual[base].predictor);
        let rows = programs.iter().map(|rows| (rows[0].program.clone(), gain(rows, other)));
        out.push('\n');
        out.push_str(&section(&title, &by_machine("program", &machines, rows), style));
    }
    if report.has_readings() {
        let readings = || report.means.chunks(per_reading.max(1));
        let name = |of: &[Mean]| of[0].reading.clone().unwrap_or_else(|| "as it is".to_owned());
        let ipc = |of: &[Mean]| {
            of.chunks(report.predictors).map(|of| format!("{:.3}", of[base].ipc)).collect::<Vec<String>>()
        };
        let rows = readings().map(|of| (name(of), ipc(of)));
        let title = format!(
            "mean IPC with {}, or what stands in its place, under each reading",
            usual[base].predictor
        );
        out.push('\n');
        out.push_str(&section(&title, &by_machine("reading", &machines, rows), style));
        for &other in &others {
            let gains = |of: &[Mean]| {
                let gain = |of: &[Mean]| of[other].gain.map_or_else(String::new, |gain| gain.text());
                of.chunks(report.predictors).map(gain).collect::<Vec<String>>()
            };
            let rows = readings().map(|of| (name(of), gains(of)));
            let title = format!(
                "gain of {}, or what stands in its place, under each reading",
                usual[other].predictor
            );
            out.push('\n');
            out.push_str(&section(&title, &by_machine("reading", &machines, rows), style));
        }
    }
    out
}

fn section(title: &str, table: &Columns, style: Style) -> String {
    format!("{}\n\n{}", style.bold(title), table.draw(2, style, |_, text| text.to_owned()))
}

/// A table with a column for each machine.
fn by_machine(what: &str, machines: &[&str], rows: impl Iterator<Item = (String, Vec<String>)>) -> Columns {
    let head = std::iter::once(what).chain(machines.iter().copied()).map(str::to_owned).collect();
    let rows = rows.map(|(name, cells)| std::iter::once(name).chain(cells).collect()).collect();
    Columns { head, rows, keys: Keys::Before(1), group: 1 }
}

/// Geometric means over all programs.
fn means(all: &[Mean]) -> Columns {
    let has_expected = all.iter().any(|mean| mean.expected.is_some());
    let mut head = ["machine", "predictor", "IPC", "gain"].map(str::to_owned).to_vec();
    if has_expected {
        head.extend(["expected", "ratio"].map(str::to_owned));
    }
    let cells = |mean: &Mean| {
        let gain = mean.gain.map_or_else(String::new, |gain| gain.text());
        let mut cells = vec![mean.machine.clone(), mean.predictor.clone(), format!("{:.3}", mean.ipc), gain];
        if has_expected {
            cells.push(mean.expected.map_or_else(String::new, |ipc| ipc.to_string()));
            cells.push(mean.expected.map_or_else(String::new, |ipc| format!("{:.2}", mean.ipc / ipc)));
        }
        cells
    };
    Columns { head, rows: all.iter().map(cells).collect(), keys: Keys::Before(2), group: 1 }
}

/// What a program executed.
pub fn executed(name: &str, found: &Executed, written: &[String], style: Style) -> String {
    let mut about = vec![counted(found.instructions, "instruction")];
    about.extend(found.exit.map(|exit| format!("exit {exit}")));
    if found.printed > found.output.len() as u64 {
        about.push(format!("{} printed, of which only a part is shown", bytes(found.printed)));
    }
    let mut out = format!("{}  {}\n", style.bold(name), style.dim(&about.join(style.separator())));
    let share = |part: u64| percent(part, found.instructions);
    let mix: Vec<String> =
        CLASSES.iter().zip(found.mix).map(|((name, _), part)| format!("{name} {}", share(part))).collect();
    out.push_str(&super::flow::items("  executed  ", &mix, "   ", 12, style));
    let branches = CLASSES.iter().position(|(name, _)| *name == "branch").map_or(0, |place| found.mix[place]);
    out.push_str(&format!("  branches  {} taken\n", percent(found.taken, branches)));
    let hashes = &found.hashes;
    let memory = format!("{}, {}", counted(hashes.loads, "load"), counted(hashes.stores, "store"));
    out.push_str(&format!(
        "  hashes    pc {:016x}   memory {:016x}   {}\n",
        hashes.pc,
        hashes.memory,
        style.dim(&memory)
    ));
    out.push_str(&files_line(written, style));
    out
}

/// Predictors on a stream of outcomes.
pub fn outcomes(name: &str, rows: &[OutcomeRow], written: &[String], style: Style) -> String {
    let predictions = rows.first().map_or(0, |row| row.predictions);
    let mut out = format!("{}  {}\n\n", style.bold(name), style.dim(&counted(predictions, "outcome")));
    let cells = |row: &OutcomeRow| {
        vec![
            row.predictor.clone(),
            row.group.to_string(),
            count(row.mispredictions),
            percent(row.mispredictions, row.predictions),
            count(row.bits),
        ]
    };
    let head = ["predictor", "group", "wrong", "of all", "bits"].map(str::to_owned).to_vec();
    let table = Columns { head, rows: rows.iter().map(cells).collect(), keys: Keys::Before(1), group: 1 };
    out.push_str(&table.draw(2, style, |_, text| text.to_owned()));
    out.push_str(&files_line(written, style));
    out
}

/// Caches under a stream of accesses.
pub fn accesses(name: &str, rows: &[AccessRow], written: &[String], style: Style) -> String {
    let all = rows.first().map_or(0, |row| row.counts.accesses);
    let mut out = format!("{}  {}\n\n", style.bold(name), style.dim(&format!("{} accesses", count(all))));
    let cells = |row: &AccessRow| {
        let names = [row.machine.clone(), row.cores.to_string(), row.protocol.clone()];
        names.into_iter().chain(row.counts.parts().iter().skip(1).map(|(_, number)| count(*number))).collect()
    };
    // The number of accesses is above.
    let names = CacheCounts::default().parts().map(|(name, _)| name.replace('_', " "));
    let head = ["machine", "cores", "protocol"].map(str::to_owned).into_iter();
    let head = head.chain(names.into_iter().skip(1)).collect();
    let table = Columns { head, rows: rows.iter().map(cells).collect(), keys: Keys::Before(3), group: 1 };
    out.push_str(&table.draw(2, style, |_, text| text.to_owned()));
    out.push_str(&files_line(written, style));
    out
}

/// A recording.
pub fn recorded(
    name: &str,
    instructions: u64,
    size: u64,
    exit: Option<u8>,
    written: &[String],
    style: Style,
) -> String {
    let each = size as f64 / instructions.max(1) as f64;
    let mut about = vec![counted(instructions, "instruction")];
    about.extend(exit.map(|exit| format!("exit {exit}")));
    about.push(format!("{}, {each:.3} bytes an instruction", bytes(size)));
    let line = format!("{}  {}\n", style.bold(name), style.dim(&about.join(style.separator())));
    line + &files_line(written, style)
}
