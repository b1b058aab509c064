//! What programs look like as trees.

use crate::common::{parse_as, right, statements};
use volvelle_n4js::{Kind, Syntax, classes};

/// The tree of a text without mistakes.
fn tree(text: &str) -> String {
    statements(&right(text))
}

#[test]
fn a_program_with_all_forms_has_no_mistake() {
    let parsed = right(include_str!("../programs/everything.n4js"));
    // Every class that a right program can have.
    let missing: Vec<String> = parsed
        .classes
        .iter()
        .filter(|(id, class)| {
            !class.is_abstract && parsed.tree.nodes().all(|node| parsed.tree.class(node) != *id)
        })
        .map(|(_, class)| class.name.clone())
        .collect();
    assert_eq!(missing, ["MissingExpression", "MissingTypeNode"]);
}

#[test]
fn numbers_of_classes_are_those_of_the_table() {
    let classes = classes();
    assert_eq!(classes.find("Script"), Some(Kind::Script.id()));
    assert_eq!(classes.find("Call"), Some(Kind::Call.id()));
    assert_eq!(classes.find("MissingTypeNode"), Some(Kind::MissingTypeNode.id()));
}

#[test]
fn declarations_have_their_parts() {
    let cases = [
        (
            "export @A(\"b\", T) public static const x: int = 1, {y};",
            "VariableStatement(annotations=[Annotation(name=A arguments=[StringLiteral(value=b)] types=[TypeReference(name=T)])] \
             modifiers=[export public static] access=public isExported isStatic kind=const declarations=[VariableDeclaration(name=x \
             declaredType=TypeReference(name=int) initializer=NumberLiteral(value=1 isInteger)) VariableDeclaration(\
             pattern=ObjectPattern(elements=[BindingElement(name=y)]))])",
        ),
        (
            "async function * <T> f(...p: T[]): T? { }",
            "FunctionDeclaration(name=f typeParameters=[TypeParameter(name=T)] parameters=[Parameter(name=p declaredType=ArrayTypeNode(\
             element=TypeReference(name=T)) isRest)] result=OptionalTypeNode(type=TypeReference(name=T)) body=Block isAsync isGenerator)",
        ),
        (
            "class A extends N.B<int> implements C { private static async ['m']() {} get; set x(v) }",
            "ClassDeclaration(name=A members=[Method(name=m modifiers=[private static] access=private isStatic \
             computed=StringLiteral(value=m) body=Block isAsync) Field(name=get) Setter(name=x parameters=[Parameter(name=v)])] \
             superclass=TypeReference(qualifier=[N] name=B arguments=[TypeReference(name=int)]) interfaces=[TypeReference(name=C)])",
        ),
        (
            "class A extends f() { [Symbol.iterator](): any }",
            "ClassDeclaration(name=A members=[Method(name=#iterator computed=PropertyAccess(target=Identifier(name=Symbol) \
             name=iterator) result=TypeReference(name=any))] superclassExpression=Call(target=Identifier(name=f)))",
        ),
        ("export default f;", "Export(modifiers=[export] isExported isDefault value=Identifier(name=f))"),
        (
            "export default function f() {}",
            "FunctionDeclaration(name=f modifiers=[export default] isExported isDefault body=Block)",
        ),
        (
            "import a, * as b+ from 'c'; import {d as e} from 'f'",
            "Import(specifiers=[DefaultImport(name=a) NamespaceImport(name=b isDynamic)] module=c)\n\
             Import(specifiers=[NamedImport(name=e imported=d)] module=f)",
        ),
        (
            "@X enum E { A: 'a', B }",
            "EnumDeclaration(name=E annotations=[Annotation(name=X)] literals=[EnumLiteral(name=A value=StringLiteral(value=a)) \
             EnumLiteral(name=B)])",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(tree(text), wanted, "{text}");
    }
}

#[test]
fn types_have_their_parts() {
    let cases = [
        ("A|B&C[]", "UnionTypeNode(types=[A IntersectionTypeNode(types=[B ArrayTypeNode(element=C)])])"),
        ("union{A,B+}", "UnionTypeNode(types=[A TypeReference(name=B isDynamic)])"),
        (
            "{@This(A) function<T>(int?, s: T=): void}",
            "FunctionTypeNode(annotations=[Annotation(name=This types=[A])] typeParameters=[TypeParameter(name=T)] \
             parameters=[Parameter(declaredType=OptionalTypeNode(type=int)) Parameter(name=s declaredType=T hasInitializer)] \
             result=void)",
        ),
        (
            "(A, ...b: B) => C",
            "FunctionTypeNode(parameters=[Parameter(declaredType=A) Parameter(name=b declaredType=B isRest)] result=C)",
        ),
        ("(this: A) => B", "FunctionTypeNode(parameters=[Parameter(name=this declaredType=A)] result=B)"),
        ("(?)[]", "ArrayTypeNode(element=ParenTypeNode(type=WildcardNode))"),
        ("?[]", "ArrayTypeNode(element=WildcardNode)"),
        (
            "M<? extends A, in B, ?>",
            "TypeReference(name=M arguments=[WildcardNode(direction=extends bound=A) WildcardNode(direction=in bound=B) WildcardNode])",
        ),
        (
            "constructor{? super A}",
            "ClassifierTypeNode(isConstructor target=WildcardNode(direction=super bound=A))",
        ),
        (
            "~r~this with { a: int, b?: A; c(): B }",
            "StructuralTypeNode(structure=~r~ target=ThisTypeNode members=[Field(name=a declaredType=int) \
             Field(name=b isOptional declaredType=A) Method(name=c result=B)])",
        ),
        (
            "-1 | 'a' | true",
            "UnionTypeNode(types=[LiteralTypeNode(isNegative literal=NumberLiteral(value=1 isInteger)) \
          LiteralTypeNode(literal=StringLiteral(value=a)) LiteralTypeNode(literal=BooleanLiteral(value))])",
        ),
        ("[A, [B]]", "TupleTypeNode(elements=[A TupleTypeNode(elements=[B])])"),
        (
            "A<B<C<D>>>",
            "TypeReference(name=A arguments=[TypeReference(name=B arguments=[TypeReference(name=C arguments=[D])])])",
        ),
    ];
    for (text, wanted) in cases {
        let shown = tree(&format!("var x: {text};"));
        let shown = shown.strip_prefix(
            "VariableStatement(kind=var declarations=[VariableDeclaration(name=x declaredType=",
        );
        let mut shown = shown.and_then(|rest| rest.strip_suffix(")])")).expect("a variable").to_owned();
        for name in ["A", "B", "C", "D", "T", "int", "void"] {
            shown = shown.replace(&format!("TypeReference(name={name})"), name);
        }
        assert_eq!(shown, wanted, "{text}");
    }
}

#[test]
fn expressions_bind_as_in_javascript() {
    let cases = [
        ("a + b * c - d", "((a + (b * c)) - d)"),
        ("a ** b ** c", "(a ** (b ** c))"),
        ("a || b && c | d == e < f << g", "(a || (b && (c | (d == (e < (f << g))))))"),
        ("a >> b >>> c >= d > e", "((((a >> b) >>> c) >= d) > e)"),
        ("a < b > c", "((a < b) > c)"),
        ("a in b instanceof c", "((a in b) instanceof c)"),
        ("a ?? b", "(a ?? b)"),
        ("a >>>= b", "(a >>>= b)"),
        ("a = b += c", "(a = (b += c))"),
        ("a == b != c === d !== e", "((((a == b) != c) === d) !== e)"),
    ];
    for (text, wanted) in cases {
        let mut shown = tree(text);
        for name in ["a", "b", "c", "d", "e", "f", "g"] {
            shown = shown.replace(&format!("Identifier(name={name})"), name);
        }
        shown = shown.strip_prefix("ExpressionStatement(expression=").expect("a statement").to_owned();
        for class in [
            "Additive",
            "Multiplicative",
            "Exponent",
            "Logical",
            "And",
            "Or",
            "Coalesce",
            "Bitwise",
            "Equality",
            "Relational",
        ] {
            shown = shown.replace(&format!("{class}("), "(");
        }
        for class in ["Shift", "Instanceof", "In", "Assignment"] {
            shown = shown.replace(&format!("{class}("), "(");
        }
        for field in ["left=", "operator=", "right=", "target=", "value="] {
            shown = shown.replace(field, "");
        }
        assert_eq!(shown, format!("{wanted})"), "{text}");
    }
}

#[test]
fn calls_have_their_type_arguments() {
    let cases = [
        (
            "<A>f(x)",
            "Call(typeArguments=[TypeReference(name=A)] target=Identifier(name=f) arguments=[Identifier(name=x)])",
        ),
        (
            "a.<A>f()",
            "Call(target=PropertyAccess(target=Identifier(name=a) typeArguments=[TypeReference(name=A)] name=f))",
        ),
        (
            "new a.B<A>(1).c",
            "New(callee=PropertyAccess(target=Identifier(name=a) name=B) typeArguments=[TypeReference(name=A)] \
             arguments=[NumberLiteral(value=1 isInteger)] hasArguments)",
        ),
        ("a as B", "Cast(operand=Identifier(name=a) type=TypeReference(name=B))"),
        ("!a as B", "Not(operator=! operand=Cast(operand=Identifier(name=a) type=TypeReference(name=B)))"),
        (
            "a?.b?.[c]?.(d)",
            "Call(target=IndexAccess(target=PropertyAccess(target=Identifier(name=a) name=b isOptional) \
          index=Identifier(name=c) isOptional) arguments=[Identifier(name=d)] isOptional)",
        ),
    ];
    for (text, wanted) in cases {
        let shown = tree(text);
        assert!(shown.contains(wanted), "{text}: {shown}");
    }
}

#[test]
fn arrows_are_found() {
    for text in [
        "(a) => b",
        "a => b",
        "async (a) => b",
        "async a => b",
        "(a): B => c",
        "(a): {function(): B} => c",
        "(a): A<B<C>>[] | D => { }",
        "<T>(a: T): T => a",
        "({a, b: [c]}, d = (e) => f) => g",
        "(this: A) => b",
    ] {
        let shown = tree(&format!("x = {text};"));
        assert!(shown.contains("value=ArrowFunction("), "{text}: {shown}");
    }
    assert!(tree("switch (a) { case (b): c => d }").contains("test=Paren("));
    for text in ["a ? (b) : c => d", "a ? (b) : (c)", "(a)", "async(a)", "f((a), b)", "a ? b : (c) ? d : e"] {
        let shown = tree(&format!("x = {text};"));
        assert!(!shown.contains("value=ArrowFunction("), "{text}: {shown}");
    }
}

#[test]
fn lines_end_statements() {
    assert_eq!(right("a\nb").tree.len(), 5);
    assert!(tree("a\n++b").contains("Prefix("));
    assert!(tree("a = b\n(c)").contains("Call("));
    assert!(tree("function f() { return\n1 }").contains("Return ExpressionStatement"));
    assert!(tree("x: for (;;) { continue\nx }").contains("Continue ExpressionStatement"));
    assert!(tree("a /* \n */ b").contains("name=a)\n") || tree("a /* \n */ b").contains("name=a))\n"));
    assert!(tree("do a(); while (b) c").contains("Do("));
    assert!(tree("let x = a\nlet y").matches("VariableStatement").count() == 2);
}

#[test]
fn slashes_are_divisions_or_expressions() {
    for text in [
        "/a/",
        "x = /a/g",
        "if (a) /b/.c",
        "{} /a/",
        "f(/a/, /[/]/)",
        "return_ => /a/",
        "!/a/",
        "`${/a/}`",
        "typeof /a/",
        "a\n{}\n/b/",
    ] {
        assert!(tree(text).contains("RegexLiteral"), "{text}");
    }
    for text in [
        "a / b / c",
        "(a) / b",
        "a[0] / b / c",
        "a++ / b",
        "this / a",
        "a.if / b / c",
        "x = {} / a",
        "`a` / b",
        "`${a}` / b",
        "1 / a / 2",
    ] {
        assert!(!tree(text).contains("RegexLiteral"), "{text}");
    }
}

#[test]
fn texts_and_names_lose_their_escapes() {
    assert!(
        tree(
            r#"'a\n\x41\u0042\u{43}\'\
d\0'"#
        )
        .contains("StringLiteral(value=a\nABC'd\0)")
    );
    assert!(tree(r"'\112'").contains("StringLiteral(value=J hasOctal)"));
    assert!(tree(r"'\08'").contains("hasOctal"));
    assert!(tree(r"\u0061\u{62}c").contains("Identifier(name=abc)"));
    assert!(tree(r"v\u0061r").contains("Identifier(name=var)"));
    assert!(tree("größe").contains("Identifier(name=größe)"));
    assert!(tree("`a\\n${b}`").contains("TemplateLiteral(chunks=[a\\n ] expressions=[Identifier(name=b)])"));
    assert!(tree("/a[/]\\//gi").contains("RegexLiteral(pattern=a[/]\\/ flags=gi)"));
    assert!(tree("017").contains("NumberLiteral(value=017 isInteger isOctal)"));
    assert!(!tree("1e3").contains("isInteger"));
}

#[test]
fn what_is_around_a_program_is_no_mistake() {
    for text in [
        "",
        "\u{feff}",
        "#!run\n",
        "#!run",
        "\u{feff}#!run\r\na",
        "a\r\nb\rc\u{2028}d",
        "// a",
        "/* a */",
        "\t\u{a0}\u{b}",
        ";;",
    ] {
        right(text);
    }
}

#[test]
fn types_may_stand_before_names() {
    let text = "var number y = 1; function f({function (C p): A} func, Array<T> list, int... more): A { } \
                class C { A a; string b = ''; A m(B b) { } } function <T> T g(T p) { } var plain, x: int; f((C c) => c);";
    let parsed = parse_as(text, Syntax::Prefix2016);
    assert!(parsed.found.is_empty(), "{}", crate::common::drawn(text, &parsed.found));
    let shown = statements(&parsed);
    for part in [
        "VariableDeclaration(name=y declaredType=TypeReference(name=number) initializer=",
        "Parameter(name=p declaredType=TypeReference(name=C))",
        "Parameter(name=list declaredType=TypeReference(name=Array arguments=[TypeReference(name=T)]))",
        "Parameter(name=more declaredType=TypeReference(name=int) isRest)",
        "Field(name=a declaredType=TypeReference(name=A))",
        "Method(name=m parameters=[Parameter(name=b declaredType=TypeReference(name=B))] result=TypeReference(name=A)",
        "FunctionDeclaration(name=g typeParameters=[TypeParameter(name=T)] parameters=[Parameter(name=p declaredType=TypeReference(name=T))] \
         result=TypeReference(name=T)",
        "VariableDeclaration(name=plain)",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert!(!crate::common::parse("var number y;").found.is_empty());
}
