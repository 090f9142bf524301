#include "source/dispatch_line.h"

#include "basic/clock.h"
#include "basic/macros.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint64_t fresh_ns = 2 * UINT64_C(1000000000);

static bool has_iommu(const struct root *root, const struct device *dev)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/iommu_group", dev->bdf);
	return root_access(root, path, F_OK) == 0;
}

/* Why TT-Metal's profiler does not cover a chip, as far as this can be told from outside. */
static enum reason not_covered_reason(const struct root *root, const struct device *dev)
{
	if (dev->arch == ARCH_WORMHOLE && dev->type && dev->type->chips == 2)
		return ETHERNET_DISPATCH;
	if (dev->arch == ARCH_BLACKHOLE && !has_iommu(root, dev))
		return NO_IOMMU;
	return UNMEASURED_NOT_COVERED;
}

/* KNOWN: it is measured, or a bound about which the line says nothing else. */
static enum reason unmeasured_reason(const struct root *root, const struct dispatch_line *line,
				     const struct device *dev)
{
	if (line->state == DISPATCH_OK)
		return KNOWN;
	if (line->state == DISPATCH_NOT_COVERED)
		return not_covered_reason(root, dev);
	return reason_of_dispatch_state(line->state);
}

enum reason dispatch_line_reason(const struct root *root, const struct dispatch_text *text,
				 const struct dispatch_line *line, const struct device *dev)
{
	if (text->now && (line->updated > text->now || text->now - line->updated > fresh_ns))
		return STALE;
	if (line->has_figure)
		return KNOWN;
	if (dev->remote)
		return NO_PCIE;
	/* It was found, and its first figure follows. */
	if (line->state == DISPATCH_OK)
		return UNMEASURED_NO_RECORDS;
	return unmeasured_reason(root, line, dev);
}

static double seconds(uint64_t ns)
{
	return (double)ns / NS_PER_S;
}

struct utilization_figure dispatch_line_figure(const struct root *root,
					       const struct dispatch_text *text,
					       const struct dispatch_line *line,
					       const struct device *dev)
{
	enum reason why = dispatch_line_reason(root, text, line, dev);
	struct utilization_figure figure = utilization_unknown(why);

	if (why == STALE)
		return figure;
	if (why == KNOWN) {
		figure.value.share = MIN((double)line->busy / (double)line->window, 1);
		figure.value.bound = line->bound;
		figure.value.programs = (double)line->programs / seconds(line->window);
		if (line->bound == BOUND_UPPER) {
			figure.why[UTIL_PROGRAMS] = NOT_REPORTED; /* launches alone are known */
			figure.value.unmeasured = unmeasured_reason(root, line, dev);
		}
		/* Of lower bounds, launches may be unknown. */
		figure.why[UTIL_RUNNING] =
			line->bound == BOUND_LOWER ? NOT_REPORTED : NOT_APPLICABLE;
		figure.why[UTIL_LAST_PROGRAM] = figure.why[UTIL_OPERATION] = NOT_REPORTED;
	}
	if (line->has_running) {
		figure.value.running = seconds(line->running);
		figure.why[UTIL_RUNNING] = KNOWN;
	}
	if (line->has_last) {
		figure.value.last_program = seconds(line->last);
		figure.why[UTIL_LAST_PROGRAM] = KNOWN;
	}
	if (line->operation[0]) {
		memcpy(figure.value.operation, line->operation, sizeof(line->operation));
		figure.why[UTIL_OPERATION] = KNOWN;
	}
	return figure;
}
