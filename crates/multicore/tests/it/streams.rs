//! Streams made up: loops, branches, and patterns of memory.

use volvelle_control::Control;
use volvelle_instructions::{Batch, Class, Failure, Instruction, Listing, Register, Step, Stream};
use volvelle_random::Random;

/// How a program accesses memory.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    /// The same address.
    Fixed(u64),
    /// One step further each time, within this many bytes.
    Walk { start: u64, step: u64, bytes: u64 },
    /// Anywhere within this many bytes.
    Random { start: u64, bytes: u64 },
}

/// How a branch goes.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// So many percent of the time.
    Biased(usize),
    /// All but every n-th time.
    Periodic(u64),
}

#[derive(Clone, Copy, Debug)]
struct Place {
    number: u32,
    pattern: Option<Pattern>,
    /// Where it goes to, and how.
    branch: Option<(usize, Way)>,
    visits: u64,
}

/// A program of random instructions, which runs forever; it yields as many instructions as requested.
pub struct Synthetic {
    listing: Listing,
    places: Vec<Place>,
    random: Random,
    at: usize,
    left: u64,
    /// Instructions of wrong paths.
    wrong: usize,
}

/// What a program looks like.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Its instructions.
    pub size: usize,
    /// Bytes of memory that it accesses at random.
    pub bytes: u64,
    /// Percent of instructions that access memory.
    pub memory: usize,
    /// Percent that branch.
    pub branches: usize,
}

impl Synthetic {
    pub fn new(seed: u64, length: u64, look: Look) -> Self {
        let mut random = Random(seed);
        let mut listing = Listing::default();
        let mut places = Vec::new();
        let mut pc = 0x1_0000;
        for at in 0..look.size {
            let mut instruction = Instruction { length: random.pick(&[2, 4, 4]), ..Instruction::at(pc) };
            let register = |random: &mut Random| Register(random.below(24) as u8);
            let sources = random.below(3);
            for source in &mut instruction.sources[..sources] {
                *source = register(&mut random);
            }
            let (mut pattern, mut branch) = (None, None);
            let kind = random.below(100);
            if kind < look.memory {
                instruction.class = random.pick(&[Class::Load, Class::Load, Class::Store]);
                if random.one_in(60) {
                    instruction.class = Class::Atomic;
                }
                instruction.size = random.pick(&[1, 2, 4, 8, 8, 8]);
                if random.one_in(80) {
                    instruction.size = random.pick(&[16, 40, 255]);
                }
                let start = 0x10_0000 + 64 * random.below(8) as u64;
                pattern = Some(match random.below(3) {
                    0 => Pattern::Fixed(start + random.below(64) as u64),
                    1 => Pattern::Walk { start, step: u64::from(instruction.size), bytes: look.bytes },
                    _ => Pattern::Random { start, bytes: look.bytes },
                });
            } else if kind < look.memory + look.branches {
                instruction.class = random.pick(&[Class::Branch, Class::Branch, Class::Branch, Class::Jump]);
                let back = random.one_in(2);
                let distance = 1 + random.below(20);
                let target = if back { at.saturating_sub(distance) } else { (at + distance) % look.size };
                let way = match random.below(3) {
                    0 => Way::Biased(random.pick(&[10, 50, 90, 97])),
                    _ => Way::Periodic(random.pick(&[2, 3, 7, 12])),
                };
                // Endless loops are left after some turns.
                branch = Some((target, way));
                if instruction.class == Class::Jump {
                    branch = Some(((at + distance) % look.size, Way::Biased(100)));
                }
            } else {
                instruction.class = random.pick(&[
                    Class::Alu,
                    Class::Alu,
                    Class::Alu,
                    Class::Alu,
                    Class::Alu,
                    Class::Mul,
                    Class::Fp,
                ]);
                if random.one_in(50) {
                    instruction.class = Class::Div;
                }
            }
            if !matches!(instruction.class, Class::Store | Class::Branch | Class::Jump) {
                instruction.destination = register(&mut random);
            }
            pc += u64::from(instruction.length);
            places.push(Place { number: listing.number(instruction), pattern, branch, visits: 0 });
        }
        Synthetic { listing, places, random, at: 0, left: length, wrong: 0 }
    }
}

impl Stream for Synthetic {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn next(&mut self, batch: &mut Batch, most: usize, _: &Control<'_>) -> Result<bool, Failure> {
        batch.clear();
        let size = self.places.len();
        while batch.steps.len() < most && self.left > 0 {
            self.left -= 1;
            self.places[self.at].visits += 1;
            let place = self.places[self.at];
            let mut is_taken = false;
            if let Some(pattern) = place.pattern {
                batch.addresses.push(match pattern {
                    Pattern::Fixed(address) => address,
                    Pattern::Walk { start, step, bytes } => start + place.visits * step % bytes,
                    Pattern::Random { start, bytes } => start + self.random.below(bytes as usize) as u64,
                });
            }
            let mut next = (self.at + 1) % size;
            if let Some((target, way)) = place.branch {
                is_taken = match way {
                    Way::Biased(percent) => self.random.chance(percent),
                    Way::Periodic(period) => !place.visits.is_multiple_of(period),
                };
                if is_taken {
                    next = target;
                }
                let other = if is_taken { (self.at + 1) % size } else { target };
                self.wrong_path(other, batch);
            }
            // The end of the program jumps to its beginning, whatever stands there.
            batch.steps.push(Step::new(place.number, is_taken));
            self.at = next;
        }
        Ok(!batch.steps.is_empty())
    }

    fn follow_wrong_paths(&mut self, length: usize) -> bool {
        self.wrong = length;
        true
    }
}

impl Synthetic {
    /// Instructions from a place on, which branch every other time, and leave no trace.
    fn wrong_path(&self, from: usize, batch: &mut Batch) {
        let mut at = from;
        for step in 0..self.wrong {
            let place = &self.places[at];
            if let Some(pattern) = place.pattern {
                batch.wrong.addresses.push(match pattern {
                    Pattern::Fixed(address) => address,
                    Pattern::Walk { start, .. } | Pattern::Random { start, .. } => start + 8 * step as u64,
                });
            }
            let target = place.branch.map(|(target, _)| target).filter(|_| step % 2 == 0);
            batch.wrong.steps.push(Step::new(place.number, target.is_some()));
            at = target.unwrap_or((at + 1) % self.places.len());
        }
        if self.wrong > 0 {
            batch.wrong.end();
        }
    }
}
