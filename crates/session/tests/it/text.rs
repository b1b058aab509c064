//! Texts and other bytes.

use volvelle_diagnostics::codes;
use volvelle_session::decode;

#[test]
fn text_or_not() {
    assert_eq!(decode("m", b"dtmc".to_vec()).unwrap().text, "dtmc");
    let complaint = decode("m", b"dtmc\n// \xff".to_vec()).unwrap_err();
    assert_eq!(complaint.code, codes::NOT_UTF8);
    assert_eq!(complaint.notes, ["line 2 contains the byte 0xff, which is not part of a character"]);
}
