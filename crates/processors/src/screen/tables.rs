//! The tables about programs, machines and predictors, for screens and pages.

use crate::choice::{Candidate, Choice};
use crate::gain::Gain;
use crate::report::{Mean, Report, Row};
use crate::streams::{AccessRow, OutcomeRow};
use volvelle_multicore::{Branch, CacheCounts, SharedBlock};
use volvelle_reports::screen::columns::{Columns, Keys};
use volvelle_session::limits::{count, counted};

/// Rows of texts of which the first `keys` cells say what they are about.
fn columns(head: Vec<String>, rows: Vec<Vec<String>>, keys: usize) -> Columns {
    Columns { head, rows, keys: Keys::Before(keys), group: 1 }
}

fn heads<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

/// Heads for what a row is about.
fn key_heads(report: &Report) -> Vec<String> {
    let reading = report.has_readings().then(|| "reading".to_owned());
    reading.into_iter().chain(heads(["machine", "predictor"])).collect()
}

/// What a row is about.
fn keys(report: &Report, row: &Row) -> Vec<String> {
    let reading = report.has_readings().then(|| row.reading.clone().unwrap_or_default());
    reading.into_iter().chain([row.answer.machine.clone(), row.answer.predictor.clone()]).collect()
}

/// Cycles, predictions, and misses.
pub fn answers(report: &Report, of: &[Row]) -> Columns {
    let mut head = key_heads(report);
    let keys_count = head.len();
    let (is_timed, is_sampled) = (report.is_timed(), report.is_sampled());
    let has_gains = is_sampled && of.iter().any(|row| row.gain.is_some());
    if is_timed {
        head.extend(heads(["IPC"]));
        if is_sampled {
            head.extend(heads(["with 95 %"]));
        }
        if has_gains {
            head.extend(heads(["gain"]));
        }
        head.extend(heads(["at most", "cycles"]));
    }
    head.extend(heads(["tasks", "predicted", "wrong", "MPKI", "bits"]));
    if is_timed {
        head.extend(heads(["D misses", "coherence"]));
    }
    let cells = |row: &Row| {
        let answer = &row.answer;
        let mut cells = keys(report, row);
        if is_timed {
            let least = answer.bounds.cycles().max(1);
            let most = answer.instructions as f64 / least as f64;
            cells.push(format!("{:.3}", answer.ipc()));
            if is_sampled {
                let interval = answer.ipc_interval();
                let interval = interval.map(|ipc| format!("{:.3} to {:.3}", ipc.lo, ipc.hi));
                cells.push(interval.unwrap_or_default());
            }
            if has_gains {
                cells.push(gain(row.gain));
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
    columns(head, of.iter().map(cells).collect(), keys_count)
}

/// Where the cycles go, in parts of a hundred; there is a row at least.
pub fn stacks(report: &Report, of: &[Row]) -> Columns {
    let mut head = key_heads(report);
    let keys_count = head.len();
    head.extend(of[0].stack.iter().map(|(name, _)| (*name).to_owned()));
    let cells = |row: &Row| {
        let total: f64 = row.stack.iter().map(|(_, cycles)| cycles).sum();
        let share = |(_, cycles): &(&str, f64)| format!("{:.1} %", 100.0 * cycles / total.max(1.0));
        keys(report, row).into_iter().chain(row.stack.iter().map(share)).collect()
    };
    columns(head, of.iter().map(cells).collect(), keys_count)
}

/// What a program is that has a row: its instructions, its end, and the windows that stand for it.
pub fn about(first: &Row) -> Vec<String> {
    let mut about = vec![counted(first.answer.instructions, "instruction")];
    about.extend(first.exit.map(|exit| format!("exit {exit}")));
    about.extend(windows(first));
    about
}

/// The windows that stand for a program, where some were asked for.
pub fn windows(row: &Row) -> Option<String> {
    let windows = &row.answer.windows;
    if row.is_covered {
        return Some("simulated as a whole, since windows would cover it".to_owned());
    }
    let inside: u64 = windows.iter().map(|window| window.instructions).sum();
    let text =
        || format!("{} with {}", counted(windows.len() as u64, "window"), counted(inside, "instruction"));
    (!windows.is_empty()).then(text)
}

/// What no predictor can change: instructions per cycle, at most, by what limits them; none where nothing does.
pub fn bounds(row: &Row) -> [(&'static str, Option<f64>); 4] {
    let bounds = &row.answer.bounds;
    [
        ("dependences", bounds.dataflow_cycles),
        ("width", bounds.width_cycles),
        ("ALUs", bounds.alu_cycles),
        ("load/store units", bounds.memory_cycles),
    ]
    .map(|(name, cycles)| {
        (
            name,
            Some(cycles)
                .filter(|&cycles| cycles > 0)
                .map(|cycles| row.answer.instructions as f64 / cycles as f64),
        )
    })
}

/// The same by machine, or once where all machines have the same; there is a row at least.
pub fn limits(report: &Report, of: &[Row]) -> Columns {
    let is_same = have_same_bounds(of);
    let of_machines = of.chunk_by(|one, other| {
        is_same || (&one.reading, &one.answer.machine) == (&other.reading, &other.answer.machine)
    });
    let names = |row: &Row| {
        let mut names = if is_same { vec!["all".to_owned()] } else { keys(report, row) };
        // Predictors make no difference.
        names.truncate(names.len().saturating_sub(usize::from(!is_same)));
        names
    };
    let cells = |of: &[Row]| {
        let number =
            |(_, ipc): (_, Option<f64>)| ipc.map_or_else(|| "-".to_owned(), |ipc| format!("{ipc:.3}"));
        names(&of[0]).into_iter().chain(bounds(&of[0]).map(number)).collect()
    };
    let mut head = key_heads(report);
    head.truncate(head.len() - 1);
    if is_same {
        head = heads(["machine"]);
    }
    let keys_count = head.len();
    head.extend(bounds(&of[0]).map(|(name, _)| name.to_owned()));
    columns(head, of_machines.map(cells).collect(), keys_count)
}

/// Whether these rows have the same bounds.
pub fn have_same_bounds(of: &[Row]) -> bool {
    of.iter().all(|row| row.answer.bounds == of[0].answer.bounds)
}

/// A part of a hundred.
pub fn percent(part: u64, of: u64) -> String {
    if of == 0 { "-".to_owned() } else { format!("{:.2} %", 100.0 * part as f64 / of as f64) }
}

/// Branches that are mispredicted most, at most so many.
pub fn branches(row: &Row, most: usize, symbol: &impl Fn(&str, u64) -> Option<String>) -> Columns {
    let cells = |branch: &Branch| {
        vec![
            format!("{:#x}", branch.pc),
            symbol(&row.program, branch.pc).unwrap_or_default(),
            count(branch.executions),
            percent(branch.taken, branch.executions),
            count(branch.mispredictions),
            percent(branch.mispredictions, row.answer.mispredictions),
        ]
    };
    let head = heads(["branch", "symbol", "executed", "taken", "wrong", "of all"]);
    columns(head, row.answer.branches.iter().take(most).map(cells).collect(), 2)
}

/// Blocks that cores take from each other.
pub fn blocks(all: &[SharedBlock], symbol: impl Fn(u64) -> Option<String>) -> Columns {
    let cells = |block: &SharedBlock| {
        vec![
            format!("{:#x}", block.address),
            symbol(block.address).unwrap_or_default(),
            count(block.coherence_misses),
            count(block.false_sharing),
        ]
    };
    let head = heads(["block", "symbol", "coherence misses", "false sharing"]);
    columns(head, all.iter().map(cells).collect(), 2)
}

/// Predictors on a stream of outcomes.
pub fn outcomes(rows: &[OutcomeRow]) -> Columns {
    let cells = |row: &OutcomeRow| {
        vec![
            row.predictor.clone(),
            row.group.to_string(),
            count(row.mispredictions),
            percent(row.mispredictions, row.predictions),
            count(row.bits),
        ]
    };
    let head = heads(["predictor", "group", "wrong", "of all", "bits"]);
    columns(head, rows.iter().map(cells).collect(), 1)
}

/// Caches under a stream of accesses, whose number is told elsewhere.
pub fn accesses(rows: &[AccessRow]) -> Columns {
    let cells = |row: &AccessRow| {
        let names = [row.machine.clone(), row.cores.to_string(), row.protocol.clone()];
        names.into_iter().chain(row.counts.parts().iter().skip(1).map(|(_, number)| count(*number))).collect()
    };
    let names = CacheCounts::default().parts().map(|(name, _)| name.replace('_', " "));
    let head = heads(["machine", "cores", "protocol"]).into_iter();
    columns(head.chain(names.into_iter().skip(1)).collect(), rows.iter().map(cells).collect(), 3)
}

/// What was chosen, as tables with titles: the best, and those that none surpasses.
pub fn choice(choice: &Choice) -> Vec<(String, Columns)> {
    let cells = |one: &Candidate| {
        let figures = &one.figures;
        let value = one.value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
        let value = value.trim_end_matches('0').trim_end_matches('.').to_owned();
        let (machine, predictor) = (one.machine.clone(), one.predictor.clone());
        let ipc = format!("{:.3}", figures.ipc);
        vec![machine, predictor, value, ipc, count(figures.bits), count(figures.units)]
    };
    let head = || heads(["machine", "predictor", "value", "IPC", "bits", "units"]);
    let (tried, of) = (count(choice.all.len() as u64), count(choice.of));
    let all = if tried == of { tried } else { format!("{tried} tried, of {of}") };
    let title = match choice.best {
        Some(_) => format!("best of {all}: {}", choice.goal),
        None => format!("none of {all} has it: {}", choice.goal),
    };
    let best = choice.best.map(|best| &choice.all[best]);
    let front = choice.all.iter().filter(|one| one.is_on_front);
    vec![
        (title, columns(head(), best.map(cells).into_iter().collect(), 2)),
        (
            "none has fewer bits, fewer units and more IPC than these".to_owned(),
            columns(head(), front.map(cells).collect(), 2),
        ),
    ]
}

/// A study of several programs, as tables with titles: means, gains by program, and both under other readings.
pub fn study(report: &Report) -> Vec<(String, Columns)> {
    let programs: Vec<&[Row]> = report.rows.chunk_by(|one, other| one.program == other.program).collect();
    let per_reading = report.means.iter().take_while(|mean| mean.reading.is_none()).count();
    let usual = &report.means[..per_reading];
    let of_windows = programs.iter().map(|of| of[0].answer.windows.len()).max().unwrap_or(0);
    let by = if of_windows > 0 { format!(", by up to {of_windows} windows of each") } else { String::new() };
    let mut all = vec![(format!("geometric means over all programs{by}"), means(usual))];
    let machines: Vec<&str> =
        usual.iter().step_by(report.predictors).map(|mean| mean.machine.as_str()).collect();
    let others = (0..report.predictors).filter(|&other| report.base.is_some_and(|base| base != other));
    let others: Vec<usize> = others.collect();
    let Some(base) = report.base else { return all };
    let gains = |rows: &[Row], other: usize| {
        let of_machine = rows[..per_reading].chunks(report.predictors);
        of_machine.map(|of| gain(of[other].gain)).collect::<Vec<String>>()
    };
    for &other in &others {
        let title = format!("gain of {} over {}, by program", usual[other].predictor, usual[base].predictor);
        let rows = programs.iter().map(|rows| (rows[0].program.clone(), gains(rows, other)));
        all.push((title, by_machine("program", &machines, rows)));
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
        all.push((title, by_machine("reading", &machines, rows)));
        for &other in &others {
            let gains = |of: &[Mean]| {
                of.chunks(report.predictors).map(|of| gain(of[other].gain)).collect::<Vec<String>>()
            };
            let rows = readings().map(|of| (name(of), gains(of)));
            let title = format!(
                "gain of {}, or what stands in its place, under each reading",
                usual[other].predictor
            );
            all.push((title, by_machine("reading", &machines, rows)));
        }
    }
    all
}

fn gain(gain: Option<Gain>) -> String {
    gain.map_or_else(String::new, |gain| gain.text())
}

/// A table with a column for each machine.
fn by_machine(what: &str, machines: &[&str], rows: impl Iterator<Item = (String, Vec<String>)>) -> Columns {
    let head = std::iter::once(what).chain(machines.iter().copied()).map(str::to_owned).collect();
    let rows = rows.map(|(name, cells)| std::iter::once(name).chain(cells).collect()).collect();
    columns(head, rows, 1)
}

/// Geometric means over all programs.
fn means(all: &[Mean]) -> Columns {
    let has_expected = all.iter().any(|mean| mean.expected.is_some());
    let mut head = heads(["machine", "predictor", "IPC", "gain"]);
    if has_expected {
        head.extend(heads(["expected", "ratio"]));
    }
    let cells = |mean: &Mean| {
        let (machine, predictor) = (mean.machine.clone(), mean.predictor.clone());
        let mut cells = vec![machine, predictor, format!("{:.3}", mean.ipc), gain(mean.gain)];
        if has_expected {
            cells.push(mean.expected.map_or_else(String::new, |ipc| ipc.to_string()));
            cells.push(mean.expected.map_or_else(String::new, |ipc| format!("{:.2}", mean.ipc / ipc)));
        }
        cells
    };
    columns(head, all.iter().map(cells).collect(), 2)
}
