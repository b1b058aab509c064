//! Dead variables: a local variable that no continuation reads is reset to a fixed value. So states that
//! differ only in such variables become equal.
//!
//! This is a backward analysis of the control flow of each process type, for scalar fields. Fields that a
//! label reads (of any slot) stay unchanged.

use crate::accesses::{SharedResource, Which};
use crate::ids::{FieldId, LocationId, PlaceId};
use crate::network::{Location, Network};
use crate::places::{Place, Places, each_write};
use crate::program::Program;
use crate::steps::Alternative;
use rustc_hash::FxHashSet;
use volvelle_kernel::{Block, ExprId, Stmt};

/// Which scalar fields of processes may be read later, by location.
#[derive(Clone, Debug)]
pub struct Liveness {
    candidate: Vec<bool>,
    live: Vec<Vec<bool>>,
}

impl Liveness {
    /// Analyses a program. `None` if processes read fields of others.
    pub fn new(program: &Program) -> Option<Self> {
        if program.network.has_remote_reads {
            return None;
        }
        let candidate = candidates(program);
        let mut live = live(program, &candidate);
        keep_behind_offers(program, &mut live);
        Some(Liveness { candidate, live })
    }

    /// Whether the value of a field of a process at a location may be read, by the process or by a label, before it is written.
    pub fn may_be_read(&self, field: FieldId, location: LocationId) -> bool {
        !self.candidate[field.index()] || self.live[location.index()][field.index()]
    }
}

/// Sets dead variables to 0.
pub fn reset_dead(program: &mut Program) {
    let Some(Liveness { candidate, live }) = Liveness::new(program) else { return };
    let fields = program.fields.len();
    let mut resets = Vec::new();
    for (l, location) in program.network.locations.iter().enumerate() {
        // A step that starts a process may read fields of the new process, which has another type.
        let ty = program.network.type_of(LocationId(l as u32));
        let component = ty.map(|ty| program.network.types[ty].component);
        let is_own = |f: usize| program.fields[f].component == component;
        for alternative in location.alternatives() {
            let mut dead = Vec::new();
            // An offer has no effect of its own; what dies there is reset by the next step.
            if !alternative.gives() && alternative.target().0 != 0 {
                let written = writes(program, alternative.effect());
                for f in (0..fields).filter(|&f| candidate[f] && is_own(f)) {
                    let was = live[l][f] || written.contains(&f);
                    if was && !live[alternative.target().index()][f] {
                        dead.push(f);
                    }
                }
            }
            resets.push(dead);
        }
    }
    // An unused field holds the rest value (0, or else its least value). So does a field whose first value is
    // never read.
    let rest = |domain: crate::Domain| {
        let (lo, hi) = domain.bounds();
        if (lo..=hi).contains(&0) { 0 } else { lo }
    };
    let domains: Vec<crate::Domain> = program.fields.iter().map(|f| f.domain).collect();
    let rests: Vec<ExprId> = domains.into_iter().map(|d| program.exprs.i64(rest(d))).collect();
    let at_entry = |f: usize| {
        let ty = program.network.types.iter().find(|t| program.fields[f].component == Some(t.component));
        ty.is_some_and(|t| !live[t.first.index()][f])
    };
    // First values may also be read by other first values: `proctype P(byte n) { byte m = n + 1; … }`.
    let begins = read_in_slots(program);
    let unread: Vec<bool> =
        (0..fields).map(|f| candidate[f] && at_entry(f) && !begins.contains(&f)).collect();
    let resets: Vec<Block> = resets
        .into_iter()
        .map(|dead| {
            dead.into_iter().map(|f| program.set(Place::Field(FieldId(f as u32)), rests[f])).collect()
        })
        .collect();
    let alternatives = program.network.locations.iter_mut().flat_map(Location::alternatives_mut);
    for (alternative, resets) in alternatives.zip(resets) {
        let effect = alternative.effect_mut();
        forget_first_values(effect, &program.places, &unread, &rests);
        effect.extend(resets);
    }
    forget_first_values(&mut program.network.initialisation, &program.places, &unread, &rests);
}

/// Scalar fields of processes that no label reads.
fn candidates(program: &Program) -> Vec<bool> {
    let watched = watched(program);
    let is_candidate = |f: usize| {
        let field = &program.fields[f];
        program.network.types.iter().any(|t| field.component == Some(t.component))
            && field.length == 1
            && !watched.contains(&f)
            && field.domain.bounds().0 != field.domain.bounds().1
    };
    (0..program.fields.len()).map(is_candidate).collect()
}

/// An offer cannot reset anything. So a field that is live before an offer counts as live at its target,
/// however a process gets there.
fn keep_behind_offers(program: &Program, live: &mut [Vec<bool>]) {
    let mut changed = true;
    while changed {
        changed = false;
        for (l, location) in program.network.locations.iter().enumerate() {
            for offer in location.alternatives().filter(|a| a.gives()) {
                let target = offer.target().index();
                for f in 0..live[l].len() {
                    if live[l][f] && !live[target][f] {
                        live[target][f] = true;
                        changed = true;
                    }
                }
            }
        }
    }
}

/// Sets first values that are never read to the rest value. Fields of other slots are written only where an
/// instance is created, so each such write is a first value.
fn forget_first_values(block: &mut Block, places: &Places, unread: &[bool], rests: &[ExprId]) {
    let rest = |place: PlaceId| match places.get(place) {
        Place::Slot { field, .. } if unread[field.index()] => Some(rests[field.index()]),
        _ => None,
    };
    for statement in block {
        match statement {
            Stmt::Set { local, value } => *value = rest((*local).into()).unwrap_or(*value),
            Stmt::Store { buffer, value, .. } => *value = rest((*buffer).into()).unwrap_or(*value),
            Stmt::If { then, otherwise, .. } => {
                forget_first_values(then, places, unread, rests);
                forget_first_values(otherwise, places, unread, rests);
            }
            Stmt::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, block)| forget_first_values(block, places, unread, rests));
                forget_first_values(default, places, unread, rests);
            }
            Stmt::For { body, .. } => forget_first_values(body, places, unread, rests),
            Stmt::Machine { blocks, .. } => {
                blocks.iter_mut().for_each(|block| forget_first_values(block, places, unread, rests));
            }
            _ => {}
        }
    }
}

/// Fields of processes that labels read.
fn watched(program: &Program) -> FxHashSet<usize> {
    reads_of(program, program.labels.iter().map(|l| l.expr))
}

/// For each location, the candidates whose values may still be read.
fn live(program: &Program, candidate: &[bool]) -> Vec<Vec<bool>> {
    let network: &Network = &program.network;
    let fields = candidate.len();
    let mut gen_kill = Vec::new();
    for location in &network.locations {
        let uses = |t: &Alternative| (reads(program, t), surely_written(program, t.effect()));
        let all: Vec<_> = location.alternatives().map(uses).collect();
        gen_kill.push(all);
    }
    let guard_reads: Vec<FxHashSet<usize>> = network
        .types
        .iter()
        .map(|t| t.guard.map_or_else(FxHashSet::default, |g| reads_of(program, [g])))
        .collect();
    let mut live = vec![vec![false; fields]; network.locations.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (l, location) in network.locations.iter().enumerate().rev() {
            let mut now = live[l].clone();
            if let Some(ty) = network.type_of(LocationId(l as u32)) {
                guard_reads[ty].iter().for_each(|&f| now[f] = true);
            }
            for (alternative, (reads, written)) in location.alternatives().zip(&gen_kill[l]) {
                for f in 0..fields {
                    let after = live[alternative.target().index()][f] && !written.contains(&f);
                    now[f] |= candidate[f] && (reads.contains(&f) || after);
                }
            }
            if now != live[l] {
                live[l] = now;
                changed = true;
            }
        }
    }
    live
}

/// Fields that some expression reads in an explicitly chosen slot.
fn read_in_slots(program: &Program) -> FxHashSet<usize> {
    let reads = program.exprs.ids().filter_map(|id| match program.place_read(&program.exprs.node(id)) {
        Some(Place::Slot { field, .. }) => Some(field.index()),
        _ => None,
    });
    reads.collect()
}

/// Fields that expressions read, of the moving instance or of any slot.
fn reads_of(program: &Program, roots: impl IntoIterator<Item = ExprId>) -> FxHashSet<usize> {
    let mut seen = FxHashSet::default();
    let mut out = FxHashSet::default();
    let mut stack: Vec<ExprId> = roots.into_iter().collect();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = program.exprs.node(id);
        out.extend(program.place_read(&node).and_then(Place::field).map(FieldId::index));
        program.each_operand(&node, |c| stack.push(c));
    }
    out
}

/// Fields that a transition may read, whether or not it has written them before.
fn reads(program: &Program, alternative: &Alternative) -> FxHashSet<usize> {
    let mut roots = vec![alternative.guard];
    if let Some(offer) = &alternative.offer {
        roots.extend(offer.expressions());
    }
    program.expressions(alternative.effect(), &mut roots);
    let mut all = reads_of(program, roots);
    // Partial-order reduction reads the values that select resources.
    all.extend(alternative.accesses.iter().filter_map(|t| match t.resource {
        SharedResource::Field(_, Which::Own(field, _)) | SharedResource::Slot(_, Which::Own(field, _)) => {
            Some(field.index())
        }
        _ => None,
    }));
    all
}

/// Scalar fields of the instance that moves that a block may write.
fn writes(program: &Program, block: &Block) -> FxHashSet<usize> {
    let mut out = FxHashSet::default();
    each_write(block, &mut |place, is_element| {
        if let Place::Field(field) = program.place(place)
            && !is_element
        {
            out.insert(field.index());
        }
    });
    out
}

/// Scalar fields that a block writes on every path.
fn surely_written(program: &Program, block: &Block) -> FxHashSet<usize> {
    let set = |s: &Stmt| match s {
        Stmt::Set { local, .. } => match program.place(*local) {
            Place::Field(field) => Some(field.index()),
            _ => None,
        },
        _ => None,
    };
    block.iter().filter_map(set).collect()
}
