//! Interchangeable processes, or why there are none.

use super::ProcessSession;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_model::Origin;
use volvelle_model::symmetry::{Asymmetry, Symmetry};
use volvelle_promela::Lowered;

/// The interchangeable processes of a model of which some labels are looked at.
pub(super) fn find(
    session: &ProcessSession,
    lowered: &Lowered,
    labels: &[usize],
) -> Result<Symmetry, Diagnostic> {
    Symmetry::new(&lowered.program, labels).map_err(|why| refused(session, lowered, why))
}

fn refused(session: &ProcessSession, lowered: &Lowered, why: Asymmetry) -> Diagnostic {
    let (reason, origin) = match why {
        Asymmetry::LooksAround => ("some statement looks into other processes, or reads `_last`", None),
        Asymmetry::Counts => ("some statement reads `_nr_pr`", None),
        Asymmetry::ComesAndGoes => ("processes end, and others are started again and again", None),
        Asymmetry::EndsEarly => {
            ("processes may end before all others are started (`atomic` around all `run` would help)", None)
        }
        Asymmetry::Computes(origin) => ("the number of a process is computed with here", Some(origin)),
        Asymmetry::Mixes(origin) => {
            ("something here is the number of a process, and elsewhere something else", Some(origin))
        }
        Asymmetry::Claim => ("the claim tells processes apart", None),
        Asymmetry::Channels => ("channels go by numbers of processes, and are chosen otherwise, too", None),
    };
    let message = format!("no processes are interchangeable: {reason}");
    let diagnostic = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
        .note("numbers of processes may be stored, sent, compared with each other and with constants, and used as indices")
        .help("leave `--symmetry` out");
    match origin.and_then(|Origin(at)| lowered.origins.get(at as usize)) {
        Some(&place) => volvelle_promela::at(diagnostic, &session.model.places, place, ""),
        None => diagnostic,
    }
}
