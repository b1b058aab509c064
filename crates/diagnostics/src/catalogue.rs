//! Every diagnostic code, with the page that `volvelle explain` shows.
//!
//! One code is one Markdown page, `codes/V0203.md`, and one constant, [`codes::UNKNOWN_NAME`], whose
//! documentation is that page. To add a code: write the page, add a line to the list below.
//!
//! Numbering: `V00xx` command line and limits · `V01xx` lexical and syntax · `V02xx` names and types ·
//! `V03xx` model structure (what a well-typed model still gets wrong) and unsupported features ·
//! `V04xx` met while exploring · `V05xx` properties · `V06xx` numerics · `V07xx` kernel text form · `V08xx` Promela ·
//! `V09xx` simulation · `V10xx` devices · `V11xx` explicit models ·
//! `V12xx` kernels, platforms and tuning · `V13xx` LOTOS · `V14xx` formulas of the mu-calculus ·
//! `V15xx` interactive Markov chains · `V16xx` reduction, comparison and networks of transition systems, pipelines ·
//! `V17xx` message passing and cache coherence · `V18xx` weighted systems · `V190x` campaigns ·
//! `V191x` processes that work together · `V192x` particle systems · `V200x` programs and traces · `V202x` machines, tasks and predictors ·
//! `V203x` type systems as rules ·
//! `V205x` and `V206x` grammars · `V2070` texts that are read by one.
//! Codes are never reused: a retired code keeps its page, with a note.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Identity of a diagnostic: the number behind the `V`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Code(pub u16);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "V{:04}", self.0)
    }
}

/// The text is not a code such as `V0203`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotACode;

impl std::fmt::Display for NotACode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a code is a V and four digits, such as V0203")
    }
}

impl std::error::Error for NotACode {}

impl FromStr for Code {
    type Err = NotACode;

    /// Reads `V0203`, also as `v0203`, `v203` or `203`.
    fn from_str(text: &str) -> Result<Self, NotACode> {
        let digits = text.strip_prefix(['V', 'v']).unwrap_or(text);
        if digits.is_empty() || digits.len() > 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(NotACode);
        }
        digits.parse().map(Code).map_err(|_| NotACode)
    }
}

/// A page of the catalogue: the meaning of a code.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// The code it explains.
    pub code: Code,
    /// One line.
    pub title: &'static str,
    /// Markdown: what, why, an example, the way out.
    pub text: &'static str,
}

/// The page for a code, if there is such a code.
pub fn explain(code: Code) -> Option<&'static Explanation> {
    let found = ALL.binary_search_by_key(&code, |page| page.code);
    found.ok().map(|i| &ALL[i])
}

/// All pages, in the order of their codes.
pub fn explanations() -> &'static [Explanation] {
    ALL
}

/// The number in `V0203`.
const fn number(name: &str) -> u16 {
    let name = name.as_bytes();
    assert!(name.len() == 5 && name[0] == b'V', "a code is a V and four digits");
    let mut value = 0;
    let mut i = 1;
    while i < 5 {
        assert!(name[i].is_ascii_digit(), "a code is a V and four digits");
        value = value * 10 + (name[i] - b'0') as u16;
        i += 1;
    }
    value
}

/// The title of a page: the text after the colon of its first line, `# V0203: unknown name`.
const fn title(page: &'static str) -> &'static str {
    const PREFIX: usize = "# V0203: ".len();
    let mut end = PREFIX;
    while end < page.len() && page.as_bytes()[end] != b'\n' {
        end += 1;
    }
    page.split_at(end).0.split_at(PREFIX).1
}

macro_rules! codes {
    ($($name:ident = $code:ident,)*) => {
        /// The code of every diagnostic, by name.
        pub mod codes {
            use super::{Code, number};
            $(
                #[doc = include_str!(concat!("../codes/", stringify!($code), ".md"))]
                pub const $name: Code = Code(number(stringify!($code)));
            )*
        }

        /// The pages, sorted by code.
        static ALL: &[Explanation] = &[$(Explanation {
            code: codes::$name,
            title: title(include_str!(concat!("../codes/", stringify!($code), ".md"))),
            text: include_str!(concat!("../codes/", stringify!($code), ".md")),
        },)*];
    };
}

codes! {
    // Command line and limits.
    FILE_NOT_READ = V0001,
    BAD_LIMIT = V0002,
    STATE_LIMIT = V0003,
    MEMORY_LIMIT = V0004,
    TIME_LIMIT = V0005,
    BAD_CONST_OPTION = V0006,
    UNKNOWN_CODE = V0007,
    FILE_NOT_WRITTEN = V0008,
    CANCELLED = V0009,
    UNKNOWN_EXPORT = V0010,
    UNKNOWN_LANGUAGE = V0011,
    BAD_USAGE = V0012,
    TRAIL_MISMATCH = V0013,
    DEPTH_LIMIT = V0014,
    PARTIAL_RESULT = V0015,
    FOREIGN_CACHE = V0016,
    // Lexical and syntax.
    UNEXPECTED_CHARACTER = V0101,
    UNEXPECTED_TOKEN = V0102,
    UNTERMINATED = V0103,
    NUMBER_TOO_LARGE = V0104,
    NESTING_TOO_DEEP = V0105,
    RESERVED_WORD = V0106,
    NOT_UTF8 = V0107,
    OPEN_CONSTANT = V0117,
    // Names and types.
    DUPLICATE_NAME = V0201,
    UNKNOWN_NAME = V0203,
    TYPE_MISMATCH = V0204,
    CYCLIC_DEFINITION = V0205,
    WRONG_ARGUMENT_COUNT = V0206,
    UNKNOWN_FUNCTION = V0207,
    NOT_CONSTANT = V0208,
    CONSTANT_ARITHMETIC = V0209,
    UNKNOWN_MODULE = V0210,
    UNKNOWN_LABEL = V0211,
    UNKNOWN_REWARD = V0212,
    UNKNOWN_ACTION = V0213,
    UNKNOWN_CONSTANT_OPTION = V0214,
    // Model structure, unsupported features.
    UNSUPPORTED_MODEL_TYPE = V0301,
    NO_MODEL_TYPE = V0302,
    EMPTY_RANGE = V0303,
    INITIAL_OUT_OF_RANGE = V0304,
    FOREIGN_WRITE = V0305,
    GLOBAL_WRITE_SYNCHRONISED = V0306,
    DOUBLE_WRITE = V0307,
    RENAMING_INCOMPLETE = V0308,
    SYSTEM_COMPOSITION = V0309,
    INIT_CONFLICT = V0310,
    NEVER_TRUE = V0311,
    DOUBLE_VARIABLE = V0312,
    UNSUPPORTED_CONSTRUCT = V0313,
    NO_INITIAL_STATE = V0314,
    PROBABILITY_OUT_OF_RANGE = V0315,
    PROBABILITIES_DO_NOT_SUM = V0316,
    NEGATIVE_RATE = V0317,
    TOO_MANY_INITIAL_STATES = V0318,
    UNUSED_OR_SUSPICIOUS = V0319,
    RANGE_TOO_LARGE = V0320,
    // Met while exploring.
    PROBABILITY_SUM = V0401,
    NEGATIVE_WEIGHT = V0402,
    NOT_A_NUMBER_WEIGHT = V0403,
    DIVISION_BY_ZERO = V0404,
    INTEGER_OVERFLOW = V0405,
    OUT_OF_RANGE = V0406,
    CONVERSION_FAILED = V0407,
    DEADLOCK = V0408,
    TOO_MANY_TRANSITIONS = V0409,
    BAD_REWARD = V0410,
    DEADLOCKS_FIXED = V0411,
    PROBABILITY_ABOVE_ONE = V0412,
    ASSERTION_VIOLATED = V0421,
    INVALID_END_STATE = V0422,
    INDEX_OUT_OF_RANGE = V0423,
    BLOCKED_D_STEP = V0424,
    DEAD_STATEMENT = V0425,
    VALUE_CUT = V0426,
    NARROW_COUNTER = V0427,
    NOT_A_PRIORITY = V0428,
    TRACE_VIOLATED = V0429,
    EXCLUSIVE_ACCESS = V0430,
    IGNORED_ESCAPE = V0431,
    LABEL_IN_OPTION = V0432,
    DUBIOUS_ELSE = V0433,
    // Properties.
    PROPERTY_SYNTAX = V0501,
    UNKNOWN_PROPERTY = V0502,
    NOT_YET_EVALUATED = V0503,
    WRONG_MODEL_KIND = V0504,
    MIN_MAX_REQUIRED = V0505,
    BAD_BOUND = V0506,
    SEVERAL_INITIAL_STATES = V0507,
    PROPERTY_TYPE = V0508,
    FILTER_EMPTY = V0509,
    CONDITION_AS_PATH = V0510,
    BAD_AUTOMATON = V0511,
    BAD_OBJECTIVE = V0531,
    UNACHIEVABLE = V0532,
    ENDLESS_REWARD = V0533,
    IMPOSSIBLE_CONDITION = V0534,
    // Numerics.
    NOT_CONVERGED = V0601,
    NEGATIVE_REWARD = V0602,
    INFINITE_REWARD = V0603,
    UNSOUND_METHOD = V0604,
    PRECISION_NOT_REACHED = V0605,
    NO_EXACT_VALUE = V0611,
    ROUNDING_DECIDES = V0612,
    EXACT_TOO_LARGE = V0613,
    NO_WITNESS = V0614,
    UNUSED_METHOD = V0615,
    MIXED_REWARDS = V0621,
    NO_AMOUNT = V0622,
    // Kernel text form.
    KERNEL_SYNTAX = V0701,
    KERNEL_INVALID = V0702,
    // Promela: text.
    PROMELA_SYNTAX = V0801,
    BAD_DIRECTIVE = V0802,
    BAD_INCLUDE = V0803,
    BAD_MACRO_CALL = V0804,
    EXPANSION_LIMIT = V0805,
    INLINE_CALL = V0806,
    EMBEDDED_C = V0807,
    C_HABIT = V0808,
    MISSING_SEPARATOR = V0809,
    MISPLACED_LABEL = V0810,
    FORMULA_BINDING = V0811,
    NEGATED_QUERY = V0812,
    MACRO_REDEFINED = V0813,
    ERROR_DIRECTIVE = V0814,
    STRAY_COMMENT_END = V0815,
    // Simulation.
    NOT_SIMULATED = V0901,
    PATH_TOO_LONG = V0902,
    SAMPLES_UNDECIDED = V0903,
    NO_SUCCESS = V0904,
    VALUE_IN_DOUBT = V0905,
    BAD_SCHEDULER = V0907,
    REPETITIONS_DIFFER = V0908,
    // Devices.
    NO_DEVICE = V1010,
    DEVICE_FAILED = V1011,
    CONFIGURATION_SYNTAX = V1031,
    CONFIGURATION_KEY = V1032,
    CONFIGURATION_TYPE = V1033,
    CONFIGURATION_VALUE = V1034,
    UNKNOWN_TECHNOLOGY = V1035,
    NO_TECHNOLOGY = V1036,
    // Explicit models.
    EXPLICIT_FORMAT = V1101,
    EXPLICIT_SYNTAX = V1102,
    EXPLICIT_ARCHIVE = V1103,
    EXPLICIT_INDEX = V1104,
    EXPLICIT_VERSION = V1105,
    EXPLICIT_COUNT = V1106,
    EXPLICIT_RANGE = V1107,
    EXPLICIT_NUMBER = V1108,
    EXPLICIT_SUM = V1109,
    EXPLICIT_STRUCTURE = V1110,
    EXPLICIT_TOO_LARGE = V1111,
    EXPLICIT_UNSUPPORTED = V1112,
    EXPLICIT_NOT_KEPT = V1113,
    EXPLICIT_UNUSUAL = V1114,
    // Tuning.
    GOAL_NOT_REACHED = V1201,
    PARAMETER_NOT_CHOSEN = V1202,
    COST_DECREASES = V1203,
    ENDS_WITHOUT_GOAL = V1204,
    // Kernels and platforms.
    PLATFORM_SYNTAX = V1221,
    PLATFORM_KEY = V1222,
    PLATFORM_VALUE = V1223,
    KERNEL_TEXT = V1231,
    KERNEL_CHOICE = V1232,
    KERNEL_ABSTRACTION = V1233,
    KERNEL_ANNOTATION = V1234,
    KERNEL_PARAMETER = V1235,
    KERNEL_LAUNCH = V1236,
    KERNEL_SPACE = V1237,
    KERNEL_LOCAL_MEMORY = V1238,
    // Measuring kernels.
    CONDITION = V1251,
    TUNER_FILE = V1252,
    RESULTS_UNCHECKED = V1253,
    CONFIGURATIONS_FAILED = V1254,
    NOTHING_MEASURED = V1255,
    // LOTOS.
    LOTOS_SYNTAX = V1301,
    LOTOS_NAME = V1302,
    LOTOS_DECLARATION = V1303,
    LOTOS_SORT = V1304,
    LOTOS_EQUATION = V1305,
    LOTOS_ENDS = V1306,
    LOTOS_ARGUMENTS = V1307,
    LOTOS_RECURSION = V1308,
    LOTOS_EVALUATION = V1309,
    LOTOS_UNSUPPORTED = V1310,
    // Formulas of the mu-calculus.
    FORMULA_SYNTAX = V1401,
    UNKNOWN_FORMULA_NAME = V1402,
    BAD_LABEL_PATTERN = V1403,
    NEGATED_VARIABLE = V1404,
    ABSENT_LABEL = V1405,
    FORMULA_TOO_LARGE = V1406,
    MACRO_CALL = V1407,
    FIXPOINT_SCOPE = V1408,
    // Interactive Markov chains.
    BAD_RATE = V1501,
    RATE_WITHOUT_VALUE = V1502,
    PROBABILITIES_OF_STATE = V1503,
    TIME_STOPS = V1504,
    OPEN_CHOICE = V1505,
    NO_SUCH_ACTION = V1506,
    // Transition systems.
    LABEL_PATTERN = V1601,
    LABEL_NUMBER = V1602,
    NO_SINGLE_INITIAL_STATE = V1603,
    LABEL_UNUSED = V1604,
    // Networks of transition systems.
    NETWORK_SYNTAX = V1611,
    NETWORK_FILE = V1612,
    NETWORK_IDLE_GATE = V1613,
    NETWORK_RATE = V1614,
    // Pipelines.
    PIPELINE_SYNTAX = V1621,
    PIPELINE_KEY = V1622,
    PIPELINE_VALUE = V1623,
    UNKNOWN_STEP = V1624,
    CIRCULAR_STEPS = V1625,
    // Programs of message-passing primitives.
    PRIMITIVE_SYNTAX = V1701,
    PRIMITIVE_NAME = V1702,
    PRIMITIVE_VALUE = V1703,
    PRIMITIVE_SIZE = V1704,
    PRIMITIVE_RANGE = V1705,
    // Cache-coherence protocols.
    PROTOCOL_SYNTAX = V1711,
    PROTOCOL_KEY = V1712,
    PROTOCOL_VALUE = V1713,
    PROTOCOL_INCOMPLETE = V1714,
    PROTOCOL_NOT_COHERENT = V1715,
    UNKNOWN_PROTOCOL = V1716,
    // Studies of programs on machines with caches.
    MPI_STUDY = V1721,
    MPI_KEY = V1722,
    MPI_VALUE = V1723,
    MPI_MAPPING = V1724,
    MPI_PARAMETER = V1725,
    // How programs on machines with caches behave.
    MPI_CHOICE = V1733,
    // Weighted Kripke structures.
    WKS_SYNTAX = V1801,
    WKS_NAME = V1802,
    WKS_WEIGHT = V1803,
    WKS_JSON = V1804,
    // Weighted CCS.
    WCCS_SYNTAX = V1811,
    WCCS_NAME = V1812,
    WCCS_UNGUARDED = V1813,
    WCCS_WEIGHT = V1814,
    // Formulas of weighted CTL.
    WCTL_SYNTAX = V1821,
    WCTL_BOUND = V1822,
    WCTL_TOO_LARGE = V1823,
    // Campaigns.
    PART_UNREADABLE = V1901,
    PART_FOREIGN = V1902,
    PARTS_MISSING = V1903,
    ROUND_MISFIT = V1904,
    MORE_PATHS_NEEDED = V1905,
    // Processes that work together.
    NO_NETWORK = V1911,
    RANKS_DIFFER = V1912,
    RANK_LOST = V1913,
    // Particle systems.
    SNAPSHOT = V1921,
    NBODY_KEY = V1931,
    NBODY_VALUE = V1932,
    NBODY_RUN = V1933,
    NBODY_DOUBT = V1934,
    // Programs for RISC-V, and traces of executions: V2001 to V2019.
    PROGRAM_UNREADABLE = V2001,
    PROGRAM_FOREIGN = V2002,
    PROGRAM_LAYOUT = V2003,
    ILLEGAL_INSTRUCTION = V2004,
    ACCESS_OUTSIDE = V2005,
    PROGRAM_ABORTED = V2006,
    UNKNOWN_CALL = V2007,
    THREADS_REFUSED = V2008,
    TRACE_UNREADABLE = V2009,
    PROGRAM_ARGUMENTS = V2010,
    // Machines, tasks and predictors: V2021 to V2039.
    STREAM_FORM = V2021,
    STREAM_COLUMN = V2022,
    MACHINE_KEY = V2023,
    MACHINE_VALUE = V2024,
    UNKNOWN_PREDICTOR = V2025,
    PREDICTOR_VALUE = V2026,
    BUDGET_TOO_SMALL = V2027,
    RULE_DECLARATION = V2030,
    RULE_NAME = V2031,
    RULE_TYPE = V2032,
    RULE_OUTPUT = V2033,
    RULE_AMBIGUITY = V2034,
    RULE_COVERAGE = V2035,
    RULE_FAILED = V2036,
    RULE_BREAKDOWN = V2037,
    RULE_QUESTION = V2038,
    // Grammars: V2050 to V2069. Texts that are read by one: V2070.
    GRAMMAR_SYNTAX = V2050,
    GRAMMAR_NAME = V2051,
    GRAMMAR_TWICE = V2052,
    GRAMMAR_TERMINAL = V2053,
    GRAMMAR_LEFT_RECURSION = V2054,
    GRAMMAR_EMPTY = V2055,
    GRAMMAR_SHAPES = V2056,
    GRAMMAR_NEVER_CHOSEN = V2057,
    GRAMMAR_AMBIGUOUS = V2058,
    GRAMMAR_UNUSED = V2059,
    GRAMMAR_NODES = V2060,
    GRAMMAR_CLASSES = V2061,
    GRAMMAR_TOO_LARGE = V2062,
    TEXT_SYNTAX = V2070,
    // Typed JavaScript: V2101 to V2119.
    N4JS_SYNTAX = V2101,
    N4JS_TYPE = V2102,
}
