//! LOTOS (ISO 8807): syntax, data types, and the lowering of behaviours to programs.
