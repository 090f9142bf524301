/*
 * Examines each process that has a device open: is its memory known, and if not, why, and how to
 * fix it.
 */
#include "doctor/doctor.h"

#include "doctor/loaded.h"
#include "render/render.h"
#include "source/bpf_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct memory_case {
	const struct doctor_context *context;
	const struct process *process;
	struct loaded loaded; /* filled if its memory is unknown */
};

static bool is_contained(const struct process *process)
{
	return process->ns_depth > 1 || process_knows(process, PROC_CONTAINER);
}

/* Why its memory is unknown, and how to fix it. */
struct explanation {
	struct buf cause;
	const char *fixes[5];
	size_t n_fixes;
};

static void advise(struct explanation *ret, const char *fix)
{
	for (size_t i = 0; i < ret->n_fixes; i++)
		if (strcmp(ret->fixes[i], fix) == 0)
			return;
	if (ret->n_fixes < ARRAY_SIZE(ret->fixes))
		ret->fixes[ret->n_fixes++] = fix;
}

static void advise_tracing(const struct memory_case *subject, struct explanation *ret)
{
	if (subject->context->tracing == TRACING_ELSEWHERE)
		advise(ret, "sudo tt_smi, on the host");
	else if (subject->context->can_trace)
		advise(ret, "sudo tt_smi trace start");
}

/* Explains why TT-Metal's own counters do not include it. */
static void explain_counters(const struct memory_case *subject, struct explanation *ret)
{
	if (!subject->loaded.library.shape.publishes) {
		buf_puts(&ret->cause, " has no counters of its own (v0.70 and later have)");
	} else if (subject->loaded.disabled) {
		buf_puts(&ret->cause,
			 " has its counters disabled (TT_METAL_SHM_TRACKING_DISABLED)");
		advise(ret, "start it without TT_METAL_SHM_TRACKING_DISABLED");
	} else if (is_contained(subject->process) && !subject->context->root->live) {
		buf_puts(&ret->cause,
			 " keeps its counters in its container's own /dev/shm, which is not in "
			 "this tree");
		advise(ret, "sudo tt_smi doctor, on the machine itself");
	} else {
		/* If its libraries are readable, its container was searched, too. */
		buf_puts(&ret->cause,
			 " has published nothing: it has allocated nothing yet, or only in threads "
			 "that it does not count");
	}
}

static void explain_tracing(const struct memory_case *subject, struct explanation *ret)
{
	enum trace_fault fault = metal_library_fault(&subject->loaded.library);

	if (fault) {
		buf_printf(&ret->cause, "; it cannot be traced (%s: %s)", trace_fault_word(fault),
			   trace_fault_meaning(fault));
		return;
	}
	if (subject->context->tracing == TRACING_ELSEWHERE)
		buf_puts(&ret->cause,
			 "; tracing is on, but its figures are visible on the host only");
	else
		buf_puts(&ret->cause, subject->context->tracing == TRACING_ON
					      ? "; tracing is on, but not for this library"
					      : "; tracing is off");
	advise_tracing(subject, ret);
}

static void explain_library(struct memory_case *subject, struct explanation *ret)
{
	buf_printf(&ret->cause, "TT-Metal %s (%s)", subject->loaded.library.shape.versions,
		   subject->loaded.path);
	explain_counters(subject, ret);
	explain_tracing(subject, ret);
	advise(ret, TRACE_FIX_RUN);
	if (!subject->loaded.library.shape.publishes)
		advise(ret, "TT-Metal v0.70 or later, which counts by itself");
}

/* Its memory is not counted at all: is TT-Metal loaded, and which release? */
static void explain_program(struct memory_case *subject, struct explanation *ret)
{
	loaded_find(subject->context->root, subject->process->pid, &subject->loaded);
	if (subject->loaded.library_error == 0) {
		explain_library(subject, ret);
	} else if (subject->loaded.library_error == -ENOTSUP) {
		buf_printf(&ret->cause, "its TT-Metal (%s) is of an unknown version",
			   subject->loaded.path);
		advise(ret, TRACE_FIX_REPORT);
	} else if (subject->loaded.maps_error == -EACCES) {
		buf_puts(&ret->cause, "only its user and root may see which files it has loaded");
		advise(ret, "sudo tt_smi doctor");
		if (subject->context->tracing != TRACING_ON)
			advise_tracing(subject, ret);
	} else if (subject->loaded.maps_error == -ETIMEDOUT) {
		buf_puts(&ret->cause, "reads of its files do not return");
	} else if (subject->loaded.maps_error) {
		buf_printf(&ret->cause, "cannot read which files it has loaded (%s)",
			   strerror(-subject->loaded.maps_error));
	} else if (subject->loaded.replaced) {
		buf_puts(&ret->cause, "a file that it has loaded was replaced on disk; only root "
				      "can read the old one");
		advise(ret, "sudo tt_smi doctor");
	} else {
		buf_puts(&ret->cause, "it has not loaded TT-Metal");
		advise(ret, TRACE_FIX_REPORT);
	}
}

static enum reason first_reason(const struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++)
		if (process->usages[i].why[USE_DRAM] != KNOWN)
			return process->usages[i].why[USE_DRAM];
	return KNOWN;
}

/* Fixes for counters of TT-Metal that cannot be matched to this process or device. */
static void advise_counters(enum reason why, struct explanation *ret)
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
			advise(ret, fixes[i].fix);
}

static void explain(struct memory_case *subject, enum reason why, struct explanation *ret)
{
	if (subject->process->holding == HOLDING_OPENER_GONE) {
		buf_puts(&ret->cause,
			 "the process that opened the device has exited, and the one that keeps it "
			 "open is not visible");
		advise(ret, "sudo tt_smi doctor");
	} else if (reason_trace_fault(why)) {
		buf_puts(&ret->cause, reason_text(why));
		advise(ret, trace_fault_fix(reason_trace_fault(why)));
	} else if (why == DENIED) {
		buf_puts(&ret->cause, "TT-Metal's counters belong to another user (mode 0600)");
		advise(ret, "sudo tt_smi");
		advise(ret, "sudo systemctl enable --now tt-allocd.socket (it reads them for "
			    "every user)");
	} else if (why == NO_TRACKER || why == OTHER_NAMESPACE) {
		explain_program(subject, ret);
	} else {
		buf_puts(&ret->cause, reason_text(why));
		advise_counters(why, ret);
	}
}

static bool is_exact(const struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++)
		if (!process->usages[i].exact)
			return false;
	return true;
}

static void put_name(struct buf *out, const struct doctor_context *context,
		     const struct process *process)
{
	char label[80];

	process_label(process, label, sizeof(label));
	buf_printf(out, "%d %s", process->pid, label);
	if (process_knows(process, PROC_USER))
		buf_printf(out, " of %s", process->user);
	buf_puts(out, ", device ");
	devices_text(out, context->snapshot, process);
}

/* The source of figures that are only lower bounds. */
static enum tracking inexact_source(const struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++)
		if (!process->usages[i].exact)
			return process->usages[i].tracking;
	return TRACKING_NONE;
}

static const char *inexact_cause(const struct process *process)
{
	switch (inexact_source(process)) {
	case TRACKING_WIRE:
		return "the server ignored some of its reports, which were invalid or named no "
		       "device of this machine";
	case TRACKING_TABLE:
	case TRACKING_PRELOAD:
		return "some of its reports were lost, or name no device of this machine";
	case TRACKING_TRACED:
	case TRACKING_METAL:
	case TRACKING_NONE:
	case TRACKING_N: break;
	}
	return "before the probes were attached it may have allocated more than the tracer could "
	       "read";
}

static void examine_known(const struct doctor_context *context, const struct process *process,
			  struct report *report)
{
	CLEANUP_BUF struct buf name = { 0 }, status = { 0 };

	put_name(&name, context, process);
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
	if (context->can_trace)
		report_fix(report, "sudo tt_smi trace start, once it has allocated or freed memory "
				   "again: the tracer may then find more");
	report_fix(report, "restart it: the probes then see all of its allocations");
}

static void examine_process(const struct doctor_context *context, const struct process *process,
			    struct report *report)
{
	struct memory_case subject = { .context = context, .process = process };
	CLEANUP_BUF struct buf name = { 0 };
	struct explanation ret = { .n_fixes = 0 };
	enum reason why = first_reason(process);

	if (process->role == ROLE_MONITOR) {
		put_name(&name, context, process);
		report_add_about(report, LEVEL_OK, process->pid, buf_text(&name),
				 "a monitor: it reads the state of devices and uses none of their "
				 "memory");
		return;
	}
	if (why == KNOWN) {
		examine_known(context, process, report);
		return;
	}
	put_name(&name, context, process);
	explain(&subject, why, &ret);
	report_add_about(report, LEVEL_WARN, process->pid, buf_text(&name), "memory unknown: %s",
			 buf_text(&ret.cause));
	for (size_t i = 0; i < ret.n_fixes; i++)
		report_fix(report, "%s", ret.fixes[i]);
	buf_done(&ret.cause);
}

/* Opens by processes that are not visible. */
static void examine_opens(const struct device *dev, struct report *report)
{
	uint32_t outside = dev->unseen_holders - dev->lost_openers;
	char subject[32];

	snprintf(subject, sizeof(subject), "device %s", dev->id);
	if (outside) {
		report_add_about(report, LEVEL_WARN, 0, subject,
				 "open %u time%s in processes outside this pid namespace", outside,
				 outside == 1 ? "" : "s");
		report_fix(report, "run tt_smi on the host, or in a container with --pid=host");
	}
	if (dev->lost_openers) {
		report_add_about(report, LEVEL_WARN, 0, subject,
				 "open %u time%s through descriptors whose opener has exited; the "
				 "process that inherited them is not visible",
				 dev->lost_openers, dev->lost_openers == 1 ? "" : "s");
		report_fix(report, "sudo tt_smi doctor");
	}
}

static void examine_unseen(const struct doctor_context *context, const struct device *dev,
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
		return; /* examine_namespace() reports the fix, once for all devices */
	report_fix(report, "sudo tt_smi doctor");
	if (context->can_trace && context->tracing != TRACING_ON)
		report_fix(report,
			   "sudo tt_smi trace start: its list of open devices is readable by "
			   "every user and does not depend on the driver");
}

/* The driver only counts processes outside this pid namespace, if it lists processes at all. */
static void examine_namespace(struct report *report)
{
	if (in_initial_pid_namespace())
		return;
	report_add(report, LEVEL_NOTE,
		   "tt_smi runs in its own pid namespace: of processes outside, only the number of "
		   "open descriptors is known (driver 2.5 and later)");
	report_fix(report, "run tt_smi on the host, or in a container with --pid=host");
}

static void examine_stale_usages(const struct snapshot *snapshot, struct report *report)
{
	for (size_t i = 0; i < snapshot->n_stale_usages; i++) {
		const struct stale_usage *stale = &snapshot->stale_usages[i];
		char state[80];

		if (stale->why == STALE)
			snprintf(state, sizeof(state), "no longer holds it");
		else
			snprintf(state, sizeof(state), "is not among the visible holders (%s)",
				 reason_text(stale->why));
		report_add(report, LEVEL_NOTE,
			   "TT-Metal's counters of device %s still list process %d (%s), which "
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

void examine_processes(const struct doctor_context *context, struct report *report)
{
	const struct snapshot *snapshot = context->snapshot;
	size_t before = report->count;

	for (size_t i = 0; i < snapshot->n_processes; i++)
		examine_process(context, &snapshot->processes[i], report);
	for (size_t i = 0; i < snapshot->n_devices; i++)
		examine_unseen(context, &snapshot->devices[i], report);
	examine_stale_usages(snapshot, report);
	if (report->count == before && count_nodes(snapshot))
		report_add(report, LEVEL_OK, "no process has a device open");
	else if (report->count == before)
		report_add(report, LEVEL_NOTE,
			   "no process can have a device open: the driver serves no device");
	if (context->root->live)
		examine_namespace(report);
}
