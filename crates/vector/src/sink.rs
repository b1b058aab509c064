//! Moves computations into rarely executed parts of the program if only these use their results.

use crate::program::{Inst, Program};

/// A part of the program: the code that a skip or a count may jump over, or a loop.
struct Region {
    /// The instruction that opens it.
    start: usize,
    parent: usize,
    depth: usize,
    is_loop: bool,
}

/// The regions, and that of each instruction; region 0 is the whole.
fn regions(code: &[Inst]) -> (Vec<Region>, Vec<usize>) {
    let mut regions = vec![Region { start: 0, parent: 0, depth: 0, is_loop: false }];
    let mut of = Vec::with_capacity(code.len());
    let mut open: Vec<(usize, Option<u32>)> = vec![(0, None)];
    for (i, inst) in code.iter().enumerate() {
        if let Inst::Label { label } = inst {
            // Also closes the regions still open inside: a loop whose end is never reached has no `Repeat`.
            if let Some(first) = open.iter().position(|(_, to)| *to == Some(label.0)) {
                open.truncate(first);
            }
        }
        let (current, _) = open[open.len() - 1];
        of.push(current);
        let opens = match *inst {
            Inst::Skip { to, .. } | Inst::Count { end: to, .. } => Some((false, Some(to.0))),
            Inst::Head { .. } => Some((true, None)),
            _ => None,
        };
        if let Some((is_loop, to)) = opens {
            let depth = regions[current].depth + 1;
            regions.push(Region { start: i, parent: current, depth, is_loop });
            open.push((regions.len() - 1, to));
        }
        if let Inst::Repeat { .. } = inst {
            open.pop();
        }
    }
    (regions, of)
}

/// Moves computations whose results only one skipped region uses to the start of that region; never into
/// loops.
pub(crate) fn sink(program: &mut Program) {
    let (regions, of) = regions(&program.code);
    // The innermost region with all uses of a register. Uses follow definitions, so going backwards all of
    // them are known.
    let mut used: Vec<Option<usize>> = vec![None; program.classes.len()];
    // When variables are written next.
    let mut written: Vec<usize> = vec![usize::MAX; program.classes.len()];
    let mut moved: Vec<Vec<Inst>> = vec![Vec::new(); regions.len()];
    let mut kept = vec![true; program.code.len()];
    for (i, inst) in program.code.iter().enumerate().rev() {
        let mut place = of[i];
        if let Some(dst) = inst.dst() {
            if program.variable[dst.index()] {
                written[dst.index()] = i;
            } else if let Some(target) = target(program, &regions, of[i], inst, used[dst.index()], &written) {
                kept[i] = false;
                moved[target].push(*inst);
                place = target;
            }
        }
        inst.each_use(|reg| {
            let used = &mut used[reg.index()];
            *used = Some(used.map_or(place, |other| common(&regions, other, place)));
        });
    }
    let mut code = Vec::with_capacity(program.code.len());
    let mut starts: Vec<(usize, usize)> =
        (1..regions.len()).filter(|&r| !regions[r].is_loop).map(|r| (regions[r].start, r)).collect();
    starts.sort_unstable();
    let mut starts = starts.into_iter().peekable();
    for (i, inst) in program.code.iter().enumerate() {
        if kept[i] {
            code.push(*inst);
        }
        if let Some(&(_, region)) = starts.peek().filter(|(start, _)| *start == i) {
            starts.next();
            code.extend(moved[region].iter().rev());
        }
    }
    program.code = code;
}

/// The place to which an instruction of region `from` may move if its result is used in `used`.
fn target(
    program: &Program,
    regions: &[Region],
    from: usize,
    inst: &Inst,
    used: Option<usize>,
    written: &[usize],
) -> Option<usize> {
    if matches!(inst, Inst::Load { .. } | Inst::LoadUniform { .. } | Inst::PerLane { .. }) {
        return None;
    }
    let target = child_towards(regions, from, used?)?;
    let start = regions[target].start;
    let mut unchanged = true;
    inst.each_use(|reg| unchanged &= !program.variable[reg.index()] || written[reg.index()] > start);
    unchanged.then_some(target)
}

/// The innermost region that has both.
fn common(regions: &[Region], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if regions[a].depth >= regions[b].depth {
            a = regions[a].parent;
        } else {
            b = regions[b].parent;
        }
    }
    a
}

/// The region directly inside `from` that has `inner`, unless it is a loop.
fn child_towards(regions: &[Region], from: usize, inner: usize) -> Option<usize> {
    let mut region = inner;
    while region != 0 && regions[region].parent != from {
        region = regions[region].parent;
    }
    (region != 0 && regions[region].parent == from && !regions[region].is_loop && region != from)
        .then_some(region)
}
