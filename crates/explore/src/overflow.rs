//! Fields without declared bounds that outgrow their window.

use crate::scene::Scene;
use volvelle_kernel::Site;
use volvelle_model::{Domain, FieldId, Program, SiteSubject};

/// The growing field that a failed assignment has outgrown, and the rejected value.
pub(crate) fn outgrown(program: &Program, site: Site, scene: &Scene<'_>) -> Option<(FieldId, i64)> {
    let SiteSubject::Assignment(field) = program.sites[site.index()].subject else {
        return None;
    };
    if !matches!(program.fields[field.index()].domain, Domain::Growing { .. }) {
        return None;
    }
    let assignment = program
        .groups
        .iter()
        .flat_map(|g| &g.participants)
        .flat_map(|p| &p.alternatives)
        .flat_map(|a| &a.outcomes)
        .flat_map(|o| o.assignments())
        .find(|a| a.site == site)?;
    let value = scene.value(assignment.value)?;
    let (lo, hi) = program.fields[field.index()].domain.bounds();
    let grows = (value < lo || value > hi) && i32::try_from(value).is_ok();
    grows.then_some((field, value))
}
