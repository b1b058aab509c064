//! A labelled transition system from a stream: labels stay texts, and the file is never in memory as a whole.

use super::edges::{self, Header, Piece};
use super::label::{internal, unescape};
use crate::allowance::stopped;
use crate::decompress::{damaged, stream};
use crate::finding::{Finding, Place};
use crate::options::Dialect;
use crate::text::{Arithmetic, Halt, Script, can_mention};
use std::io::{ErrorKind, Read};
use std::ops::Range;
use volvelle_control::Control;
use volvelle_diagnostics::codes;
use volvelle_space::{Edge, Labels, Lts};

/// Bytes of a piece that one thread reads at a time.
const PIECE: usize = 1 << 20;

/// Reads a labelled transition system, perhaps compressed. Labels such as `rate 2.5` stay as they are; the internal action is `i` or
/// `tau`, as the dialect says.
///
/// # Errors
/// The file cannot be read or is no such file, or a limit was reached.
pub fn read_lts(
    name: &str,
    source: &mut dyn Read,
    dialect: Dialect,
    control: &Control<'_>,
) -> Result<Lts, Finding> {
    let source = stream(source, control).map_err(|error| damaged(name, &error))?;
    let mut text = Text { name, source, buffer: Vec::new(), lines: 0, bytes: 0, is_done: false };
    // A first piece that is small enough not to matter, and long enough for the header.
    text.fill(1 << 12)?;
    let script = text.script()?;
    let header = edges::header(script, false)?;
    let dialect = match dialect {
        Dialect::Automatic if header.is_padded => Dialect::Ltsmin,
        dialect => dialect,
    };
    text.pass(header.body);
    let mut gathered = Gathered::default();
    loop {
        control.check().map_err(stopped)?;
        text.fill(PIECE * control.threads.max(1))?;
        let end = text.end_of_lines();
        if end == 0 {
            break;
        }
        gathered.read(&text, end, &header, dialect, control)?;
        control.check_memory(gathered.bytes()).map_err(stopped)?;
        text.pass(end);
    }
    gathered.finish(name, &header, dialect, text.bytes, control)
}

/// The part of a text that is looked at.
struct Text<'a> {
    name: &'a str,
    source: Box<dyn Read + 'a>,
    buffer: Vec<u8>,
    /// Lines and bytes before the buffer.
    lines: usize,
    bytes: u64,
    /// Whether the buffer has the rest.
    is_done: bool,
}

impl Text<'_> {
    /// Reads until the buffer has at least so many bytes, and the end of a line or of the text.
    fn fill(&mut self, least: usize) -> Result<(), Finding> {
        let mut wanted = least;
        loop {
            let mut length = self.buffer.len();
            if length < wanted {
                self.buffer.resize(wanted, 0);
            }
            while length < wanted && !self.is_done {
                match self.source.read(&mut self.buffer[length..]) {
                    Ok(0) => self.is_done = true,
                    Ok(read) => length += read,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(damaged(self.name, &error)),
                }
            }
            self.buffer.truncate(length);
            if self.is_done || self.end_of_lines() > 0 {
                return Ok(());
            }
            wanted = 2 * self.buffer.len();
        }
    }

    /// Behind the last line that is there as a whole.
    fn end_of_lines(&self) -> usize {
        if self.is_done {
            return self.buffer.len();
        }
        self.buffer.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1)
    }

    /// Leaves some bytes behind.
    fn pass(&mut self, bytes: usize) {
        self.lines += self.buffer[..bytes].iter().filter(|&&b| b == b'\n').count();
        self.bytes += bytes as u64;
        self.buffer.drain(..bytes);
    }

    fn script(&self) -> Result<Script<'_>, Finding> {
        Script::in_pieces(self.name, &self.buffer)
    }

    /// A finding about the buffer, as one about the text.
    fn moved(&self, mut finding: Finding) -> Finding {
        if let Some(Place::Text { line, .. }) = &mut finding.place {
            *line += self.lines;
        }
        finding
    }
}

/// What was read so far.
#[derive(Default)]
struct Gathered {
    /// Texts as they are in the file.
    labels: Labels,
    edges: Vec<Edge>,
    /// Where the transitions of each state begin, as long as states come in order.
    starts: Vec<u32>,
    /// The source of each transition, once they do not.
    sources: Option<Vec<u32>>,
    has_plain_i: bool,
    /// Whether a label is `i` or `tau`.
    has: [bool; 2],
}

impl Gathered {
    fn bytes(&self) -> u64 {
        let sources = self.sources.as_ref().map_or(0, Vec::capacity);
        (8 * self.edges.capacity() + 4 * self.starts.capacity() + 4 * sources) as u64
    }

    /// Reads lines, on all threads.
    fn read(
        &mut self,
        text: &Text<'_>,
        end: usize,
        header: &Header,
        dialect: Dialect,
        control: &Control<'_>,
    ) -> Result<(), Finding> {
        let script = Script { file: text.name, bytes: &text.buffer };
        let ranges = ranges(&text.buffer[..end], control.threads);
        let read = |range: Range<usize>| {
            script.check(range.clone())?;
            edges::read(script, header.states, Arithmetic::Double, dialect == Dialect::Ltsmin, range)
        };
        let pieces: Vec<Result<Piece<'_>, Halt>> = std::thread::scope(|scope| {
            let read = &read;
            let mut own = ranges.clone();
            let last = own.pop();
            let handles: Vec<_> = own.into_iter().map(|range| scope.spawn(move || read(range))).collect();
            let last = last.map(read);
            let joined = handles.into_iter().map(|handle| match handle.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect::<Vec<_>>().into_iter().chain(last).collect()
        });
        for piece in pieces {
            match piece {
                Ok(piece) => self.add(&piece, text, dialect)?,
                Err(Halt::Refused(finding)) => return Err(text.moved(*finding)),
                Err(Halt::Fraction) => return Err(has_distributions(text.name)),
            }
        }
        Ok(())
    }

    fn add(&mut self, piece: &Piece<'_>, text: &Text<'_>, dialect: Dialect) -> Result<(), Finding> {
        if !piece.counts.is_empty() {
            return Err(has_distributions(text.name));
        }
        self.has_plain_i |= piece.has_plain_i;
        let numbers: Vec<u32> = piece.names.list().iter().map(|name| self.number(name, dialect)).collect();
        let places = piece.sources.iter().zip(&piece.labels).zip(&piece.targets);
        if u32::try_from(self.edges.len() + piece.sources.len()).is_err() {
            let message = "the file has more than 4,294,967,295 transitions";
            return Err(
                Finding::error(codes::EXPLICIT_UNSUPPORTED, message).at(Place::File(text.name.to_owned()))
            );
        }
        for ((&source, &label), &target) in places {
            self.begin(source);
            self.edges.push(Edge { label: numbers[label as usize], target });
        }
        Ok(())
    }

    /// The number of a label, given as it is in the file. Number 0 is decided on at the end, since which text is the internal action
    /// depends on the whole file.
    fn number(&mut self, name: &[u8], dialect: Dialect) -> u32 {
        let text = String::from_utf8_lossy(name);
        let text = if dialect == Dialect::Ltsmin { unescape(&text) } else { text.into_owned() };
        self.has[0] |= text == "i";
        self.has[1] |= text == "tau";
        self.labels.number(&text)
    }

    /// Notes the source of the next transition.
    fn begin(&mut self, source: u32) {
        if let Some(sources) = &mut self.sources {
            return sources.push(source);
        }
        let known = self.starts.len() as u32;
        if source >= known {
            self.starts.resize(source as usize + 1, self.edges.len() as u32);
        } else if source + 1 < known {
            let mut sources = Vec::with_capacity(self.edges.len() + self.edges.len() / 2);
            let ends = self.starts.iter().skip(1).copied().chain([self.edges.len() as u32]);
            for ((state, &start), end) in (0u32..).zip(&self.starts).zip(ends) {
                sources.extend(std::iter::repeat_n(state, (end - start) as usize));
            }
            sources.push(source);
            self.starts = Vec::new();
            self.sources = Some(sources);
        }
    }

    fn finish(
        mut self,
        name: &str,
        header: &Header,
        dialect: Dialect,
        bytes: u64,
        control: &Control<'_>,
    ) -> Result<Lts, Finding> {
        let file = || Place::File(name.to_owned());
        if self.edges.len() as u64 != header.transitions {
            let message = format!(
                "the header declares {} transitions, but the file has {}",
                header.transitions,
                self.edges.len()
            );
            return Err(Finding::error(codes::EXPLICIT_COUNT, message).at(file()));
        }
        if !can_mention(usize::try_from(bytes).unwrap_or(usize::MAX), header.states.into()) {
            let states = header.states;
            let message =
                format!("the header declares {states} states, but the file is too short to contain them");
            return Err(Finding::error(codes::EXPLICIT_COUNT, message).at(file()));
        }
        let more = 4 * u64::from(header.states) + self.sources.as_ref().map_or(0, |s| 8 * s.len() as u64);
        control.check_memory(self.bytes() + more).map_err(stopped)?;
        let (internal, has_i) = (self.internal(dialect), self.has[0]);
        let (starts, edges) = match self.sources.take() {
            None => {
                self.starts.resize(header.states as usize + 1, self.edges.len() as u32);
                self.edges.shrink_to_fit();
                (self.starts, self.edges)
            }
            Some(sources) => by_source(&sources, &self.edges, header.states as usize),
        };
        let lts = Lts::new(header.initial, self.labels, starts, edges);
        Ok(if internal == Labels::INTERNAL_TEXT { lts } else { with_internal(lts, internal, has_i) })
    }

    /// The text of the internal action.
    fn internal(&self, dialect: Dialect) -> &'static str {
        let there: Vec<String> = [("i", self.has[0]), ("tau", self.has[1])]
            .into_iter()
            .filter(|&(_, is_there)| is_there)
            .map(|(text, _)| text.to_owned())
            .collect();
        internal(dialect, &there, self.has_plain_i)
    }
}

fn has_distributions(name: &str) -> Finding {
    let message =
        "the targets of transitions are distributions, which labelled transition systems do not have";
    Finding::error(codes::EXPLICIT_UNSUPPORTED, message)
        .at(Place::File(name.to_owned()))
        .help("write probabilities as transitions with labels such as `prob 0.5`")
}

/// Parts of some lines, one for each thread.
fn ranges(bytes: &[u8], threads: usize) -> Vec<Range<usize>> {
    let size = (bytes.len() / threads.max(1)).max(1 << 16);
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let behind = (start + size).min(bytes.len());
        let end = bytes[behind..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| behind + n + 1);
        ranges.push(start..end);
        start = end;
    }
    ranges
}

/// Transitions sorted by their sources.
fn by_source(sources: &[u32], edges: &[Edge], states: usize) -> (Vec<u32>, Vec<Edge>) {
    let mut starts = vec![0u32; states + 1];
    sources.iter().for_each(|&source| starts[source as usize + 1] += 1);
    (0..states).for_each(|state| starts[state + 1] += starts[state]);
    let mut sorted = vec![Edge { label: 0, target: 0 }; edges.len()];
    // Offsets serve as places to write, and are moved back by one state afterwards.
    for (&source, &edge) in sources.iter().zip(edges) {
        let place = &mut starts[source as usize];
        sorted[*place as usize] = edge;
        *place += 1;
    }
    starts.copy_within(0..states, 1);
    starts[0] = 0;
    (starts, sorted)
}

/// The system whose internal action is another text than `i`; an action of that name gets quotation marks, since it is another one.
fn with_internal(lts: Lts, internal: &str, has_i: bool) -> Lts {
    let mut labels = Labels::new();
    let number: Vec<u32> = lts
        .labels
        .texts()
        .iter()
        .map(|text| match text.as_str() {
            text if text == internal => Labels::INTERNAL,
            // Without one it stands for no transition.
            Labels::INTERNAL_TEXT => {
                if has_i {
                    labels.number("'i'")
                } else {
                    Labels::INTERNAL
                }
            }
            text => labels.number(text),
        })
        .collect();
    lts.relabelled(labels, &number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compression, write_lts};

    fn read(text: &str) -> Result<Lts, Finding> {
        read_lts("m.aut", &mut text.as_bytes(), Dialect::Automatic, &Control::unlimited())
    }

    #[test]
    fn labels_are_texts() {
        let lts =
            read("des (1, 4, 3)\n(0, \"a !1\", 1)\n(0, i, 2)\n(2, \"rate 2.5\", 0)\n(2, a, 2)\n").unwrap();
        assert_eq!((lts.initial, lts.num_states(), lts.num_transitions()), (1, 3, 4));
        assert_eq!(lts.labels.texts(), ["i", "a !1", "rate 2.5", "a"]);
        assert_eq!(lts.outgoing(0), [Edge { label: 1, target: 1 }, Edge { label: 0, target: 2 }]);
    }

    #[test]
    fn sources_in_any_order() {
        let lts = read("des (0, 5, 4)\n(2, a, 0)\n(0, b, 1)\n(2, i, 3)\n(0, i, 0)\n(1, b, 1)").unwrap();
        let sorted: Vec<_> = lts.transitions().collect();
        assert_eq!(sorted, [(0, 2, 1), (0, 0, 0), (1, 2, 1), (2, 1, 0), (2, 0, 3)]);
    }

    #[test]
    fn the_internal_action_of_each_dialect() {
        let lts = read("des (0,2,2)\n(0,\"tau\",1)\n(1,\"a\",0)\n").unwrap();
        assert!(lts.outgoing(0)[0].is_internal());
        let lts = read("des (0, 2, 2)\n(0, \"tau\", 1)\n(1, i, 0)\n").unwrap();
        assert!(!lts.outgoing(0)[0].is_internal() && lts.outgoing(1)[0].is_internal());
        let read_as = |dialect| {
            let mut text = &b"des (0,2,2)\n(0,\"tau\",1)\n(1,\"i\",0)\n"[..];
            read_lts("m.aut", &mut text, dialect, &Control::unlimited()).unwrap()
        };
        let lts = read_as(Dialect::Mcrl2);
        assert!(lts.outgoing(0)[0].is_internal());
        assert_eq!(lts.labels.text(lts.outgoing(1)[0].label), "'i'");
        assert!(read_as(Dialect::Cadp).outgoing(1)[0].is_internal());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let lts =
            read("des (1, 4, 3)\n(0, \"a, b\", 1)\n(0, i, 2)\n(2, \"rate 2.5\", 0)\n(2, a, 2)\n").unwrap();
        let dialects = [Dialect::Cadp, Dialect::Mcrl2, Dialect::Ltsmin];
        let compressions = [Compression::None, Compression::Gzip, Compression::Xz, Compression::Zstd];
        for (dialect, compression) in dialects.into_iter().flat_map(|d| compressions.map(|c| (d, c))) {
            let mut file = Vec::new();
            write_lts(&lts, dialect, compression, &mut file, &Control::unlimited()).unwrap();
            let again = read_lts("m.aut", &mut &file[..], dialect, &Control::unlimited()).unwrap();
            assert_eq!(again, lts, "{dialect:?} {compression:?}");
        }
    }

    #[test]
    fn pieces_make_no_difference() {
        let mut text = format!("des (0, {}, 1000)\n", 200_000);
        (0..200_000)
            .for_each(|k| text.push_str(&format!("({}, \"a{}\", {})\n", k / 200, k % 7, k * 7 % 1000)));
        let one = read(&text).unwrap();
        for threads in [2, 5] {
            let control = Control { threads, ..Control::unlimited() };
            let several = read_lts("m.aut", &mut text.as_bytes(), Dialect::Automatic, &control).unwrap();
            assert_eq!(one, several);
        }
        let wrong = text.replacen("(900, ", "(9000, ", 1);
        let finding = read(&wrong).unwrap_err();
        let line = wrong.lines().position(|line| line.starts_with("(9000")).unwrap() + 1;
        assert!(
            matches!(finding.place, Some(Place::Text { line: found, .. }) if found == line),
            "{finding:?}"
        );
    }

    #[test]
    fn damaged_files() {
        for (text, code) in [
            ("", codes::EXPLICIT_SYNTAX),
            ("des (0, 1, 1)\n", codes::EXPLICIT_COUNT),
            ("des (0, 0, 4000000000)\n", codes::EXPLICIT_COUNT),
            ("des (0, 1, 1)\n(0, a, 1)\n", codes::EXPLICIT_RANGE),
            ("des (0, 1, 1)\n(0, a, 0\n", codes::EXPLICIT_SYNTAX),
            ("des (0, 1, 2)\n(0, a, 0 1/2 1)\n", codes::EXPLICIT_UNSUPPORTED),
        ] {
            assert_eq!(read(text).unwrap_err().code, code, "{text}");
        }
    }
}
