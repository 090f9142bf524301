#include "metal/names.h"

#include "basic/macros.h"

#include <stdbool.h>
#include <string.h>

#define CREATE	       METAL_NAME("6Buffer6createEPNS0_7IDeviceEmmmNS0_10BufferTypeE")
/* The common end of the names of v0.57 to v0.59. */
#define CREATE_OLD_END "ES6_IbES6_INS_3stl10StrongTypeIhNS0_14SubDeviceIdTagEEEE"

/* The constructor of MeshDeviceView; `with` ends in the type of the members. */
#define VIEW(which, with) \
	METAL_NAME("11distributed14MeshDeviceViewC" which "ERKNS1_9MeshShapeERKSt6vectorI" with)
#define VIEW_REMOTE                                                                    \
	"NS1_11MaybeRemoteIPNS0_7IDeviceEEESaISA_EERKS6_INS_9tt_fabric12FabricNodeIdE" \
	"SaISG_EE"
#define VIEW_LOCAL "PNS0_7IDeviceESaIS8_EERKS6_INS_9tt_fabric12FabricNodeIdESaISE_EE"

/*
 * If two names of one hook are defined, the first in this table is used. The full names of
 * CREATE_AT avoid a search of the whole symbol table for the pattern below them.
 */
const struct metal_name metal_names[METAL_NAMES] = {
	{ METAL_NAME_TRACK, METAL_TRACK_ALLOCATE },
	{ METAL_NAME_TRACK_V0, METAL_TRACK_ALLOCATE },
	{ METAL_NAME("12GraphTracker16track_deallocateEPNS0_6BufferE"), METAL_TRACK_DEALLOCATE },
	{ METAL_NAME("12GraphTracker16track_deallocateEPNS0_2v06BufferE"), METAL_TRACK_DEALLOCATE },
	{ METAL_NAME_ALLOCATE_IMPL, METAL_ALLOCATE },
	{ METAL_NAME_ALLOCATE, METAL_ALLOCATE },
	{ METAL_NAME_ALLOCATE_V0, METAL_ALLOCATE },
	{ METAL_NAME("13AllocatorImpl17deallocate_bufferEPNS0_6BufferE"), METAL_DEALLOCATE },
	{ METAL_NAME("9Allocator17deallocate_bufferEPNS0_6BufferE"), METAL_DEALLOCATE },
	{ METAL_NAME("9Allocator17deallocate_bufferEPNS0_2v06BufferE"), METAL_DEALLOCATE },
	{ METAL_NAME("6Buffer19mark_as_deallocatedEv"), METAL_FORGET },
	{ METAL_NAME("2v06Buffer19mark_as_deallocatedEv"), METAL_FORGET },
	/* Since v0.66 Allocator's function only calls AllocatorImpl's. */
	{ METAL_NAME("13AllocatorImpl18deallocate_buffersEv"), METAL_FORGET_ALL },
	{ METAL_NAME("9Allocator18deallocate_buffersEv"), METAL_FORGET_ALL },
	/*
	 * D0 calls one of these; D1 and D2 are the same function in a class without virtual bases.
	 */
	{ METAL_NAME("13AllocatorImplD2Ev"), METAL_DESTROY },
	{ METAL_NAME("13AllocatorImplD1Ev"), METAL_DESTROY },
	{ METAL_NAME("9AllocatorD2Ev"), METAL_DESTROY },
	{ METAL_NAME("9AllocatorD1Ev"), METAL_DESTROY },
	{ CREATE "RKNS0_18BufferShardingArgsESt8optionalIbES8_IN4ttsl10StrongTypeIh"
		 "NS0_14SubDeviceIdTagEEEE",
	  METAL_CREATE_AT },
	{ CREATE "NS0_18TensorMemoryLayoutERKSt8optionalISt7variantIJNS0_15ShardSpecBufferE"
		 "NS0_22BufferDistributionSpecEEE" CREATE_OLD_END,
	  METAL_CREATE_AT },
	{ CREATE "NS0_18TensorMemoryLayoutERKSt8optionalINS0_15ShardSpecBufferE" CREATE_OLD_END,
	  METAL_CREATE_AT },
	{ CREATE "*", METAL_CREATE_AT },
	{ METAL_NAME("2v06Buffer6createEPNS?_7IDeviceEmmmNS?_10BufferTypeE*"), METAL_CREATE_AT },
	{ METAL_NAME_THROW, METAL_THROW },
	/* Compilers make one function of C1 and C2, since the class has no virtual bases. */
	{ VIEW("1", VIEW_REMOTE), METAL_VIEW },
	{ VIEW("2", VIEW_REMOTE), METAL_VIEW },
	{ VIEW("1", VIEW_LOCAL), METAL_VIEW_LOCAL },
	{ VIEW("2", VIEW_LOCAL), METAL_VIEW_LOCAL },
	{ METAL_NAME_VIEW, METAL_HOOKS },
	{ METAL_NAME_ENV, METAL_HOOKS },
	{ METAL_NAME_RECORD, METAL_HOOKS },
	{ METAL_NAME_DATAFLOW, METAL_HOOKS },
	{ METAL_NAME_DEVICE, METAL_HOOKS },
	{ METAL_NAME_DEVICE_V0, METAL_HOOKS },
	{ METAL_NAME_MESH, METAL_HOOKS },
};

/* A name with a dot is a part of a function that the compiler has split off (.cold). */
static bool matches(const char *pattern, const char *symbol)
{
	for (; *pattern && *pattern != '*'; pattern++, symbol++)
		if (*symbol == '\0' || (*pattern != *symbol && *pattern != '?'))
			return false;
	return *pattern == '*' ? !strchr(symbol, '.') : *symbol == '\0';
}

static bool starts(const char *symbol, const char *with)
{
	return strncmp(symbol, with, strlen(with)) == 0;
}

/* Hundreds of thousands of symbols have this prefix: it is compared once. */
static unsigned find_behind(const char *prefix, const char *symbol)
{
	size_t length = strlen(prefix);

	for (unsigned i = 0; i < METAL_NAMES; i++) {
		const char *pattern = metal_names[i].pattern;

		/* The third letters of the prefixes differ. */
		if (pattern[2] == prefix[2] && pattern[length] == symbol[length] &&
		    matches(pattern + length, symbol + length))
			return i;
	}
	return METAL_NAMES;
}

unsigned metal_name_find(const char *symbol)
{
	static const char *const prefixes[] = { METAL_NAME(""), "_ZTVN2tt8tt_metal",
						METAL_NAME_THROW };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (starts(symbol, prefixes[i]))
			return find_behind(prefixes[i], symbol);
	return METAL_NAMES;
}
