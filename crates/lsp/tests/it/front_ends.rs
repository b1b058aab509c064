//! Every front end has names for editors, or a reason why not.

use volvelle_session::language::FRONT_ENDS;
use volvelle_symbols::LANGUAGES;

/// Front ends without names.
const WITHOUT: &[(&str, &str)] = &[("explicit", "states are numbers; texts of them are written by programs")];

#[test]
fn front_ends_have_names() {
    for front_end in FRONT_ENDS {
        let has_names = volvelle_symbols::named(front_end.name()).is_some();
        let reason = WITHOUT.iter().find(|(name, _)| *name == front_end.name());
        assert!(has_names != reason.is_some(), "{}: {reason:?}", front_end.name());
    }
    assert!(WITHOUT.iter().all(|(name, _)| FRONT_ENDS.iter().any(|front_end| front_end.name() == *name)));
}

/// A text that is no model is told by the ending of its name, which no front end may read as a model.
#[test]
fn other_languages_have_endings() {
    for language in LANGUAGES {
        let is_front_end = FRONT_ENDS.iter().any(|front_end| front_end.name() == language.name());
        assert!(is_front_end || !language.endings().is_empty(), "{}", language.name());
        for ending in language.endings() {
            let name = format!("text.{ending}");
            assert!(FRONT_ENDS.iter().all(|front_end| !front_end.is_named(&name)), "{name}");
        }
    }
}
