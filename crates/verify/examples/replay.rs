//! Replays strategies on measurements that are known for a whole space: how many configurations each measures until one is within
//! 5 % of the best, and how well predictions agree with the measurements.
//!
//! `replay CACHE KERNEL.cl SIZE PLATFORM.toml SEEDS`, for `benches/tuning_measured.py`.
#![allow(clippy::print_stdout, reason = "a program")]

use std::fs::read_to_string;
use std::rc::Rc;
use volvelle_diagnostics::FileId;
use volvelle_opencl::Platform;
use volvelle_tune::correlation::spearman;
use volvelle_tune::formats::cache::Cache;
use volvelle_tune::space::{ConfigurationId, Problem, Space};
use volvelle_tune::strategy::{Guided, Outcome, Prediction, Strategy, by_name};
use volvelle_verify::measuring::{Predictor, Subject};

/// Measurements after which the refined model is compared.
const LEARNED: [usize; 3] = [8, 16, 32];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [cache, kernel, size, platform, seeds] = words.as_slice() else { panic!("five arguments") };
    let cache = Cache::read(&read_to_string(cache).expect("a cache")).expect("a cache");
    let text = read_to_string(kernel).expect("a kernel");
    let platform = Platform::read(FileId(0), &read_to_string(platform).expect("a platform")).0;
    let subject = Subject { size: size.parse().ok(), ..Subject::default() };
    let predictor = Predictor::new(FileId(0), &text, subject, &platform).expect("a model");
    // Only what was measured is in the space.
    let (problem, times) = measured(&cache);
    let space = problem.build(1, 1 << 24).expect("a space");
    let time = |id: ConfigurationId| times(&space, id);
    let known: Vec<ConfigurationId> =
        (0..space.len()).map(ConfigurationId).filter(|id| time(*id).is_some()).collect();
    let best = known.iter().filter_map(|id| time(*id)).fold(f64::INFINITY, f64::min);
    let (all, for_model) = (space.clone(), predictor.clone());
    let prediction: Prediction = Rc::new(move |id| {
        let names = all.parameters().iter().map(|parameter| parameter.name.clone());
        let named: Vec<_> = names.zip(volvelle_verify::measuring::Task::values(&all, id)).collect();
        for_model.predict(&named)
    });
    let measured: Vec<f64> = known.iter().filter_map(|id| time(*id)).collect();
    let predicted: Vec<f64> = known.iter().map(|id| prediction(*id).unwrap_or(f64::MAX)).collect();
    println!("configurations {}", known.len());
    println!("spearman {:.3}", spearman(&predicted, &measured).unwrap_or(0.0));
    let seeds: u64 = seeds.parse().expect("a number of seeds");
    for (name, model) in
        [("random", None), ("local", None), ("learned", None), ("guided", Some(prediction.clone()))]
    {
        let strategy = if name == "learned" { "guided" } else { name };
        let mut efforts: Vec<usize> = (0..seeds)
            .map(|seed| {
                let mut strategy = by_name(strategy, &space, seed, model.clone()).expect("a strategy");
                effort(&space, strategy.as_mut(), &time, best)
            })
            .collect();
        efforts.sort_unstable();
        let mean = efforts.iter().sum::<usize>() as f64 / efforts.len() as f64;
        println!(
            "{name} mean {mean:.1} median {} worst {}",
            efforts[efforts.len() / 2],
            efforts[efforts.len() - 1]
        );
    }
    for learned in LEARNED {
        let mut found: Vec<f64> = (0..seeds.min(15))
            .filter_map(|seed| {
                let mut strategy = Guided::new(&space, seed, Some(prediction.clone()));
                let mut seen = Vec::new();
                while seen.len() < learned {
                    let next = strategy.next(&space)?;
                    let Some(time) = time(next) else { continue };
                    strategy.tell(&space, next, &Outcome::Time(time));
                    seen.push(next);
                }
                let rest: Vec<ConfigurationId> =
                    known.iter().copied().filter(|id| !seen.contains(id)).collect();
                let refined: Vec<f64> =
                    rest.iter().map(|id| strategy.refined(&space, *id).unwrap_or(0.0)).collect();
                let measured: Vec<f64> = rest.iter().filter_map(|id| time(*id)).collect();
                spearman(&refined, &measured)
            })
            .collect();
        found.sort_by(f64::total_cmp);
        if !found.is_empty() {
            println!("refined after {learned} median {:.3} worst {:.3}", found[found.len() / 2], found[0]);
        }
    }
}

/// The space of the parameters of a cache, and the time of a configuration of it.
fn measured(cache: &Cache) -> (Problem, impl Fn(&Space, ConfigurationId) -> Option<f64> + '_) {
    let mut problem = Problem::new(cache.parameters.clone());
    let any: Vec<String> = cache
        .entries
        .iter()
        .map(|entry| {
            let pairs = cache.parameters.iter().zip(&entry.values);
            pairs
                .map(|(parameter, value)| format!("{} == {value}", parameter.name))
                .collect::<Vec<_>>()
                .join(" and ")
        })
        .collect();
    problem.require(&any.join(" or ")).expect("a condition");
    let time = |space: &Space, id: ConfigurationId| {
        let values = volvelle_verify::measuring::Task::values(space, id);
        cache.entries.iter().find(|entry| entry.values == values)?.outcome.time()
    };
    (problem, time)
}

fn effort(
    space: &Space,
    strategy: &mut dyn Strategy,
    time: &dyn Fn(ConfigurationId) -> Option<f64>,
    best: f64,
) -> usize {
    let mut count = 0;
    while let Some(next) = strategy.next(space) {
        count += 1;
        let Some(time) = time(next) else { continue };
        if time <= 1.05 * best {
            return count;
        }
        strategy.tell(space, next, &Outcome::Time(time));
    }
    count
}
