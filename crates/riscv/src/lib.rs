//! RISC-V programs in user mode: an emulator, and traces of what was executed.
