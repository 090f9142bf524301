/* Fuzzes the parsers of kubelet's link names and of environments, which users choose. */
#include "fuzz.h"

#include "source/kubelet.h"
#include "source/procfs.h"

static void check_name(const char *text, const char *name, size_t size)
{
	CHECK(fuzz_is_text(name, size) && strlen(name) < size);
	CHECK(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") == strlen(name));
	CHECK(strstr(text, name));
}

static void check_names(const char *text, const struct pod_names *names)
{
	CHECK(names->pod[0] && names->namespace[0]);
	check_name(text, names->pod, sizeof(names->pod));
	check_name(text, names->namespace, sizeof(names->namespace));
	check_name(text, names->container, sizeof(names->container));
	check_name(text, names->id, sizeof(names->id));
	check_name(text, names->uid, sizeof(names->uid));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct owner owner = { .unit = "" };
	struct pod_names names;

	if (kubelet_parse_container(text, &names)) {
		check_names(text, &names);
		CHECK(strlen(names.id) == 64 && names.container[0]);
	}
	if (kubelet_parse_pod(text, &names)) {
		check_names(text, &names);
		CHECK(strlen(names.uid) >= 32);
	}
	procfs_parse_job(text, size, &owner);
	CHECK(fuzz_is_text(owner.slurm_job, sizeof(owner.slurm_job)));
	CHECK(strspn(owner.slurm_job, "0123456789") == strlen(owner.slurm_job));
	CHECK(fuzz_is_text(owner.slurm_name, sizeof(owner.slurm_name)));
	CHECK(fuzz_is_text(owner.slurm_user, sizeof(owner.slurm_user)));
	CHECK(owner.slurm_job[0] || (!owner.slurm_name[0] && !owner.slurm_user[0]));
	free(text);
	return 0;
}
