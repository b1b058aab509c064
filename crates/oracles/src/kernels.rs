//! The text form of kernels: any text in; no panic, and printing what was parsed loses nothing.

use volvelle_kernel::text;
use volvelle_kernel::verify::verify;

/// Parses a text. A kernel that parses and verifies must print to a text that parses to the same kernel.
pub fn kernel_text(input: &str) {
    let Ok(kernels) = text::parse(input) else { return };
    for kernel in kernels.iter().filter(|kernel| verify(kernel).is_ok()) {
        let printed = kernel.to_string();
        let parsed = text::parse(&printed).unwrap_or_else(|e| panic!("{e:?}\nprinted:\n{printed}"));
        assert_eq!(parsed.len(), 1, "one kernel was printed:\n{printed}");
        assert_eq!(parsed[0].canonical(), kernel.canonical(), "another kernel:\n{printed}");
        assert_eq!(parsed[0].to_string(), printed, "another text");
    }
}
