//! Which property is meant.

use volvelle_session::select::{Selector, unknown};

#[test]
fn names_numbers_texts() {
    let names = [Some("p1"), None, Some("live")];
    assert_eq!(Selector::of("p1", &names), Ok(Selector::Listed(0)));
    assert_eq!(Selector::of("\"live\"", &names), Ok(Selector::Listed(2)));
    assert_eq!(Selector::of("#2", &names), Ok(Selector::Listed(1)));
    assert_eq!(Selector::of("2", &names), Ok(Selector::Listed(1)));
    // Without properties too: a number is not the formula 2.
    assert_eq!(Selector::of("2", &[]).unwrap_err().message, "there is no property #2");
    assert_eq!(Selector::of(" P=? [ F x ] ", &names), Ok(Selector::Text("P=? [ F x ]".into())));
    for wrong in ["#0", "0", "4", "#4", "#", "#x", "#99999999999999999999999", ""] {
        assert!(Selector::of(wrong, &names).is_err(), "{wrong}");
    }
}

#[test]
fn suggestions() {
    let names = [Some("p1"), None, Some("live")];
    assert_eq!(unknown("liev", &names).helps, ["did you mean `live`?"]);
    assert_eq!(unknown("#9", &names).helps, ["there are 3 properties: \"p1\", #2, \"live\""]);
}
