//! One state space for several programs: what it is turned into is what exploring each program gives.

use crate::tiers::{Bounds, difference_of_results};
use volvelle_control::{Control, Limits};
use volvelle_explore::{Explored, Mismatch, Options, Reusable, explore};
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_model::Program;
use volvelle_model::kernels::Selection;
use volvelle_native::Native;

/// Counts of the outcomes of a run of the oracle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Spaces that were turned into that of another program.
    pub reused: usize,
    /// Among them those with other weights than before.
    pub reevaluated: usize,
    /// Programs that differed in more than numbers.
    pub differed: usize,
    /// Weights that were zero in one program only.
    pub zero: usize,
    /// Programs that failed.
    pub failed: usize,
}

/// Goes through programs, one after the other, with one space as long as it lasts, and compares it with a fresh one each
/// time; in all ways to explore.
///
/// # Errors
/// A sentence about the first difference.
pub fn compare(programs: &[Program], bounds: Bounds) -> Result<Tally, String> {
    let native = Native::new(volvelle_native::Options::default()).map_err(|e| e.to_string())?;
    let ways: [(&dyn Compiler, usize); 3] = [(&native, 1), (&native, 3), (&Interpreter, 1)];
    let mut tallies = Vec::new();
    for (compiler, threads) in ways {
        let limits = Limits { states: Some(bounds.states), deadline: bounds.deadline, memory_bytes: None };
        let control = Control { limits, threads, ..Control::unlimited() };
        let mut tally = Tally::default();
        walk(programs, compiler, &control, &mut tally)
            .map_err(|difference| format!("{}, threads: {threads}: {difference}", compiler.name()))?;
        tallies.push(tally);
    }
    match tallies.windows(2).find(|pair| pair[0] != pair[1]) {
        Some(pair) => Err(format!("ways to explore differ: {:?} and {:?}", pair[0], pair[1])),
        None => Ok(tallies[0]),
    }
}

fn walk(
    programs: &[Program],
    compiler: &dyn Compiler,
    control: &Control<'_>,
    tally: &mut Tally,
) -> Result<(), String> {
    let mut kept: Option<Reusable> = None;
    for (i, program) in programs.iter().enumerate() {
        // Which rewards are requested may change from program to program.
        let mut observe = Selection::all(program);
        if i % 4 == 3 {
            observe.rewards.truncate(1);
        }
        let options = Options { observe, reusable: true, ..Options::default() };
        let fresh = explore(program, compiler, &options, control);
        if let Some(reusable) = kept.take() {
            let before = reusable.explored().space.values.clone();
            match (reusable.again(program, compiler, &options, control), &fresh) {
                (Ok(reusable), Ok(fresh)) => {
                    if let Some(difference) = difference_of_results(reusable.explored(), fresh) {
                        return Err(format!("program {i}: {difference}"));
                    }
                    tally.reused += 1;
                    tally.reevaluated += usize::from(before != fresh.space.values);
                    kept = Some(reusable);
                }
                (Ok(_), Err(error)) => return Err(format!("program {i}: the fast engine missed {error:?}")),
                (Err(Mismatch::Differs(_)), _) => tally.differed += 1,
                (Err(Mismatch::Zero), _) => tally.zero += 1,
                (Err(Mismatch::Failed(_)), Err(_)) => tally.failed += 1,
                (Err(refusal), Ok(_)) => return Err(format!("program {i} was refused: {refusal:?}")),
            }
        }
        if kept.is_none()
            && let Ok(fresh) = fresh
        {
            kept = Some(reusable(program, fresh)?);
        }
    }
    Ok(())
}

fn reusable(program: &Program, explored: Explored) -> Result<Reusable, String> {
    Reusable::new(program.clone(), explored).map_err(|_| "exploration kept no slots".to_owned())
}
