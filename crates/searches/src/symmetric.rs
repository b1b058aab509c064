//! Interchangeable processes, or why there are none.

use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_model::Program;
use volvelle_model::symmetry::{Symmetry, SymmetryViolation};
use volvelle_session::language::ProcessDocument;

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
            ("a statement reads variables of other processes, or `_last`", None)
        }
        SymmetryViolation::Counts => ("a statement reads `_nr_pr`", None),
        SymmetryViolation::ComesAndGoes => ("processes terminate and are started again and again", None),
        SymmetryViolation::EndsEarly => (
            "processes may terminate before all others have started (an `atomic` around all `run` helps)",
            None,
        ),
        SymmetryViolation::Computes(origin) => ("this computes with a process number", Some(origin)),
        SymmetryViolation::Mixes(origin) => {
            ("this holds a process number here, and another kind of value elsewhere", Some(origin))
        }
        SymmetryViolation::Claim => ("the claim distinguishes processes", None),
        SymmetryViolation::Channels => {
            ("channels are indexed by process numbers, but also chosen in other ways", None)
        }
    };
    let message = format!("no processes are interchangeable: {reason}");
    let diagnostic = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
        .note("process numbers may be stored, sent, compared with each other and with constants, and used as indices")
        .help("leave `--symmetry` out");
    match origin {
        Some(origin) => document.at_origin(diagnostic, origin),
        None => diagnostic,
    }
}
