/*
 * Why there is no figure of compute utilisation for a process on a chip: the words of the file
 * /run/tt-smi/bpf/dispatch. The BPF programs print them, so this header includes nothing.
 *
 * X(NAME, word in the file, reason word for programs, text for people)
 */
#pragma once

#define DISPATCH_STATES(X)                                                                         \
	X(NO_PROFILER, "no-profiler", "no_profiler", "TT-Metal before v0.71 has no profiler")      \
	X(NOT_COVERED, "not-covered", "not_covered", "TT-Metal's profiler does not cover it")      \
	X(SLOW_DISPATCH, "slow-dispatch", "slow_dispatch", "slow dispatch is not measured")        \
	X(NOT_FOLLOWED, "not-followed", "not_followed", "programs from before the attach may run") \
	X(NO_RECORDS, "no-records", "no_records", "no measured program yet")                       \
	X(UNKNOWN_LAYOUT, "unknown-layout", "unknown_layout", "layout of the profiler not known")  \
	X(NO_CLOCK, "no-clock", "no_clock", "clock of the chip not known")                         \
	X(NO_ANSWER, "no-answer", "no_answer", "memory of the process not readable")               \
	X(TOO_MANY, "too-many", "too_many", "its user's share of the tracer is used up")

#define DISPATCH_STATE_NAME(name, ...) DISPATCH_##name,

enum dispatch_state {
	DISPATCH_OK, /* there is a figure, or it follows */
	/* clang-format off */
	DISPATCH_STATES(DISPATCH_STATE_NAME)
	/* clang-format on */
	DISPATCH_STATE_N,
};
