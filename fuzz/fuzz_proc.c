/* Fuzzes the parsers of /proc/PID: stat, status, command line, link and line of maps. */
#include "fuzz.h"

#include "basic/maps_line.h"
#include "basic/shared_text.h"
#include "source/procfs.h"

#include <inttypes.h>
#include <stdio.h>

static void try_stat(const char *text)
{
	struct procfs_stat stat;

	if (procfs_parse_stat(text, &stat) < 0)
		return;
	CHECK(fuzz_is_text(stat.comm, sizeof(stat.comm)));
	CHECK(strstr(text, stat.comm));
	CHECK(stat.state);
}

static void try_status(const char *text)
{
	struct procfs_status status;

	if (procfs_parse_status(text, &status) < 0)
		return;
	CHECK(status.ns_depth <= sizeof(status.ns_pids) / sizeof(status.ns_pids[0]));
	for (unsigned i = 0; i < status.ns_depth; i++)
		CHECK(status.ns_pids[i] >= 0);
}

static void try_cmdline(const char *data, size_t size)
{
	char name[64], command[80], label[40];
	struct process process;

	memset(name, 'x', sizeof(name));
	memset(command, 'x', sizeof(command));
	procfs_program_name(data, size, name, sizeof(name));
	procfs_join_arguments(data, size, command, sizeof(command));
	CHECK(fuzz_is_text(name, sizeof(name)) && fuzz_is_text(command, sizeof(command)));
	CHECK(strlen(command) <= size);

	process_init(&process, 1);
	memcpy(process.name, name, sizeof(name));
	process.command = shared_text_new(sizeof(command));
	CHECK(process.command);
	memcpy(process.command, command, sizeof(command));
	process.why[PROC_NAME] = process.why[PROC_COMMAND] = KNOWN;
	memset(label, 'x', sizeof(label));
	process_label(&process, label, sizeof(label));
	CHECK(fuzz_is_text(label, sizeof(label)));
	process_done(&process);
}

static void try_node(const char *text)
{
	const char *digits = strrchr(text, '/');
	uint32_t index;

	if (!procfs_names_node(text, "", &index) && !procfs_names_node(text, "/tree", &index))
		return;
	/* It ends with the node, with or without a newline: it is not marked as deleted. */
	CHECK(strstr(text, "/dev/tenstorrent/") && digits);
	digits++;
	CHECK(strtoul(digits, NULL, 10) == index);
	digits += strspn(digits, "0123456789");
	CHECK(strcmp(digits, "") == 0 || strcmp(digits, "\n") == 0);
}

/* What it accepts is what scanf() accepts, with the same values. */
static void try_maps_line(const char *text)
{
	struct maps_line line;
	uint64_t start, end, inode;
	unsigned major, minor;
	char mode[8];

	if (!maps_line_parse(text, &line))
		return;
	CHECK(sscanf(text, "%" SCNx64 "-%" SCNx64 " %7s %*x %x:%x %" SCNu64, &start, &end, mode,
		     &major, &minor, &inode) == 6);
	CHECK(line.start == start && line.end == end && line.inode == inode);
	CHECK(line.major == major && line.minor == minor);
	CHECK(line.is_executable == (mode[2] == 'x'));
	CHECK(line.name > text && line.name <= text + strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	try_stat(text);
	try_status(text);
	try_cmdline((const char *)data, size);
	try_node(text);
	try_maps_line(text);
	free(text);
	return 0;
}
