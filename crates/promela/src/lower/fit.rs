//! Values that do not fit where they are stored: what SPIN cuts without a word.

use super::Lowering;
use super::expression::Value;
use super::types::Scalar;
use super::variables::Scope;
use crate::ast;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, Block, ExprId, FailKind, Stmt, Type as Ty};
use volvelle_model::{Place, SiteSubject};

impl Lowering<'_> {
    /// Warns of a constant that a variable cannot hold. Negative numbers in unsigned types are an idiom and stay unsaid.
    pub(super) fn check_fit(&mut self, ty: Scalar, value: Value, place: ast::Place) {
        let (_, hi) = ty.bounds();
        if value.lo != value.hi || value.lo <= hi {
            return;
        }
        let message = format!("{} does not fit: {} is stored", value.lo, ty.wrap(value.lo));
        if self.complained.insert(format!("fit:{}", place.0)) {
            self.warning(codes::VALUE_CUT, message, place, &format!("the largest value here is {hi}"));
        }
    }

    /// Warns of a loop whose counter cannot pass its last value, so that it never ends.
    pub(super) fn check_counter(&mut self, scope: &Scope, variable: ast::ExprId, last: ast::ExprId) {
        let Some(last_value) = self.constant(last) else { return };
        let Some(access) = self.access(scope, variable) else { return };
        let (_, hi) = access.ty.bounds();
        let place = self.place(last);
        if last_value >= hi && self.complained.insert(format!("counter:{}", place.0)) {
            let message = format!("this loop never ends: its counter does not come beyond {hi}");
            self.warning(
                codes::NARROW_COUNTER,
                message,
                place,
                "behind its largest value a variable begins again",
            );
        }
    }
}

/// Where values are cut, by site: what they were to be stored in.
pub(super) type CutSites = FxHashMap<u32, Scalar>;

impl Lowering<'_> {
    /// The condition that a value is cut by a store to a variable of this type, and what notes it. `None` where it always
    /// fits, and for constants, which are complained of when they are read.
    pub(super) fn cut(&mut self, value: Value, ty: Scalar) -> Option<(ExprId, Block)> {
        let (lo, hi) = ty.bounds();
        let is_number = !matches!(ty, Scalar::Pid | Scalar::Chan);
        let is_known = self.program.exprs.as_const(value.id).is_some();
        if !is_number || is_known || value.lo >= lo && value.hi <= hi {
            return None;
        }
        let site = self.site(FailKind::Range, SiteSubject::Note, self.statement);
        self.cut_sites.insert(site.0, ty);
        let e = &mut self.program.exprs;
        // One comparison of the distance from the smallest value, without a sign.
        let (first, most) = (e.i64(lo), e.u64((hi - lo) as u64));
        let offset = e.binary(BinaryOp::Sub, value.id, first);
        let offset = e.convert(Ty::U64, offset);
        let cond = e.binary(BinaryOp::Gt, offset, most);
        Some((cond, vec![self.program.set(Place::Noted, value.id), Stmt::Fail { site }]))
    }
}
