#include "source/kubelet.h"

#include "basic/clock.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t pause_ns = 5 * NS_PER_S;

/* Lower-case letters, digits, dashes and dots: a DNS name. Copies it if it fits. */
static bool take_name(const char *text, size_t length, char *to, size_t size)
{
	if (length == 0 || length >= size)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!islower((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) &&
		    text[i] != '-' && text[i] != '.')
			return false;
	if (text[0] == '-' || text[0] == '.')
		return false;
	memcpy(to, text, length);
	to[length] = '\0';
	return true;
}

/* Splits "A_B_C", where A and B have no underscore. */
static bool split(const char *name, size_t ret_length[2], const char **ret_rest)
{
	const char *first = strchr(name, '_');
	const char *second = first ? strchr(first + 1, '_') : NULL;

	if (!second || strchr(second + 1, '_'))
		return false;
	ret_length[0] = (size_t)(first - name);
	ret_length[1] = (size_t)(second - first - 1);
	*ret_rest = second + 1;
	return true;
}

bool kubelet_parse_container(const char *name, struct pod_names *ret)
{
	static const char suffix[] = ".log";
	struct pod_names names = { .id = "" };
	size_t length[2], id_length;
	const char *rest, *id;

	if (!split(name, length, &rest))
		return false;
	id = strrchr(rest, '-');
	id_length = id ? strspn(id + 1, "0123456789abcdef") : 0;
	if (id_length != 64 || strcmp(id + 1 + id_length, suffix) != 0)
		return false;
	memcpy(names.id, id + 1, id_length);
	if (!take_name(name, length[0], names.pod, sizeof(names.pod)) ||
	    !take_name(name + length[0] + 1, length[1], names.namespace, sizeof(names.namespace)) ||
	    !take_name(rest, (size_t)(id - rest), names.container, sizeof(names.container)))
		return false;
	*ret = names;
	return true;
}

/*
 * 32 hexadecimal digits, with dashes between groups; that of a static pod is a hash without them.
 */
static bool is_uid(const char *text)
{
	size_t length = strlen(text), dashes = 0;

	for (size_t i = 0; i < length; i++)
		dashes += text[i] == '-';
	return length == 32 + dashes && (dashes == 0 || dashes == 4) &&
	       strspn(text, "0123456789abcdef-") == length && text[0] != '-' &&
	       text[length - 1] != '-';
}

bool kubelet_parse_pod(const char *name, struct pod_names *ret)
{
	struct pod_names names = { .id = "" };
	size_t length[2];
	const char *uid;

	if (!split(name, length, &uid) || !is_uid(uid))
		return false;
	if (!take_name(name, length[0], names.namespace, sizeof(names.namespace)) ||
	    !take_name(name + length[0] + 1, length[1], names.pod, sizeof(names.pod)))
		return false;
	memcpy(names.uid, uid, strlen(uid) + 1);
	*ret = names;
	return true;
}

/* ---- the job ---- */

struct kubelet_scan {
	struct job job;
	const struct root *root;
	struct pod_names *wanted;
	size_t count;
	int error; /* of reading the directories; 0: at least one could be read */
};

static int visit_container(const char *name, void *arg)
{
	struct kubelet_scan *scan = arg;
	struct pod_names found;

	if (!kubelet_parse_container(name, &found))
		return 0;
	for (size_t i = 0; i < scan->count; i++) {
		struct pod_names *wanted = &scan->wanted[i];

		if (strcmp(wanted->id, found.id) != 0)
			continue;
		memcpy(found.uid, wanted->uid, sizeof(found.uid));
		*wanted = found;
	}
	return 0;
}

/* For containers without a link, such as the one that holds a pod's namespaces. */
static int visit_pod(const char *name, void *arg)
{
	struct kubelet_scan *scan = arg;
	struct pod_names found;

	if (!kubelet_parse_pod(name, &found))
		return 0;
	for (size_t i = 0; i < scan->count; i++) {
		struct pod_names *wanted = &scan->wanted[i];

		if (wanted->pod[0] || strcmp(wanted->uid, found.uid) != 0)
			continue;
		memcpy(wanted->pod, found.pod, sizeof(found.pod));
		memcpy(wanted->namespace, found.namespace, sizeof(found.namespace));
	}
	return 0;
}

static void read_links(void *arg)
{
	struct kubelet_scan *scan = arg;
	int containers = root_each(scan->root, "var/log/containers", visit_container, scan);
	int pods = root_each(scan->root, "var/log/pods", visit_pod, scan);

	scan->error = MIN(containers, 0) && MIN(pods, 0) ? pods : 0;
}

static void scan_free(struct kubelet_scan *scan)
{
	if (scan)
		free(scan->wanted);
	free(scan);
}

static struct kubelet_scan *scan_new(const struct root *root, const struct kubelet_names *names)
{
	struct kubelet_scan *scan = calloc(1, sizeof(*scan));

	if (!scan)
		return NULL;
	scan->job = (struct job){ .run = read_links, .arg = scan };
	scan->root = root;
	scan->count = names->count;
	scan->wanted = calloc(names->count, sizeof(*scan->wanted));
	if (!scan->wanted) {
		scan_free(scan);
		return NULL;
	}
	memcpy(scan->wanted, names->list, names->count * sizeof(*scan->wanted));
	return scan;
}

/* ---- between samples ---- */

static bool is_same(const struct pod_names *names, const struct owner *owner)
{
	return strcmp(names->id, owner->container) == 0 && strcmp(names->uid, owner->pod) == 0;
}

static struct pod_names *names_find(const struct kubelet_names *names, const struct owner *owner)
{
	for (size_t i = 0; i < names->count; i++)
		if (is_same(&names->list[i], owner))
			return &names->list[i];
	return NULL;
}

/* The owner of a process in a pod; NULL: it is in none, or its job is not done. */
static struct owner *owner_of(const struct sample *sample, const struct proc_reader *reader)
{
	if (!job_is_done(sample->workers, &reader->job) || reader->error < 0 || !reader->owner ||
	    !reader->owner->pod[0])
		return NULL;
	return reader->owner;
}

/* The pods of this sample, with the names that are known of them. *ret_new: some were not there. */
static int names_list(struct kubelet_names *names, const struct sample *sample,
		      struct proc_reader **readers, size_t count, bool *ret_new)
{
	struct kubelet_names now = { .list = calloc(count + 1, sizeof(*now.list)) };

	if (!now.list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct owner *owner = owner_of(sample, readers[i]);
		const struct pod_names *known;

		if (!owner || names_find(&now, owner))
			continue;
		known = names_find(names, owner);
		*ret_new |= !known;
		if (known)
			now.list[now.count] = *known;
		else
			snprintf(now.list[now.count].id, sizeof(now.list->id), "%s",
				 owner->container);
		memcpy(now.list[now.count++].uid, owner->pod, sizeof(owner->pod));
	}
	free(names->list);
	names->list = now.list;
	names->count = now.count;
	return 0;
}

static bool lacks_names(const struct kubelet_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (!names->list[i].pod[0])
			return true;
	return false;
}

/* Takes what the job has found about the pods that are still wanted. */
static void names_take(struct kubelet_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		for (size_t k = 0; k < names->scan->count; k++) {
			const struct pod_names *found = &names->scan->wanted[k];

			if (found->pod[0] && strcmp(found->id, names->list[i].id) == 0 &&
			    strcmp(found->uid, names->list[i].uid) == 0)
				names->list[i] = *found;
		}
}

/* KNOWN, or why names are missing. */
static enum reason names_read(struct kubelet_names *names, struct sample *sample, bool is_new)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);
	struct job *job;

	if (names->scan && job_is_busy(sample->workers, &names->scan->job))
		return TIMED_OUT;
	if (is_new || now - names->asked_ns >= pause_ns) {
		scan_free(names->scan);
		names->scan = scan_new(sample->root, names);
		if (!names->scan)
			return NOT_ASKED;
		names->asked_ns = now;
		job = &names->scan->job;
		worker_pool_run(sample->workers, &job, 1, sample->deadline_ns);
		if (!job_is_done(sample->workers, job))
			return TIMED_OUT;
	}
	if (!names->scan)
		return NOT_ASKED;
	names_take(names);
	return names->scan->error ? reason_of_error(names->scan->error) : NOT_OFFERED;
}

int kubelet_names_add(struct kubelet_names *names, struct sample *sample,
		      struct proc_reader **readers, size_t count)
{
	enum reason why = KNOWN;
	bool is_new = false;
	int r = names_list(names, sample, readers, count, &is_new);

	if (r < 0)
		return r;
	if (lacks_names(names))
		why = names_read(names, sample, is_new);
	for (size_t i = 0; i < count; i++) {
		struct owner *owner = owner_of(sample, readers[i]);
		const struct pod_names *found = owner ? names_find(names, owner) : NULL;

		if (!found)
			continue;
		memcpy(owner->pod_name, found->pod, sizeof(found->pod));
		memcpy(owner->namespace, found->namespace, sizeof(found->namespace));
		memcpy(owner->container_name, found->container, sizeof(found->container));
		owner->names_why = (uint8_t)(found->pod[0] ? KNOWN : why);
	}
	return 0;
}

void kubelet_names_done(struct kubelet_names *names, struct worker_pool *workers)
{
	if (!names->scan || !job_is_busy(workers, &names->scan->job))
		scan_free(names->scan);
	free(names->list);
}
