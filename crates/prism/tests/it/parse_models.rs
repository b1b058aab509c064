//! Every construct of the modelling language.

use crate::common::{model, sexpr};
use volvelle_prism::ast::*;

#[track_caller]
fn clean(text: &str) -> Model {
    let (model, diagnostics) = model(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    model
}

fn texts(names: &[Name]) -> Vec<&str> {
    names.iter().map(|name| name.text.as_str()).collect()
}

#[test]
fn model_types() {
    for (word, ty) in [
        ("dtmc", ModelType::Dtmc),
        ("probabilistic", ModelType::Dtmc),
        ("ctmc", ModelType::Ctmc),
        ("stochastic", ModelType::Ctmc),
        ("mdp", ModelType::Mdp),
        ("nondeterministic", ModelType::Mdp),
        ("pta", ModelType::Unsupported("pta")),
        ("pomdp", ModelType::Unsupported("pomdp")),
        ("popta", ModelType::Unsupported("popta")),
        ("smg", ModelType::Unsupported("smg")),
        ("csg", ModelType::Unsupported("csg")),
        ("tsg", ModelType::Unsupported("tsg")),
        ("stpg", ModelType::Unsupported("stpg")),
        ("idtmc", ModelType::Unsupported("idtmc")),
        ("imdp", ModelType::Unsupported("imdp")),
        ("ctmdp", ModelType::Unsupported("ctmdp")),
        ("ma", ModelType::Unsupported("ma")),
    ] {
        let model = clean(&format!("  {word} const int N;"));
        let (found, span) = model.ty.expect("a type");
        assert_eq!(found, ty);
        assert_eq!((span.start, span.end as usize), (2, 2 + word.len()));
    }
    assert_eq!(clean("const int N = 1;").ty, None);
}

#[test]
fn constants() {
    let model =
        clean("const int a = 1; const double b; const bool c = true; const d = 2+a; rate e = 0.5; prob f;");
    let shown: Vec<(&str, ConstType, Option<String>)> = model
        .constants
        .iter()
        .map(|c| (c.name.text.as_str(), c.ty, c.value.map(|v| sexpr(&model.exprs, v))))
        .collect();
    assert_eq!(
        shown,
        [
            ("a", ConstType::Int, Some("1".into())),
            ("b", ConstType::Double, None),
            ("c", ConstType::Bool, Some("true".into())),
            ("d", ConstType::Int, Some("(+ 2 a)".into())),
            ("e", ConstType::Double, Some("0.5".into())),
            ("f", ConstType::Double, None),
        ]
    );
    let span = model.constants[1].span;
    assert_eq!((span.start, span.end), (17, 32), "from `const` to `;`");
}

#[test]
fn formulas_labels_and_globals() {
    let model = clean(
        "formula f = x=1 & y; label \"done\" = f; label \" spaced \" = true; global g : [0..N-1] init 2; global b : bool;",
    );
    assert_eq!(model.formulas[0].name.text, "f");
    assert_eq!(sexpr(&model.exprs, model.formulas[0].body), "(& (= x 1) y)");
    assert_eq!(model.labels[0].name.text, "done");
    assert_eq!(model.labels[1].name.text, "spaced");
    let quoted = model.labels[0].name.span;
    assert_eq!(quoted.end - quoted.start, 6, "with its quotes");
    let VarType::Range { lo, hi } = model.globals[0].ty else { panic!("a range") };
    assert_eq!((sexpr(&model.exprs, lo), sexpr(&model.exprs, hi)), ("0".into(), "(- N 1)".into()));
    assert_eq!(sexpr(&model.exprs, model.globals[0].init.unwrap()), "2");
    assert_eq!(model.globals[1].ty, VarType::Bool);
}

#[test]
fn modules() {
    let model = clean(
        "module m
           x : [0..3] init 1;  b : bool;  i : int init -1;  d : double;  c : clock;
           [] x=0 -> true;
           [a] x=1 & !b -> 0.5 : (x'=2) & (b'=true) + 0.5 : true;
           [b] true -> (x'=x+1) & (i'=0);
           [] b -> x/3 : (x'=(0));
           [] b -> (x>1?0.5:1) : (x'=0) + 1-0.5 : (x'=1);
         endmodule",
    );
    let ModuleBody::Plain { variables, commands, invariant: None } = &model.modules[0].body else {
        panic!("a plain module")
    };
    let kinds: Vec<bool> = variables.iter().map(|v| v.init.is_some()).collect();
    assert_eq!(kinds, [true, false, true, false, false]);
    assert_eq!(variables[2].ty, VarType::Int);
    assert_eq!(variables[3].ty, VarType::Double);
    assert_eq!(variables[4].ty, VarType::Clock);
    let shown: Vec<String> = commands
        .iter()
        .map(|command| {
            let action = command.action.as_ref().map_or("", |name| name.text.as_str());
            let updates: Vec<String> = command
                .updates
                .iter()
                .map(|update| {
                    let weight = update.weight.map_or("-".to_string(), |w| sexpr(&model.exprs, w));
                    let assignments: Vec<String> = update
                        .assignments
                        .iter()
                        .map(|a| format!("{}={}", a.target.text, sexpr(&model.exprs, a.value)))
                        .collect();
                    format!("{weight}: {}", assignments.join(", "))
                })
                .collect();
            format!("[{action}] {} -> {}", sexpr(&model.exprs, command.guard), updates.join(" ; "))
        })
        .collect();
    assert_eq!(
        shown,
        [
            "[] (= x 0) -> -: ",
            "[a] (& (= x 1) (! b)) -> 0.5: x=2, b=true ; 0.5: ",
            "[b] true -> -: x=(+ x 1), i=0",
            "[] b -> (/ x 3): x=0",
            "[] b -> (? (> x 1) 0.5 1): x=0 ; (- 1 0.5): x=1",
        ]
    );
}

#[test]
fn renaming() {
    let model = clean("module b = a [x=y, min=max, s1=s2] endmodule");
    let ModuleBody::Renamed { base, renames } = &model.modules[0].body else { panic!("a renaming") };
    assert_eq!(base.text, "a");
    let pairs: Vec<(&str, &str)> =
        renames.iter().map(|r| (r.from.text.as_str(), r.to.text.as_str())).collect();
    assert_eq!(pairs, [("x", "y"), ("min", "max"), ("s1", "s2")]);
}

#[test]
fn rewards() {
    let model = clean(
        "rewards \"time\" true : 1; [] x=0 : 2; [a] true : x*2; endrewards
         rewards
           x=1 : 3;
         endrewards
         rewards x : 1; endrewards
         rewards endrewards",
    );
    let names: Vec<Option<&str>> =
        model.rewards.iter().map(|r| r.name.as_ref().map(|n| n.text.as_str())).collect();
    assert_eq!(names, [Some("time"), None, None, None]);
    let items = &model.rewards[0].items;
    assert_eq!(items[0].action, None);
    assert_eq!(items[1].action, Some(None));
    assert_eq!(items[2].action.as_ref().unwrap().as_ref().unwrap().text, "a");
    assert_eq!(sexpr(&model.exprs, items[2].value), "(* x 2)");
    assert_eq!(sexpr(&model.exprs, model.rewards[2].items[0].guard), "x");
}

#[test]
fn initial_states() {
    let model = clean("init x=0 | y>1 endinit");
    assert_eq!(sexpr(&model.exprs, model.init.unwrap().0), "(| (= x 0) (> y 1))");
}

fn shown(system: &System) -> String {
    let all = |operands: &[System], op: &str| -> String {
        let operands: Vec<String> = operands.iter().map(shown).collect();
        format!("({})", operands.join(op))
    };
    match system {
        System::Name(name) => name.text.clone(),
        System::Parallel(operands) => all(operands, " || "),
        System::Interleave(operands) => all(operands, " ||| "),
        System::Sync(a, actions, b) => {
            format!("({} |[{}]| {})", shown(a), texts(actions).join(","), shown(b))
        }
        System::Hide(a, actions) => format!("({} / {{{}}})", shown(a), texts(actions).join(",")),
        System::Rename(a, renames) => {
            let pairs: Vec<String> =
                renames.iter().map(|r| format!("{}<-{}", r.from.text, r.to.text)).collect();
            format!("({} {{{}}})", shown(a), pairs.join(","))
        }
    }
}

#[test]
fn systems() {
    for (text, tree) in [
        ("a || b || c", "(a || b || c)"),
        ("a ||| b ||| c", "(a ||| b ||| c)"),
        ("a ||| b || c", "(a ||| (b || c))"),
        ("(a ||| b) || c", "((a ||| b) || c)"),
        ("a |[x,y]| b", "(a |[x,y]| b)"),
        ("a |[x]| b || c", "((a |[x]| b) || c)"),
        ("(a |[x]| b) |[y]| c", "((a |[x]| b) |[y]| c)"),
        ("a / {x,y}", "(a / {x,y})"),
        ("a {x<-y, y <- x}", "(a {x<-y,y<-x})"),
        ("a/{x}{y<-z}/{w} |[v]| b", "((((a / {x}) {y<-z}) / {w}) |[v]| b)"),
        ("(a || b)/{x}", "((a || b) / {x})"),
        ("\"part\" || b", "(part || b)"),
        ("((a))", "a"),
    ] {
        let model = clean(&format!("system {text} endsystem"));
        let (name, system, _) = &model.systems[0];
        assert!(name.is_none());
        assert_eq!(shown(system), tree, "{text}");
    }
    let model =
        clean("system \"part\" a || b endsystem system \"part\" endsystem system \"q\" (a) endsystem");
    let names: Vec<Option<&str>> =
        model.systems.iter().map(|s| s.0.as_ref().map(|n| n.text.as_str())).collect();
    assert_eq!(names, [Some("part"), None, Some("q")]);
    assert_eq!(shown(&model.systems[1].1), "part");
}

#[test]
fn players() {
    let model = clean("mdp player p1 m, [a] endplayer player p2 [b], n endplayer player nobody endplayer");
    let texts = |names: &[volvelle_prism::ast::Name]| {
        names.iter().map(|n| n.text.clone()).collect::<Vec<_>>().join(" ")
    };
    let players: Vec<String> = model
        .players
        .iter()
        .map(|p| format!("{}: {} / {}", p.name.text, texts(&p.modules), texts(&p.actions)))
        .collect();
    assert_eq!(players, ["p1: m / a", "p2: n / b", "nobody:  / "]);
}

#[test]
fn refused_by_name() {
    let what = |text: &str| -> Vec<&'static str> { clean(text).unsupported.iter().map(|u| u.0).collect() };
    assert_eq!(
        what("pomdp observables x, y endobservables observable \"o\" = x>1;"),
        ["the block `observables`", "the definition of an observable"]
    );
    assert_eq!(what("ma module m <> true -> 1 : true; endmodule"), ["a command in `<>` (Markov automata)"]);
    assert_eq!(what("csg module m [a,b] true -> true; endmodule"), ["a command with several actions"]);
    let model = clean(
        "pta module m x : clock; invariant x<=2 & (a=1 => x<3) endinvariant [] true -> true; endmodule",
    );
    let ModuleBody::Plain { invariant, commands, .. } = &model.modules[0].body else {
        panic!("a plain module")
    };
    assert!(invariant.is_some());
    assert_eq!(commands.len(), 1);
    let model = clean("imdp module m [] true -> [0.1,0.2] : true + [1-p,1] : (x'=1); endmodule");
    let ModuleBody::Plain { commands, .. } = &model.modules[0].body else { panic!("a plain module") };
    assert!(commands[0].updates.iter().all(|update| update.interval && update.weight.is_none()));
    assert_eq!(commands[0].updates[1].assignments.len(), 1);
}

#[test]
fn any_order_and_comments() {
    let model = clean(
        "\u{feff}// first
         rewards x=1:1; endrewards // here
         module a x:bool; endmodule
         const int N;//last
         dtmc",
    );
    assert_eq!((model.rewards.len(), model.modules.len(), model.constants.len()), (1, 1, 1));
    assert_eq!(model.ty.unwrap().0, ModelType::Dtmc);
}
