//! What the index says of PRISM models and property files.

use crate::shown::{checked, expect};
use volvelle_diagnostics::FileId;
use volvelle_symbols::{Kind, TokenKind};

#[test]
fn declarations_and_uses() {
    expect(
        "prism",
        &["dtmc
const int N = 3; // so many
formula full = x = N;
global g : bool;
module m
  x : [0..N] init 0;
  [go] !full & !g -> 0.5 : (x'=x+1) + 0.5 : (g'=true);
endmodule
label \"done\" = full;
rewards \"steps\"
  [go] true : N;
endrewards
rewards g : 1; endrewards
init x = 0 endinit"],
        "Constant `const int N = 3`: 2= 3 6 11
        Formula `formula full = x = N`: 3= 7 9
        Variable `global g : bool`: 4= 7 7! 13
        Module `module m`: 5=
        Variable in m `x : [0..N] init 0`: 3 6= 7! 7 14
        Action `[go]`: 7= 11
        Label `label \"done\" = full`: 9=
        Rewards `rewards \"steps\"`: 10=
        Rewards `rewards`: ",
    );
}

#[test]
fn property_files() {
    expect(
        "prism",
        &[
            "mdp const double p; module m x : [0..1]; [] true -> p : (x'=1) + 1-p : true; endmodule
label \"goal\" = x=1;
rewards \"cost\" x=0 : 1; endrewards",
            "const int T;
formula late = x=1 & T>2;
label \"both\" = \"goal\" & late;
\"first\": Pmax=? [ F<=T \"both\" ];
R{\"cost\"}min=? [ F \"goal\" | \"init\" ];
\"second\": \"first\" > p;
filter(max, first, \"deadlock\")",
            "P>=1 [ F{\"cost\"}<=T \"second\" ]",
        ],
        "Constant `const double p`: 1= 1 1 1:6
        Module `module m`: 1=
        Variable in m `x : [0..1]`: 1= 1! 2 3 1:2
        Label `label \"goal\" = x=1`: 2= 1:3 1:5
        Rewards `rewards \"cost\"`: 3= 1:5 2:1
        Constant `const int T`: 1:1= 1:2 1:4 2:1
        Formula `formula late = x=1 & T>2`: 1:2= 1:3
        Label `label \"both\" = \"goal\" & late`: 1:3= 1:4
        Property `Pmax=? [ F<=T \"both\" ]`: 1:4= 1:6 1:7
        Property `R{\"cost\"}min=? [ F \"goal\" | \"init\" ]`:
        Property `\"first\" > p`: 1:6= 2:1
        Property `filter(max, first, \"deadlock\")`:
        Property `P>=1 [ F{\"cost\"}<=T \"second\" ]`:
        Label `states without a step`: 1:7
        Label `the initial states`: 1:5",
    );
}

#[test]
fn copies_of_modules() {
    expect(
        "prism",
        &["dtmc
const int N = 1; const int M = 2;
module c = b [y=z, back=stay] endmodule
module a
  // The state.
  x : [0..N];
  [go] x=0 -> (x'=1);
  [back] x=1 -> (x'=0);
endmodule
module b = a [x=y, go=leave, N=M] endmodule
label \"all\" = x=1 & y=1 & z=1;"],
        "Constant `const int N = 1`: 2= 6 10
        Constant `const int M = 2`: 2= 10
        Module `module c = b`: 3=
        Variable in c `z : [0..N]`: 3= 11
        Action `[stay]`: 3=
        Module `module a`: 4= 10
        Variable in a `x : [0..N]`: 6= 7 7! 8 8! 10 11
        Action `[go]`: 7= 10
        Action `[back]`: 3 8=
        Module `module b = a`: 3 10=
        Variable in b `y : [0..N]`: 3 10= 11
        Action `[leave]`: 10=
        Label `label \"all\" = x=1 & y=1 & z=1`: 11=",
    );
}

#[test]
fn the_comment_of_a_copy_is_that_of_the_original() {
    let text = "dtmc module a\n// The state.\nx : bool;\nendmodule module b = a [x=y] endmodule";
    let index = checked("prism", &[text]);
    let y = index.symbols.iter().find(|symbol| symbol.name == "y").unwrap();
    assert_eq!(y.comment, "The state.");
    assert_eq!(&text[y.whole.unwrap().start as usize..y.whole.unwrap().end as usize], "x=y");
}

#[test]
fn compositions_and_players() {
    expect(
        "prism",
        &[
            "mdp
player one a, [go] endplayer
module a x : bool; [go] true -> true; endmodule
module b y : bool; [go] true -> true; [halt] true -> true; endmodule
system \"pair\" (a |[go]| b) endsystem
system \"pair\" / {go} {halt<-end, end<-halt} endsystem",
            "<<one>> Pmax=? [ F x ]",
        ],
        "Process `player one`: 2= 1:1
        Module `module a`: 2 3= 5
        Variable in a `x : bool`: 3= 1:1
        Action `[go]`: 2 3= 4 5 6
        Module `module b`: 4= 5
        Variable in b `y : bool`: 4=
        Action `[halt]`: 4= 6 6
        Process `system \"pair\"`: 5= 6
        Action `[end]`: 6= 6
        Property `<<one>> Pmax=? [ F x ]`:",
    );
}

#[test]
fn quantiles_have_variables_of_their_own() {
    expect(
        "prism",
        &[
            "dtmc const int B = 2; module m x : [0..B]; endmodule rewards \"c\" x=B : B; endrewards",
            "quantile(min B, P>=0.5 [ F{\"c\"}<=B x=B ]); P=? [ F<=B x=1 ]",
        ],
        "Constant `const int B = 2`: 1= 1 1 1 1:1 1:1
        Module `module m`: 1=
        Variable in m `x : [0..B]`: 1= 1 1:1 1:1
        Rewards `rewards \"c\"`: 1= 1:1
        Property `quantile(min B, P>=0.5 [ F{\"c\"}<=B x=B ])`:
        Parameter `quantile(min B, P>=0.5 [ F{\"c\"}<=B x=B ])`: 1:1= 1:1
        Property `P=? [ F<=B x=1 ]`:",
    );
}

#[test]
fn tokens() {
    let text = "dtmc // a chain\nmodule m x : [0..07] init floor(2.5); /* no */ \"q\" @ endmodule";
    let index = checked("prism", &[text]);
    let kinds: Vec<(TokenKind, &str)> = index
        .tokens
        .iter()
        .map(|token| (token.kind, &text[token.span.start as usize..token.span.end as usize]))
        .collect();
    use TokenKind as T;
    for expected in [
        (T::Keyword, "dtmc"),
        (T::Comment, "// a chain"),
        (T::Name(Kind::Module), "m"),
        (T::Name(Kind::Variable), "x"),
        (T::Operator, ".."),
        (T::Number, "07"),
        (T::Keyword, "floor"),
        (T::Comment, "/* no */"),
        (T::Text, "\"q\""),
        (T::Operator, "@"),
        (T::Keyword, "endmodule"),
    ] {
        assert!(kinds.contains(&expected), "{expected:?} in {kinds:?}");
    }
}

#[test]
fn comments_above() {
    let text = "dtmc\nconst int A = 1; // beside\n\n// far\n\n// First line,\n//  second line.\nconst int B = 2;\nconst int C = 3;";
    let index = checked("prism", &[text]);
    let comment =
        |name: &str| index.symbols.iter().find(|symbol| symbol.name == name).unwrap().comment.as_str();
    assert_eq!((comment("A"), comment("B"), comment("C")), ("", "First line,\nsecond line.", ""));
}

/// Where the parser gives up, names are told by their only meaning.
#[test]
fn names_in_what_cannot_be_read() {
    expect(
        "prism",
        &["dtmc
module m
  x : [0..2];
  [go] x= -> (x'=1);
  [go] x=1 -> [0.1,0.2] : (x'=1) + [x, 1] : true;
  [go] true -> true;
endmodule"],
        "Module `module m`: 2=
        Variable in m `x : [0..2]`: 3= 4 4 5 5! 5
        Action `[go]`: 4 5= 6",
    );
}

/// A declaration that is being typed has its name, and so have its uses.
#[test]
fn names_of_what_is_being_typed() {
    expect(
        "prism",
        &[
            "dtmc
const int N = ;
formula f = N + ;
module m
  x : [0..N init 0;
  [] x<N & f -> (x'=1);
endmodule
module n = m [x=]
endmodule
label \"l\" = x=;",
            "const double p = (; P=? [ F \"l\" & x=N ]; label \"k\" = ; \"q\": P>=p [ F \"k\" & ]",
        ],
        "Constant `const int N =`: 2= 3 5 6 1:1
        Formula `formula f = N +`: 3= 6
        Module `module m`: 4= 8
        Variable in m `x : [0..N init 0`: 5= 6 6! 8 10 1:1
        Module `module n = m [x=] endmodule`: 8=
        Label `label \"l\" = x=`: 10= 1:1
        Constant `const double p = (`: 1:1= 1:1
        Property `P=? [ F \"l\" & x=N ]`:
        Label `label \"k\" =`: 1:1= 1:1
        Property `P>=p [ F \"k\" & ]`: 1:1=",
    );
}

#[test]
fn an_offset_between_two_names_is_of_the_second() {
    let text = "dtmc const int N=1; module m x:[0..N]; endmodule";
    let index = checked("prism", &[text]);
    let name_at = |offset: usize| {
        let found = index.at(FileId(0), offset as u32)?;
        Some(index.symbol(found.symbol).name.as_str())
    };
    let x = text.find("x:").unwrap();
    assert_eq!((name_at(x), name_at(x + 1), name_at(x + 2)), (Some("x"), Some("x"), None));
    assert_eq!(name_at(0), None);
    assert!(index.at(FileId(1), 0).is_none());
}

#[test]
fn languages_without_an_index() {
    assert!(volvelle_symbols::named("umb").is_none());
    assert_eq!(checked("prism", &[]).symbols, []);
}
