//! Values that do not fit where they are stored: what SPIN cuts without a word.

use super::Lowering;
use super::expression::Value;
use super::types::Scalar;
use super::variables::Scope;
use crate::ast;
use volvelle_diagnostics::codes;

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
