//! Groups of states that are close, and the structure over them.

use super::random_structure;
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_weighted::distance::{Distance, Distances, Kind, all_pairs, clusters, interval_abstraction};

/// Complete linkage by definition: joins the two nearest clusters until none are near enough. `None` where two pairs are equally near.
fn joined(distances: &Distances, epsilon: &RBig) -> Option<Vec<Vec<u32>>> {
    let mut groups: Vec<Vec<u32>> = (0..distances.num_states()).map(|s| vec![s]).collect();
    loop {
        let mut pairs: Vec<(Distance, usize, usize)> = Vec::new();
        for a in 0..groups.len() {
            for b in a + 1..groups.len() {
                let all = groups[a].iter().flat_map(|&s| groups[b].iter().map(move |&t| (s, t)));
                let apart = all.map(|(s, t)| distances.symmetric(s, t)).max().expect("not empty");
                pairs.push((apart, a, b));
            }
        }
        pairs.sort();
        let Some((apart, a, b)) = pairs.first().cloned() else { return Some(groups) };
        if !apart.is_within(epsilon) {
            return Some(groups);
        }
        if pairs.get(1).is_some_and(|second| second.0 == apart) {
            return None;
        }
        let moved = groups.remove(b);
        groups[a].extend(moved);
        groups[a].sort_unstable();
    }
}

#[test]
fn complete_linkage() {
    let mut random = Random(5);
    let (mut large, mut compared) = (0, 0);
    for _ in 0..800 {
        let (states, weight) = (3 + random.below(8), random.pick(&[3, 40, 1000]));
        let structure = random_structure(&mut random, states, weight);
        let distances = all_pairs(&structure, Kind::Wbd, &Control::unlimited()).expect("no limits");
        let epsilon = super::ratio(random.pick(&["0", "1/4", "1/2", "1", "3"]));
        let found = clusters(&distances, &epsilon);
        let mut seen = vec![false; states];
        for (number, cluster) in found.clusters.iter().enumerate() {
            large += usize::from(cluster.members.len() > 1);
            let mut diameter = Distance::Finite(RBig::ZERO);
            for &s in &cluster.members {
                assert!(!std::mem::replace(&mut seen[s as usize], true));
                assert_eq!(found.cluster_of[s as usize] as usize, number);
                for &t in &cluster.members {
                    diameter = diameter.max(distances.symmetric(s, t));
                }
            }
            assert_eq!(diameter, Distance::Finite(cluster.diameter.clone()));
            assert!(cluster.diameter <= epsilon);
            assert!(cluster.members.contains(&cluster.representative));
        }
        assert!(seen.iter().all(|&seen| seen));
        // No two clusters could be joined.
        for (a, first) in found.clusters.iter().enumerate() {
            for second in &found.clusters[a + 1..] {
                let all = first.members.iter().flat_map(|&s| second.members.iter().map(move |&t| (s, t)));
                assert!(all.map(|(s, t)| distances.symmetric(s, t)).any(|d| !d.is_within(&epsilon)));
            }
        }
        if let Some(mut expected) = joined(&distances, &epsilon) {
            expected.sort();
            let members: Vec<Vec<u32>> = found.clusters.iter().map(|c| c.members.clone()).collect();
            assert_eq!(members, expected);
            compared += 1;
        }
        let intervals = interval_abstraction(&structure, &found);
        for (number, step) in structure.steps().iter().enumerate() {
            let source =
                (0..states as u32).find(|&s| structure.range(s).contains(&number)).expect("a source");
            let (source, target) =
                (found.cluster_of[source as usize], found.cluster_of[step.target as usize]);
            let covers = intervals
                .steps
                .iter()
                .filter(|i| i.source == source && i.target == target)
                .collect::<Vec<_>>();
            assert_eq!(covers.len(), 1);
            assert!((covers[0].low..=covers[0].high).contains(&step.weight));
        }
    }
    assert!(large > 200 && compared > 50, "{large} {compared}");
}
