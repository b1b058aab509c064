//! Messages that carry their length, their sender and a tag.

/// The kind of a message, numbered by the program.
pub type Tag = u8;

/// A message as it arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The rank that sent it.
    pub from: usize,
    /// Its tag.
    pub tag: Tag,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Which messages a receiver takes: by default those from any rank with any tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only those from this rank.
    pub from: Option<usize>,
    /// Only those with this tag.
    pub tag: Option<Tag>,
}

impl Wanted {
    /// All messages.
    pub const ANY: Wanted = Wanted { from: None, tag: None };

    /// The messages of a rank.
    pub fn from(rank: usize) -> Self {
        Wanted { from: Some(rank), tag: None }
    }

    /// The messages with a tag.
    pub fn tagged(tag: Tag) -> Self {
        Wanted { from: None, tag: Some(tag) }
    }

    /// Whether a message of this sender with this tag is one.
    pub fn takes(self, from: usize, tag: Tag) -> bool {
        self.from.is_none_or(|wanted| wanted == from) && self.tag.is_none_or(|wanted| wanted == tag)
    }
}
