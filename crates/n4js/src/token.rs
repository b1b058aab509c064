//! Kinds of tokens.

/// A kind of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum T {
    End,
    Number,
    Text,
    Regex,
    /// A template without `${`.
    Template,
    /// A template up to its first `${`, between `}` and `${`, and from the last `}` on.
    TemplateHead,
    TemplateMiddle,
    TemplateTail,

    Open,
    Close,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Dot,
    Dots,
    SafeDot,
    Semicolon,
    Comma,
    Colon,
    Question,
    Arrow,
    At,
    At2,
    Less,
    AtMost,
    /// Always alone: the parser puts `>>` and the like together.
    Greater,
    Equal,
    Unequal,
    Same,
    NotSame,
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
    Power,
    Increment,
    Decrement,
    ShiftLeft,
    Ampersand,
    Bar,
    Caret,
    Bang,
    Tilde,
    And,
    Or,
    Coalesce,
    Assign,
    /// `op=` without those that begin with `>`.
    AssignOp,

    // Words that are no names of variables.
    Break,
    Case,
    Catch,
    Class,
    Const,
    Continue,
    Debugger,
    Default,
    Delete,
    Do,
    Else,
    Export,
    Extends,
    False,
    Finally,
    For,
    Function,
    If,
    Import,
    In,
    Instanceof,
    New,
    Null,
    Return,
    Super,
    Switch,
    This,
    Throw,
    True,
    Try,
    Typeof,
    Var,
    Void,
    While,
    With,

    // Words that mean something in places.
    Abstract,
    As,
    Async,
    Await,
    Constructor,
    Enum,
    External,
    From,
    Get,
    Implements,
    Interface,
    Intersection,
    Let,
    Of,
    Out,
    Private,
    Project,
    Protected,
    Public,
    Set,
    Static,
    Target,
    Type,
    Union,
    Yield,
    Name,
}

/// How many kinds there are.
pub(crate) const KINDS: usize = T::Name as usize + 1;

impl T {
    /// Whether it can name a variable, a type or a member.
    #[inline]
    pub fn is_name(self) -> bool {
        self as u8 >= T::Abstract as u8
    }

    /// Whether it can name a property.
    #[inline]
    pub fn is_word(self) -> bool {
        self as u8 >= T::Break as u8
    }

    /// Whether it can stand before a declaration or a member.
    pub fn is_modifier(self) -> bool {
        use T::{Abstract, Const, External, Private, Project, Protected, Public, Static};
        matches!(self, Abstract | Const | External | Private | Project | Protected | Public | Static)
    }

    /// Whether an expression ends with it, so that `/` behind it divides. Brackets know more.
    pub fn ends_operand(self) -> bool {
        use T::{
            CloseBracket, Decrement, False, Increment, Null, Number, Regex, Super, Template, TemplateTail,
            Text, This, True,
        };
        self.is_name()
            || matches!(
                self,
                Number
                    | Text
                    | Regex
                    | Template
                    | TemplateTail
                    | CloseBracket
                    | Increment
                    | Decrement
                    | False
                    | Null
                    | Super
                    | This
                    | True
            )
    }
}

/// The kind of a word.
pub(crate) fn word(text: &[u8]) -> T {
    match text {
        b"abstract" => T::Abstract,
        b"as" => T::As,
        b"async" => T::Async,
        b"await" => T::Await,
        b"break" => T::Break,
        b"case" => T::Case,
        b"catch" => T::Catch,
        b"class" => T::Class,
        b"const" => T::Const,
        b"constructor" => T::Constructor,
        b"continue" => T::Continue,
        b"debugger" => T::Debugger,
        b"default" => T::Default,
        b"delete" => T::Delete,
        b"do" => T::Do,
        b"else" => T::Else,
        b"enum" => T::Enum,
        b"export" => T::Export,
        b"extends" => T::Extends,
        b"external" => T::External,
        b"false" => T::False,
        b"finally" => T::Finally,
        b"for" => T::For,
        b"from" => T::From,
        b"function" => T::Function,
        b"get" => T::Get,
        b"if" => T::If,
        b"implements" => T::Implements,
        b"import" => T::Import,
        b"in" => T::In,
        b"instanceof" => T::Instanceof,
        b"interface" => T::Interface,
        b"intersection" => T::Intersection,
        b"let" => T::Let,
        b"new" => T::New,
        b"null" => T::Null,
        b"of" => T::Of,
        b"out" => T::Out,
        b"private" => T::Private,
        b"project" => T::Project,
        b"protected" => T::Protected,
        b"public" => T::Public,
        b"return" => T::Return,
        b"set" => T::Set,
        b"static" => T::Static,
        b"super" => T::Super,
        b"switch" => T::Switch,
        b"target" => T::Target,
        b"this" => T::This,
        b"throw" => T::Throw,
        b"true" => T::True,
        b"try" => T::Try,
        b"type" => T::Type,
        b"typeof" => T::Typeof,
        b"union" => T::Union,
        b"var" => T::Var,
        b"void" => T::Void,
        b"while" => T::While,
        b"with" => T::With,
        b"yield" => T::Yield,
        _ => T::Name,
    }
}
