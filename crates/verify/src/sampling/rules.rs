//! When a property has enough paths, and what is said of it then.

use super::settings::{Sampling, SamplingMethod, USUAL_SAMPLES};
use volvelle_logic::{Bound, Comparison};
use volvelle_simulate::sample::Summary;
use volvelle_statistics::bayes::{BayesTest, Beta};
use volvelle_statistics::sequential::{ChowRobbins, EbStop, Schedule, Stop as StopAt, Target};
use volvelle_statistics::size::{self, Basis};
use volvelle_statistics::sprt::{Question, Sprt};
use volvelle_statistics::{
    Comparison as Compared, Confidence, Decision, Error, Interval, MeanInterval, Range, Side, interval,
};

/// When there are enough paths.
#[derive(Clone, Debug)]
pub enum Rule {
    /// After so many.
    Fixed(u64),
    /// When the interval is narrow enough, but not after more than so many.
    Narrow(Narrow),
    /// When Wald's test decides.
    Sprt(Box<Sprt>),
    /// When the Bayes factor decides.
    Bayes(Box<BayesTest>),
}

/// Waiting for a narrow interval. Looks happen at numbers of paths that are fixed before.
#[derive(Clone, Debug)]
pub struct Narrow {
    rule: StoppingRule,
    most: u64,
    schedule: Schedule,
    look: u64,
    stop: Option<StopAt>,
}

/// Which promise is kept at the end.
#[derive(Clone, Debug)]
enum StoppingRule {
    ChowRobbins(ChowRobbins),
    EbStop(EbStop),
}

/// Looks happen at counts that grow by this factor, rounded up to whole blocks.
const LOOKS: f64 = 1.05;
/// Paths before the first look.
const FIRST_LOOK: u64 = 1024;

impl Rule {
    /// The rule for a measure: whether it is 0 or 1, and what it is compared with.
    pub fn new(sampling: &Sampling, indicator: bool, bound: Option<Bound>) -> Result<Self, String> {
        let told = |error: Error| error.to_string();
        let confidence = Confidence::new(sampling.confidence).map_err(told)?;
        let fixed = |basis: Basis| match sampling.width {
            None => Err("this method needs --width".to_owned()),
            Some(_) if !indicator => Err("this method is for probabilities".to_owned()),
            Some(width) => size::samples(basis, width, confidence).map(Rule::Fixed).map_err(told),
        };
        let question = |bound: Option<Bound>| match bound {
            _ if !indicator => Err("tests are for bounds on probabilities".to_owned()),
            None => Err("a test needs a property with a bound, such as P>=0.9".to_owned()),
            Some(bound) => Ok(Question {
                comparison: compared(bound.comparison),
                threshold: bound.threshold,
                indifference: sampling.indifference.unwrap_or(0.0),
                alpha: sampling.alpha,
                beta: sampling.beta,
            }),
        };
        match sampling.method {
            SamplingMethod::Auto if indicator && bound.is_some() && sampling.indifference.is_some() => {
                Ok(Rule::Sprt(Box::new(Sprt::new(question(bound)?).map_err(told)?)))
            }
            SamplingMethod::Sprt => {
                let question = question(bound)?;
                if sampling.indifference.is_none() {
                    return Err("this test needs --indifference".to_owned());
                }
                Ok(Rule::Sprt(Box::new(Sprt::new(question).map_err(told)?)))
            }
            SamplingMethod::Bayes => {
                let Question { comparison, threshold, .. } = question(bound)?;
                // Odds of a wrong answer of alpha at most.
                let factor = 1.0 / sampling.alpha;
                let test = BayesTest::new(comparison, threshold, Beta::UNIFORM, factor).map_err(told)?;
                Ok(Rule::Bayes(Box::new(test)))
            }
            SamplingMethod::Okamoto => fixed(Basis::Hoeffding { range: Range::UNIT }),
            SamplingMethod::Massart => fixed(Basis::Massart { within: Interval { lo: 0.0, hi: 1.0 } }),
            SamplingMethod::Auto
            | SamplingMethod::Interval
            | SamplingMethod::ChowRobbins
            | SamplingMethod::EbStop => match sampling.width {
                Some(width) => {
                    let relative = sampling.relative || sampling.method == SamplingMethod::EbStop;
                    let target = if relative { Target::Relative(width) } else { Target::Absolute(width) };
                    let rule = match sampling.method {
                        SamplingMethod::EbStop if !indicator => {
                            return Err(
                                "EBStop is for probabilities: it needs the range of values".to_owned()
                            );
                        }
                        SamplingMethod::EbStop => {
                            StoppingRule::EbStop(EbStop::new(Range::UNIT, target, confidence).map_err(told)?)
                        }
                        _ => StoppingRule::ChowRobbins(
                            ChowRobbins::new(target, confidence, FIRST_LOOK).map_err(told)?,
                        ),
                    };
                    let mut schedule = Schedule::new(FIRST_LOOK, LOOKS).map_err(told)?;
                    let look = schedule.next().unwrap_or(FIRST_LOOK);
                    let most = sampling.samples.unwrap_or(u64::MAX);
                    Ok(Rule::Narrow(Narrow { rule, most, schedule, look, stop: None }))
                }
                None if matches!(sampling.method, SamplingMethod::ChowRobbins | SamplingMethod::EbStop) => {
                    Err("this method needs --width".to_owned())
                }
                None => Ok(Rule::Fixed(sampling.samples.unwrap_or(USUAL_SAMPLES))),
            },
        }
    }

    /// Paths that will be needed at most, if that is known.
    pub fn most(&self) -> Option<u64> {
        match self {
            Rule::Fixed(n) => Some(*n),
            Rule::Narrow(narrow) => Some(narrow.most).filter(|&n| n < u64::MAX),
            _ => None,
        }
    }

    /// Whether the number of paths is known beforehand.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Rule::Fixed(_))
    }

    /// Whether so many paths are enough. `news` is what came since the last time.
    pub fn enough(&mut self, paths: u64, all: &Summary, news: &Summary) -> bool {
        match self {
            Rule::Fixed(n) => paths >= *n,
            Rule::Sprt(test) => match news {
                Summary::Tally(tally) => test.push_batch(*tally) != Decision::Undecided,
                Summary::Moments { .. } => true,
            },
            Rule::Bayes(test) => match news {
                Summary::Tally(tally) => test.push_batch(*tally) != Decision::Undecided,
                Summary::Moments { .. } => true,
            },
            Rule::Narrow(narrow) => narrow.enough(paths, all),
        }
    }

    /// The estimate and interval of a rule that has stopped by its own.
    pub fn stopped(&self) -> Option<(f64, Interval)> {
        match self {
            Rule::Narrow(narrow) => narrow.stop.map(|stop| (stop.estimate, stop.interval)),
            _ => None,
        }
    }

    /// What a test says.
    pub fn decision(&self) -> Option<Decision> {
        match self {
            Rule::Sprt(test) => Some(test.decision()),
            Rule::Bayes(test) => Some(test.decision()),
            _ => None,
        }
    }
}

impl Narrow {
    fn enough(&mut self, paths: u64, all: &Summary) -> bool {
        if paths >= self.most {
            return true;
        }
        if paths < self.look {
            return false;
        }
        while self.look <= paths {
            self.look = self.schedule.next().unwrap_or(u64::MAX);
        }
        self.stop = match (&mut self.rule, all) {
            (StoppingRule::ChowRobbins(rule), Summary::Tally(tally)) => rule.check_proportion(*tally),
            (StoppingRule::EbStop(rule), Summary::Tally(tally)) => {
                rule.check(&tally.moments()).ok().flatten()
            }
            // The mean is infinite: no interval gets narrow.
            (_, Summary::Moments { infinite, .. }) if *infinite > 0 => return true,
            (StoppingRule::ChowRobbins(rule), Summary::Moments { moments, .. }) => {
                rule.check(moments).ok().flatten()
            }
            (StoppingRule::EbStop(_), Summary::Moments { .. }) => return true,
        };
        self.stop.is_some()
    }
}

/// The comparison as the statistics have it.
pub fn compared(comparison: Comparison) -> Compared {
    match comparison {
        Comparison::Lt => Compared::Below,
        Comparison::Le => Compared::AtMost,
        Comparison::Gt => Compared::Above,
        Comparison::Ge => Compared::AtLeast,
    }
}

/// The mean.
pub fn estimate(summary: &Summary) -> f64 {
    match summary {
        Summary::Tally(tally) => tally.proportion().unwrap_or(f64::NAN),
        Summary::Moments { infinite, .. } if *infinite > 0 => f64::INFINITY,
        Summary::Moments { moments, .. } => moments.mean().unwrap_or(f64::NAN),
    }
}

/// The interval at a confidence; `None` where the samples say too little.
pub fn interval_of(summary: &Summary, confidence: Confidence) -> Option<Interval> {
    match summary {
        Summary::Tally(tally) if tally.samples() == 0 => None,
        Summary::Tally(tally) => Some(interval::clopper_pearson(*tally, confidence, Side::Both)),
        Summary::Moments { infinite, .. } if *infinite > 0 => None,
        Summary::Moments { moments, .. } => match interval::mean_student(moments, confidence, Side::Both) {
            Ok(MeanInterval::Known(interval)) => Some(interval),
            // Nothing varied: the samples give no interval.
            Ok(_) | Err(_) => None,
        },
    }
}
