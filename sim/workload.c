#include "workload.h"

#include "basic/dispatch_state.h"
#include "basic/parse.h"
#include "basic/trace_fault.h"
#include "spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const vias[VIAS] = {
	[VIA_METAL] = "metal",	 [VIA_NONE] = "none",	  [VIA_TABLE] = "table",
	[VIA_SOCKET] = "socket", [VIA_TRACED] = "traced", [VIA_MONITOR] = "monitor",
};

static const char *const pools[POOLS] = {
	[POOL_DRAM] = "dram",	[POOL_L1] = "l1", [POOL_L1_SMALL] = "l1_small",
	[POOL_TRACE] = "trace", [POOL_CB] = "cb",
};

static int parse_devices(char *value, struct workload *w)
{
	char *number;
	uint32_t n;

	if (!strcmp(value, "all"))
		return 0;
	while ((number = strsep(&value, "+"))) {
		if (w->device_count == ARRAY_SIZE(w->devices) || parse_u32(number, &n) < 0)
			return -EINVAL;
		w->devices[w->device_count++] = n;
	}
	return 0;
}

static int parse_via(const char *value, struct workload *w)
{
	for (unsigned i = 0; i < VIAS; i++) {
		if (strcmp(vias[i], value) != 0)
			continue;
		w->via = (enum via)i;
		return 0;
	}
	return -EINVAL;
}

/* Values of the last column of the tracer's file: quality of the figures, or the fault. */
static int parse_state(const char *value, struct workload *w)
{
	static const char *const good[] = { "exact", "since-attach" };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!strcmp(value, good[i]))
			snprintf(w->state, sizeof(w->state), "%s", value);
	if (trace_fault_find(value) != TRACE_FAULT_NONE)
		snprintf(w->state, sizeof(w->state), "unreliable:%s", value);
	return w->state[0] ? 0 : -EINVAL;
}

static int parse_text(const char *value, char *ret, size_t size)
{
	if (!*value || strlen(value) >= size)
		return -EINVAL;
	snprintf(ret, size, "%s", value);
	return 0;
}

static int parse_number(const char *value, uint32_t max, uint32_t *ret)
{
	uint32_t n;

	if (parse_u32(value, &n) < 0 || n > max)
		return -EINVAL;
	*ret = n;
	return 0;
}

#define DISPATCH_WORD(name, word, ...) word,

/* A percentage, or the word in the tracer's file for why there is none. */
static int parse_busy(const char *value, struct workload *w)
{
	static const char *const words[] = { DISPATCH_STATES(DISPATCH_WORD) };
	char *end;
	double percent = strtod(value, &end);

	if (end != value && !*end && percent >= 0 && percent <= 100) {
		w->busy = percent;
		return 0;
	}
	snprintf(w->only_static, sizeof(w->only_static), "busy=WORD");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(value, words[i]) == 0)
			return parse_text(value, w->unmeasured, sizeof(w->unmeasured));
	return -EINVAL;
}

static int parse_bound(const char *value, struct workload *w)
{
	if (strcmp(value, "exact") != 0 && strcmp(value, "lower") != 0 &&
	    strcmp(value, "upper") != 0)
		return -EINVAL;
	return parse_text(value, w->bound, sizeof(w->bound));
}

static int parse_release(const char *value, struct workload *w)
{
	if (strcmp(value, "0.65") == 0)
		w->programs.release = RELEASE_65;
	else if (strcmp(value, "0.77") != 0)
		return -EINVAL;
	return 0;
}

static int parse_dispatch(const char *value, struct workload *w)
{
	w->programs.is_slow = strcmp(value, "slow") == 0;
	return w->programs.is_slow || strcmp(value, "fast") == 0 ? 0 : -EINVAL;
}

static int parse_rate(const char *value, struct workload *w)
{
	int r = parse_number(value, 50000, &w->programs.rate);

	return w->programs.rate ? r : -EINVAL;
}

static int parse_lose(const char *value, struct workload *w)
{
	int r = parse_number(value, UINT32_MAX, &w->programs.lose);

	return w->programs.lose > 1 ? r : -EINVAL;
}

static int parse_uid(const char *value, struct workload *w)
{
	w->has_uid = true;
	return parse_number(value, UINT32_MAX, &w->uid);
}

static int parse_opens(const char *value, struct workload *w)
{
	return parse_number(value, 64, &w->opens);
}

static int parse_util(const char *value, struct workload *w)
{
	uint32_t n = 0;
	int r = parse_number(value, 1000, &n);

	w->util = (int)n;
	return r;
}

/* A field: its value is text, bytes or seconds for a member, or has a parser of its own. */
static const struct workload_field {
	const char *key;
	enum { TEXT, BYTES, SECONDS, PARSED } kind;
	size_t offset, size; /* of the member */
	int (*parse)(const char *value, struct workload *w);
	enum { ANY, STATIC, RUNNING } machine; /* for which it has a meaning */
} fields[] = {
#define MEMBER(name) offsetof(struct workload, name), sizeof(((struct workload *)NULL)->name)
	/* clang-format off */
	{ "via", PARSED, .parse = parse_via },
	{ "state", PARSED, .parse = parse_state },
	{ "busy", PARSED, .parse = parse_busy },
	{ "bound", PARSED, .parse = parse_bound, .machine = STATIC },
	{ "rate", PARSED, .parse = parse_rate, .machine = RUNNING },
	{ "lose", PARSED, .parse = parse_lose, .machine = RUNNING },
	{ "release", PARSED, .parse = parse_release, .machine = RUNNING },
	{ "dispatch", PARSED, .parse = parse_dispatch, .machine = RUNNING },
	{ "op", TEXT, MEMBER(programs.operation), .machine = RUNNING },
	{ "hang", SECONDS, MEMBER(programs.hang_ms), .machine = RUNNING },
	{ "until", SECONDS, MEMBER(programs.until_ms), .machine = RUNNING },
	{ "uid", PARSED, .parse = parse_uid },
	{ "opens", PARSED, .parse = parse_opens },
	{ "util", PARSED, .parse = parse_util },
	{ "leak", BYTES, MEMBER(leak) },
	{ "wave", BYTES, MEMBER(wave) },
	{ "behind", BYTES, MEMBER(behind) },
	{ "running", SECONDS, MEMBER(running_ms), .machine = STATIC },
	{ "life", SECONDS, MEMBER(lifetime_ms) },
	{ "again", SECONDS, MEMBER(restart_after_ms) },
	{ "age", SECONDS, MEMBER(age_ms) },
	{ "legacy", TEXT, MEMBER(legacy) },
	{ "name", TEXT, MEMBER(name) },
	{ "args", TEXT, MEMBER(args) },
	{ "cgroup", TEXT, MEMBER(cgroup) },
	/* clang-format on */
};

static int set_member(const struct workload_field *field, const char *value, struct workload *w)
{
	void *member = (char *)w + field->offset;

	if (field->machine == STATIC)
		snprintf(w->only_static, sizeof(w->only_static), "%s=", field->key);
	if (field->machine == RUNNING)
		snprintf(w->only_running, sizeof(w->only_running), "%s=", field->key);
	switch (field->kind) {
	case TEXT: return parse_text(value, member, field->size);
	case BYTES: return spec_bytes(value, member);
	case SECONDS: return spec_seconds(value, member);
	case PARSED: return field->parse(value, w);
	}
	return -EINVAL;
}

static int parse_field(const char *key, char *value, struct workload *w)
{
	for (unsigned i = 0; i < POOLS; i++)
		if (!strcmp(key, pools[i]))
			return spec_bytes(value, &w->bytes[i]);
	if (!strcmp(key, "dev"))
		return parse_devices(value, w);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(key, fields[i].key))
			return set_member(&fields[i], value, w);
	return -EINVAL;
}

int workload_parse(const char *spec, struct workload *ret, char error[static 128])
{
	struct workload w = {
		.util = -1,
		.busy = -1,
		.bound = "exact",
		.programs = { .rate = 100,
			      .hang_ms = -1,
			      .until_ms = -1,
			      .operation = "ttnn::matmul" },
	};
	char text[1024], *rest = text, *key, *value;

	if (strlen(spec) >= sizeof(text)) {
		snprintf(error, 128, "more than %zu characters", sizeof(text) - 1);
		return -EINVAL;
	}
	snprintf(text, sizeof(text), "%s", spec);
	while (spec_field(&rest, &key, &value)) {
		if (parse_field(key, value, &w) < 0) {
			snprintf(error, 128, "\"%.50s=%.50s\" is not valid", key, value);
			return -EINVAL;
		}
	}
	if (w.via == VIA_SOCKET && !w.legacy[0]) {
		snprintf(error, 128, "via=socket needs legacy=PATH");
		return -EINVAL;
	}
	if (!w.state[0])
		snprintf(w.state, sizeof(w.state), "exact");
	if (!w.name[0])
		snprintf(w.name, sizeof(w.name), "%s",
			 w.via == VIA_MONITOR ? "tt_telemetry_collector" : "workload");
	w.has_uid |= w.via == VIA_MONITOR; /* root's by default */
	/* tt-umd keeps two descriptors per chip: its own and the library's. */
	if (!w.opens)
		w.opens = workload_is_idle(&w) ? 1 : 2;
	*ret = w;
	return 0;
}

void workload_comm(const struct workload *w, char ret[static 16])
{
	const char *slash = strrchr(w->name, '/');

	snprintf(ret, 16, "%.15s", slash ? slash + 1 : w->name);
}

bool workload_uses(const struct workload *w, unsigned device)
{
	for (size_t i = 0; i < w->device_count; i++)
		if (w->devices[i] == device)
			return true;
	return w->device_count == 0;
}

uint64_t workload_dram(const struct workload *w)
{
	return w->bytes[POOL_DRAM] + w->bytes[POOL_TRACE] + w->wave;
}

static uint64_t workload_l1(const struct workload *w)
{
	return w->bytes[POOL_L1] + w->bytes[POOL_L1_SMALL];
}

/* The share of their requested memory that the workloads of a device get. */
static double fair_share(const struct slot *slot, const struct workload *workloads, size_t count)
{
	/* Leaves some for leaks; a core has more than 1 MiB. */
	double dram = 0.8 * (double)board_dram(slot->board);
	double l1 = (double)((uint64_t)slot->board->tensix << 20);
	double dram_wanted = 1, l1_wanted = 1;

	for (size_t i = 0; i < count; i++) {
		if (!workload_uses(&workloads[i], slot->number))
			continue;
		dram_wanted += (double)workload_dram(&workloads[i]);
		l1_wanted += (double)workload_l1(&workloads[i]);
	}
	return MIN(MIN(dram / dram_wanted, l1 / l1_wanted), 1);
}

static uint64_t scale(uint64_t bytes, double share)
{
	return share < 1 ? (uint64_t)((double)bytes * share) & ~UINT64_C(0xfffff) : bytes;
}

/* Smaller boards run smaller models. */
static void fit(const struct slot *slots, size_t n_slots, struct workload *workloads, size_t count)
{
	double shares[MAX_WORKLOADS];

	for (size_t i = 0; i < count; i++) {
		shares[i] = 1;
		for (size_t j = 0; j < n_slots; j++)
			if (workload_uses(&workloads[i], slots[j].number))
				shares[i] = MIN(shares[i], fair_share(&slots[j], workloads, count));
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t pool = 0; pool < POOLS; pool++)
			workloads[i].bytes[pool] = scale(workloads[i].bytes[pool], shares[i]);
		workloads[i].wave = scale(workloads[i].wave, shares[i]);
	}
}

/*
 * A typical load: a server, a second one on another card, a job on several cards, a program that is
 * not tracked, and tests that start and end.
 */
size_t workload_defaults(const struct slot *slots, size_t count,
			 struct workload ret[static MAX_WORKLOADS])
{
	static const struct {
		enum { FIRST, LAST, SEVERAL } where;
		const char *spec;
	} set[] = {
		{ FIRST, "name=python3,args=serve.py --port 8000,dram=7G,l1=38M,l1_small=1536K,"
			 "trace=96M,cb=21M,busy=85" },
		{ LAST,
		  "name=python3,args=-m vllm.entrypoints.openai.api_server --port 8001,dram=14G,"
		  "wave=3G,l1=61M,l1_small=2M,trace=256M,cb=34M,util=640,busy=64" },
		{ SEVERAL,
		  "name=./train,args=--model resnet50 --batch 32,dram=640M,leak=3M,l1=9M,cb=4M,"
		  "busy=40,lose=50" },
		{ FIRST, "name=jupyter-lab,args=--no-browser,via=none" },
		{ LAST, "name=pytest,args=-x tests/ops,dram=768M,l1=12M,life=25,again=12,busy=30" },
	};
	char error[128];
	size_t made = 0;

	for (size_t i = 0; i < ARRAY_SIZE(set); i++) {
		struct workload *w = &ret[made];

		if (set[i].where == SEVERAL && count < 2)
			continue;
		if (workload_parse(set[i].spec, w, error) < 0)
			continue;
		w->device_count = 1;
		w->devices[0] = slots[set[i].where == LAST ? count - 1 : 0].number;
		if (set[i].where == SEVERAL) {
			w->devices[1] = slots[count - 1].number;
			/* 0: on all devices of a big machine */
			w->device_count = count > 4 ? 0 : 2;
		}
		made++;
	}
	fit(slots, count, ret, made);
	return made;
}
