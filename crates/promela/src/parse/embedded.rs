//! Embedded C: reported as unsupported, and skipped.

use super::cursor::{Parser, Reported};
use crate::token::{Keyword, Kind};
use volvelle_diagnostics::codes;

impl Parser {
    /// At a keyword of embedded C, or at `\`: reports the construct and skips it.
    pub fn embedded(&mut self) -> Reported {
        let start = self.info();
        if self.token().kind == Kind::Backslash {
            if self.kind_at(1) != Kind::Hash {
                return self.unexpected("a declaration or a process");
            }
            let reported = self.error(
                codes::EMBEDDED_C,
                start,
                "`\\#` passes a line on to a C compiler, which does not exist here",
                "remove the line; `#include \"file\"` includes Promela",
            );
            self.advance();
            while !self.token().starts_line && !self.at_end() {
                self.advance();
            }
            return reported;
        }
        let kind = self.token().kind;
        let (name, help) = match kind {
            Kind::Keyword(Keyword::CCode) => {
                ("c_code", "write Promela statements, in `d_step { … }` if they form one step")
            }
            Kind::Keyword(Keyword::CExpr) => ("c_expr", "write a Promela condition"),
            Kind::Keyword(Keyword::CDecl) => {
                ("c_decl", "declare variables with Promela types, structures with `typedef`")
            }
            Kind::Keyword(Keyword::CState) => ("c_state", "declare a global or local variable"),
            _ => ("c_track", "Promela variables are part of the state automatically"),
        };
        let message = format!("`{name}` embeds C, which is not supported");
        let reported = self.error(codes::EMBEDDED_C, start, message, help);
        self.advance();
        self.skip_balanced(Kind::LeftBracket, Kind::RightBracket);
        self.skip_balanced(Kind::LeftBrace, Kind::RightBrace);
        while matches!(self.token().kind, Kind::Text) {
            self.advance();
        }
        // After its closing brace a statement may end without a semicolon.
        self.previous = Kind::RightBrace;
        reported
    }

    pub fn at_embedded(&self) -> bool {
        matches!(
            self.token().kind,
            Kind::Backslash
                | Kind::Keyword(
                    Keyword::CCode | Keyword::CDecl | Keyword::CExpr | Keyword::CState | Keyword::CTrack
                )
        )
    }
}
