//! Tests of trees and grammars.

mod common;
mod golden;
