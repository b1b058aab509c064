//! Truncation: values that do not fit where they are stored. SPIN truncates them silently.

use super::code::{Code, Context};
use super::reports::Once;
use super::types::Scalar;
use super::values::Value;
use crate::ast;
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, Block, ExprId, FailKind, Stmt, Type as Ty};
use volvelle_model::{Place, SiteSubject};

impl Code<'_, '_> {
    /// Warns of a constant that a variable cannot hold. Negative numbers in unsigned types are an idiom and not reported.
    pub(super) fn check_constant(&mut self, ty: Scalar, value: Value, place: ast::Place) {
        let (_, hi) = ty.bounds();
        if value.lo != value.hi || value.lo <= hi {
            return;
        }
        let message = format!("{} does not fit: {} is stored", value.lo, ty.wrap(value.lo));
        if self.out.reports.is_first(Once::Truncated(place)) {
            self.warning(codes::VALUE_CUT, message, place, &format!("the largest value here is {hi}"));
        }
    }

    /// Warns of a name that is of another `mtype` than the variable in which it is stored.
    pub(super) fn check_set(&mut self, cx: Context<'_>, ty: Scalar, value: ast::ExprId) {
        let (Scalar::Mtype(wanted), Some(found)) = (ty, self.env.set_of(cx.scope, value)) else { return };
        if wanted == found {
            return;
        }
        let name = |set: u32| match self.env.mtypes.sets.get(set as usize) {
            Some(Some(name)) => format!("`mtype:{name}`"),
            _ => "`mtype`".to_owned(),
        };
        let message = format!("a value of {} is stored in a variable of {}", name(found), name(wanted));
        let note = "its number is stored, which is another name there; SPIN refuses it: \"type error\"";
        self.warning_once(Once::OtherSet(self.place), message, self.place, note);
    }

    /// Warns of a loop that never ends: its counter, whose greatest value is `hi`, does not pass the last value, which is `most` at
    /// most. That it may not pass one that is
    /// not constant, and of a wider type, is told where it would make a model of time another one.
    pub(super) fn check_counter(&mut self, hi: i64, last: ast::ExprId, most: i64) {
        let place = self.env.place(last);
        let message = match self.env.constant(last) {
            Some(last) if last >= hi => format!("this loop never ends: its counter never exceeds {hi}"),
            None if self.out.doubts_counters && hi < Scalar::Int.bounds().1 && most > hi => {
                format!(
                    "this loop never ends where its last value is {hi} or more: its counter never exceeds {hi}"
                )
            }
            _ => return,
        };
        if self.out.reports.is_first(Once::EndlessLoop(place)) {
            let note = "after its largest value, a variable wraps around";
            self.warning(codes::NARROW_COUNTER, message, place, note);
        }
    }

    /// The condition that a store to a variable of this type truncates a value, and the block that notes the value. `None`
    /// where the value always fits, and for constants, of which [`Code::check_constant`] warns.
    pub(super) fn truncation(&mut self, value: Value, ty: Scalar) -> Option<(ExprId, Block)> {
        let (lo, hi) = ty.bounds();
        let is_number = !matches!(ty, Scalar::Pid | Scalar::Chan);
        let is_known = self.out.program.exprs.as_const(value.id).is_some();
        if !is_number || is_known || value.lo >= lo && value.hi <= hi {
            return None;
        }
        let site = self.site(FailKind::Range, SiteSubject::Note, self.place);
        self.out.truncation_sites.insert(site.0, ty);
        let e = &mut self.out.program.exprs;
        // One comparison of the distance from the smallest value, without a sign.
        let (first, most) = (e.i64(lo), e.u64((hi - lo) as u64));
        let offset = e.binary(BinaryOp::Sub, value.id, first);
        let offset = e.convert(Ty::U64, offset);
        let cond = e.binary(BinaryOp::Gt, offset, most);
        Some((cond, vec![self.out.program.set(Place::Noted, value.id), Stmt::Fail { site }]))
    }
}
