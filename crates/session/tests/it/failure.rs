//! Numbers in messages.

use volvelle_explore::Reached;
use volvelle_session::failure::{ordinal, reached_text};

#[test]
fn ordinals() {
    let all = [1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111, 1003].map(ordinal);
    assert_eq!(
        all,
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "101st", "111th", "1,003rd"]
    );
}

#[test]
fn what_was_reached() {
    let reached = Reached { states: 10, expanded: 9, transitions: 1, bytes: 0 };
    assert_eq!(reached_text(&reached), "10 states, 1 transition so far; 1 state was not expanded");
}
