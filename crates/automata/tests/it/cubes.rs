//! Conjunctions of literals, as sets of letters.

use volvelle_automata::buchi::cube::Cube;
use volvelle_random::Random;

fn draw(random: &mut Random, propositions: usize) -> Cube {
    let mut cube = Cube::ALL;
    for p in 0..propositions {
        match random.below(3) {
            0 => cube.must |= 1 << p,
            1 => cube.must_not |= 1 << p,
            _ => {}
        }
    }
    cube
}

/// Whether a letter is in the set.
trait Admits {
    fn admits(self, letter: u64) -> bool;
}

impl Admits for Cube {
    fn admits(self, letter: u64) -> bool {
        letter & self.must == self.must && letter & self.must_not == 0
    }
}

/// Every operation against the sets of letters.
#[test]
fn cubes_are_sets_of_letters() {
    let mut random = Random(1);
    let (mut covered, mut unions) = (0, 0);
    for _ in 0..5000 {
        let [a, b] = [0; 2].map(|_| draw(&mut random, 4));
        let number = random.below(6);
        let list: Vec<Cube> = (0..number).map(|_| draw(&mut random, 3)).collect();
        let all = 0..16u64;
        for letter in all.clone() {
            let both = a.admits(letter) && b.admits(letter);
            assert_eq!(a.and(b).is_some_and(|c| c.admits(letter)), both);
            let parts = a.without(b).iter().filter(|c| c.admits(letter)).count();
            assert_eq!(parts, usize::from(a.admits(letter) && !b.admits(letter)));
            if let Some(union) = a.union(b) {
                unions += 1;
                assert_eq!(union.admits(letter), a.admits(letter) || b.admits(letter));
            }
        }
        assert_eq!(a.contains(b), all.clone().all(|l| a.admits(l) || !b.admits(l)));
        let truth = all.clone().all(|l| !a.admits(l) || list.iter().any(|c| c.admits(l)));
        assert_eq!(a.is_covered(list.iter().copied()), truth);
        covered += usize::from(truth);
    }
    assert!(covered > 500 && unions > 500);
}
