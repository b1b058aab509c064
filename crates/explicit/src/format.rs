//! Formats and compressions, and telling them by the name and the first bytes of a file.

/// A file format of explicit models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Universal Markov Binary, version 1.
    Umb,
    /// Storm's direct encoding.
    Drn,
    /// PRISM's transitions, with files for labels, states and rewards beside them.
    PrismTransitions,
    /// PRISM's combined file.
    PrismCombined,
    /// ALDEBARAN.
    Aut,
}

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (RFC 1952).
    Gzip,
    /// xz.
    Xz,
    /// Zstandard (RFC 8878).
    Zstd,
}

impl Compression {
    /// The compression that the first bytes of a file tell.
    pub fn of_content(bytes: &[u8]) -> Self {
        if bytes.starts_with(&[0x1f, 0x8b]) {
            Compression::Gzip
        } else if bytes.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
            Compression::Xz
        } else if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            Compression::Zstd
        } else {
            Compression::None
        }
    }

    /// The compression that the ending of a name asks for, and the name without that ending.
    pub fn of_name(name: &str) -> (Self, &str) {
        let endings = [(Compression::Gzip, ".gz"), (Compression::Xz, ".xz"), (Compression::Zstd, ".zst")];
        for (compression, ending) in endings {
            if let Some(stem) = strip_ending(name, ending) {
                return (compression, stem);
            }
        }
        (Compression::None, name)
    }
}

fn strip_ending<'a>(name: &'a str, ending: &str) -> Option<&'a str> {
    let at = name.len().checked_sub(ending.len())?;
    (name.is_char_boundary(at) && name[at..].eq_ignore_ascii_case(ending)).then(|| &name[..at])
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] =
        [Format::Umb, Format::Drn, Format::PrismTransitions, Format::PrismCombined, Format::Aut];

    /// The ending of its files, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Umb => "umb",
            Format::Drn => "drn",
            Format::PrismTransitions => "tra",
            Format::PrismCombined => "pexp",
            Format::Aut => "aut",
        }
    }

    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Format::Umb => "UMB",
            Format::Drn => "DRN",
            Format::PrismTransitions => "PRISM transitions",
            Format::PrismCombined => "PRISM combined",
            Format::Aut => "ALDEBARAN",
        }
    }

    /// The format that the ending of a file name tells, below an ending for a compression.
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, stem) = Compression::of_name(name);
        let (_, extension) = stem.rsplit_once('.')?;
        Self::ALL.into_iter().find(|f| f.extension().eq_ignore_ascii_case(extension))
    }

    /// The format that the first bytes of a file tell, once decompressed.
    pub fn of_content(bytes: &[u8]) -> Option<Self> {
        if bytes.get(257..262) == Some(b"ustar") {
            return Some(Format::Umb);
        }
        let mut lines =
            bytes.split(|&b| b == b'\n').map(|line| line.trim_ascii()).filter(|line| !line.is_empty());
        let first = lines.find(|line| !line.starts_with(b"//"))?;
        if first.starts_with(b"@") {
            return Some(Format::Drn);
        }
        if first.strip_prefix(b"des").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"(")) {
            return Some(Format::Aut);
        }
        if first.starts_with(b"# Transitions") {
            return Some(Format::PrismCombined);
        }
        let counts = first.split(|b| b.is_ascii_whitespace()).filter(|word| !word.is_empty());
        let mut count = 0;
        for word in counts {
            if !word.iter().all(u8::is_ascii_digit) {
                return None;
            }
            count += 1;
        }
        (2..=4).contains(&count).then_some(Format::PrismTransitions)
    }
}
