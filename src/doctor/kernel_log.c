/*
 * Examines the kernel log since boot for faults of the devices, the driver, the IOMMU and the
 * machine. Only what the kernel itself wrote counts, since processes may write into the log too.
 */
#include "doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KMSG "dev/kmsg"

enum {
	LOG_MAX = 64 << 20,    /* more than any kernel keeps */
	RECORD_MAX = 16 << 10, /* the kernel's records are shorter */
	SEVERITY_ERR = 3,
};

enum log_fault { LOG_AER, LOG_DRIVER, LOG_IOMMU, LOG_MACHINE_CHECK, LOG_FAULTS };

static const struct {
	const char *text, *fix;
} faults[LOG_FAULTS] = {
	[LOG_AER] = { "uncorrected PCIe errors",
		      "reset the card; if it happens again, reseat it, check slot, riser and "
		      "cables" },
	[LOG_DRIVER] = { "errors of the driver", "reset the card, and upgrade tt-kmd if they "
						 "return" },
	[LOG_IOMMU] = { "accesses to memory that is not mapped for the card (IOMMU faults)",
			"restart the program that used the card then, and reset the card" },
	[LOG_MACHINE_CHECK] = { "machine checks: faults of the processor, its memory or a bus",
				"sudo dmesg, rasdaemon(8) or the log of the board's controller "
				"has the details" },
};

/* One record of the log. */
struct record {
	unsigned priority; /* facility << 3 | severity */
	double seconds;	   /* since boot */
	const char *text;
};

/* Does the text contain the word, not as a part of a longer one? */
static bool names(const char *text, const char *word)
{
	static const char inner[] = "0123456789abcdefABCDEF:.";
	size_t length = strlen(word);

	for (const char *at = strstr(text, word); length && at; at = strstr(at + 1, word))
		if ((at == text || !strchr(inner, at[-1])) &&
		    (!at[length] || at[length] == ':' || !strchr(inner, at[length])))
			return true;
	return false;
}

static bool is_about(const char *text, const struct device *dev)
{
	return names(text, dev->bdf) ||
	       (device_knows(dev, DEV_UPSTREAM) && names(text, dev->upstream.bdf));
}

/* Intel's IOMMU names devices of the first domain without it: "[01:00.0]". */
static bool is_dmar_fault(const char *text, const struct device *dev)
{
	char function[16];

	if (strncmp(text, "DMAR: ", 6) != 0 || !strstr(text, "fault") ||
	    strncmp(dev->bdf, "0000:", 5) != 0)
		return false;
	snprintf(function, sizeof(function), "[%.7s]", dev->bdf + 5);
	return strstr(text, function);
}

/* The kind of fault of this device, or LOG_FAULTS: none. */
static enum log_fault classify(const struct record *record, const struct device *dev)
{
	const char *text = record->text;

	if ((strstr(text, "AER: ") || strstr(text, "PCIe Bus Error: ")) &&
	    strstr(text, "Uncorrect") && is_about(text, dev))
		return LOG_AER;
	if (is_dmar_fault(text, dev) ||
	    (strstr(text, "AMD-Vi: Event logged") && names(text, dev->bdf)))
		return LOG_IOMMU;
	if (strncmp(text, "tenstorrent ", 12) == 0 && record->priority <= SEVERITY_ERR &&
	    names(text, dev->bdf))
		return LOG_DRIVER;
	return LOG_FAULTS;
}

/* "3,800,81000000,-;text". False: a continuation, or not written by the kernel. */
static bool record_parse(char *line, struct record *ret)
{
	char *text = strchr(line, ';');
	unsigned long long sequence, microseconds;

	if (!text ||
	    sscanf(line, "%9u,%19llu,%19llu,", &ret->priority, &sequence, &microseconds) != 3)
		return false;
	ret->seconds = (double)microseconds / 1e6;
	ret->text = text + 1;
	return line[0] != ' ' && ret->priority < 8; /* facility 0 */
}

/* The number of faults of one kind, and the last of them. */
struct fault_count {
	unsigned count;
	double seconds;
	const char *text;
};

static void count_fault(struct fault_count *fault, const struct record *record)
{
	fault->count++;
	fault->seconds = record->seconds;
	fault->text = record->text;
}

static void report_fault(enum log_fault kind, const struct fault_count *fault,
			 const struct device *dev, struct report *report)
{
	CLEANUP_BUF struct buf subject = { 0 };

	if (!fault->count)
		return;
	if (dev)
		buf_printf(&subject, "%s: %s: ", dev->id, board_name(dev));
	report_add(report, LEVEL_WARN, "%s%s: %u since boot, the last one %.0f s after boot: %s",
		   buf_text(&subject), faults[kind].text, fault->count, fault->seconds,
		   fault->text);
	report_fix(report, "%s", faults[kind].fix);
	report->failed |= subject.failed;
}

/* The counts of each device, then those of the machine. */
static void examine_records(const struct snapshot *snapshot, char *log, struct report *report)
{
	size_t n = snapshot->n_devices;
	struct fault_count(*counts)[LOG_FAULTS] = calloc(n + 1, sizeof(*counts));
	struct record record;
	char *line;

	report->failed |= !counts;
	while (counts && (line = strsep(&log, "\n"))) {
		if (!record_parse(line, &record))
			continue;
		if (strncmp(record.text, "mce: [Hardware Error]", 21) == 0)
			count_fault(&counts[n][LOG_MACHINE_CHECK], &record);
		for (size_t i = 0; i < n; i++) {
			const struct device *dev = &snapshot->devices[i];
			enum log_fault kind =
				device_knows(dev, DEV_BDF) ? classify(&record, dev) : LOG_FAULTS;

			if (kind < LOG_FAULTS)
				count_fault(&counts[i][kind], &record);
		}
	}
	for (size_t i = 0; counts && i <= n; i++)
		for (enum log_fault kind = 0; kind < LOG_FAULTS; kind++) {
			const struct device *dev = i < n ? &snapshot->devices[i] : NULL;

			report->device = dev ? dev->id : NULL;
			report_fault(kind, &counts[i][kind], dev, report);
		}
	free(counts);
}

/*
 * Each read of the real file returns one record, at the end -EAGAIN. -EPIPE: some were overwritten
 * meanwhile, and the next read continues after them.
 */
static int read_live(const struct root *root, struct buf *ret)
{
	CLEANUP_CLOSE int fd = root_open(root, KMSG, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[RECORD_MAX];

	if (fd < 0)
		return fd;
	while (ret->length < LOG_MAX) {
		ssize_t n = read(fd, record, sizeof(record));

		if (n > 0)
			buf_add(ret, record, (size_t)n);
		else if (n == 0 || errno == EAGAIN)
			break;
		else if (errno != EPIPE && errno != EINTR)
			return -errno;
	}
	return ret->failed ? -ENOMEM : 0;
}

void examine_kernel_log(const struct doctor_context *context, struct report *report)
{
	const struct root *root = context->root;
	CLEANUP_BUF struct buf log = { 0 };
	size_t before = report->count;
	int r = root->live ? read_live(root, &log) : root_read_all(root, KMSG, LOG_MAX, &log);

	if (r < 0) {
		report_add_unexamined(report, "/" KMSG ": %s", strerror(-r));
		if (r == -EACCES || r == -EPERM)
			report_fix(report, "only root may read it here: sudo tt_smi doctor");
		return;
	}
	examine_records(context->snapshot, log.data, report);
	if (report->count == before)
		report_add(report, LEVEL_OK, "no faults since boot");
}
