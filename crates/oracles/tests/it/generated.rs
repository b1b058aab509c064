//! Generated models: native code and the interpreter, one thread and two, agree bit for bit.

use volvelle_control::Stop;
use volvelle_explore::ExploreError;
use volvelle_oracles::tiers::{Bounds, compare};
use volvelle_oracles::{explore_differential, lowered, model_text};
use volvelle_prism::testing::{Choices, random_model};
use volvelle_space::Kind;

const MODELS: u64 = 250;

/// Besides: the models are of all kinds and end in all ways, so that agreement means something.
#[test]
fn tiers_agree() {
    let (mut explored, mut failed, mut stopped) = (0, 0, 0);
    let (mut transitions, mut kinds) = (0, [0; 3]);
    for seed in 0..MODELS {
        let text = random_model(&mut Choices::from_seed(seed));
        match explore_differential(&text) {
            None => panic!("seed {seed} gives no model:\n{text}"),
            Some(Ok(result)) => {
                explored += 1;
                transitions += result.space.num_transitions();
                let kind = [Kind::Dtmc, Kind::Ctmc, Kind::Mdp].iter().position(|k| *k == result.space.kind);
                kinds[kind.expect("one of three")] += 1;
            }
            Some(Err(ExploreError::Failed { .. })) => failed += 1,
            Some(Err(ExploreError::Stopped { stop: Stop::States, .. })) => stopped += 1,
            Some(Err(other)) => panic!("seed {seed}: {other:?}\n{text}"),
        }
    }
    let seen = format!(
        "{explored} explored {kinds:?}, {failed} failed, {stopped} too large, {transitions} transitions"
    );
    assert!(
        explored > MODELS / 3 && failed > MODELS / 100 && kinds.iter().all(|&k| k > MODELS / 40),
        "{seen}"
    );
    assert!(transitions > 10 * explored as usize, "{seen}");
}

/// The same for programs whose steps end where their first label holds.
#[test]
fn tiers_agree_where_steps_end() {
    let mut unexpanded = 0;
    for seed in 0..MODELS {
        let text = random_model(&mut Choices::from_seed(seed));
        let (_, lowered) = lowered(&text).expect("it is a model");
        let mut program = lowered.program().clone();
        program.stop = Some(0);
        match compare(&program, Bounds { states: 400, deadline: None }) {
            Ok(Ok(explored)) => {
                let set = explored.unexpanded.expect("the program may stop");
                unexpanded += usize::from((1..set.len()).contains(&set.count()));
            }
            Ok(Err(ExploreError::Failed { .. } | ExploreError::Stopped { .. })) => {}
            Ok(Err(other)) => panic!("seed {seed}: {other:?}\n{text}"),
            Err(difference) => panic!("seed {seed}: {difference}\n{text}"),
        }
    }
    assert!(unexpanded > 12, "{unexpanded}");
}

#[test]
fn bytes_choose_texts_and_models() {
    assert_eq!(model_text(b"dtmc").as_deref(), Some("dtmc"));
    assert_eq!(model_text(b"\xff"), None);
    assert_eq!(model_text(b"\x00").unwrap(), random_model(&mut Choices::from_bytes(&[])));
    for byte in 0..=255 {
        let bytes: Vec<u8> = (0..40).map(|i: u8| byte ^ i.wrapping_mul(37)).collect();
        let text = model_text(&[&[1], &bytes[..]].concat()).expect("bytes choose a model");
        assert!(explore_differential(&text).is_some(), "{text}");
    }
}
