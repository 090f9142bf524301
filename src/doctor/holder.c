/* Each process that has a device open: is its memory known, why not, and what would help. */
#include "doctor/doctor.h"

#include "doctor/loaded.h"
#include "render/render.h"
#include "source/bpf_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct holder {
	const struct patient *patient;
	const struct process *process;
	struct loaded loaded; /* if its memory is not known */
};

static bool is_contained(const struct process *process)
{
	return process->ns_depth > 1 ||
	       (process_knows(process, PROC_CONTAINER) && process->owner.container[0]);
}

/* ---- telling ---- */

/* Each appends the cause to the text, and what would help to the list. */
struct verdict {
	struct buf cause;
	const char *fixes[5];
	size_t n_fixes;
};

static void advise(struct verdict *verdict, const char *fix)
{
	for (size_t i = 0; i < verdict->n_fixes; i++)
		if (strcmp(verdict->fixes[i], fix) == 0)
			return;
	if (verdict->n_fixes < ARRAY_SIZE(verdict->fixes))
		verdict->fixes[verdict->n_fixes++] = fix;
}

static void advise_tracing(const struct holder *holder, struct verdict *verdict)
{
	if (holder->patient->tracing == TRACING_ELSEWHERE)
		advise(verdict, "sudo tt_smi, on the host");
	else if (holder->patient->can_trace)
		advise(verdict, "sudo tt_smi trace start");
}

/* Why TT-Metal's own counters do not tell. */
static void blame_counters(const struct holder *holder, struct verdict *verdict)
{
	if (!holder->loaded.library.shape.publishes) {
		buf_puts(&verdict->cause, " has no counters of its own (v0.70 and later have)");
	} else if (holder->loaded.disabled) {
		buf_puts(&verdict->cause,
			 " has its counters switched off (TT_METAL_SHM_TRACKING_DISABLED)");
		advise(verdict, "start it without TT_METAL_SHM_TRACKING_DISABLED");
	} else if (is_contained(holder->process) && !holder->patient->root->live) {
		buf_puts(&verdict->cause,
			 " keeps its counters in the /dev/shm of a container, which is not in this "
			 "tree");
		advise(verdict, "sudo tt_smi doctor, on the machine itself");
	} else {
		/* A process whose libraries may be read was also looked at in its container. */
		buf_puts(&verdict->cause,
			 " has published nothing: it has allocated nothing yet, or only in threads "
			 "that it does not count");
	}
}

static void blame_tracing(const struct holder *holder, struct verdict *verdict)
{
	enum trace_fault fault = metal_library_fault(&holder->loaded.library);

	if (fault) {
		buf_printf(&verdict->cause, "; it cannot be traced (%s: %s)",
			   trace_fault_word(fault), trace_fault_meaning(fault));
		return;
	}
	if (holder->patient->tracing == TRACING_ELSEWHERE)
		buf_puts(&verdict->cause, "; tracing is on, but only the host can tell");
	else
		buf_puts(&verdict->cause, holder->patient->tracing == TRACING_ON
						  ? "; tracing is on, but not of this library"
						  : "; tracing is off");
	advise_tracing(holder, verdict);
}

static void blame_library(struct holder *holder, struct verdict *verdict)
{
	buf_printf(&verdict->cause, "TT-Metal %s (%s)", holder->loaded.library.shape.versions,
		   holder->loaded.path);
	blame_counters(holder, verdict);
	blame_tracing(holder, verdict);
	advise(verdict, TRACE_FIX_RUN);
	if (!holder->loaded.library.shape.publishes)
		advise(verdict, "TT-Metal v0.70 or later, which counts by itself");
}

/* Nobody counts it: what is it? */
static void blame_program(struct holder *holder, struct verdict *verdict)
{
	loaded_find(holder->patient->root, holder->process->pid, &holder->loaded);
	if (holder->loaded.library_error == 0) {
		blame_library(holder, verdict);
	} else if (holder->loaded.library_error == -ENOTSUP) {
		buf_printf(&verdict->cause, "its TT-Metal (%s) is of no version that is known",
			   holder->loaded.path);
		advise(verdict, TRACE_FIX_REPORT);
	} else if (holder->loaded.maps_error == -EACCES) {
		buf_puts(&verdict->cause, "its files are another user's to look at");
		advise(verdict, "sudo tt_smi doctor");
		if (holder->patient->tracing != TRACING_ON)
			advise_tracing(holder, verdict);
	} else if (holder->loaded.maps_error == -ETIMEDOUT) {
		buf_puts(&verdict->cause, "its files do not answer");
	} else if (holder->loaded.maps_error) {
		buf_printf(&verdict->cause, "what it has loaded is not told (%s)",
			   strerror(-holder->loaded.maps_error));
	} else if (holder->loaded.replaced) {
		buf_puts(&verdict->cause,
			 "a file that it has loaded was replaced since, and cannot be looked at");
		advise(verdict, "sudo tt_smi doctor");
	} else {
		buf_puts(&verdict->cause, "TT-Metal is not among the files that it has loaded");
		advise(verdict, TRACE_FIX_REPORT);
	}
}

static enum reason first_reason(const struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++)
		if (process->usages[i].why[USE_DRAM] != KNOWN)
			return process->usages[i].why[USE_DRAM];
	return KNOWN;
}

/* What helps where TT-Metal counts, but whose memory it is or where cannot be told. */
static void advise_counters(enum reason why, struct verdict *verdict)
{
	static const char addresses[] = "set TT_VISIBLE_DEVICES to full PCI addresses and start "
					"the program again";
	static const struct {
		enum reason why;
		const char *fix;
	} fixes[] = {
		{ UNTRUSTED_FILE, "delete its file /dev/shm/tt_device_*_memory as its owner or "
				  "as root, and start the program again" },
		{ AMBIGUOUS_PROCESS, "give each container a /dev/shm or a card of its own" },
		{ UNMATCHED_CHIP, addresses },
		{ DEVICE_LIST_AMBIGUOUS, addresses },
		{ DEVICE_LIST_MISMATCH, addresses },
		{ DEVICE_LIST_INVALID, addresses },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fixes); i++)
		if (fixes[i].why == why)
			advise(verdict, fixes[i].fix);
}

static void blame(struct holder *holder, enum reason why, struct verdict *verdict)
{
	if (holder->process->how == HOLDING_OPENER_GONE) {
		buf_puts(&verdict->cause,
			 "the process that opened the device has exited, and the one that keeps it "
			 "open is not visible");
		advise(verdict, "sudo tt_smi doctor");
	} else if (reason_trace_fault(why)) {
		buf_puts(&verdict->cause, reason_text(why));
		advise(verdict, trace_fault_fix(reason_trace_fault(why)));
	} else if (why == DENIED) {
		buf_puts(&verdict->cause, "TT-Metal's counters belong to another user (mode 0600)");
		advise(verdict, "sudo tt_smi");
		advise(verdict, "sudo systemctl enable --now tt-allocd.socket (reads them for "
				"everybody)");
	} else if (why == NO_TRACKER || why == OTHER_NAMESPACE) {
		blame_program(holder, verdict);
	} else {
		buf_puts(&verdict->cause, reason_text(why));
		advise_counters(why, verdict);
	}
}

static bool is_exact(const struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++)
		if (!process->usages[i].exact)
			return false;
	return true;
}

static void put_name(struct buf *out, const struct patient *patient, const struct process *process)
{
	char label[80];

	process_label(process, label, sizeof(label));
	buf_printf(out, "%d %s", process->pid, label);
	if (process_knows(process, PROC_USER))
		buf_printf(out, " of %s", process->user);
	buf_puts(out, ", device ");
	devices_text(out, patient->snapshot, process);
}

/* Where the figures come from that are only a lower bound. */
static enum tracking inexact_source(const struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++)
		if (!process->usages[i].exact)
			return process->usages[i].source;
	return TRACKING_NONE;
}

static const char *inexact_cause(const struct process *process)
{
	switch (inexact_source(process)) {
	case TRACKING_WIRE:
		return "the server ignored reports of it that make no sense, or that name no "
		       "device of this machine";
	case TRACKING_TABLE:
	case TRACKING_PRELOAD:
		return "some of its reports were lost, or name no device of this machine";
	case TRACKING_TRACED:
	case TRACKING_METAL:
	case TRACKING_NONE:
	case TRACKING_N: break;
	}
	return "what it held before may be more than could be read back";
}

static void examine_known(const struct patient *patient, const struct process *process,
			  struct report *report)
{
	CLEANUP_BUF struct buf name = { 0 }, status = { 0 };

	put_name(&name, patient, process);
	status_text(&status, process);
	if (is_exact(process)) {
		report_add_about(report, LEVEL_OK, process->pid, buf_text(&name), "known: %s",
				 buf_text(&status));
		return;
	}
	report_add_about(report, LEVEL_WARN, process->pid, buf_text(&name), "a lower bound: %s; %s",
			 buf_text(&status), inexact_cause(process));
	if (inexact_source(process) != TRACKING_TRACED)
		return;
	if (patient->can_trace)
		report_fix(report,
			   "sudo tt_smi trace start, once it has allocated or freed: more of "
			   "what it held before may then be found");
	report_fix(report, "start it again: from then on all of it is seen");
}

static void examine_process(const struct patient *patient, const struct process *process,
			    struct report *report)
{
	struct holder holder = { .patient = patient, .process = process };
	CLEANUP_BUF struct buf name = { 0 };
	struct verdict verdict = { .n_fixes = 0 };
	enum reason why = first_reason(process);

	if (process->role == ROLE_MONITOR) {
		put_name(&name, patient, process);
		report_add_about(report, LEVEL_OK, process->pid, buf_text(&name),
				 "a monitor: it reads the state of devices and uses no memory of "
				 "theirs");
		return;
	}
	if (why == KNOWN) {
		examine_known(patient, process, report);
		return;
	}
	put_name(&name, patient, process);
	blame(&holder, why, &verdict);
	report_add_about(report, LEVEL_WARN, process->pid, buf_text(&name), "memory not known: %s",
			 buf_text(&verdict.cause));
	for (size_t i = 0; i < verdict.n_fixes; i++)
		report_fix(report, "%s", verdict.fixes[i]);
	buf_done(&verdict.cause);
}

/* Opens of a device by processes that are not in the list. */
static void examine_opens(const struct device *dev, struct report *report)
{
	uint32_t outside = dev->unseen_holders - dev->lost_openers;
	char subject[32];

	snprintf(subject, sizeof(subject), "device %s", dev->id);
	if (outside) {
		report_add_about(report, LEVEL_WARN, 0, subject,
				 "open %u time%s in processes outside this pid namespace", outside,
				 outside == 1 ? "" : "s");
		report_fix(report, "look from the host, or from a container with --pid=host");
	}
	if (dev->lost_openers) {
		report_add_about(report, LEVEL_WARN, 0, subject,
				 "open %u time%s through descriptors whose opener has exited; the "
				 "process that inherited them is not visible",
				 dev->lost_openers, dev->lost_openers == 1 ? "" : "s");
		report_fix(report, "sudo tt_smi doctor");
	}
}

static void examine_unseen(const struct patient *patient, const struct device *dev,
			   struct report *report)
{
	char subject[32];

	examine_opens(dev, report);
	if (dev->holders_known || !device_has_node(dev))
		return;
	snprintf(subject, sizeof(subject), "device %s", dev->id);
	report_add_about(report, LEVEL_WARN, 0, subject,
			 "not known which processes have it open: %s",
			 reason_text(dev->holders_why));
	if (dev->holders_why == HIDDEN_BY_NAMESPACE)
		return; /* examine_namespace() says what helps, once for all devices */
	report_fix(report, "sudo tt_smi doctor");
	if (patient->can_trace && patient->tracing != TRACING_ON)
		report_fix(report, "sudo tt_smi trace start: its list of open devices is for all "
				   "users, whatever the driver");
}

/* Who is outside is at best counted, by a driver that keeps lists. */
static void examine_namespace(struct report *report)
{
	if (in_initial_pid_namespace())
		return;
	report_add(report, LEVEL_NOTE,
		   "this is a pid namespace of its own: processes outside are not seen, but for "
		   "how often they have a device open (driver 2.5 and later)");
	report_fix(report, "look from the host, or from a container with --pid=host");
}

static void examine_stale_usages(const struct snapshot *snapshot, struct report *report)
{
	for (size_t i = 0; i < snapshot->n_stale_usages; i++) {
		const struct stale_usage *stale = &snapshot->stale_usages[i];
		char state[80];

		if (stale->why == STALE)
			snprintf(state, sizeof(state), "does not hold it any more");
		else
			snprintf(state, sizeof(state), "is not among the visible holders (%s)",
				 reason_text(stale->why));
		report_add(report, LEVEL_NOTE,
			   "TT-Metal's counters of device %s still have process %d (%s), which "
			   "%s: not counted",
			   snapshot->devices[stale->device].id, stale->pid, stale->name, state);
	}
}

static size_t count_nodes(const struct snapshot *snapshot)
{
	size_t count = 0;

	for (size_t i = 0; i < snapshot->n_devices; i++)
		count += device_has_node(&snapshot->devices[i]);
	return count;
}

void examine_processes(const struct patient *patient, struct report *report)
{
	const struct snapshot *snapshot = patient->snapshot;
	size_t before = report->count;

	for (size_t i = 0; i < snapshot->n_processes; i++)
		examine_process(patient, &snapshot->processes[i], report);
	for (size_t i = 0; i < snapshot->n_devices; i++)
		examine_unseen(patient, &snapshot->devices[i], report);
	examine_stale_usages(snapshot, report);
	if (report->count == before && count_nodes(snapshot))
		report_add(report, LEVEL_OK, "no process has a device open");
	else if (report->count == before)
		report_add(report, LEVEL_NOTE,
			   "none can have a device open: the driver serves none");
	if (patient->root->live)
		examine_namespace(report);
}
