/*
 * Tracing faults: why the figures of a traced process cannot be trusted.
 *
 * This table is the only list of them. The BPF programs, the tracer, the parser of the tracer's
 * files, the reasons of the model, doctor and the simulated machine are made from it;
 * unit/trace_fault compares the documents with it. To add a fault, add a line here and to
 * docs/tracing.md.
 *
 * No includes: the BPF programs have no C library.
 */
#pragma once

/* How to fix a fault, as printed by doctor. */
#define TRACE_FIX_REPORT "report its memory through libttalloc: man 3 libttalloc"
#define TRACE_FIX_RUN	 "the next time: tt_smi run -- COMMAND"

/*
 * FAULT(name, word, reason, text, meaning, fix). Of several faults of a process the first is
 * shown. tt_allocd sends the number of a fault to its clients, so new faults are added at the end.
 *
 * word     in STATE of the tracer's files, after "unreliable:", and in the tracer's messages
 * reason   code of the model's reason, in JSON and CSV
 * text     of that reason, behind "tracing unreliable: "
 * meaning  for people, behind the word
 * fix      advice of doctor
 */
/* clang-format off */
#define TRACE_FAULTS(FAULT) \
	FAULT(UNKNOWN_SHAPE, "unknown-shape", "trace_unknown_shape", "unknown library", \
	      "the objects in its memory have a layout that no known version has", TRACE_FIX_REPORT) \
	FAULT(SINGLE_STEP, "single-step", "trace_single_step", "probe too slow", \
	      "probes would slow the program down too much", TRACE_FIX_RUN) \
	FAULT(MISSED_FREE, "missed-free", "trace_missed_free", "missed a free", \
	      "a buffer was allocated twice without a free, or frees cannot be seen", TRACE_FIX_RUN) \
	FAULT(MAP_FULL, "map-full", "trace_map_full", "too many buffers", \
	      "more live buffers than the BPF map holds, or than one process may have in it", \
	      TRACE_FIX_RUN) \
	FAULT(NO_THROW, "no-throw", "trace_no_throw", "failures not seen", \
	      "failed allocations cannot be distinguished from successful ones", TRACE_FIX_RUN) \
	FAULT(MESH, "mesh", "trace_mesh", "mesh not resolved", \
	      "the devices of a mesh buffer were not found", TRACE_FIX_RUN) \
	FAULT(NO_ANSWER, "no-answer", "trace_no_answer", "files do not answer", \
	      "reading some of its files blocks, and they may contain TT-Metal too", TRACE_FIX_RUN)
/* clang-format on */

#define TRACE_FAULT_ENUMERATOR(name, ...) TRACE_FAULT_##name,

enum trace_fault {
	TRACE_FAULT_NONE,
	/* clang-format off */
	TRACE_FAULTS(TRACE_FAULT_ENUMERATOR)
	/* clang-format on */
	TRACE_FAULT_N,
};

/* The texts of a fault; NULL for TRACE_FAULT_NONE. */
const char *trace_fault_word(enum trace_fault fault);
const char *trace_fault_meaning(enum trace_fault fault);
const char *trace_fault_fix(enum trace_fault fault);

/* The fault with this word, or TRACE_FAULT_NONE. */
enum trace_fault trace_fault_find(const char *word);
