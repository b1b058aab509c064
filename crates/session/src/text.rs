//! Texts of files, out of their bytes.

use volvelle_diagnostics::{Diagnostic, codes};

/// A text with the name of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// Name of the file, as the user gave it.
    pub name: String,
    /// Contents.
    pub text: String,
}

/// The text in the bytes of a file, or a diagnostic that they are none.
pub fn decode(name: &str, bytes: Vec<u8>) -> Result<Text, Diagnostic> {
    let not_text = |at: usize, bytes: &[u8]| {
        let line = bytes[..at].iter().filter(|&&b| b == b'\n').count() + 1;
        Diagnostic::error(codes::NOT_UTF8, format!("`{name}` is not valid UTF-8"))
            .note(format!(
                "line {line} contains the byte {:#04x}, which is not part of a character",
                bytes[at]
            ))
            .help(format!("convert it: iconv -f latin1 -t utf-8 {name}"))
    };
    if u32::try_from(bytes.len()).is_err() {
        let message = format!("`{name}` is too large: the limit is 4 GiB");
        return Err(Diagnostic::error(codes::FILE_NOT_READ, message));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Text { name: name.to_owned(), text }),
        Err(error) => Err(not_text(error.utf8_error().valid_up_to(), error.as_bytes())),
    }
}
