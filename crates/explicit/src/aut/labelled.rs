//! A labelled transition system from a stream: labels stay texts, and the file is never in memory as a whole.

use super::edges::{self, Header, Piece};
use super::label::{internal, unescape};
use super::stream::{Lines, Text, in_order};
use crate::allowance::stopped;
use crate::decompress::{damaged, stream};
use crate::finding::{Finding, Place};
use crate::options::Dialect;
use crate::text::{Arithmetic, Halt, can_mention};
use std::io::Read;
use volvelle_control::Control;
use volvelle_diagnostics::codes;
use volvelle_space::{Edge, Labels, Lts};

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
    let mut text = Text::new(name, source);
    // A first piece that is small enough not to matter, and long enough for the header.
    let header = edges::header(text.beginning(1 << 12)?, false)?;
    let dialect = match dialect {
        Dialect::Automatic if header.is_padded => Dialect::Ltsmin,
        dialect => dialect,
    };
    text.pass(header.body);
    let read = Reading { name, header: &header, dialect };
    let gathered = in_order(
        &mut text,
        control,
        Gathered::default(),
        |lines| read.piece(lines),
        |gathered, piece| {
            gathered.add(&piece, name, dialect)?;
            control.check_memory(gathered.bytes()).map_err(stopped)
        },
    )?;
    gathered.finish(name, &header, dialect, text.bytes, control)
}

/// How pieces are read.
struct Reading<'a> {
    name: &'a str,
    header: &'a Header,
    dialect: Dialect,
}

impl Reading<'_> {
    fn piece<'c>(&self, lines: &'c Lines<'_>) -> Result<Piece<'c>, Finding> {
        let (script, range) = (lines.script(), 0..lines.bytes.len());
        let escapes = self.dialect == Dialect::Ltsmin;
        let found = match script.check(range.clone()) {
            Ok(()) => edges::read(script, self.header.states, Arithmetic::Double, escapes, range),
            Err(finding) => Err(finding.into()),
        };
        found.map_err(|halt| match halt {
            Halt::Refused(finding) => lines.moved(*finding),
            Halt::Fraction => has_distributions(self.name),
        })
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

    fn add(&mut self, piece: &Piece<'_>, name: &str, dialect: Dialect) -> Result<(), Finding> {
        if !piece.counts.is_empty() {
            return Err(has_distributions(name));
        }
        self.has_plain_i |= piece.has_plain_i;
        let numbers: Vec<u32> = piece.names.list().iter().map(|name| self.number(name, dialect)).collect();
        let places = piece.sources.iter().zip(&piece.labels).zip(&piece.targets);
        if u32::try_from(self.edges.len() + piece.sources.len()).is_err() {
            let message = "the file has more than 4,294,967,295 transitions";
            return Err(Finding::error(codes::EXPLICIT_UNSUPPORTED, message).at(Place::File(name.to_owned())));
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
            Some(sources) => by_source(&sources, &self.edges, header.states as usize, control.threads),
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

/// Transitions that a thread should have at least.
const LEAST: usize = if cfg!(test) { 1 } else { 1 << 16 };

/// Transitions sorted by their sources. Every thread looks at all of them, and writes those of some states.
fn by_source(sources: &[u32], edges: &[Edge], states: usize, threads: usize) -> (Vec<u32>, Vec<Edge>) {
    let mut starts = vec![0u32; states + 1];
    sources.iter().for_each(|&source| starts[source as usize + 1] += 1);
    (0..states).for_each(|state| starts[state + 1] += starts[state]);
    let mut sorted = vec![Edge { label: 0, target: 0 }; edges.len()];
    let threads = threads.clamp(1, (edges.len() / LEAST).max(1));
    // Offsets serve as places to write, and are moved back by one state afterwards.
    let (mut first, mut rest) = (0, &mut sorted[..]);
    let ends: Vec<u32> = (1..=threads).map(|k| starts[states * k / threads]).collect();
    let mut left = &mut starts[..states];
    std::thread::scope(|scope| {
        for (thread, end) in (1..=threads).zip(ends) {
            let behind = states * thread / threads;
            let (places, more) = std::mem::take(&mut left).split_at_mut(behind - first);
            let before = places.first().copied().unwrap_or(end);
            let (own, later) = std::mem::take(&mut rest).split_at_mut((end - before) as usize);
            let mut write = move || {
                for (&source, &edge) in sources.iter().zip(edges) {
                    if let Some(place) = places.get_mut((source as usize).wrapping_sub(first)) {
                        own[(*place - before) as usize] = edge;
                        *place += 1;
                    }
                }
            };
            (first, left, rest) = (behind, more, later);
            if thread < threads {
                scope.spawn(write);
            } else {
                write();
            }
        }
    });
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
        let on = |threads: usize, text: &str| {
            let control = Control { threads, ..Control::unlimited() };
            read_lts("m.aut", &mut text.as_bytes(), Dialect::Automatic, &control)
        };
        // The second half first.
        let mut lines: Vec<&str> = text.lines().collect();
        lines[1..].rotate_left(100_000);
        let rotated = lines.join("\n");
        for threads in [2, 5] {
            assert_eq!(one, on(threads, &text).unwrap());
            let several = on(threads, &rotated).unwrap();
            assert_eq!(several, read(&rotated).unwrap());
            let by_text = |lts: &Lts, state: u32| -> Vec<(String, u32)> {
                let edges = lts.outgoing(state).iter();
                edges.map(|edge| (lts.labels.text(edge.label).to_owned(), edge.target)).collect()
            };
            assert!((0..1000).all(|state| by_text(&one, state) == by_text(&several, state)));
        }
        let wrong = text.replacen("(900, ", "(9000, ", 1);
        let wrong = wrong.replacen("(950, ", "(9500, ", 1);
        let finding = read(&wrong).unwrap_err();
        assert_eq!(finding, on(3, &wrong).unwrap_err());
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
