//! Tests of trees and grammars.

mod common;
mod deep;
mod golden;
mod random;
