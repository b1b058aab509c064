//! Patterns that every text may call: macros that are known before its own.
//!
//! Parameters are action formulas. Names follow the pattern catalogue of Dwyer, Avrunin and Corbett (*Patterns in property specifications
//! for finite-state verification*, ICSE 1999) where it has one.

/// The definitions. A text may define a name again; then its own counts.
pub const LIBRARY: &str = r#"
-- Something can always come next.
macro DEADLOCK_FREE = [ true* ] < true > true end_macro

-- No endless internal activity can be reached.
macro LIVELOCK_FREE = [ true* ] mu X . ([ "i" ] X) end_macro

-- A never occurs.
macro NEVER (A) = [ true* . A ] false end_macro

-- A can occur.
macro POSSIBLE (A) = < true* . A > true end_macro

-- Whatever happened, A can still occur.
macro ALWAYS_POSSIBLE (A) = [ true* ] < true* . A > true end_macro

-- On every path A occurs.
macro INEVITABLE (A) = mu X . (< true > true and [ not A ] X) end_macro

-- As long as A has not occurred, it can: A occurs on every fair path.
macro FAIR_INEVITABLE (A) = [ (not A)* ] < true* . A > true end_macro

-- After every A, B occurs on every path.
macro RESPONSE (A, B) = [ true* . A ] mu X . (< true > true and [ not B ] X) end_macro

-- After every A, B occurs on every fair path.
macro FAIR_RESPONSE (A, B) = [ true* . A . (not B)* ] < true* . B > true end_macro

-- No B before the first A.
macro PRECEDENCE (A, B) = [ (not A)* . B ] false end_macro

-- Between A and the next B, C does not occur.
macro ABSENCE_BETWEEN (A, B, C) = [ true* . A . (not B)* . (C and not B) ] false end_macro

-- Every infinite path has infinitely many A.
macro INFINITELY_OFTEN (A) = nu X . mu Y . ([ A ] X and [ not A ] Y) end_macro
"#;
