//! Numbers of as many bytes as they need: seven bits in each, the highest bit says that more follow.

/// Adds a number.
#[inline]
pub(super) fn put(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Adds a number with a sign: small ones of both signs are short.
#[inline]
pub(super) fn put_signed(to: &mut Vec<u8>, value: i64) {
    put(to, ((value << 1) ^ (value >> 63)) as u64);
}

/// Numbers in bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    bytes: Vec<u8>,
    at: usize,
}

impl Numbers {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Numbers { bytes, at: 0 }
    }

    /// The next byte; `None`: there is none.
    #[inline]
    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// The next number; `None`: there is none, or it has more than 64 bits.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u64> {
        let first = self.byte()?;
        if first < 0x80 { Some(first.into()) } else { self.longer(first) }
    }

    fn longer(&mut self, first: u8) -> Option<u64> {
        let mut value = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                return None;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    #[inline]
    pub(super) fn next_signed(&mut self) -> Option<i64> {
        self.next().map(|value| (value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The next bytes, apart from the others.
    pub(super) fn section(&mut self) -> Option<Numbers> {
        let length = usize::try_from(self.next()?).ok()?;
        let end = self.at.checked_add(length)?;
        let section = self.bytes.get(self.at..end)?.to_vec();
        self.at = end;
        Some(Numbers::new(section))
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }
}
