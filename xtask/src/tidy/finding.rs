//! Places that break a rule.

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Path from the root, or the name of a package.
    pub place: String,
    /// Line, from 1; 0 where there is none.
    pub line: usize,
    /// The violation, and how to mend it.
    pub message: String,
}

impl Finding {
    /// A finding in a file.
    pub fn new(place: &str, line: usize, message: impl Into<String>) -> Self {
        Finding { place: place.to_owned(), line, message: message.into() }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.place, self.message),
            line => write!(f, "{}:{line}: {}", self.place, self.message),
        }
    }
}
