//! Parts of campaigns: any bytes in, no panic; and what was read is written and read again unchanged.

use volvelle_campaign::{Round, join, read, sealed, write};

/// Reads bytes as a part, and as one whose header is the first line and whose contents are the rest: so the checksum is right. Where the
/// header says that there are 0 bytes, it is given their number.
pub fn campaign_part(bytes: &[u8]) {
    survives(bytes);
    let (header, body) = match bytes.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[][..]),
    };
    let text = String::from_utf8_lossy(header);
    let header = text.replace("\"bytes\":0", &format!("\"bytes\":{}", body.len()));
    survives(&sealed(header.as_bytes(), body));
    if let Ok(round) = Round::read(&text) {
        assert_eq!(Round::read(&round.to_text()), Ok(round));
    }
}

/// Writes a part that can be read, and reads it again; puts it together with itself.
fn survives(bytes: &[u8]) {
    let Ok(part) = read(bytes) else { return };
    let written = write(&part);
    let again = read(&written).expect("what was written is read");
    // Numbers of a part may be NaN, which is not itself.
    assert_eq!(write(&again), written);
    let _ = join(vec![("one".to_owned(), part), ("two".to_owned(), again)]);
}
