//! The solver of parity games against nested fixpoints, on random games.

use volvelle_control::Control;
use volvelle_mcl::ParityGame;
use volvelle_random::Random;

/// The vertices that player 0 wins: a fixpoint per priority, the greatest outermost (Emerson and Jutla 1991).
fn won_by_zero(game: &ParityGame) -> Vec<bool> {
    let count = game.num_vertices();
    let most = (0..count as u32).map(|v| game.priority(v)).max().unwrap_or(0);
    let mut values: Vec<Vec<bool>> = (0..=most).map(|p| vec![p % 2 == 0; count]).collect();
    iterate(game, most, &mut values)
}

fn iterate(game: &ParityGame, priority: u32, values: &mut Vec<Vec<bool>>) -> Vec<bool> {
    let count = game.num_vertices();
    values[priority as usize] = vec![priority.is_multiple_of(2); count];
    loop {
        let next = match priority {
            0 => (0..count as u32).map(|v| moves_into(game, v, values)).collect(),
            _ => iterate(game, priority - 1, values),
        };
        if next == values[priority as usize] {
            return next;
        }
        values[priority as usize] = next;
    }
}

/// Whether player 0 can force the next vertex into the value of this one's priority.
fn moves_into(game: &ParityGame, vertex: u32, values: &[Vec<bool>]) -> bool {
    let value = &values[game.priority(vertex) as usize];
    let mut successors = game.successors(vertex).iter();
    match game.owner(vertex) {
        0 => successors.any(|&s| value[s as usize]),
        _ => successors.all(|&s| value[s as usize]),
    }
}

fn random_game(random: &mut Random) -> ParityGame {
    let count = 1 + random.below(9);
    let priorities = 1 + random.below(5);
    let mut starts = vec![0];
    let mut successors = Vec::new();
    for _ in 0..count {
        (0..1 + random.below(3)).for_each(|_| successors.push(random.below(count) as u32));
        starts.push(successors.len() as u32);
    }
    let owners = (0..count).map(|_| random.below(2) as u8).collect();
    let priorities = (0..count).map(|_| random.below(priorities) as u32).collect();
    ParityGame::new(owners, priorities, starts, successors)
}

/// The game in which the winners do what their strategies say.
fn restricted(game: &ParityGame, winners: &[u8], strategy: &[u32], player: u8) -> ParityGame {
    let vertices = 0..game.num_vertices() as u32;
    let mut starts = vec![0];
    let mut successors: Vec<u32> = Vec::new();
    for vertex in vertices.clone() {
        let v = vertex as usize;
        if winners[v] == player && game.owner(vertex) == player {
            assert!(game.successors(vertex).contains(&strategy[v]), "a strategy is a move");
            successors.push(strategy[v]);
        } else {
            successors.extend(game.successors(vertex));
        }
        starts.push(successors.len() as u32);
    }
    let owners = vertices.clone().map(|v| game.owner(v)).collect();
    let priorities = vertices.map(|v| game.priority(v)).collect();
    ParityGame::new(owners, priorities, starts, successors)
}

#[test]
fn winners_and_strategies() {
    let mut random = Random(3);
    for case in 0..5000 {
        let game = random_game(&mut random);
        let solution = game.solve(&Control::unlimited()).expect("no limits");
        let expected = won_by_zero(&game);
        let found: Vec<bool> = solution.winners.iter().map(|&w| w == 0).collect();
        assert_eq!(found, expected, "case {case}: {game:?}");
        for player in [0, 1] {
            let narrower = restricted(&game, &solution.winners, &solution.strategy, player);
            let still = won_by_zero(&narrower);
            assert_eq!(still, expected, "case {case}, strategy of player {player}: {game:?}\n{solution:?}");
        }
    }
}
