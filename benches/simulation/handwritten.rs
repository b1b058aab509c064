//! Simulators of four models, each written by hand as one would: a struct of integers, a fast generator, `f64` time.
//!
//! `handwritten MODEL PATHS SEED` prints steps, the mean, and the seconds of processor time that it took. Built by `run.py`.

/// xoshiro256++ (Blackman and Vigna), seeded by SplitMix64.
struct Random([u64; 4]);

impl Random {
    fn new(seed: u64) -> Self {
        let mut z = seed;
        Random([0; 4].map(|_| {
            z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut x = z;
            x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            x ^ (x >> 31)
        }))
    }

    #[inline(always)]
    fn bits(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// In `[0, 1)`.
    #[inline(always)]
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    #[inline(always)]
    fn exponential(&mut self, rate: f64) -> f64 {
        -(1.0 - self.unit()).ln() / rate
    }
}

/// `P=? [ F<=10 sc=c & sm=c & ph=2 ]` of the tandem queue with `c = 255`.
fn tandem(random: &mut Random, steps: &mut u64) -> f64 {
    const C: i32 = 255;
    const LAMBDA: f64 = 4.0 * C as f64;
    let (mut sc, mut sm, mut ph, mut time) = (0i32, 0i32, 1, 0.0f64);
    loop {
        if sc == C && sm == C && ph == 2 {
            return 1.0;
        }
        let arrive = if sc < C { LAMBDA } else { 0.0 };
        let route = match ph {
            _ if sc == 0 || sm == C => 0.0,
            1 => 1.8,
            _ => 2.0,
        };
        let phase = if sc > 0 && ph == 1 { 0.2 } else { 0.0 };
        let leave = if sm > 0 { 4.0 } else { 0.0 };
        let total = arrive + route + phase + leave;
        time += random.exponential(total);
        if time > 10.0 {
            return 0.0;
        }
        let mut drawn = random.unit() * total;
        *steps += 1;
        if drawn < arrive {
            sc += 1;
            continue;
        }
        drawn -= arrive;
        if drawn < leave {
            sm -= 1;
        } else if drawn - leave < route {
            sc -= 1;
            sm += 1;
            ph = 1;
        } else {
            ph = 2;
        }
    }
}

/// `P=? [ F s=5 ]` of the bounded retransmission protocol with `N = 64`, `MAX = 5`.
fn brp(random: &mut Random, steps: &mut u64) -> f64 {
    const N: u8 = 64;
    const MAX: u8 = 5;
    let (mut s, mut srep, mut nrtr, mut i) = (0u8, 0u8, 0u8, 0u8);
    let (mut bs, mut s_ab, mut fs, mut ls) = (false, false, false, false);
    let (mut r, mut rrep, mut k, mut l) = (0u8, 0u8, 0u8, 0u8);
    let (mut fr, mut lr, mut br, mut r_ab, mut recv, mut t) = (false, false, false, false, false, false);
    loop {
        if s == 5 {
            return 1.0;
        }
        // Never more than one is enabled.
        match s {
            0 if !t => (s, i, srep, t) = (1, 1, 0, true),
            1 if k == 0 => {
                k = if random.unit() < 0.98 { 1 } else { 2 };
                (s, fs, ls, bs, nrtr) = (2, i == 1, i == N, s_ab, 0);
            }
            3 if nrtr < MAX && k == 0 => {
                k = if random.unit() < 0.98 { 1 } else { 2 };
                (s, fs, ls, bs, nrtr) = (2, i == 1, i == N, s_ab, nrtr + 1);
            }
            3 if nrtr == MAX => (s, srep) = (5, if i < N { 1 } else { 2 }),
            4 if i < N => (s, i) = (1, i + 1),
            4 => (s, srep) = (0, 3),
            2 if l == 1 => (s, s_ab, l) = (4, !s_ab, 0),
            2 if k == 2 => (s, k) = (3, 0),
            2 if l == 2 => (s, l) = (3, 0),
            _ if k == 1 && r == 0 => (r, fr, lr, br, recv, k) = (1, fs, ls, bs, t, 0),
            _ if k == 1 && r == 4 => (r, fr, lr, br, recv, k) = (2, fs, ls, bs, t, 0),
            _ if r == 1 => (r, r_ab) = (2, br),
            _ if r == 2 && r_ab == br && !(fr && lr) => (r, rrep) = (3, if lr { 3 } else if fr { 1 } else { 2 }),
            _ if r == 2 && r_ab != br && l == 0 => {
                l = if random.unit() < 0.99 { 1 } else { 2 };
                r = 4;
            }
            _ if r == 3 && l == 0 => {
                l = if random.unit() < 0.99 { 1 } else { 2 };
                (r, r_ab) = (4, !r_ab);
            }
            _ => {
                std::hint::black_box((srep, rrep, recv));
                return 0.0;
            }
        }
        *steps += 1;
    }
}

/// Part of the cluster: a line or a switch.
#[derive(Clone, Copy, Debug)]
struct Link {
    works: bool,
    in_repair: bool,
}

impl Link {
    fn start(self) -> f64 {
        if self.works || self.in_repair { 0.0 } else { 10.0 }
    }
}

/// `P=? [ F<=100 !"minimum" ]` of the cluster with `N = 64`.
fn cluster(random: &mut Random, steps: &mut u64) -> f64 {
    const N: i32 = 64;
    const K: i32 = 48;
    let mut working = [N, N];
    let mut in_repair = [false, false];
    // The backbone, and the switches.
    let mut links = [Link { works: true, in_repair: false }; 3];
    const FAIL: [f64; 3] = [1.0 / 5000.0, 1.0 / 4000.0, 1.0 / 4000.0];
    const REPAIR: [f64; 3] = [0.125, 0.25, 0.25];
    let (mut busy, mut time) = (false, 0.0);
    loop {
        let [line, left, right] = links.map(|link| link.works);
        let minimum = working[0] >= K && left
            || working[1] >= K && right
            || working[0] + working[1] >= K && left && line && right;
        if !minimum {
            return 1.0;
        }
        let mut rates = [0.0; 10];
        for side in 0..2 {
            rates[side] = f64::from(working[side]) / 500.0;
            rates[2 + side] = match (busy, in_repair[side]) {
                (false, false) if working[side] < N => 10.0,
                (true, true) if working[side] < N => 2.0,
                _ => 0.0,
            };
        }
        for (i, link) in links.iter().enumerate() {
            rates[4 + i] = if link.works { FAIL[i] } else { 0.0 };
            rates[7 + i] = match busy {
                false => link.start(),
                true if link.in_repair && !link.works => REPAIR[i],
                true => 0.0,
            };
        }
        let total: f64 = rates.iter().sum();
        time += random.exponential(total);
        if time > 100.0 {
            return 0.0;
        }
        let mut drawn = random.unit() * total;
        let mut chosen = 0;
        while chosen < 9 && drawn >= rates[chosen] {
            drawn -= rates[chosen];
            chosen += 1;
        }
        *steps += 1;
        match chosen {
            0 | 1 => working[chosen] -= 1,
            2 | 3 => {
                let side = chosen - 2;
                if busy {
                    working[side] += 1;
                }
                in_repair[side] = !busy;
                busy = !busy;
            }
            4..=6 => links[chosen - 4].works = false,
            _ => {
                let link = &mut links[chosen - 7];
                link.works |= busy;
                link.in_repair = !busy;
                busy = !busy;
            }
        }
    }
}

/// `R{"ClientRequesting"}=? [ I=100 ]` of clients and servers.
fn client_server(random: &mut Random, steps: &mut u64) -> f64 {
    let (mut idle, mut logging, mut broken, mut requesting, mut time) = (3u32, 0u32, 0u32, 0u32, 0.0f64);
    loop {
        let serve = if logging < 3 { f64::from(idle.min(2 * requesting)) } else { 0.0 };
        let log = 500.0 * f64::from(logging);
        let fail = 0.0006 * f64::from(idle);
        let repair = 0.0004 * f64::from(broken);
        let request = 0.05 * f64::from(300 - requesting);
        let total = serve + log + fail + repair + request;
        time += random.exponential(total);
        if time > 100.0 {
            return f64::from(requesting);
        }
        let drawn = random.unit() * total;
        *steps += 1;
        if drawn < request {
            requesting += 1;
        } else if drawn < request + serve {
            (idle, logging, requesting) = (idle - 1, logging + 1, requesting - 1);
        } else if drawn < request + serve + log {
            (idle, logging) = (idle + 1, logging - 1);
        } else if drawn < request + serve + log + fail {
            (idle, broken) = (idle - 1, broken + 1);
        } else {
            (idle, broken) = (idle + 1, broken - 1);
        }
    }
}

/// Seconds of processor time of this process.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux");
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).expect("a number") * 1e-9
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, model, paths, seed] = arguments.as_slice() else { panic!("handwritten MODEL PATHS SEED") };
    let number = |text: &String| text.parse::<u64>().expect("a number");
    let simulate = match model.as_str() {
        "tandem" => tandem,
        "brp" => brp,
        "client_server" => client_server,
        "cluster" => cluster,
        _ => panic!("tandem, brp, client_server or cluster"),
    };
    let mut random = Random::new(number(seed));
    let (mut steps, mut sum) = (0, 0.0);
    let start = processor_seconds();
    for _ in 0..number(paths) {
        sum += simulate(&mut random, &mut steps);
    }
    println!("{steps} {} {}", sum / number(paths) as f64, processor_seconds() - start);
}
