//! Claims that hold for want of cases.

use volvelle_model::claim::Formula;
use volvelle_session::remarks::is_vacuous;

#[test]
fn implications_without_a_case() {
    use Formula::*;
    // [] (p -> <> q), [] ((p && q) -> r), [] (!p -> q)
    let response = [Proposition(0), Proposition(1), Eventually(1), Implies(0, 2), Always(3)];
    assert!(is_vacuous(&response, |label| label == 1));
    assert!(!is_vacuous(&response, |label| label == 0));
    let both = [Proposition(0), Proposition(1), And(0, 1), Proposition(2), Implies(2, 3)];
    assert!(is_vacuous(&both, |label| label != 1));
    assert!(!is_vacuous(&both, |label| label != 2));
    let spelt_out = [Proposition(0), Not(0), Proposition(1), Or(1, 2)];
    assert!(is_vacuous(&spelt_out, |label| label == 1));
    assert!(!is_vacuous(&spelt_out, |label| label == 0));
    let negated = [Proposition(0), Not(0), Proposition(1), Implies(1, 2)];
    assert!(!is_vacuous(&negated, |_| false));
}
