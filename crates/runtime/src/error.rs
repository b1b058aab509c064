//! Errors of devices.

use volvelle_kernel::Exit;

/// A failure of a device, or a refusal to use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// There is no such device, or no library for it on this machine.
    Unavailable(String),
    /// The device cannot run such kernels; contains the reason as part of a sentence
    /// (`it has no double precision`).
    Refused(String),
    /// A kernel could not be built: the message of the compiler.
    Build(String),
    /// An allocation failed.
    Memory {
        /// The requested number of bytes.
        bytes: usize,
        /// The reason, in the words of the library.
        why: String,
    },
    /// Bytes could not be moved to a device or from it.
    Transfer(String),
    /// Names, types or sizes in a request do not fit together: a mistake of the caller, found before anything ran.
    Mismatch(String),
    /// A kernel could not be started, or did not finish.
    Launch(String),
    /// Lanes of a kernel did not reach its end, so its results are wrong.
    Exit {
        /// How the first of them ended.
        exit: Exit,
        /// The same in words, with the name of the kernel.
        why: String,
    },
}

impl Error {
    /// Whether another device may succeed where this one failed. False for mistakes of the caller, for
    /// kernels that no device can build, and for kernels that fail by themselves.
    pub fn is_of_the_device(&self) -> bool {
        !matches!(self, Error::Build(_) | Error::Mismatch(_) | Error::Exit { .. })
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Unavailable(why) | Error::Mismatch(why) | Error::Exit { why, .. } => f.write_str(why),
            Error::Refused(why) => write!(f, "the device cannot run the kernel: {why}"),
            Error::Build(why) => write!(f, "the kernel cannot be built: {why}"),
            Error::Memory { bytes, why } => write!(f, "not enough memory for {bytes} bytes: {why}"),
            Error::Transfer(why) => write!(f, "a transfer failed: {why}"),
            Error::Launch(why) => write!(f, "a kernel did not finish: {why}"),
        }
    }
}

impl std::error::Error for Error {}
