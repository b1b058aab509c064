//! Determinacy: whether all schedules of a program of processes give the same result, certified along one path.
