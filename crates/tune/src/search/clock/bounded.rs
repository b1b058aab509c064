//! A program with checks that its values may move with the clock without leaving the range of their type.
//!
//! Values that move with the clock may be stored, or truncated to 32 bits, only if they could also move by a
//! further *margin*; otherwise the step fails at a site of its own. So if no step of a search fails there,
//! the same steps are possible in states whose clock is ahead by at most the margin, and truncate nothing
//! there either. Example: with a margin of 100, a store of 32 700 to a 16-bit field fails.

use super::degrees::{Degrees, Known, is_note, wrapped};
use rustc_hash::FxHashMap;
use volvelle_kernel::{Block, ExprId, FailKind, Node, Site, Stmt, map_operands};
use volvelle_model::{FieldId, Item, Origin, Place, PlaceId, Program, SiteInfo, SiteSubject};

/// The range of values that are truncated to 32 bits.
const INT: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

/// The margin: half of the range of the narrowest field that moves; where the range includes negative values,
/// half of the part that the field moves into.
pub fn margin(program: &Program, degrees: &Degrees) -> i64 {
    let fields = program.fields.iter().zip(&degrees.fields).filter(|(_, degree)| **degree != 0);
    let ranges = fields.map(|(field, degree)| (field.domain.bounds(), *degree)).chain([(INT, 1)]);
    let room = |((lo, hi), degree): ((i64, i64), i8)| match degree {
        1.. => hi.saturating_sub(lo.max(0)) / 2,
        _ if lo < 0 => hi.min(0).saturating_sub(lo) / 2,
        _ => hi.saturating_sub(lo) / 2,
    };
    ranges.map(room).min().unwrap_or(0)
}

/// Adds the checks to a program. Returns the site at which they fail.
pub fn bound(program: &mut Program, degrees: &Degrees) -> Site {
    let margin = margin(program, degrees);
    let site = Site(program.sites.len() as u32);
    program.sites.push(SiteInfo {
        kind: FailKind::Range,
        subject: SiteSubject::Expression,
        origin: Origin(0),
        command: None,
    });
    for location in 0..program.network.locations.len() {
        let count = program.network.locations[location].alternatives().count();
        for number in 0..count {
            let Some(mut alternative) =
                program.network.locations[location].alternatives().nth(number).cloned()
            else {
                continue;
            };
            let of_it = degrees.of_alternative(program, &alternative);
            let mut bounding = Bounding { program, degrees, margin, site, known: FxHashMap::default() };
            bounding.all(&of_it);
            alternative.guard = bounding.known(alternative.guard);
            for item in alternative.offer.iter_mut().flat_map(|offer| &mut offer.items) {
                if let Item::Give(value) = item {
                    *value = bounding.known(*value);
                }
            }
            let effect = bounding.block(alternative.effect(), &of_it);
            *alternative.effect_mut() = effect;
            if let Some(place) = program.network.locations[location].alternatives_mut().nth(number) {
                *place = alternative;
            }
        }
    }
    site
}

/// The transformation of one alternative.
struct Bounding<'a> {
    program: &'a mut Program,
    degrees: &'a Degrees,
    margin: i64,
    site: Site,
    /// By expression: its replacement with checks, if it has any.
    known: FxHashMap<ExprId, ExprId>,
}

impl Bounding<'_> {
    fn known(&self, id: ExprId) -> ExprId {
        self.known.get(&id).copied().unwrap_or(id)
    }

    /// Adds checks to all expressions of an alternative; `degrees` are theirs.
    fn all(&mut self, degrees: &Known) {
        let mut ids: Vec<ExprId> = degrees.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let node = self.program.exprs.node(id);
            let checked = match wrapped(&self.program.exprs, id) {
                Some(inner) if degrees[&inner].is_ok_and(|degree| degree != 0) => {
                    let arg = self.known(inner);
                    self.checked(arg, INT, degrees[&inner].unwrap_or(1))
                }
                _ => {
                    let node = map_operands(node, |operand| self.known(operand));
                    self.program.exprs.add(node)
                }
            };
            if checked != id {
                self.known.insert(id, checked);
            }
        }
    }

    /// A value, checked to stay within bounds that leave the margin.
    fn checked(&mut self, arg: ExprId, (lo, hi): (i64, i64), degree: i8) -> ExprId {
        let (lo, hi) = if degree > 0 { (lo, hi - self.margin) } else { (lo + self.margin, hi) };
        self.program.exprs.add(Node::Range { arg, lo, hi, site: self.site })
    }

    /// Statements with checks. Drops the branches for values that do not fit. Recursion is as deep as blocks
    /// nest, which front ends limit.
    fn block(&mut self, block: &Block, degrees: &Known) -> Block {
        let mut out = Block::new();
        for statement in block {
            match statement {
                Stmt::Set { local, value } => {
                    out.push(Stmt::Set {
                        local: *local,
                        value: self.stored((*local).into(), *value, degrees),
                    });
                }
                Stmt::Store { buffer, index, value } => {
                    let value = self.stored((*buffer).into(), *value, degrees);
                    out.push(Stmt::Store { buffer: *buffer, index: self.known(*index), value });
                }
                Stmt::If { cond, then, otherwise } => {
                    let moves = is_note(self.program, then) && self.writes_what_moves(otherwise);
                    if moves {
                        let inside = self.block(otherwise, degrees);
                        out.extend(inside);
                    } else {
                        let (then, otherwise) = (self.block(then, degrees), self.block(otherwise, degrees));
                        out.push(Stmt::If { cond: self.known(*cond), then, otherwise });
                    }
                }
                Stmt::Switch { on, cases, default } => {
                    let cases = cases.iter().map(|(key, case)| (*key, self.block(case, degrees))).collect();
                    let default = self.block(default, degrees);
                    out.push(Stmt::Switch { on: self.known(*on), cases, default });
                }
                Stmt::For { local, from, to, body } => {
                    let body = self.block(body, degrees);
                    out.push(Stmt::For { local: *local, from: self.known(*from), to: self.known(*to), body });
                }
                Stmt::Machine { local, from, to, start, blocks } => {
                    let blocks = blocks.iter().map(|block| self.block(block, degrees)).collect();
                    let [from, to, start] = [from, to, start].map(|value| self.known(*value));
                    out.push(Stmt::Machine { local: *local, from, to, start, blocks });
                }
                other => out.push(other.clone()),
            }
        }
        out
    }

    fn writes_what_moves(&self, block: &Block) -> bool {
        block.iter().any(|statement| match statement {
            Stmt::Set { local, .. } => self.moves((*local).into()).is_some(),
            Stmt::Store { buffer, .. } => self.moves((*buffer).into()).is_some(),
            _ => false,
        })
    }

    /// The field of a place, if its values move.
    fn moves(&self, place: PlaceId) -> Option<FieldId> {
        match self.program.place(place) {
            Place::Field(field) | Place::Slot { field, .. } => {
                (self.degrees.fields[field.index()] != 0).then_some(field)
            }
            _ => None,
        }
    }

    fn stored(&mut self, place: PlaceId, value: ExprId, degrees: &Known) -> ExprId {
        let checked = self.known(value);
        match self.moves(place) {
            Some(field) if degrees.get(&value).is_some_and(|degree| *degree != Ok(0)) => {
                let bounds = self.program.fields[field.index()].domain.bounds();
                self.checked(checked, bounds, self.degrees.fields[field.index()])
            }
            _ => checked,
        }
    }
}
