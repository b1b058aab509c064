//! What the index says of LOTOS specifications.

use crate::shown::{checked, expect};
use volvelle_symbols::Role;

#[test]
fn processes_gates_and_variables() {
    expect(
        "lotos",
        &["specification S [A] : noexit
type MSG is BOOLEAN
  sorts MSG
  opns m1, m2 : -> MSG
       next : MSG -> MSG
  eqns forall x : msg ofsort MSG
    next (m1) = m2; next (x) = m1;
endtype
behaviour
  hide G in P [A, G] (M1)
where
  process P [A, B] (x : MSG) : noexit :=
    A ?y : MSG [y == next (x)]; (B !y; P [A, B] (y) [] i; Q [b])
  where
    process Q [G] : noexit := G; Q [G] endproc
  endproc
endspec"],
        "Process `specification S [A] : noexit`: 1=
        Gate in S `gate A`: 1= 10
        Type `type MSG`: 2=
        Type in MSG `sort MSG`: 3= 4 5 5 6 6 12 13
        Operation in MSG `m1, m2 : -> MSG`: 4= 7 7 10
        Operation in MSG `m1, m2 : -> MSG`: 4= 7
        Operation in MSG `next : MSG -> MSG`: 5= 7 7 13
        Variable in MSG `x : msg`: 6= 7
        Gate in S `gate G`: 10= 10
        Process in S `process P [A, B] (x : MSG) : noexit`: 10 12= 13
        Gate in P `gate A`: 12= 13 13
        Gate in P `gate B`: 12= 13 13 13
        Parameter in P `x : MSG`: 12= 13
        Variable in P `y : MSG`: 13= 13 13 13
        Process in P `process Q [G] : noexit`: 13 15= 15
        Gate in Q `gate G`: 15= 15 15
        Operation `an operation of the language`: 13
        Type `a type of the language`: 2",
    );
}

/// Operations with one name are told apart by their sorts, and copies of a type have the names that they are given.
#[test]
fn overloaded_and_renamed_operations() {
    expect(
        "lotos",
        &["specification S [A] : noexit
type T is sorts T opns C : -> T F : T -> T eqns forall X : T ofsort T F (X) = C; endtype
type U is sorts U opns C : -> U F : U -> T eqns forall X : U ofsort T F (X) = C of T; endtype
type V is T renamedby sortnames W for T opnnames D for C endtype
behaviour A !F (C of U) !F (D); stop
endspec"],
        "Process `specification S [A] : noexit`: 1=
        Gate in S `gate A`: 1= 5
        Type `type T`: 2= 4
        Type in T `sort T`: 2= 2 2 2 2 2 3 3 3 4
        Operation in T `C : -> T`: 2= 2 3 4
        Operation in T `F : T -> T`: 2= 2 5
        Variable in T `X : T`: 2= 2
        Type `type U`: 3=
        Type in U `sort U`: 3= 3 3 3 5
        Operation in U `C : -> U`: 3= 5
        Operation in U `F : U -> T`: 3= 3 5
        Variable in U `X : U`: 3= 3
        Type `type V`: 4=
        Type in V `sort W for T`: 4=
        Operation in V `D for C`: 4= 5",
    );
}

/// A type that is being typed has the names before the mistake.
#[test]
fn names_of_what_is_being_typed() {
    expect(
        "lotos",
        &["specification S [A] : noexit
type T is sorts T opns C : -> T D : T - T E : -> T endtype
behaviour A !C ?x : T; (P [A] (x) [] )
where process P [A] (y : T) : noexit := A !y; stop endproc
endspec"],
        "Process `specification S [A] : noexit`: 1=
        Gate in S `gate A`: 1= 3 3
        Type `type T`: 2=
        Type in T `sort T`: 2= 2 2 2 2 3 4
        Operation in T `C : -> T`: 2= 3
        Process in S `process P [A] (y : T) : noexit`: 3 4=
        Gate in P `gate A`: 4= 4
        Parameter in P `y : T`: 4= 4",
    );
}

#[test]
fn libraries_beside_the_specification() {
    let texts = [
        "specification S [G] : noexit library T1 endlib behaviour G !red; stop endspec",
        "type Colours is sorts Colour opns red, green : -> Colour endtype",
    ];
    let index = checked("lotos", &texts);
    let places = |name: &str| -> Vec<(u32, Role)> {
        let symbol = index.symbols.iter().position(|symbol| symbol.name == name).expect("a symbol");
        let all = index.occurrences.iter().filter(|found| found.symbol.0 as usize == symbol);
        all.map(|found| (found.span.file.0, found.role)).collect()
    };
    assert_eq!(places("red"), [(0, Role::Reads), (1, Role::Declares)]);
    assert_eq!(places("Colour"), [(1, Role::Declares), (1, Role::Reads)]);
}
