/* Fuzzes the parser of cgroup paths, which containers choose. */
#include "fuzz.h"

#include "source/procfs.h"

static bool is_part(const char *text, const char *part)
{
	return !part[0] || strstr(text, part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct process process;
	struct owner owner;

	procfs_parse_cgroup(text, &owner);
	CHECK(fuzz_is_text(owner.container, sizeof(owner.container)));
	CHECK(fuzz_is_text(owner.runtime, sizeof(owner.runtime)));
	CHECK(fuzz_is_text(owner.pod, sizeof(owner.pod)));
	CHECK(fuzz_is_text(owner.slurm_job, sizeof(owner.slurm_job)));
	CHECK(fuzz_is_text(owner.slurm_step, sizeof(owner.slurm_step)));
	CHECK(fuzz_is_text(owner.unit, sizeof(owner.unit)));
	/* All names are part of the text, except for the dashes of a pod id. */
	CHECK(is_part(text, owner.container) && is_part(text, owner.unit));
	CHECK(is_part(text, owner.slurm_job) && is_part(text, owner.slurm_step));
	CHECK(!strpbrk(owner.container, "/:\n") && !strpbrk(owner.unit, "/:\n"));
	CHECK((owner.container[0] != '\0') == (owner.runtime[0] != '\0'));
	CHECK(strspn(owner.pod, "0123456789abcdefABCDEF-") == strlen(owner.pod));

	process_init(&process, 1);
	process_set_owner(&process, &owner);
	CHECK((process.owner.text != NULL) == (process.why[PROC_OWNER] == KNOWN));
	CHECK(!process.owner.unit || strcmp(process.owner.unit, owner.unit) == 0);
	process_done(&process);
	free(text);
	return 0;
}
