//! Guarded recursion: between two occurrences of the same name there is a step. Otherwise a term has no steps that could be computed.

use super::{Term, Wccs};
use volvelle_diagnostics::{Diagnostic, codes};

/// Reports each process that reaches itself without a step, with the names on the way: once for each way that a depth-first search finds.
pub(super) fn unguarded(system: &Wccs, diagnostics: &mut Vec<Diagnostic>) {
    let uses: Vec<Vec<u32>> =
        system.processes.iter().map(|process| constants(system, process.body)).collect();
    let mut is_done = vec![false; uses.len()];
    let mut place = vec![usize::MAX; uses.len()];
    for root in 0..uses.len() {
        // Processes on the way, each with the number of names in it that have been looked at.
        let mut way = vec![(root, 0)];
        while let Some(&mut (process, ref mut next)) = way.last_mut() {
            if is_done[process] || *next == uses[process].len() {
                is_done[process] = true;
                place[process] = usize::MAX;
                way.pop();
                continue;
            }
            let used = uses[process][*next] as usize;
            *next += 1;
            place[process] = way.len() - 1;
            if place[used] != usize::MAX {
                diagnostics.push(report(system, way[place[used]..].iter().map(|&(process, _)| process)));
            } else if !is_done[used] {
                way.push((used, 0));
            }
        }
    }
}

/// The names in a term that are reached without a step, each once.
fn constants(system: &Wccs, term: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match system.terms[term as usize] {
            Term::Null | Term::Prefix { .. } => {}
            Term::Constant(process) => found.push(process),
            Term::Choice(list) | Term::Parallel(list) => {
                open.extend(system.lists[list as usize].iter().rev());
            }
            Term::Label(_, inner) | Term::Restrict(_, inner) | Term::Relabel(_, inner) => open.push(inner),
        }
    }
    found
}

fn report(system: &Wccs, cycle: impl Iterator<Item = usize>) -> Diagnostic {
    let names: Vec<usize> = cycle.collect();
    let first = &system.processes[names[0]];
    let message = format!("the recursion of process `{}` is not guarded", first.name);
    let chain = names.iter().chain(&names[..1]).map(|&number| format!("`{}`", system.processes[number].name));
    let chain: Vec<String> = chain.collect();
    let mut found =
        Diagnostic::error(codes::WCCS_UNGUARDED, message).at(first.span, "reaches itself without a step");
    for &number in &names[1..names.len().min(4)] {
        found = found.also(system.processes[number].span, "on the way");
    }
    found.note(chain.join(" uses ")).help("put a step before the name: `<a>.P`")
}
