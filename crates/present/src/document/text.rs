//! Texts of documents: words, names of models, and costs, each with its tone.

use std::time::Duration;

/// A name of a model, of a file, of a state: whatever its user wrote, it is shown and does nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(pub String);

impl Name {
    /// A name, without its middle if it has more characters than this: terms may be long.
    pub fn shortened(name: &str, most: usize) -> Self {
        const GAP: &str = " ... ";
        let count = name.chars().count();
        if count <= most {
            return Name(name.to_owned());
        }
        let kept = most.saturating_sub(GAP.len()) / 2;
        let beginning: String = name.chars().take(kept).collect();
        let end: String = name.chars().skip(count - kept).collect();
        Name(format!("{beginning}{GAP}{end}"))
    }
}

/// How important a part of a text is, or what it says of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As the rest.
    #[default]
    Plain,
    /// The most important.
    Strong,
    /// It can be skipped.
    Faint,
    /// True.
    Good,
    /// False, or not computed.
    Bad,
    /// Not to be trusted.
    Doubtful,
}

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Words of the program. Terminals without them get other characters for `·`, `±`, `—` and `…`.
    Words,
    /// A [`Name`].
    Name,
    /// What differs from run to run: times, and the code that was fastest.
    Cost,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The characters, as they came: renderers make them harmless.
    pub text: String,
    /// What they are.
    pub kind: Kind,
    /// How they are set off.
    pub tone: Tone,
}

/// A text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub Vec<Span>);

impl Text {
    /// Whether nothing would be shown.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|span| span.text.is_empty())
    }

    /// The same in a tone, where parts have none of their own.
    pub fn toned(mut self, tone: Tone) -> Self {
        self.0.iter_mut().filter(|span| span.tone == Tone::Plain).for_each(|span| span.tone = tone);
        self
    }

    /// This text, then another.
    pub fn then(mut self, more: impl Into<Text>) -> Self {
        self.0.extend(more.into().0);
        self
    }

    /// Texts with another between them.
    pub fn joined(texts: impl IntoIterator<Item = impl Into<Text>>, between: &str) -> Self {
        let mut all = Text::default();
        for (i, text) in texts.into_iter().enumerate() {
            if i > 0 {
                all = all.then(between);
            }
            all = all.then(text);
        }
        all
    }

    /// The items of a line, with a dot between them.
    pub fn separated(texts: impl IntoIterator<Item = impl Into<Text>>) -> Self {
        Text::joined(texts, " · ")
    }

    /// The characters alone.
    pub fn plain(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text::from(text.to_owned())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text(vec![Span { text, kind: Kind::Words, tone: Tone::Plain }])
    }
}

impl From<Name> for Text {
    fn from(Name(text): Name) -> Self {
        Text(vec![Span { text, kind: Kind::Name, tone: Tone::Plain }])
    }
}

impl From<&Name> for Text {
    fn from(name: &Name) -> Self {
        Text::from(name.clone())
    }
}

/// A text of parts: `text!["from ", Name(state), " on"]`.
#[macro_export]
macro_rules! text {
    ($($part:expr),* $(,)?) => {
        $crate::document::Text::default()$(.then($part))*
    };
}

/// A name.
pub fn name(name: impl Into<String>) -> Text {
    Name(name.into()).into()
}

/// The most important part of a text.
pub fn strong(text: impl Into<Text>) -> Text {
    text.into().toned(Tone::Strong)
}

/// What can be skipped.
pub fn faint(text: impl Into<Text>) -> Text {
    text.into().toned(Tone::Faint)
}

/// What is true.
pub fn good(text: impl Into<Text>) -> Text {
    text.into().toned(Tone::Good)
}

/// What is false, or not computed.
pub fn bad(text: impl Into<Text>) -> Text {
    text.into().toned(Tone::Bad)
}

/// What is not to be trusted.
pub fn doubtful(text: impl Into<Text>) -> Text {
    text.into().toned(Tone::Doubtful)
}

/// What differs from run to run.
pub fn cost(text: impl Into<String>) -> Text {
    Text(vec![Span { text: text.into(), kind: Kind::Cost, tone: Tone::Plain }])
}

/// The time that something took: `1.8 s`.
pub fn took(time: Duration) -> Text {
    cost(crate::format::time(time))
}
