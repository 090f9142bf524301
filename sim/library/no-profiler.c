/* A release without the real-time profiler: no chip is profiled. */
#include "profiler.h"

struct profiler_manager *profiler_open(const struct sim_chip *chips, size_t count)
{
	static struct profiler_manager none;

	(void)chips;
	(void)count;
	return &none;
}

void profiler_close(struct profiler_manager *manager)
{
	(void)manager;
}

struct device_state *profiler_find(struct profiler_manager *manager, uint32_t chip)
{
	(void)manager;
	(void)chip;
	return NULL;
}

void profiler_write(struct device_state *state, const struct sim_run *run)
{
	(void)state;
	(void)run;
}

void profiler_receive(struct profiler_manager *manager)
{
	(void)manager;
}
