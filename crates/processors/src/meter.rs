//! How far passes are while they run, all of them together: what they went through so far, and which share of it where the lengths of
//! all are known. A trace in a file is as long as its bytes; how long a program runs, nobody knows before its end.

use std::io;
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use volvelle_control::{Control, Progress, ProgressEvent};
use volvelle_instructions::{Batch, Failure, Listing, Stream};

/// Time between two reports.
const INTERVAL: Duration = Duration::from_millis(100);

/// Bytes that are read at once, at most: readers that fetch much at once would seem to be further than they are.
const PIECE: usize = 1 << 14;

/// Counts what passes do, and reports it now and then.
pub struct Meter<'c> {
    progress: &'c dyn Progress,
    /// What is counted.
    what: &'static str,
    passes: u64,
    /// The lengths of all passes together, where all are known.
    length: Option<u64>,
    interval: Duration,
    start: Instant,
    /// When there was a report, from the start.
    told_ns: AtomicU64,
    done: AtomicU64,
    /// Parts of the lengths that passes have behind them.
    behind: AtomicU64,
    ended: AtomicU64,
}

impl<'c> Meter<'c> {
    /// Of passes with these lengths, in bytes or anything else that all of them share; `what` they count.
    pub fn new(
        what: &'static str,
        lengths: impl IntoIterator<Item = Option<u64>>,
        control: &Control<'c>,
    ) -> Self {
        let lengths: Vec<Option<u64>> = lengths.into_iter().collect();
        // Other processes do not tell how far they are.
        let is_alone = control.sharing.is_none();
        Meter {
            progress: control.progress,
            what,
            passes: lengths.len() as u64,
            length: lengths.into_iter().sum::<Option<u64>>().filter(|&length| is_alone && length > 0),
            interval: INTERVAL,
            start: Instant::now(),
            told_ns: AtomicU64::new(0),
            done: AtomicU64::new(0),
            behind: AtomicU64::new(0),
            ended: AtomicU64::new(0),
        }
    }

    /// Notes that a pass went through so many elements more.
    pub fn add(&self, count: usize) {
        self.done.fetch_add(count as u64, Ordering::Relaxed);
        // Of threads that see that it is time, one reports.
        let (now, told) = (self.start.elapsed().as_nanos() as u64, self.told_ns.load(Ordering::Relaxed));
        let is_time = now.saturating_sub(told) >= self.interval.as_nanos() as u64;
        let mine = || self.told_ns.compare_exchange(told, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_time && mine() {
            self.tell();
        }
    }

    /// Notes that a pass has so much more of its length behind it.
    pub fn pass_over(&self, length: u64) {
        self.behind.fetch_add(length, Ordering::Relaxed);
    }

    /// Notes that a pass has ended.
    pub fn end(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
        self.tell();
    }

    fn tell(&self) {
        let now = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let share = self.length.map(|length| now(&self.behind) as f64 / length as f64);
        self.progress.report(ProgressEvent::Executing {
            what: self.what,
            done: now(&self.done),
            share,
            passes: [now(&self.ended), self.passes],
        });
    }
}

/// A stream whose instructions are counted.
pub struct Metered<'s, 'c> {
    pub stream: &'s mut dyn Stream,
    pub meter: &'s Meter<'c>,
    /// What each instruction adds to the length that the pass has behind it; 0 where its bytes are counted.
    pub each: u64,
}

impl Stream for Metered<'_, '_> {
    fn listing(&self) -> &Listing {
        self.stream.listing()
    }

    fn next(&mut self, batch: &mut Batch, most: usize, control: &Control<'_>) -> Result<bool, Failure> {
        let more = self.stream.next(batch, most, control);
        self.meter.pass_over(self.each * batch.steps.len() as u64);
        self.meter.add(batch.steps.len());
        more
    }

    fn follow_wrong_paths(&mut self, length: usize) -> bool {
        self.stream.follow_wrong_paths(length)
    }
}

/// Bytes that are counted as they are read.
pub struct Gauged<'s, 'c, R> {
    pub from: R,
    pub meter: &'s Meter<'c>,
}

impl<R: Read> Read for Gauged<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = buffer.len().min(PIECE);
        let count = self.from.read(&mut buffer[..room])?;
        self.meter.pass_over(count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use volvelle_instructions::{Instruction, Step};

    #[derive(Default)]
    struct Heard(Mutex<Vec<ProgressEvent>>);

    impl Progress for Heard {
        fn report(&self, event: ProgressEvent) {
            self.0.lock().expect("no panic").push(event);
        }
    }

    /// So many batches of the same instruction.
    struct Same(Listing, usize);

    impl Stream for Same {
        fn listing(&self) -> &Listing {
            &self.0
        }

        fn next(&mut self, batch: &mut Batch, most: usize, _: &Control<'_>) -> Result<bool, Failure> {
            batch.clear();
            let is_there = self.1 > 0;
            self.1 = self.1.saturating_sub(1);
            batch.steps.resize(if is_there { most } else { 0 }, Step::new(0, false));
            Ok(is_there)
        }
    }

    /// What is reported of two passes of this length, of which the first goes through 30 instructions.
    fn heard(length: Option<u64>, each: u64, interval: Duration) -> Vec<ProgressEvent> {
        let heard = Heard::default();
        let control = Control { progress: &heard, ..Control::unlimited() };
        let meter = Meter { interval, ..Meter::new("instructions", [length, Some(60)], &control) };
        let mut listing = Listing::default();
        listing.number(Instruction::at(0x1000));
        let mut same = Same(listing, 3);
        let mut stream = Metered { stream: &mut same, meter: &meter, each };
        let mut batch = Batch::default();
        while stream.next(&mut batch, 10, &control).expect("no limit") {}
        meter.end();
        heard.0.into_inner().expect("no panic")
    }

    fn event(done: u64, share: Option<f64>, ended: u64) -> ProgressEvent {
        ProgressEvent::Executing { what: "instructions", done, share, passes: [ended, 2] }
    }

    #[test]
    fn passes_are_told_together() {
        let all = heard(Some(60), 2, Duration::ZERO);
        let share = |done: u64, share: f64| event(done, Some(share), 0);
        let ended = event(30, Some(0.5), 1);
        let end = share(30, 0.5);
        assert_eq!(all, [share(10, 1.0 / 6.0), share(20, 1.0 / 3.0), end.clone(), end, ended]);
    }

    #[test]
    fn programs_have_no_share() {
        assert_eq!(heard(None, 0, Duration::MAX / 2), [event(30, None, 1)]);
    }

    #[test]
    fn bytes_are_counted_in_small_pieces() {
        let control = Control::unlimited();
        let meter = Meter::new("instructions", [Some(1 << 20)], &control);
        let bytes = vec![7; 1 << 20];
        let mut gauged = Gauged { from: &bytes[..], meter: &meter };
        let mut buffer = vec![0; 1 << 18];
        let mut read = 0;
        loop {
            let count = gauged.read(&mut buffer).expect("bytes");
            assert!(count <= PIECE);
            read += count as u64;
            assert_eq!(meter.behind.load(Ordering::Relaxed), read);
            if count == 0 {
                break;
            }
        }
        assert_eq!(read, 1 << 20);
    }
}
