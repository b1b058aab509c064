//! Interchangeable processes, or why there are none.

use crate::language::ProcessDocument;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_model::Program;
use volvelle_model::symmetry::{Symmetry, SymmetryViolation};

/// The interchangeable processes of a model of which some labels are looked at.
pub(super) fn find(
    program: &Program,
    document: &dyn ProcessDocument,
    labels: &[usize],
) -> Result<Symmetry, Diagnostic> {
    Symmetry::new(program, labels).map_err(|why| refused(document, why))
}

fn refused(document: &dyn ProcessDocument, why: SymmetryViolation) -> Diagnostic {
    let (reason, origin) = match why {
        SymmetryViolation::LooksAround => {
            ("some statement looks into other processes, or reads `_last`", None)
        }
        SymmetryViolation::Counts => ("some statement reads `_nr_pr`", None),
        SymmetryViolation::ComesAndGoes => ("processes end, and others are started again and again", None),
        SymmetryViolation::EndsEarly => {
            ("processes may end before all others are started (`atomic` around all `run` would help)", None)
        }
        SymmetryViolation::Computes(origin) => {
            ("the model computes with the number of a process here", Some(origin))
        }
        SymmetryViolation::Mixes(origin) => {
            ("something here is the number of a process, and elsewhere something else", Some(origin))
        }
        SymmetryViolation::Claim => ("the claim tells processes apart", None),
        SymmetryViolation::Channels => {
            ("channels go by numbers of processes, and are chosen otherwise, too", None)
        }
    };
    let message = format!("no processes are interchangeable: {reason}");
    let diagnostic = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
        .note("numbers of processes may be stored, sent, compared with each other and with constants, and used as indices")
        .help("leave `--symmetry` out");
    match origin {
        Some(origin) => document.at_origin(diagnostic, origin),
        None => diagnostic,
    }
}
