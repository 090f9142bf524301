#include "bench.h"

#include <stdarg.h>

char *path_in(char path[static 512], const char *directory, const char *format, ...)
{
	size_t n = (size_t)snprintf(path, 512, "%s/", directory);
	va_list ap;

	va_start(ap, format);
	vsnprintf(path + n, 512 - n, format, ap);
	va_end(ap);
	return path;
}

/* A few processes, whatever the number of devices: one on all up to four, two on one. */
static void add_workloads(struct command *command, unsigned devices)
{
	command_add(command, "-w");
	command_add(command, devices >= 4 ? "dev=0+1+2+3,dram=4G,l1=16M,name=train"
					  : "dev=0,dram=4G,l1=16M,name=train");
	command_add(command, "-w");
	command_add(command,
		    devices >= 8 ? "dev=4,dram=1G,name=serve" : "dev=0,dram=1G,name=serve");
	command_add(command, "-w");
	command_add(command,
		    devices >= 8 ? "dev=5,via=none,name=notebook" : "dev=0,via=none,name=notebook");
}

int tree_make(struct bench *bench, const char *tree, unsigned devices, const char *driver,
	      bool workloads)
{
	struct command command = { { bench->sim, "--static", "--driver", driver } };
	struct figures figures;
	char boards[32];

	snprintf(boards, sizeof(boards), "%uxp150a", devices);
	command_add(&command, "-b");
	command_add(&command, boards);
	if (workloads)
		add_workloads(&command, devices);
	else
		command_add(&command, "--no-workloads");
	command_add(&command, tree);
	return measure_once(&command, -1, &figures);
}
