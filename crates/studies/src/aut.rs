//! Systems as texts for other tools.

use volvelle_control::Control;

/// A system in ALDEBARAN's format.
pub fn aut(lts: &volvelle_space::Lts) -> String {
    let mut text = Vec::new();
    let (dialect, compression) =
        (volvelle_explicit::Dialect::default(), volvelle_explicit::Compression::None);
    let written = volvelle_explicit::write_lts(lts, dialect, compression, &mut text, &Control::unlimited());
    written.expect("memory takes everything");
    String::from_utf8(text).expect("labels are texts")
}
