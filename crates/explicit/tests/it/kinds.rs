//! What kinds of models are called.

use volvelle_explicit::{Control, Kind, Time};

#[test]
fn names() {
    let mdp = Kind {
        time: Time::Discrete,
        control: Control::Nondeterminism,
        probabilistic: true,
        interval: false,
        parametric: false,
        observations: false,
    };
    assert_eq!(mdp.name(), "MDP");
    assert_eq!(Kind { probabilistic: false, ..mdp }.name(), "LTS");
    assert_eq!(Kind { interval: true, ..mdp }.name(), "IMDP");
    assert_eq!(Kind { observations: true, ..mdp }.name(), "POMDP");
    let game = Kind { control: Control::Game, interval: true, ..mdp };
    assert_eq!(game.name(), "interval stochastic game");
    let automaton = Kind { time: Time::UrgentStochastic, ..mdp };
    assert_eq!(automaton.name(), "Markov automaton");
}
