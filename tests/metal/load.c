/*
 * metal_load PLUGIN COMMAND...: the program of script.cpp from a plugin loaded with RTLD_LOCAL,
 * whose symbols, and those of the library that it links, are not visible to others.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*run)(int, char **);

	if (!plugin) {
		fprintf(stderr, "metal_load: %s\n", argc > 1 ? dlerror() : "no plugin given");
		return 2;
	}
	*(void **)&run = dlsym(plugin, "double_run");
	return run(argc - 2, argv + 2);
}
