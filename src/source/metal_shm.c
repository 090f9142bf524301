/*
 * Memory per process as counted by TT-Metal (April 2026 and later) in /dev/shm: in ours and, if
 * permitted, in those of containers. source/metal_slots.h decides which figures count.
 */
#include "source/source.h"

#include "source/container_shm.h"
#include "source/metal_file.h"
#include "source/metal_id.h"
#include "source/metal_slots.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Maximum files per owner to read that match no known chip. */
enum { UNMATCHED_MAX = 64 };

struct metal_shm {
	struct containers containers;
	struct metal_ids ids; /* of this sample */
};

/* Sets why the figures of a device's processes are unknown. */
static void set_device_reason(const struct metal_view *view, enum reason why)
{
	struct snapshot *snapshot = view->folder->sample->snapshot;

	for (size_t i = 0; i < snapshot->n_processes && view->has_device; i++) {
		struct process *process = &snapshot->processes[i];
		const struct usage *usage = process_find_usage(process, view->device);

		if (usage && metal_folder_is_seen(view->folder, process))
			metal_set_reason(process, usage, why);
	}
}

/* A file that matches no device is not reported: any user may create one. */
static void reject(const struct metal_view *view, enum reason why)
{
	const struct metal_counters_file *file = view->file;
	char path[SHM_PATH_SIZE], text[80];

	if (!view->has_device)
		return;
	shm_path(path, file->id, SHM_MEMORY);
	if (file->length < 0)
		snprintf(text, sizeof(text), "%s", strerror((int)-file->length));
	else if (why == UNKNOWN_VERSION)
		snprintf(text, sizeof(text), "unknown version %u", file->version);
	else
		snprintf(text, sizeof(text), "not understood (%zd bytes)", file->length);
	snapshot_add_problem(view->folder->sample->snapshot, "metal_shm", "%s: %s", path, text);
	set_device_reason(view, why);
}

static int take_file(struct metal_view *view)
{
	const struct metal_counters_file *file = view->file;

	if (file->length < 0)
		reject(view, reason_of_error((int)file->length));
	else if (file->error == 0)
		return metal_take_slots(view);
	else if (file->error != -EAGAIN) /* it was just created */
		reject(view, file->error == -EPROTONOSUPPORT ? UNKNOWN_VERSION : MALFORMED);
	return 0;
}

/* Does a file of this owner count for any process? */
static bool owner_counts(const struct sample *sample, uid_t owner)
{
	if (!sample->root->live || owner == 0)
		return true;
	for (size_t i = 0; i < sample->snapshot->n_processes; i++)
		if (process_knows(&sample->snapshot->processes[i], PROC_UID) &&
		    sample->snapshot->processes[i].uid == owner)
			return true;
	return false;
}

/* Number of files read per owner that match no known chip. */
struct tally {
	uid_t owner;
	unsigned count;
};

struct tallies {
	struct tally list[64];
	size_t count;
	size_t skipped;
};

/*
 * May one more be read? A user may create any number of files; they must not delay those of other
 * users.
 */
static bool tallies_admit(struct tallies *tallies, uid_t owner)
{
	size_t i = 0;

	while (i < tallies->count && tallies->list[i].owner != owner)
		i++;
	if (i == tallies->count && tallies->count < ARRAY_SIZE(tallies->list))
		tallies->list[tallies->count++] = (struct tally){ .owner = owner };
	if (i < tallies->count && tallies->list[i].count < UNMATCHED_MAX) {
		tallies->list[i].count++;
		return true;
	}
	tallies->skipped++;
	return false;
}

/* Should it be read: does it, or may it, belong to a chip? */
static bool is_worth_reading(const struct sample *sample, const struct metal_id *id, size_t at,
			     struct tallies *tallies)
{
	uid_t owner;

	if (id)
		return true;
	return shm_folder_owner(sample->shm, at, &owner) >= 0 && owner_counts(sample, owner) &&
	       tallies_admit(tallies, owner);
}

static bool is_exact(const struct metal_id *id)
{
	return id && id->rule <= METAL_ID_ETHERNET;
}

/* The view of a file, with the device given by its id. */
static struct metal_view view_of(const struct metal_folder *folder,
				 const struct metal_counters_file *file, const struct metal_id *id)
{
	return (struct metal_view){
		.folder = folder,
		.file = file,
		.has_device = id != NULL,
		.device = id ? id->device : 0,
	};
}

/*
 * Reads files of our own /dev/shm. Two may be for one chip, with an older and a newer id: the first
 * report counts, so those with an exact id are read first.
 */
static int take_own(const struct metal_shm *shm, const struct metal_folder *folder, bool exact,
		    struct tallies *tallies)
{
	struct sample *sample = folder->sample;
	int r = 0;

	for (size_t i = 0; i < sample->shm->count && r >= 0; i++) {
		const struct metal_id *id = metal_ids_find(&shm->ids, sample->shm->files[i].id);
		struct metal_counters_file file;
		struct metal_view view = view_of(folder, &file, id);

		if (sample->shm->files[i].kind != SHM_MEMORY || is_exact(id) != exact ||
		    !is_worth_reading(sample, id, i, tallies))
			continue;
		metal_file_read(sample->shm, i, &file);
		r = take_file(&view);
	}
	return r;
}

static int take_container(const struct metal_shm *shm, const struct metal_folder *folder,
			  bool exact)
{
	const struct container_shm *container = folder->container;
	int r = 0;

	for (size_t i = 0; i < container->count && r >= 0; i++) {
		const struct metal_id *id = metal_ids_find(&shm->ids, container->files[i].id);
		struct metal_view view = view_of(folder, &container->files[i], id);

		if (is_exact(id) == exact)
			r = take_file(&view);
	}
	return r;
}

/*
 * If a container could not be read, the memory of its processes is unknown for that reason. One
 * without a /dev/shm has no counters.
 */
static void set_container_reason(struct snapshot *snapshot, const struct container_shm *container)
{
	enum reason why = container->late ? TIMED_OUT : READ_ERROR;

	if (!container->late && (container->error == -ENOENT || container->error == -ENOTDIR))
		return;
	for (size_t i = 0; i < snapshot->n_processes; i++)
		if (snapshot->processes[i].mount_ns == container->mount_ns)
			metal_set_reason(&snapshot->processes[i], NULL, why);
}

/* Has it files that may be for chips whose ids were not all read? */
static bool lacks_ids(const struct metal_shm *shm, const struct sample *sample,
		      const struct container_shm *container)
{
	for (size_t i = 0; i < container->count; i++) {
		const struct metal_id *id = metal_ids_find(&shm->ids, container->files[i].id);

		if (!sample->want->shm_ids || !id || id->rule != METAL_ID_ASIC)
			return true;
	}
	return false;
}

static int take_containers(const struct metal_shm *shm, struct sample *sample)
{
	struct metal_folder folder = { .sample = sample, .containers = &shm->containers };
	int r = 0;

	for (size_t i = 0; i < shm->containers.count && r >= 0; i++) {
		folder.container = shm->containers.list[i];
		if (folder.container->late || folder.container->error < 0) {
			set_container_reason(sample->snapshot, folder.container);
			continue;
		}
		sample->lacks_ids |= lacks_ids(shm, sample, folder.container);
		r = take_container(shm, &folder, true);
		if (r >= 0)
			r = take_container(shm, &folder, false);
	}
	return r;
}

static int take_folders(struct metal_shm *shm, struct sample *sample)
{
	struct metal_folder folder = { .sample = sample, .containers = &shm->containers };
	struct tallies tallies = { 0 };
	int r;

	r = take_own(shm, &folder, true, &tallies);
	if (r >= 0)
		r = take_own(shm, &folder, false, &tallies);
	if (tallies.skipped)
		snapshot_add_problem(sample->snapshot, "metal_shm",
				     "/dev/shm: %zu files match no device and were not read",
				     tallies.skipped);
	if (sample->shm->cut)
		snapshot_add_problem(
			sample->snapshot, "metal_shm",
			"/dev/shm: more than %zu files named tt_device_*: the rest was "
			"not read",
			sample->shm->count);
	return r < 0 ? r : take_containers(shm, sample);
}

static int metal_sample(void *state, struct sample *sample)
{
	struct metal_shm *shm = state;
	int r;

	if (!sample->want->processes)
		return 0;
	r = containers_visit(&shm->containers, sample);
	if (r < 0)
		return r;
	r = metal_ids_init(&shm->ids, sample->snapshot);
	if (r >= 0)
		r = take_folders(shm, sample);
	metal_ids_done(&shm->ids);
	return r;
}

static int metal_open(const struct root *root, void **ret_state)
{
	(void)root;
	*ret_state = calloc(1, sizeof(struct metal_shm));
	return *ret_state ? 0 : -ENOMEM;
}

static void metal_close(void *state, struct worker_pool *workers)
{
	struct metal_shm *shm = state;

	containers_done(&shm->containers, workers);
	free(shm);
}

const struct source source_metal_shm = {
	.name = "metal_shm",
	.open = metal_open,
	.sample = metal_sample,
	.close = metal_close,
};
