//! Numbers as bytes, and back. Reading never panics and allocates no more than there are bytes for.

/// What was read is no part, or is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// Writes an unsigned number in 7 bits per byte, the lowest first.
pub fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Writes bytes with their number before them.
pub fn put_bytes(bytes: &mut Vec<u8>, written: &[u8]) {
    put(bytes, written.len() as u64);
    bytes.extend_from_slice(written);
}

/// Reads what was written, from the start on.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// From all of these.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// The next bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Damaged> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Damaged)?;
        self.rest = rest;
        Ok(taken)
    }

    /// An unsigned number.
    pub fn number(&mut self) -> Result<u64, Damaged> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(Damaged);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Damaged)
    }

    /// The number of pieces that follow, of at least so many bytes each.
    pub fn count(&mut self, bytes_each: usize) -> Result<usize, Damaged> {
        let count = usize::try_from(self.number()?).map_err(|_| Damaged)?;
        let needed = count.checked_mul(bytes_each).ok_or(Damaged)?;
        if needed > self.left() { Err(Damaged) } else { Ok(count) }
    }

    /// Bytes with their number before them.
    pub fn bytes(&mut self) -> Result<&'a [u8], Damaged> {
        let count = self.count(1)?;
        self.take(count)
    }

    /// A text.
    pub fn text(&mut self) -> Result<String, Damaged> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| Damaged)
    }

    /// A double, as its bits.
    pub fn double(&mut self) -> Result<f64, Damaged> {
        let bytes = self.take(8)?.try_into().map_err(|_| Damaged)?;
        Ok(f64::from_le_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::{Damaged, Reader, put, put_bytes};

    #[test]
    fn numbers_come_back() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, 127, 128, 300, 1 << 32, u64::MAX - 1, u64::MAX];
        numbers.iter().for_each(|&number| put(&mut bytes, number));
        put_bytes(&mut bytes, b"text");
        let mut reader = Reader::new(&bytes);
        assert!(numbers.iter().all(|&number| reader.number() == Ok(number)));
        assert_eq!(reader.text().as_deref(), Ok("text"));
        assert_eq!(reader.number(), Err(Damaged));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(Reader::new(&[0xff; 10]).number(), Err(Damaged));
        assert_eq!(Reader::new(&[0x80]).number(), Err(Damaged));
        // A count of more than there is.
        assert_eq!(Reader::new(&[100, 1, 2]).bytes(), Err(Damaged));
        assert_eq!(
            Reader::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]).count(16),
            Err(Damaged)
        );
    }
}
