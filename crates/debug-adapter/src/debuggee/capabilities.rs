//! What the server can do.

use super::setup::Filter;
use serde_json::{Value, json};

/// The requests that are known, but for those that may come at any time.
const COMMANDS: &[&str] = &[
    "breakpointLocations",
    "completions",
    "configurationDone",
    "continue",
    "disconnect",
    "evaluate",
    "exceptionInfo",
    "initialize",
    "launch",
    "next",
    "pause",
    "restart",
    "reverseContinue",
    "scopes",
    "setBreakpoints",
    "setExceptionBreakpoints",
    "setFunctionBreakpoints",
    "stackTrace",
    "stepBack",
    "stepIn",
    "stepInTargets",
    "stepOut",
    "terminate",
    "threads",
    "variables",
];

/// Whether there is such a request.
pub fn is_known(command: &str) -> bool {
    COMMANDS.contains(&command)
}

/// The body of the answer to `initialize`.
pub fn capabilities() -> Value {
    let filters = Filter::ALL.map(|filter| {
        json!({
            "filter": filter.name(),
            "label": filter.label(),
            "description": filter.description(),
            "default": true,
        })
    });
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsCompletionsRequest": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsStepInTargetsRequest": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
        "supportsExceptionInfoRequest": true,
        "exceptionBreakpointFilters": filters,
    })
}
