//! Formats and compressions, by names and contents of files.

use volvelle_explicit::{Compression, Format};

#[test]
fn by_name() {
    for (name, format) in [
        ("a/b.umb", Some(Format::Umb)),
        ("b.DRN", Some(Format::Drn)),
        ("b.tra.gz", Some(Format::PrismTransitions)),
        ("b.aut.XZ", Some(Format::Aut)),
        ("b.aut.zst", Some(Format::Aut)),
        ("b.pexp", Some(Format::PrismCombined)),
        ("umb", None),
        ("b.umb.zip", None),
        ("é.x", None),
    ] {
        assert_eq!(Format::of_name(name), format, "{name}");
    }
    assert_eq!(Compression::of_name("x.tra.gz"), (Compression::Gzip, "x.tra"));
}

#[test]
fn by_content() {
    for (content, format) in [
        (&b"// c\n\n@type: DTMC\n"[..], Some(Format::Drn)),
        (b"des (0, 1, 2)", Some(Format::Aut)),
        (b"des(0,1,2)", Some(Format::Aut)),
        (b"# Transitions (MDP)\n", Some(Format::PrismCombined)),
        (b"3 4\n", Some(Format::PrismTransitions)),
        (b"dtmc\n", None),
        (b"", None),
        (b"1 2 3 4 5", None),
    ] {
        assert_eq!(Format::of_content(content), format, "{content:?}");
    }
}
