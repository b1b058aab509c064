//! The sum of a row of probabilities as part of a program: an expression, and the site of its failure.
//!
//! What such a sum means, and when a row has none, is the subject of [`row_sums`](crate::row_sums).

use volvelle_kernel::{BinaryOp, ExprId, Exprs, Site, Stmt, UnaryOp};

/// Limit of the distance of a sum of probabilities from one. The default of PRISM (`-sumroundoff`).
pub const SUM_TOLERANCE: f64 = 1e-5;

/// The sum of the probabilities of an alternative, which may differ from one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowSum {
    /// The sum as it is written, `f64`.
    pub expr: ExprId,
    /// The site of failure if the sum is far from one ([`SiteSubject::Sum`](crate::SiteSubject)).
    pub site: Site,
    /// Whether any sum is accepted.
    pub is_free: bool,
}

impl RowSum {
    /// Whether a sum is accepted.
    pub fn is_near_one(sum: f64) -> bool {
        (sum - 1.0).abs() <= SUM_TOLERANCE
    }

    /// Fails if the sum is not accepted.
    pub fn check(&self, exprs: &mut Exprs) -> Option<Stmt> {
        if self.is_free {
            return None;
        }
        let difference = self.difference(exprs);
        let tolerance = exprs.f64(SUM_TOLERANCE);
        let good = exprs.binary(BinaryOp::Le, difference, tolerance);
        let cond = exprs.not(good);
        Some(Stmt::If { cond, then: vec![Stmt::Fail { site: self.site }], otherwise: vec![] })
    }

    /// The distance of the sum from one.
    pub fn difference(&self, exprs: &mut Exprs) -> ExprId {
        let one = exprs.f64(1.0);
        let difference = exprs.binary(BinaryOp::Sub, self.expr, one);
        exprs.unary(UnaryOp::Abs, difference)
    }
}
