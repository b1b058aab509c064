//! Which of several ways to run paths on a device is the fastest, as far as is known.

/// Runs that whoever comes in has to show what it is worth.
const TRIAL: u32 = 2;
/// Faster by less may be chance.
const MARGIN: f64 = 1.03;

/// The ways so far, by number, and who leads.
#[derive(Debug, Default)]
pub(super) struct Heats {
    ways: Vec<Ran>,
    leader: usize,
    /// Who is on trial, and for how many runs yet.
    trial: Option<(usize, u32)>,
}

/// What somebody has run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ran {
    pub paths: u64,
    pub steps: u64,
    pub seconds: f64,
    /// Steps a second: of the leader lately, of others on their best run.
    speed: f64,
}

impl Heats {
    /// Somebody comes in, on trial unless there is nobody else.
    pub fn enter(&mut self) {
        let who = self.ways.len();
        self.ways.push(Ran::default());
        self.trial = (who > 0).then_some((who, TRIAL));
    }

    /// Who is next.
    pub fn who(&self) -> usize {
        self.trial.map_or(self.leader, |(who, _)| who)
    }

    /// Somebody ran paths.
    pub fn ran(&mut self, who: usize, paths: u64, steps: u64, seconds: f64) {
        let speed = steps as f64 / seconds.max(1e-9);
        let way = &mut self.ways[who];
        way.paths += paths;
        way.steps += steps;
        way.seconds += seconds;
        let Some((_, left)) = self.trial.filter(|(trial, _)| *trial == who) else {
            way.speed = if way.speed == 0.0 { speed } else { 0.5 * (way.speed + speed) };
            return;
        };
        way.speed = way.speed.max(speed);
        self.trial = (left > 1).then_some((who, left - 1));
        if self.trial.is_none() && self.ways[who].speed > MARGIN * self.ways[self.leader].speed {
            self.leader = who;
        }
    }

    /// Whether nobody is on trial, and the leader has run.
    pub fn are_settled(&self) -> bool {
        self.trial.is_none() && self.ways.get(self.leader).is_some_and(|way| way.speed > 0.0)
    }

    /// What all of them have run.
    pub fn all(&self) -> Ran {
        self.ways.iter().fold(Ran::default(), |sum, way| Ran {
            paths: sum.paths + way.paths,
            steps: sum.steps + way.steps,
            seconds: sum.seconds + way.seconds,
            speed: 0.0,
        })
    }

    /// What each has run.
    pub fn each(&self) -> &[Ran] {
        &self.ways
    }
}

#[cfg(test)]
mod tests {
    use super::Heats;

    /// Lets whoever is next run, at these speeds.
    fn run(heats: &mut Heats, speeds: &[f64], runs: usize) {
        for _ in 0..runs {
            let who = heats.who();
            heats.ran(who, 10, (1e6 * speeds[who]) as u64, 1.0);
        }
    }

    #[test]
    fn the_fastest_leads() {
        let mut heats = Heats::default();
        heats.enter();
        assert!(!heats.are_settled());
        let speeds = [1.0, 0.5, 3.0, 3.01, 2.0];
        run(&mut heats, &speeds, 3);
        for (who, leader) in [(1, 0), (2, 2), (3, 2), (4, 2)] {
            heats.enter();
            assert_eq!(heats.who(), who);
            run(&mut heats, &speeds, 2);
            assert!(heats.are_settled());
            assert_eq!(heats.who(), leader);
            run(&mut heats, &speeds, 1);
        }
        assert_eq!(heats.all().paths, 150);
        assert_eq!(heats.each().len(), 5);
    }
}
