/*
 * Finds the container, pod, job or unit of a process from the paths in /proc/PID/cgroup, without
 * querying an API server or a runtime. Version 2 has one line "0::PATH", version 1 one per
 * controller, hybrids both; each line adds what the others lack.
 *
 * A path is split at '/', and also at ':', since containerd under systemd writes
 * "kubepods-…-podUID.slice:cri-containerd:ID" as one component.
 */
#include "source/procfs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PARTS = 32 };

struct cgroup_part {
	const char *text;
	size_t length;
};

struct path {
	struct cgroup_part parts[MAX_PARTS];
	size_t count;
};

static struct path path_split(const char *text, size_t length)
{
	struct path path = { .count = 0 };
	const char *end = text + length;

	while (text < end && path.count < MAX_PARTS) {
		const char *from = text;

		while (text < end && *text != '/' && *text != ':')
			text++;
		if (text > from)
			path.parts[path.count++] =
				(struct cgroup_part){ from, (size_t)(text - from) };
		text++;
	}
	return path;
}

static bool begins(struct cgroup_part part, const char *prefix)
{
	size_t length = strlen(prefix);

	return part.length >= length && memcmp(part.text, prefix, length) == 0;
}

static bool ends(struct cgroup_part part, const char *suffix)
{
	size_t length = strlen(suffix);

	return part.length >= length &&
	       memcmp(part.text + part.length - length, suffix, length) == 0;
}

static bool is(struct cgroup_part part, const char *text)
{
	return part.length == strlen(text) && begins(part, text);
}

static struct cgroup_part cut(struct cgroup_part part, size_t front, size_t back)
{
	return (struct cgroup_part){ part.text + front, part.length - front - back };
}

/* Copies it if it fits and the destination is empty. */
static void set(char *to, size_t size, struct cgroup_part part)
{
	if (!to[0] && part.length < size) {
		memcpy(to, part.text, part.length);
		to[part.length] = '\0';
	}
}

static bool is_hex(struct cgroup_part part, size_t least)
{
	for (size_t i = 0; i < part.length; i++)
		if (!isxdigit((unsigned char)part.text[i]))
			return false;
	return part.length >= least;
}

/*
 * …/[NODE_]slurmstepd.scope/job_J/step_S/… in version 2,
 * /slurm[_NODE]/uid_U/job_J/step_S/… in version 1.
 */
static void find_slurm(const struct path *path, struct owner *owner)
{
	bool below = false;

	for (size_t i = 0; i < path->count; i++) {
		struct cgroup_part part = path->parts[i];

		if (is(part, "slurm") || begins(part, "slurm_") || ends(part, "slurmstepd.scope"))
			below = true;
		else if (below && begins(part, "job_"))
			set(owner->slurm_job, sizeof(owner->slurm_job), cut(part, 4, 0));
		else if (below && begins(part, "step_"))
			set(owner->slurm_step, sizeof(owner->slurm_step), cut(part, 5, 0));
	}
}

/* A uid has 32 hexadecimal digits, with dashes, or underscores under systemd, or none. */
static bool is_pod_uid(struct cgroup_part part)
{
	size_t digits = 0;

	for (size_t i = 0; i < part.length; i++) {
		if (isxdigit((unsigned char)part.text[i]))
			digits++;
		else if (part.text[i] != '-' && part.text[i] != '_')
			return false;
	}
	return digits == 32;
}

/* kubepods/burstable/podUID, kubepods-burstable-podUID.slice */
static void find_pod(const struct path *path, struct owner *owner)
{
	bool below = false;

	for (size_t i = 0; i < path->count; i++) {
		struct cgroup_part part = path->parts[i], uid = part;

		below = below || begins(part, "kubepods") || begins(part, "kubelet");
		if (ends(uid, ".slice"))
			uid = cut(uid, 0, 6);
		for (size_t at = 0; below && at + 3 < uid.length; at++) {
			struct cgroup_part rest = cut(uid, at, 0);

			if (begins(rest, "pod") && is_pod_uid(cut(rest, 3, 0)))
				set(owner->pod, sizeof(owner->pod), cut(rest, 3, 0));
		}
	}
	for (char *p = owner->pod; *p; p++)
		if (*p == '_')
			*p = '-';
}

static void set_container(struct owner *owner, const char *runtime, struct cgroup_part id)
{
	if (owner->container[0] || id.length == 0)
		return;
	set(owner->container, sizeof(owner->container), id);
	if (owner->container[0])
		snprintf(owner->runtime, sizeof(owner->runtime), "%s", runtime);
}

/* "docker-ID.scope" and so on; "crio-conmon-…" monitors a container and is not one. */
static void match_scope(struct cgroup_part part, struct owner *owner)
{
	static const struct {
		const char *prefix, *runtime;
	} scopes[] = {
		{ "docker-", "docker" },	 { "cri-containerd-", "containerd" },
		{ "containerd-", "containerd" }, { "crio-", "cri-o" },
		{ "libpod-", "podman" },	 { "nerdctl-", "containerd" },
	};

	if (ends(part, ".scope"))
		part = cut(part, 0, 6);
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		struct cgroup_part id;

		if (!begins(part, scopes[i].prefix))
			continue;
		id = cut(part, strlen(scopes[i].prefix), 0);
		if (is_hex(id, 12))
			set_container(owner, scopes[i].runtime, id);
	}
}

/* "docker/ID", "lxc/NAME" and so on: the parent directory is named after the runtime. */
static void match_child(struct cgroup_part parent, struct cgroup_part part, struct owner *owner)
{
	static const struct {
		const char *parent, *runtime;
		bool hex;
	} children[] = {
		{ "docker", "docker", true },	   { "cri-containerd", "containerd", true },
		{ "crio", "cri-o", true },	   { "libpod_parent", "podman", true },
		{ "lxc", "lxc", false },	   { "lxc.payload", "lxc", false },
		{ "buildkit", "buildkit", false }, { "garden", "garden", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(children); i++)
		if (is(parent, children[i].parent) && (!children[i].hex || is_hex(part, 12)))
			set_container(owner, children[i].runtime, part);
}

/* Names that identify a container without a parent. */
static void match_name(struct cgroup_part part, struct owner *owner)
{
	match_scope(part, owner);
	if (begins(part, "lxc.payload."))
		set_container(owner, "lxc", cut(part, 12, 0));
	if (begins(part, "apptainer-") && ends(part, ".scope"))
		set_container(owner, "apptainer", cut(part, 10, 6));
	if (begins(part, "machine-") && ends(part, ".scope"))
		set_container(owner, "machine", cut(part, 8, 6));
}

static void find_container(const struct path *path, struct owner *owner)
{
	for (size_t i = path->count; i-- > 0;) {
		struct cgroup_part part = path->parts[i];

		match_name(part, owner);
		if (i > 0)
			match_child(path->parts[i - 1], part, owner);
		/* A bare id: cgroupfs under a kubelet, or ecs/TASK/ID. */
		if (is_hex(part, 64) && part.length == 64)
			set_container(owner, owner->pod[0] ? "cri" : "container", part);
	}
}

/* The innermost service or scope that is not that of a container. */
static void find_unit(const struct path *path, struct owner *owner)
{
	for (size_t i = path->count; i-- > 0;) {
		struct owner container = { .container = "" };
		struct cgroup_part part = path->parts[i];

		if (!ends(part, ".service") && !ends(part, ".scope"))
			continue;
		match_name(part, &container);
		if (container.container[0])
			continue;
		set(owner->unit, sizeof(owner->unit), part);
		return;
	}
}

/* The kernel appends " (deleted)" to the path of a group that was removed while a process was in
 * it. */
static size_t path_length(const char *text, size_t length)
{
	static const char mark[] = PROCFS_DELETED;
	size_t tail = sizeof(mark) - 1;

	if (length >= tail && memcmp(text + length - tail, mark, tail) == 0)
		return length - tail;
	return length;
}

void procfs_parse_cgroup(const char *text, struct owner *ret)
{
	struct owner owner = { .container = "" };

	while (*text) {
		size_t length = strcspn(text, "\n");
		const char *second = memchr(text, ':', length);
		const char *third = NULL;

		if (second)
			third = memchr(second + 1, ':', length - (size_t)(second + 1 - text));
		if (third) {
			size_t rest = length - (size_t)(third + 1 - text);
			struct path path = path_split(third + 1, path_length(third + 1, rest));

			find_slurm(&path, &owner);
			find_pod(&path, &owner);
			find_container(&path, &owner);
			find_unit(&path, &owner);
		}
		text += length;
		text += *text == '\n';
	}
	*ret = owner;
}
