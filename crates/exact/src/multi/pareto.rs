//! The corners of the achievable set, over rationals.
//!
//! The set lies in a polyhedron of half-spaces. A corner of the polyhedron that is below a mix of known points is achieved;
//! from another one a direction separates the known points, and its half-space is a new face, or its point is new. When all
//! corners are achieved, polyhedron and set are the same.

use super::polyhedron::Polyhedron;
use super::search::Search;
use dashu_ratio::RBig;
use volvelle_solver::CheckError;

/// Most objectives of a curve.
const MOST: usize = 8;

impl Search<'_> {
    /// The points that no other is better than in every coordinate, and that no mix of others replaces.
    pub fn pareto(&mut self) -> Result<Vec<Vec<RBig>>, CheckError> {
        if self.targets.len() > MOST {
            return Err(CheckError::TooLarge { what: "objectives of one Pareto curve".to_string() });
        }
        let mut polyhedron = Polyhedron::below(self.top.clone());
        loop {
            let Some(corner) = polyhedron.corners().find(|corner| !corner.achieved) else { break };
            let separation = self.separate(&corner.at)?;
            corner.achieved = separation.is_none();
            if let Some(weights) = separation {
                let limit = self.look(&weights)?;
                polyhedron.cut(&weights, &limit);
            }
        }
        Ok(polyhedron.corners().map(|corner| corner.at.clone()).collect())
    }
}
