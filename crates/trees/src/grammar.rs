//! Grammars: the classes of a language, and how its texts become trees.
