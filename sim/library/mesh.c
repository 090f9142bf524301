/*
 * What programs built on TT-Metal do: calls its functions, in a file of its own, so that the calls
 * pass through the dynamic linker.
 */
#include "functions.h"
#include "library.h"
#include "profiler.h"

#include <stdlib.h>
#include <string.h>

struct sim_mesh {
	struct command_queue queue;
	uint64_t workload;
	size_t count;
	struct mesh_chip {
		struct memory_manager memory;
		struct device_state *state; /* NULL: it is not profiled */
	} * chips;
	struct profiler_manager *profiler;
};

static void mesh_close(struct sim_mesh *mesh)
{
	if (mesh->profiler)
		profiler_close(mesh->profiler);
	free(mesh->chips);
	free(mesh);
}

static struct sim_mesh *mesh_open(const struct sim_chip *chips, size_t count)
{
	struct sim_mesh *mesh = calloc(1, sizeof(*mesh));

	if (!mesh)
		return NULL;
	mesh->count = count;
	mesh->chips = calloc(count, sizeof(*mesh->chips));
	mesh->profiler = profiler_open(chips, count);
	if (!mesh->chips || !mesh->profiler) {
		mesh_close(mesh);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		mesh->chips[i].memory.chip = chips[i].id;
		mesh->chips[i].state = profiler_find(mesh->profiler, chips[i].id);
	}
	return mesh;
}

static void name_program(struct sim_mesh *mesh, uint64_t id, const char *operation)
{
#if SIM_RELEASE >= 76
	void *tensors[3] = { NULL }; /* an empty std::vector */

	inspector_name(&mesh->workload, id, strlen(operation), operation, tensors, 0);
#else
	(void)mesh;
	(void)id;
	(void)operation;
#endif
}

static void mesh_launch(struct sim_mesh *mesh, uint64_t id, const char *operation)
{
	name_program(mesh, id, operation);
	queue_enqueue(&mesh->queue, &mesh->workload, false);
}

static void mesh_launch_slow(struct sim_mesh *mesh, uint64_t id, const char *operation)
{
	name_program(mesh, id, operation);
	queue_enqueue_slow(&mesh->queue, &mesh->workload, false);
}

static void mesh_add_event(struct sim_mesh *mesh)
{
	for (size_t i = 0; i < mesh->count; i++)
		memory_next_event(&mesh->chips[i].memory, 0);
}

static void mesh_complete(struct sim_mesh *mesh, size_t chip)
{
	struct memory_manager *memory = &mesh->chips[chip].memory;

	memory_complete(memory, 0, memory->event);
}

static void mesh_record(struct sim_mesh *mesh, size_t chip, const struct sim_run *run)
{
	if (mesh->chips[chip].state)
		profiler_write(mesh->chips[chip].state, run);
}

static void mesh_receive(struct sim_mesh *mesh)
{
	profiler_receive(mesh->profiler);
}

extern const struct sim_library sim_library;
const struct sim_library sim_library = {
	.open = mesh_open,
	.close = mesh_close,
	.launch = mesh_launch,
	.launch_slow = mesh_launch_slow,
	.add_event = mesh_add_event,
	.complete = mesh_complete,
	.record = mesh_record,
	.receive = mesh_receive,
};
