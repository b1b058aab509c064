//! Shards: equal shares of numbered pieces of work.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// One of several equal shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Shard {
    /// Its number, from 1.
    pub number: u64,
    /// How many there are.
    pub of: u64,
}

/// More shares than a campaign has.
const MOST: u64 = 1_000_000;

impl Shard {
    /// All of the work.
    pub const ALL: Shard = Shard { number: 1, of: 1 };

    /// Whether there is such a share.
    pub fn is_valid(self) -> bool {
        self.number >= 1 && self.number <= self.of && self.of <= MOST
    }

    /// Its consecutive pieces among those of a range: shares differ by one piece at most.
    pub fn consecutive(self, pieces: &Range<u64>) -> Range<u64> {
        let all = pieces.end.saturating_sub(pieces.start);
        // 128 bits hold the product.
        let until =
            |shards: u64| pieces.start + (u128::from(all) * u128::from(shards) / u128::from(self.of)) as u64;
        until(self.number - 1)..until(self.number)
    }

    /// Whether a piece is in it, where pieces are dealt out like cards: neighbours, which often take as long, go to different
    /// shares.
    pub fn is_dealt(self, piece: u64) -> bool {
        piece % self.of == self.number - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<u64>().ok();
        let shard =
            text.split_once('/').and_then(|(k, n)| Some(Shard { number: number(k)?, of: number(n)? }));
        match shard {
            None => Err("expected the number of a shard and how many there are: 3/64".to_owned()),
            Some(Shard { number: 0, .. }) => Err("shards are numbered from 1: 1/64 is the first".to_owned()),
            Some(Shard { number, of }) if number > of => {
                Err(format!("there is no shard {number} of {of}: the last is {of}/{of}"))
            }
            Some(Shard { of, .. }) if of > MOST => Err("there are at most a million shards".to_owned()),
            Some(shard) => Ok(shard),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn shares_cover_everything_once() {
        for of in 1..20 {
            for pieces in [0..0, 5..6, 3..40, 0..1000, u64::MAX - 7..u64::MAX] {
                let mut next = pieces.start;
                for number in 1..=of {
                    let share = Shard { number, of }.consecutive(&pieces);
                    assert_eq!(share.start, next);
                    let fair = (pieces.end - pieces.start) / of;
                    assert!((fair..=fair + 1).contains(&(share.end - share.start)));
                    next = share.end;
                }
                assert_eq!(next, pieces.end);
            }
            for piece in 0..50 {
                assert_eq!((1..=of).filter(|&number| Shard { number, of }.is_dealt(piece)).count(), 1);
            }
        }
    }

    #[test]
    fn texts() {
        assert_eq!("3/64".parse(), Ok(Shard { number: 3, of: 64 }));
        for wrong in ["", "3", "0/4", "5/4", "a/b", "1/0", "-1/4", "1/2000000", "1/99999999999999999999"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
