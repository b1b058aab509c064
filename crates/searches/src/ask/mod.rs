//! The question that only searches answer: which statements are dead.

mod lint;
