//! What can be said about a mean from independent samples: intervals, sample sizes, tests of hypotheses, stopping rules.
