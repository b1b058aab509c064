//! Whatever the texts, there is an index in which everything holds: cut texts, texts without a token, with one too many, and noise.

use crate::models::{self, Texts};
use crate::shown::checked;
use volvelle_random::{Random, attack_cases};

/// The languages with the endings of their models.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("prism", &["prism", "sm", "nm", "pm"]),
    ("promela", &["pml"]),
    ("lotos", &["lotos"]),
    ("mcl", &["mcl"]),
    ("kernel", &["vk"]),
    ("mpi:mpi", &["mpi"]),
    ("mpi", &["toml"]),
    ("network", &["exp"]),
    ("wks", &["wks"]),
    ("wks:wccs", &["wccs"]),
    ("rules", &["rules"]),
    ("rules:n4js", &["rules"]),
    ("rules:grammar", &["grammar"]),
];

fn models(language: &str) -> Vec<Texts> {
    let (_, endings) = LANGUAGES.iter().find(|(name, _)| *name == language).expect("a language");
    models::examples(language, endings)
}

fn survives(language: &str, texts: &[String]) {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    checked(language, &texts);
}

#[test]
fn whole_texts() {
    for (language, _) in LANGUAGES {
        for model in models(language) {
            survives(language, &model.texts);
        }
    }
}

/// A model that is cut at about so many places: what stands before, and what stands behind.
fn cut(language: &str, model: &Texts, places: usize) {
    let longest = model.texts.iter().map(String::len).max().unwrap_or(0);
    for (number, text) in model.texts.iter().enumerate() {
        let step = (longest / places).max(1);
        for end in (0..text.len()).step_by(step).filter(|&end| text.is_char_boundary(end)) {
            let mut texts = model.texts.clone();
            texts[number].truncate(end);
            survives(language, &texts);
            texts[number] = text[end..].to_owned();
            survives(language, &texts);
        }
    }
}

#[test]
fn texts_that_are_cut() {
    for (language, _) in LANGUAGES {
        models(language).iter().for_each(|model| cut(language, model, 60));
    }
}

/// Published models, whole and cut.
#[test]
fn corpus() {
    let variables = ["VOLVELLE_CORPUS", "VOLVELLE_PROMELA_CORPUS", "VOLVELLE_LOTOS_CORPUS"];
    for ((language, endings), variable) in LANGUAGES.iter().zip(variables) {
        for model in models::published(variable, language, endings) {
            survives(language, &model.texts);
            cut(language, &model, 30);
        }
    }
}

/// A token is left out, doubled, or changes places with another one.
#[test]
fn attack_tokens() {
    for (language, _) in LANGUAGES {
        let models = models(language);
        for case in attack_cases(400) {
            let mut random = Random(case);
            let mut texts = models[random.below(models.len())].texts.clone();
            let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
            let tokens = checked(language, &refs).tokens;
            for _ in 0..1 + random.below(3) {
                let token = tokens[random.below(tokens.len())].span;
                let other = tokens[random.below(tokens.len())].span;
                let shown = texts[other.file.0 as usize].get(other.start as usize..other.end as usize);
                let instead = match random.below(3) {
                    0 => String::new(),
                    _ => shown.unwrap_or("'").to_owned(),
                };
                let text = &mut texts[token.file.0 as usize];
                let range = token.start as usize..token.end as usize;
                if text.get(range.clone()).is_some() {
                    text.replace_range(range, &instead);
                }
            }
            survives(language, &texts);
        }
    }
}

#[test]
fn attack_noise() {
    const PIECES: &[&str] = &[
        "\"",
        "'",
        "/*",
        "*/",
        "//",
        "(*",
        "*)",
        "\n",
        "\r\n",
        "\\\n",
        "é",
        "\u{feff}",
        "x",
        "N",
        "module",
        "=",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "#define",
        "#include \"t1\"\n",
        "#",
        " ",
        "\t",
        "1.",
        "0x1",
        "process",
        "\u{2028}",
        "_",
        "::",
        "\0",
        "state",
        ";",
        "->",
        "-",
        "P :=",
        "<",
        ">",
        "\\",
    ];
    for (language, _) in LANGUAGES {
        for case in attack_cases(600) {
            let mut random = Random(case);
            let texts: Vec<String> = (0..1 + random.below(3))
                .map(|_| (0..random.below(40)).map(|_| random.pick(PIECES)).collect())
                .collect();
            survives(language, &texts);
        }
    }
}

/// Ten times the text has ten times the symbols, occurrences and tokens. (`benches` measures times.)
#[test]
fn long_texts() {
    let text = |lines: usize| {
        let commands = (0..lines).map(|i| format!("[a{i}] x{i}<N -> (x{i}'=x{i}+1);\n"));
        let variables = (0..lines).map(|i| format!("// Number {i}.\nx{i} : [0..N];\n"));
        let parts: String = variables.chain(commands).collect();
        format!("dtmc const int N = 3; module m\n{parts}endmodule")
    };
    let (short, long) = (checked("prism", &[&text(100)]), checked("prism", &[&text(1000)]));
    assert_eq!(long.symbols.len() - 4, 10 * (short.symbols.len() - 4));
    assert!(long.occurrences.len() > 9 * short.occurrences.len());
}

/// Where a token is missing, as while somebody types, nearly all names are still told.
#[test]
fn most_names_survive_a_missing_token() {
    for (language, _) in LANGUAGES {
        let (mut kept, mut all) = (0, 0);
        for model in models(language) {
            let refs: Vec<&str> = model.texts.iter().map(String::as_str).collect();
            let whole = checked(language, &refs);
            let step = (whole.tokens.len() / 60).max(1);
            for token in whole.tokens.iter().step_by(step) {
                let mut texts = model.texts.clone();
                let (file, range) =
                    (token.span.file.0 as usize, token.span.start as usize..token.span.end as usize);
                texts[file].replace_range(range, "");
                let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
                kept += checked(language, &refs).occurrences.len();
                all += whole.occurrences.len();
            }
        }
        assert!(kept * 100 >= all * 85, "{language}: {kept} of {all}");
    }
}

/// Each of these would take minutes if a step looked through the rest of the text, or through all symbols.
#[test]
fn time_is_linear_in_hopeless_texts() {
    const PIECES: &[&str] = &[
        "module m ",
        "module m = m [x=y] endmodule\n",
        "const int N = ;\n",
        "// a\nconst int N = N;\n",
        "formula f = f;\n",
        "module m x : [0..; endmodule\n",
        "label \"a\" = ;\n",
        "system a || ",
        "quantile(min B, P>=1 [ F<=B ",
        "/* a */ ",
        "/*",
        "(*",
        "\"",
        "// \\\n",
        "x ",
        "#define N N\n",
        "#ifdef N\n",
        "inline f(a) { a }\n",
        "int x, ",
        "mtype = { a }\n",
        "active proctype P() { x: goto x; int x; x = 1 }\n",
        "typedef T { T t } T t; ",
        "t.t",
        "P:x ",
        "ltl { x }\n",
        "process P [A] : noexit := A; P [A] endproc\n",
        "specification S [A] : noexit type T is sorts T opns T : -> T endtype behaviour A; stop endspec\n",
        "type T is T sorts T opns T : T -> T eqns forall T : T ofsort T T (T) = T; endtype\n",
        "specification S : noexit behaviour ",
        "library T1 endlib type T is T1 sorts T endtype\n",
        "state a {p, p*2}: -1-> a, -(x + x)-> b;\n",
        "state a: -(",
        "parameter x in [0, 1];",
        "P := <a!,1>.p:P + (P | Q) \\ {a} [a -> b, p => q];\n",
        "P := ",
        "procedure p(a) { local b; for (i: 0..1) { p(a[i].f); } }\n",
        "shared s[i: 0..1] { line f : t; }\n",
        "process P { { ",
        "a[a[",
        "if (a) if (a) ",
        "[a]\nb = \"c\"\n",
        "\"\"\"",
        "a = [",
        "kernel k(x: u8) { buffer b: read u8; local i: u64; i = b[i]; }\n",
        "kernel k(",
        "local x: u8 ",
        "buffer b ",
        "machine i in 0u32..1u32 at 0u32 { block 0 { goto 1; } ",
        "local x: u8; x = x; ",
        "`",
        "@0 $1 ",
        "macro A (X) = mu X . mu Y . [ A ] (A(X) and Y) end_macro\n",
        "mu X . ",
        "mu X . (",
        "macro A = ",
        "A(",
        "[ \"a\" . (",
        "par A in A -> \"a.aut\" || hide \"a\", B in \"b.aut\" end hide end par || ",
        "|[ A, ",
        "hide A in ",
        "\\ {a, ",
    ];
    for (language, _) in LANGUAGES {
        for piece in PIECES {
            let text = piece.repeat(100_000 / piece.len());
            survives(language, &[text.clone(), text]);
        }
    }
}
