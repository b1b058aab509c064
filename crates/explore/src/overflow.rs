//! Fields without declared bounds that outgrow their window.

use volvelle_kernel::{Const, Site, interp};
use volvelle_model::{Domain, FieldId, Program, SiteSubject};

/// The growing field that a failed assignment has outgrown, and the value it would have taken.
pub(crate) fn outgrown(program: &Program, site: Site, values: &[i64]) -> Option<(FieldId, i64)> {
    let SiteSubject::Assignment(field) = program.sites[site.index()].subject else {
        return None;
    };
    if !matches!(program.fields[field.index()].domain, Domain::Growing { .. }) {
        return None;
    }
    let locals: Vec<Const> = program
        .fields
        .iter()
        .zip(values)
        .map(|(f, &v)| if f.domain == Domain::Bool { Const::bool(v != 0) } else { Const::i64(v) })
        .collect();
    let assignment = program
        .groups
        .iter()
        .flat_map(|g| &g.participants)
        .flat_map(|p| &p.alternatives)
        .flat_map(|a| &a.outcomes)
        .flat_map(|o| o.assignments())
        .find(|a| a.site == site)?;
    let value = interp::eval(&program.exprs, assignment.value, &locals).ok()?.as_i64()?;
    let (lo, hi) = program.fields[field.index()].domain.bounds();
    let grows = (value < lo || value > hi) && i32::try_from(value).is_ok();
    grows.then_some((field, value))
}
