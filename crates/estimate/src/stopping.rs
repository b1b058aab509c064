//! Stopping rules: when a property has enough paths, and its estimate and interval then.

use crate::settings::{DEFAULT_SAMPLES, Sampling, SamplingMethod};
use volvelle_logic::{Bound, Comparison};
use volvelle_simulate::sample::Summary;
use volvelle_statistics::bayes::{BayesTest, Beta};
use volvelle_statistics::sequential::{ChowRobbins, EbStop, Schedule, Stop as StopAt, Target};
use volvelle_statistics::size::{self, Basis};
use volvelle_statistics::sprt::{Question, Sprt};
use volvelle_statistics::{
    Comparison as Compared, Confidence, Decision, Error, Interval, MeanInterval, Range, Side, interval,
};

/// A method or parameters that do not fit a property.
#[derive(Clone, Debug, PartialEq)]
pub enum UnfitMethod {
    /// The method needs the width of the interval.
    WithoutWidth,
    /// The test needs the width of the indifference region.
    WithoutIndifference,
    /// The method estimates probabilities only.
    ForProbabilities,
    /// Sequential tests decide bounds on probabilities only.
    TestOfReward,
    /// A sequential test decides a bound, but the property has none.
    TestWithoutBound,
    /// EBStop needs the range of values, which is unknown for rewards.
    EbStopOfReward,
    /// A parameter is out of its range.
    Parameters(Error),
}

/// Decides when a property has enough paths.
#[derive(Clone, Debug)]
pub enum StoppingRule {
    /// A number of paths that is fixed beforehand.
    Fixed(u64),
    /// When the interval is narrow enough, or the most paths have been run.
    Narrow(Narrow),
    /// When Wald's test decides.
    Sprt(Box<Sprt>),
    /// When the Bayes factor decides.
    Bayes(Box<BayesTest>),
}

/// A sequential rule that stops at a narrow interval. It checks at numbers of paths that are fixed in
/// advance.
#[derive(Clone, Debug)]
pub struct Narrow {
    rule: SequentialRule,
    target: Target,
    confidence: Confidence,
    most: u64,
    schedule: Schedule,
    look: u64,
    stop: Option<StopAt>,
}

/// The method behind a sequential interval, which determines its guarantee.
#[derive(Clone, Debug)]
enum SequentialRule {
    ChowRobbins(ChowRobbins),
    EbStop(EbStop),
}

/// Factor between the numbers of paths at which a sequential rule checks.
const LOOKS: f64 = 1.05;
/// Paths before the first check.
const FIRST_LOOK: u64 = 1024;

impl StoppingRule {
    /// The rule for a measure. `indicator` says whether its values are 0 or 1; `bound` is compared with the
    /// mean.
    ///
    /// # Errors
    /// The method does not fit the property.
    pub fn new(sampling: &Sampling, indicator: bool, bound: Option<Bound>) -> Result<Self, UnfitMethod> {
        let told = UnfitMethod::Parameters;
        let confidence = Confidence::new(sampling.confidence).map_err(told)?;
        let fixed = |basis: Basis| match sampling.width {
            None => Err(UnfitMethod::WithoutWidth),
            Some(_) if !indicator => Err(UnfitMethod::ForProbabilities),
            Some(width) => size::samples(basis, width, confidence).map(StoppingRule::Fixed).map_err(told),
        };
        let question = |bound: Option<Bound>| match bound {
            _ if !indicator => Err(UnfitMethod::TestOfReward),
            None => Err(UnfitMethod::TestWithoutBound),
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
                Ok(StoppingRule::Sprt(Box::new(Sprt::new(question(bound)?).map_err(told)?)))
            }
            SamplingMethod::Sprt => {
                let question = question(bound)?;
                if sampling.indifference.is_none() {
                    return Err(UnfitMethod::WithoutIndifference);
                }
                Ok(StoppingRule::Sprt(Box::new(Sprt::new(question).map_err(told)?)))
            }
            SamplingMethod::Bayes => {
                let Question { comparison, threshold, .. } = question(bound)?;
                // A wrong answer has odds of at most alpha.
                let factor = 1.0 / sampling.alpha;
                let test = BayesTest::new(comparison, threshold, Beta::UNIFORM, factor).map_err(told)?;
                Ok(StoppingRule::Bayes(Box::new(test)))
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
                            return Err(UnfitMethod::EbStopOfReward);
                        }
                        SamplingMethod::EbStop => SequentialRule::EbStop(
                            EbStop::new(Range::UNIT, target, confidence).map_err(told)?,
                        ),
                        _ => SequentialRule::ChowRobbins(
                            ChowRobbins::new(target, confidence, FIRST_LOOK).map_err(told)?,
                        ),
                    };
                    let mut schedule = Schedule::new(FIRST_LOOK, LOOKS).map_err(told)?;
                    let look = schedule.next().unwrap_or(FIRST_LOOK);
                    let most = sampling.samples.unwrap_or(u64::MAX);
                    let narrow = Narrow { rule, target, confidence, most, schedule, look, stop: None };
                    Ok(StoppingRule::Narrow(narrow))
                }
                None if matches!(sampling.method, SamplingMethod::ChowRobbins | SamplingMethod::EbStop) => {
                    Err(UnfitMethod::WithoutWidth)
                }
                None => Ok(StoppingRule::Fixed(sampling.samples.unwrap_or(DEFAULT_SAMPLES))),
            },
        }
    }

    /// Most paths that will be needed, if that is known.
    pub fn most(&self) -> Option<u64> {
        match self {
            StoppingRule::Fixed(n) => Some(*n),
            StoppingRule::Narrow(narrow) => Some(narrow.most).filter(|&n| n < u64::MAX),
            _ => None,
        }
    }

    /// Whether the number of paths is known beforehand.
    pub fn is_fixed(&self) -> bool {
        matches!(self, StoppingRule::Fixed(_))
    }

    /// Whether `paths` paths with the summary `all` are enough. `news` is the summary of the paths since the
    /// last call.
    pub fn enough(&mut self, paths: u64, all: &Summary, news: &Summary) -> bool {
        match self {
            StoppingRule::Fixed(n) => paths >= *n,
            StoppingRule::Sprt(test) => match news {
                Summary::Tally(tally) => test.push_batch(*tally) != Decision::Undecided,
                Summary::Moments { .. } => true,
            },
            StoppingRule::Bayes(test) => match news {
                Summary::Tally(tally) => test.push_batch(*tally) != Decision::Undecided,
                Summary::Moments { .. } => true,
            },
            StoppingRule::Narrow(narrow) => narrow.enough(paths, all),
        }
    }

    /// If these paths are not enough: the total number that the rule will probably need; `None` if unknown.
    pub fn forecast(&self, paths: u64, all: &Summary) -> Option<u64> {
        let StoppingRule::Narrow(narrow) = self else { return self.most() };
        let interval = interval_of(all, narrow.confidence)?;
        let width = match narrow.target {
            Target::Absolute(width) => width,
            Target::Relative(share) => share * estimate(all).abs(),
        };
        // Intervals become narrower with the root of the number of paths.
        let wanted = paths as f64 * (0.5 * interval.width() / width).powi(2);
        Some((wanted.clamp(0.0, 1e18) as u64).min(narrow.most))
    }

    /// The estimate and interval of a sequential rule that has stopped.
    pub fn stopped(&self) -> Option<(f64, Interval)> {
        match self {
            StoppingRule::Narrow(narrow) => narrow.stop.map(|stop| (stop.estimate, stop.interval)),
            _ => None,
        }
    }

    /// The decision of a sequential test.
    pub fn decision(&self) -> Option<Decision> {
        match self {
            StoppingRule::Sprt(test) => Some(test.decision()),
            StoppingRule::Bayes(test) => Some(test.decision()),
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
            (SequentialRule::ChowRobbins(rule), Summary::Tally(tally)) => rule.check_proportion(*tally),
            (SequentialRule::EbStop(rule), Summary::Tally(tally)) => {
                rule.check(&tally.moments()).ok().flatten()
            }
            // The mean is infinite: no interval becomes narrow.
            (_, Summary::Moments { infinite, .. }) if *infinite > 0 => return true,
            (SequentialRule::ChowRobbins(rule), Summary::Moments { moments, .. }) => {
                rule.check(moments).ok().flatten()
            }
            (SequentialRule::EbStop(_), Summary::Moments { .. }) => return true,
        };
        self.stop.is_some()
    }
}

/// The comparison of a property as a comparison of the statistics crate.
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

/// The interval at a confidence; `None` if the samples do not suffice.
pub fn interval_of(summary: &Summary, confidence: Confidence) -> Option<Interval> {
    match summary {
        Summary::Tally(tally) if tally.samples() == 0 => None,
        Summary::Tally(tally) => Some(interval::clopper_pearson(*tally, confidence, Side::Both)),
        Summary::Moments { infinite, .. } if *infinite > 0 => None,
        Summary::Moments { moments, .. } => match interval::mean_student(moments, confidence, Side::Both) {
            Ok(MeanInterval::Known(interval)) => Some(interval),
            // Without variation, the samples give no interval.
            Ok(_) | Err(_) => None,
        },
    }
}
