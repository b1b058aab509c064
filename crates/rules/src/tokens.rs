//! Tokens of rule files.

use volvelle_syntax::{BlockComment, Language, Lexicon, Quote, Rules, kinds};

kinds! {
    /// Kinds of tokens.
    pub enum Kind { Name, Number, Text, End }
    flaws { Unknown, OpenText, OpenComment }
    symbols {
        Entails2 "||-", Entails "|-", Tilde2 "||~", Tilde "|~", Models2 "||=", Models "|=", Yields2 "||>", Yields "|>",
        LeftBang "<!", BangRight "!>", Left2Bang "<<!", BangRight2 "!>>", LeftTildeBang "<~!", BangTildeRight "!~>",
        Colon ":", Below "<:", Above ":>", Left2 "<<", Right2 ">>", Tildes "~~", LeftBar "<|", Maps "<-", LongArrow "-->",
        LeftTilde "<~", TildeRight "~>", Join "\\/", Meet "/\\",
        Arrow "->", DoubleArrow "=>", Equal "==", Unequal "!=", Same "===", NotSame "!==", AtMost "<=", AtLeast ">=",
        And "&&", Or "||", Not "!", Assign "=", Add "+=", Plus "+", Minus "-", Times "*", Over "/", Modulo "%",
        SafeDot "?.", Elvis "?:", Question "?", Dot ".", Comma ",", Semicolon ";", Open "(", Close ")", OpenBracket "[",
        CloseBracket "]", OpenBrace "{", CloseBrace "}", Less "<", Greater ">", Bar "|", Hash "#", At "@",
    }
    words {
        Val "val", Var "var", If "if", Else "else", Switch "switch", Case "case", Default "default", For "for", While "while",
        New "new", Null "null", True "true", False "false", InstanceOf "instanceof", As "as", Either "or", Fail "fail",
        Empty "empty", Rule "rule", Axiom "axiom", CheckRule "checkrule", Auxiliary "auxiliary",
        Judgments "judgments", Override "override", Return "return", Throw "throw",
    }
}

impl Language for Kind {
    const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
        line_comments: &["//"],
        block_comment: Some(BlockComment::new("/*", "*/", Kind::OpenComment)),
        quotes: &[
            Quote::escaped(b'"', Kind::Text, Kind::OpenText),
            Quote::escaped(b'\'', Kind::Text, Kind::OpenText),
        ],
        ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Name, Kind::Number, Kind::Unknown, Kind::End)
    });
}

impl Kind {
    /// Whether it stands between the environment of a judgment and its first argument.
    pub fn is_judgment(self) -> bool {
        matches!(
            self,
            T!["||-"] | T!["|-"] | T!["||~"] | T!["|~"] | T!["||="] | T!["|="] | T!["||>"] | T!["|>"]
        )
    }

    /// Whether it stands between two arguments of a judgment.
    pub fn is_relation(self) -> bool {
        use Kind as K;
        matches!(
            self,
            K::LeftBang
                | K::BangRight
                | K::Left2Bang
                | K::BangRight2
                | K::LeftTildeBang
                | K::BangTildeRight
                | K::Colon
                | K::Below
                | K::Above
                | K::Left2
                | K::Right2
                | K::Tildes
                | K::LeftBar
                | K::Yields
                | K::Maps
                | K::LongArrow
                | K::LeftTilde
                | K::TildeRight
                | K::Join
                | K::Meet
        )
    }
}
