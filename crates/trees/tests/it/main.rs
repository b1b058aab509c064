//! Tests of trees and grammars.

mod bad;
mod common;
mod deep;
mod golden;
mod mistakes;
mod pages;
mod random;
