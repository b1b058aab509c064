//! Protocols: what is read, what is proved, and a second opinion on both.

mod limits;
mod mutations;
mod oracle;
mod pages;
mod random;
mod reading;
mod shipped;
