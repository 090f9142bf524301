/*
 * Names of pods and containers, from the names of the links that kubelet makes for their logs:
 *
 *         /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log
 *         /var/log/pods/NAMESPACE_POD_UID
 *
 * Only the directories are read, which every user may, and no link is followed. Names that
 * Kubernetes does not allow are ignored.
 */
#pragma once

#include "basic/macros.h"
#include "source/proc_reader.h"
#include "source/source.h"

#include <stdbool.h>

/* A pod, and in it perhaps a container. */
struct pod_names {
	char id[80]; /* of the container; may be empty */
	char uid[40];
	char pod[254], namespace[64], container[64]; /* empty: not found */
};

/* The name of an entry of /var/log/containers. False: it is something else. */
bool kubelet_parse_container(const char *name, struct pod_names *ret);

/* The name of an entry of /var/log/pods. */
bool kubelet_parse_pod(const char *name, struct pod_names *ret);

/* The names that were looked up, for as long as their processes hold devices. */
struct kubelet_names {
	struct pod_names *list;
	size_t count;
	int64_t asked_ns;	   /* CLOCK_MONOTONIC, when the directories were read; 0: never */
	struct kubelet_scan *scan; /* the job that reads them; NULL: none was started */
};

/*
 * Adds names to the owners of the processes that were read. Reads the directories, as a job, if a
 * pod is new, and every few seconds while one has no names.
 */
MUST_CHECK int kubelet_names_add(struct kubelet_names *names, struct sample *sample,
				 struct proc_reader **readers, size_t count);

/* A job that hangs keeps its memory. */
void kubelet_names_done(struct kubelet_names *names, struct worker_pool *workers);
