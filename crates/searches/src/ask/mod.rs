//! What is asked on the command line.

mod lint;
