#include "preload/library.h"

#include "basic/macros.h"
#include "metal/chip_code.h"
#include "preload/notice.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

struct library libraries[LIBRARIES_MAX];
uint32_t n_libraries;

/* The object that is loaded at an address. */
struct object {
	uintptr_t address; /* the address to find */
	uintptr_t start, end;
	const char *name; /* "": the program itself */
};

static void object_measure(struct object *object, const struct dl_phdr_info *info)
{
	object->start = UINTPTR_MAX;
	object->end = 0;
	object->name = info->dlpi_name ? info->dlpi_name : "";
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		object->start = MIN(object->start, from);
		object->end = MAX(object->end, from + segment->p_memsz);
	}
}

static int object_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct object *wanted = arg, object = *wanted;

	(void)size;
	object_measure(&object, info);
	if (wanted->address < object.start || wanted->address >= object.end)
		return 0;
	*wanted = object;
	return 1;
}

static bool object_find(struct object *ret, uintptr_t address)
{
	ret->address = address;
	return dl_iterate_phdr(object_visit, ret) == 1;
}

/* Loads nothing: takes a reference, so that the object is not unloaded. */
static void *object_open(const char *name)
{
	return dlopen(name[0] ? name : NULL, RTLD_LAZY | RTLD_NOLOAD);
}

/* Start and end of this library, defined by the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static bool is_ours(const void *symbol)
{
	return (const char *)symbol >= __ehdr_start && (const char *)symbol < _end;
}

static void *symbol_in(void *handle, const char *name)
{
	void *symbol = handle ? dlsym(handle, name) : NULL;

	return symbol && !is_ours(symbol) ? symbol : NULL;
}

/* The function that the caller would have found without this library. */
static void *symbol_for(void *caller, const char *name)
{
	void *symbol = symbol_in(RTLD_NEXT, name);

	return symbol ? symbol : symbol_in(caller, name);
}

/* The nth loaded object. */
struct nth {
	uint32_t before;
	char name[PATH_MAX];
};

static int nth_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct nth *nth = arg;

	(void)size;
	if (nth->before--)
		return 0;
	snprintf(nth->name, sizeof(nth->name), "%s", info->dlpi_name ? info->dlpi_name : "");
	return 1;
}

/*
 * For a caller without dependencies, such as code generated at run time. dlopen() is called outside
 * of dl_iterate_phdr(), which holds a lock of the loader: taking both in this order could deadlock.
 */
static void *symbol_anywhere(const char *name)
{
	struct nth nth;

	for (uint32_t i = 0;; i++) {
		void *handle, *symbol;

		nth.before = i;
		if (dl_iterate_phdr(nth_visit, &nth) == 0)
			return NULL;
		handle = object_open(nth.name);
		symbol = symbol_in(handle, name);
		if (symbol)
			return symbol;
		if (handle)
			dlclose(handle);
	}
}

static bool has_symbol(const char *name, void *handle)
{
	return symbol_in(handle, name) != NULL;
}

static void find_functions(struct library *library, void *caller)
{
#define X(id, name, hook) library->real[INTERPOSED_##id] = (any_function)symbol_for(caller, name);
	INTERPOSED_NAMES(X)
#undef X
}

static const char *name_of(enum interposed taken)
{
	static const char *const names[INTERPOSED_COUNT] = {
#define X(id, name, hook) [INTERPOSED_##id] = name,
		INTERPOSED_NAMES(X)
#undef X
	};

	return names[taken];
}

/*
 * A function that identifies the library that is TT-Metal. Prefers a definition in the caller
 * itself, since the real function may be that of another preloaded library.
 */
static uintptr_t representative(const struct library *library, void *caller, enum interposed wanted)
{
	static const enum interposed known[] = { INTERPOSED_ALLOCATE_IMPL, INTERPOSED_ALLOCATE,
						 INTERPOSED_ALLOCATE_V0, INTERPOSED_TRACK_V0 };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		void *own = symbol_in(caller, name_of(known[i]));

		if (own)
			return (uintptr_t)own;
		if (library->real[known[i]])
			return (uintptr_t)library->real[known[i]];
	}
	return (uintptr_t)library->real[wanted];
}

/* The vtable pointer of a class: it points after two words. 0: no such class. */
static uint64_t vtable_in(void *metal, const char *name)
{
	void *table = symbol_for(metal, name);

	return table ? (uint64_t)(uintptr_t)table + 16 : 0;
}

/* Where a Device has the number of its chip, if the symbols do not determine it; 0: not known. */
static uint16_t find_chip_offset(const struct library *library, const struct object *metal)
{
	uintptr_t code;
	uint32_t offset;

	if (!library->device_vtable)
		return 0;
	code = ((const uintptr_t *)(uintptr_t)library->device_vtable)[METAL_SLOT_ID];
	if (code < metal->start || code >= metal->end ||
	    chip_offset_in_code((const uint8_t *)code,
				MIN(metal->end - code, (uintptr_t)CHIP_CODE_MAX), &offset) < 0)
		return 0;
	return (uint16_t)offset;
}

static void find_shape(struct library *library, void *caller, enum interposed wanted)
{
	struct object object;
	void *metal;

	if (!object_find(&object, representative(library, caller, wanted)))
		return;
	library->path = object.name[0] ? object.name : "the program";
	library->metal = object.start;
	metal = object_open(object.name);
	if (metal_shape_find(&library->shape, has_symbol, metal) < 0)
		return;
	library->device_vtable = vtable_in(metal, METAL_NAME_DEVICE);
	if (!library->device_vtable)
		library->device_vtable = vtable_in(metal, METAL_NAME_DEVICE_V0);
	library->mesh_vtable = vtable_in(metal, METAL_NAME_MESH);
	library->members =
		(struct metal_vector(*)(const void *))symbol_for(metal, METAL_NAME_MEMBERS);
	library->delete = (void (*)(void *))symbol_for(metal, METAL_NAME_DELETE);
	library->tracks =
		library->real[INTERPOSED_TRACK_V0] && !library->real[INTERPOSED_ALLOCATE_V0];
	library->counted = library->device_vtable != 0;
	if (!library->shape.chip)
		library->shape.chip = find_chip_offset(library, &object);
}

/* Adds a library, unless another thread has added it. NULL: no room, or the list is locked. */
static const struct library *library_add(const struct library *library, enum interposed wanted,
					 bool *ret_new)
{
	static uint32_t adding;
	const struct library *added = NULL;
	uint32_t count;

	*ret_new = false;
	/* Never waits: in a child that was forked at this moment, `adding` would stay set. */
	if (__atomic_exchange_n(&adding, 1, __ATOMIC_ACQUIRE))
		return NULL;
	count = n_libraries;
	for (uint32_t i = 0; i < count && !added; i++)
		if (libraries[i].start == library->start && libraries[i].real[wanted])
			added = &libraries[i];
	if (!added && count < LIBRARIES_MAX) {
		libraries[count] = *library;
		__atomic_store_n(&n_libraries, count + 1, __ATOMIC_RELEASE);
		added = &libraries[count];
		*ret_new = true;
	}
	__atomic_store_n(&adding, 0, __ATOMIC_RELEASE);
	return added;
}

/* Aborts if the real function does not exist: the call cannot be executed. */
static void library_resolve(struct library *library, uintptr_t caller, enum interposed wanted)
{
	struct object object;
	void *handle = NULL;

	*library = (struct library){ .start = caller, .length = 1 };
	if (object_find(&object, caller)) {
		library->start = object.start;
		library->length = object.end - object.start;
		handle = object_open(object.name);
	}
	find_functions(library, handle);
	if (!library->real[wanted])
		library->real[wanted] = (any_function)symbol_anywhere(name_of(wanted));
	if (!library->real[wanted]) {
		notice(name_of(wanted), "the real function is not found");
		abort();
	}
	find_shape(library, handle, wanted);
}

/* Other functions are called by more libraries, each of which would print the line again. */
static bool is_about_memory(enum interposed wanted)
{
	return wanted <= INTERPOSED_UNTRACK_V0;
}

const struct library *library_resolve_caller(uintptr_t caller, enum interposed wanted)
{
	static __thread struct library unlisted; /* for callers that cannot be added */
	const struct library *added;
	int saved = errno;
	bool is_new;

	library_resolve(&unlisted, caller, wanted);
	added = library_add(&unlisted, wanted, &is_new);
	if (is_new && !added->counted && is_about_memory(wanted))
		notice(added->path, "unknown version of TT-Metal: "
				    "device memory is not counted");
	dlerror(); /* clear our errors: the program may call dlerror() */
	errno = saved;
	return added ? added : &unlisted;
}
