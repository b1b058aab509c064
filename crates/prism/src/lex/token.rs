//! Tokens of models and property files.

use volvelle_syntax::kinds;

/// A token and where it stands.
pub type Token = volvelle_syntax::Token<TokenKind>;

kinds! {
    /// The kind of a token. Its text is under its place.
    pub enum TokenKind {
        /// A name that is not reserved.
        Ident,
        /// An integer literal.
        Int,
        /// A real literal, or an integer with leading zeros.
        Real,
        /// `"name"`, quotes included in the place.
        Quoted,
        /// Behind the last token.
        End,
    }
    flaws {
        /// Characters that begin no token.
        Unknown,
        /// `/* … */`, or its beginning.
        BlockComment,
        /// `#…#`, or its beginning.
        Directive,
        /// `5.`
        OpenReal,
        /// An integer of more than 32 bits.
        LargeInt,
        /// A real number that is no double.
        LargeReal,
        /// A quotation mark and the name behind it, on a line without another one.
        OpenQuoted,
        /// Quotation marks around something else than a name.
        BadQuoted,
    }
    symbols {
        Not "!", And "&", Or "|", Implies "=>", Iff "<=>", Arrow "->", Colon ":", Semicolon ";",
        Comma ",", Dots "..", LeftParen "(", RightParen ")", LeftBracket "[", RightBracket "]",
        LeftBrace "{", RightBrace "}", Eq "=", Ne "!=", Lt "<", Gt ">", Le "<=", Ge ">=", Plus "+",
        Minus "-", Times "*", Divide "/", Caret "^", Prime "'", Question "?",
    }
    words Keyword(
        /// Reserved words: PRISM manual, *The PRISM Language*, *Identifiers*.
        ///
        /// Not reserved here: `of`, which the manual lists and PRISM 4 accepts as a name, and the words of
        /// game models (`Pmaxmin`, `player`, …), which are recognised where they can stand.
        enum Keyword
    ) {
        A "A", Bool "bool", Clock "clock", Const "const", Ctmc "ctmc", C "C", Double "double",
        Dtmc "dtmc", E "E", Endinit "endinit", Endinvariant "endinvariant", Endmodule "endmodule",
        Endobservables "endobservables", Endrewards "endrewards", Endsystem "endsystem", False "false",
        Filter "filter", Formula "formula", Func "func", F "F", Global "global", G "G", Init "init",
        Invariant "invariant", I "I", Int "int", Label "label", Max "max", Mdp "mdp", Min "min",
        Module "module", X "X", Nondeterministic "nondeterministic", Observable "observable",
        Observables "observables", Pmax "Pmax", Pmin "Pmin", P "P", Pomdp "pomdp", Popta "popta",
        Probabilistic "probabilistic", Prob "prob", Pta "pta", Rate "rate", Rewards "rewards",
        Rmax "Rmax", Rmin "Rmin", R "R", S "S", Stochastic "stochastic", System "system", True "true",
        U "U", W "W",
    }
}
