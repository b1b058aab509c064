//! Names of error codes.

/// The name of an error code in the standard's headers.
pub(super) fn code_name(code: i32) -> String {
    match cl3::error_codes::error_text(code) {
        "UNKNOWN_ERROR" => format!("OpenCL error {code}"),
        name => name.to_owned(),
    }
}
