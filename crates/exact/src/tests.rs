//! Random models against dense rational algebra and brute force over policies; and what has no exact answer.

mod against_dense;
mod by_hand;
mod rewards;
