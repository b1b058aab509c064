//! Frames: a header that says how many bytes there are, and the bytes.
//!
//! A header is a promise that need not be kept: no memory is taken for bytes before they are there.

use std::io::{self, BufRead, Read, Write};

/// Bytes that a message may have. The largest texts that editors open take a fraction of it.
const MOST_BYTES: u64 = 1 << 29;
/// Bytes that a line of a header may have.
const MOST_OF_A_LINE: u64 = 1 << 12;
/// Lines that a header may have.
const MOST_LINES: usize = 64;

/// What came in.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// A message.
    Whole(Vec<u8>),
    /// A message of more bytes than are accepted, which were passed over.
    TooLong(u64),
    /// A header that does not say where the next one is.
    Broken(&'static str),
    /// Nothing more will come.
    End,
}

/// Reads the next frame.
///
/// # Errors
/// Those of the stream.
pub fn read(input: &mut impl BufRead) -> io::Result<Frame> {
    let mut length = None;
    for number in 0..MOST_LINES {
        let mut line = Vec::new();
        input.by_ref().take(MOST_OF_A_LINE).read_until(b'\n', &mut line)?;
        let is_whole = line.ends_with(b"\n");
        let line = line.trim_ascii();
        match (is_whole, line.is_empty()) {
            (false, _) if (line.len() as u64) < MOST_OF_A_LINE => return Ok(Frame::End),
            (false, _) => return Ok(Frame::Broken("a line of the header is too long")),
            // Empty lines before a header are no header.
            (true, true) if number == 0 => continue,
            (true, true) => return body(input, length),
            (true, false) => {}
        }
        let Some(colon) = line.iter().position(|&byte| byte == b':') else {
            return Ok(Frame::Broken("a line of the header has no colon"));
        };
        let (name, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            length = std::str::from_utf8(value).ok().and_then(|value| value.parse::<u64>().ok());
            if length.is_none() {
                return Ok(Frame::Broken("`Content-Length` is no number"));
            }
        }
    }
    Ok(Frame::Broken("the header has too many lines"))
}

fn body(input: &mut impl BufRead, length: Option<u64>) -> io::Result<Frame> {
    let Some(length) = length else {
        return Ok(Frame::Broken("the header has no `Content-Length`"));
    };
    let mut bytes = input.by_ref().take(length);
    if length > MOST_BYTES {
        let passed = io::copy(&mut bytes, &mut io::sink())?;
        return Ok(if passed == length { Frame::TooLong(length) } else { Frame::End });
    }
    let mut body = Vec::new();
    bytes.read_to_end(&mut body)?;
    Ok(if body.len() as u64 == length { Frame::Whole(body) } else { Frame::End })
}

/// Writes a frame.
///
/// # Errors
/// Those of the stream.
pub fn write(output: &mut impl Write, body: &[u8]) -> io::Result<()> {
    output.write_all(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes())?;
    output.write_all(body)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(bytes: &[u8]) -> Vec<Frame> {
        let mut input = bytes;
        let mut all = Vec::new();
        loop {
            let frame = read(&mut input).expect("memory can be read");
            let is_last = matches!(frame, Frame::End | Frame::Broken(_));
            all.push(frame);
            if is_last {
                return all;
            }
        }
    }

    fn whole(text: &str) -> Frame {
        Frame::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        for body in ["{}", "", "ä"] {
            write(&mut bytes, body.as_bytes()).unwrap();
        }
        assert_eq!(frames(&bytes), [whole("{}"), whole(""), whole("ä"), Frame::End]);
    }

    #[test]
    fn headers_of_all_kinds() {
        let text = "content-length:2\nContent-Type: application/vscode-jsonrpc; charset=utf-8\n\n{}\r\n";
        let next = "CONTENT-LENGTH :  1 \r\n\r\n1";
        assert_eq!(frames(format!("{text}{next}").as_bytes()), [whole("{}"), whole("1"), Frame::End]);
    }

    #[test]
    fn headers_that_are_none() {
        for broken in
            ["{}\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n", "A: b\r\n\r\n"]
        {
            assert!(matches!(frames(broken.as_bytes())[..], [Frame::Broken(_)]), "{broken}");
        }
        assert!(matches!(frames(&vec![b'x'; 10_000])[..], [Frame::Broken(_)]));
        assert!(matches!(frames("A: b\r\n".repeat(100).as_bytes())[..], [Frame::Broken(_)]));
    }

    /// Nothing is reserved for bytes that are only promised.
    #[test]
    fn promises_that_are_not_kept() {
        for length in ["5", "500000000", "600000000", "18446744073709551615"] {
            let bytes = format!("Content-Length: {length}\r\n\r\n{{}}");
            assert_eq!(frames(bytes.as_bytes()), [Frame::End], "{length}");
        }
        assert_eq!(frames(b"Content-Length: 5"), [Frame::End]);
        assert_eq!(frames(b""), [Frame::End]);
    }

    #[test]
    fn a_message_that_is_too_long_is_passed_over() {
        let length = MOST_BYTES + 1;
        let header = format!("Content-Length: {length}\r\n\r\n");
        let mut next = Vec::new();
        write(&mut next, b"{}").unwrap();
        let long = io::repeat(b'x').take(length);
        let mut input = io::BufReader::new(header.as_bytes().chain(long).chain(&next[..]));
        assert_eq!(read(&mut input).unwrap(), Frame::TooLong(length));
        assert_eq!(read(&mut input).unwrap(), whole("{}"));
    }
}
