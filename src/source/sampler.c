#include "source/sampler.h"

#include "basic/clock.h"
#include "basic/parse.h"
#include "model/device_health.h"
#include "model/dirty.h"
#include "model/quiet.h"
#include "model/rates.h"
#include "source/shm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

/* Maximum time for one read; then its row is shown without it. */
static const int64_t usual_deadline_ns = 500 * NS_PER_MS;

struct sampler {
	const struct root *root;
	struct want want;
	const struct source *const *sources;
	int64_t deadline_ns;
	struct worker_pool *workers;
	struct shm_folder shm;
	struct process_clocks clocks;
	void *states[SNAPSHOT_SOURCES];
	size_t n_open;
	int64_t recorded_ns; /* 0: not a recording */
	struct host host;    /* the constant part */
};

/* A tree may contain the time of its recording. */
static void read_time(struct sampler *sampler)
{
	char text[32];
	uint64_t seconds;

	if (!sampler->root->confined)
		return; /* the machine itself, or a simulated one that is not recorded */
	if (root_read(sampler->root, "captured_at", text, sizeof(text)) > 0 &&
	    parse_u64(text, &seconds) == 0 && seconds < INT64_MAX / NS_PER_S)
		sampler->recorded_ns = (int64_t)seconds * NS_PER_S;
}

/* PRETTY_NAME="…" of os-release(5). */
static void read_distribution(const struct root *root, struct host *host)
{
	CLEANUP_BUF struct buf text = { 0 };
	const char *at;

	if (root_read_all(root, "etc/os-release", 65536, &text) < 0)
		return;
	at = strstr(buf_text(&text), "PRETTY_NAME=");
	if (!at)
		return;
	at += strlen("PRETTY_NAME=");
	at += *at == '"';
	snprintf(host->distribution, sizeof(host->distribution), "%.*s", (int)strcspn(at, "\"\n"),
		 at);
}

static void read_memory(struct host *host)
{
	struct sysinfo info;

	if (sysinfo(&info) == 0)
		host->memory = (uint64_t)info.totalram * info.mem_unit;
}

/*
 * Read once: name and kernel do not change. Not read for a recorded machine, where they would be
 * wrong.
 */
static void read_host(struct sampler *sampler)
{
	struct host *host = &sampler->host;
	struct utsname name;

	memset(host->why, NOT_OFFERED, sizeof(host->why));
	if (!(sampler->root->live || sampler->root->simulated) || sampler->recorded_ns ||
	    uname(&name) < 0)
		return;
	snprintf(host->hostname, sizeof(host->hostname), "%s", name.nodename);
	snprintf(host->kernel, sizeof(host->kernel), "%s", name.release);
	host->why[HOST_HOSTNAME] = host->why[HOST_KERNEL] = KNOWN;
	if (sampler->want.host) {
		snprintf(host->machine, sizeof(host->machine), "%s", name.machine);
		read_distribution(sampler->root, host);
		read_memory(host);
	}
}

int sampler_new(const struct root *root, const struct want *want, const struct source *const *list,
		struct sampler **ret)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	int r;

	if (!sampler)
		return -ENOMEM;
	sampler->root = root;
	sampler->want = *want;
	sampler->sources = list;
	sampler->deadline_ns = usual_deadline_ns;
	shm_folder_init(&sampler->shm, root);
	sampler->clocks.root = root;
	r = worker_pool_new(&sampler->workers);
	for (size_t i = 0; list[i] && r >= 0; i++) {
		if (list[i]->open)
			r = list[i]->open(root, &sampler->states[i]);
		if (r >= 0)
			sampler->n_open++;
	}
	if (r < 0) {
		sampler_free(sampler);
		return r;
	}
	read_time(sampler);
	read_host(sampler);
	*ret = sampler;
	return 0;
}

struct sampler *sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return NULL;
	for (size_t i = 0; i < sampler->n_open; i++)
		if (sampler->sources[i]->close)
			sampler->sources[i]->close(sampler->states[i], sampler->workers);
	worker_pool_free(sampler->workers);
	shm_folder_done(&sampler->shm);
	process_clocks_done(&sampler->clocks);
	free(sampler);
	return NULL;
}

struct worker_pool *sampler_workers(struct sampler *sampler)
{
	return sampler->workers;
}

bool sampler_is_blocked(struct sampler *sampler)
{
	return worker_pool_is_blocked(sampler->workers);
}

void sampler_want(struct sampler *sampler, const struct want *want)
{
	sampler->want = *want;
}

static void set_time(struct snapshot *snapshot, const struct sampler *sampler)
{
	struct host *host = &snapshot->host;
	struct tm local;
	time_t seconds;

	snapshot->taken_ns = snapshot->asked_ns = clock_now(CLOCK_MONOTONIC);
	snapshot->wall_ns = sampler->recorded_ns ? sampler->recorded_ns : clock_now(CLOCK_REALTIME);
	snapshot->recorded = sampler->recorded_ns != 0;
	snapshot->simulated = sampler->root->simulated;
	seconds = (time_t)(snapshot->wall_ns / NS_PER_S);
	localtime_r(&seconds, &local);
	strftime(host->timestamp, sizeof(host->timestamp), "%Y/%m/%d %H:%M:%S", &local);
	snprintf(host->timestamp + strlen(host->timestamp),
		 sizeof(host->timestamp) - strlen(host->timestamp), ".%03d",
		 (int)(snapshot->wall_ns / NS_PER_MS % 1000));
	host->why[HOST_TIMESTAMP] = KNOWN;
}

/* ASIC ids are read only if a file exists that may be named by one. */
static void complete_want(struct sampler *sampler)
{
	struct want *want = &sampler->want;

	if (!(want->processes || want->utilization))
		return;
	if (shm_folder_refresh(&sampler->shm) < 0)
		return; /* no directory, no files */
	if (!sampler->shm.count)
		return;
	if (want->single && !fieldset_has(&want->device, DEV_ASIC_ID))
		fieldset_add(&want->if_used, DEV_ASIC_ID);
	want_add_list(want, FIELDS(PART(SHM_IDS)));
}

static int prepare_sources(struct sampler *sampler, struct sample *sample)
{
	int r = 0;

	for (size_t i = 0; sampler->sources[i] && r >= 0; i++)
		if (sampler->sources[i]->prepare)
			r = sampler->sources[i]->prepare(sampler->states[i], sample);
	return r;
}

static int ask_sources(struct sampler *sampler, struct sample *sample)
{
	struct snapshot *snapshot = sample->snapshot;
	int64_t began = clock_now(CLOCK_MONOTONIC), ended;

	for (size_t i = 0; sampler->sources[i]; i++, began = ended) {
		const char *name = sampler->sources[i]->name;
		int r;

		sample->absent = false;
		r = sampler->sources[i]->sample(sampler->states[i], sample);
		if (r < 0 && (i == 0 || r == -ENOMEM))
			return r; /* without devices there is nothing to show */
		if (r < 0)
			snapshot_add_problem(snapshot, name, "%s", strerror(-r));
		ended = clock_now(CLOCK_MONOTONIC);
		if (sample->absent)
			continue;
		snapshot->sources[snapshot->n_sources++] = (struct source_health){
			.source = name,
			.duration_ns = ended - began,
			.up = !*snapshot_problem(snapshot, name),
		};
	}
	return 0;
}

static void judge_devices(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		device_judge(&snapshot->devices[i]);
		snapshot->host.count += device_has_node(&snapshot->devices[i]);
	}
	snapshot->host.why[HOST_COUNT] = KNOWN;
}

static int fill(struct sampler *sampler, struct sample *sample)
{
	int r;

	r = snapshot_new(&sample->snapshot);
	if (r < 0)
		return r;
	sample->snapshot->host = sampler->host;
	set_time(sample->snapshot, sampler);
	complete_want(sampler);
	r = prepare_sources(sampler, sample);
	return r < 0 ? r : ask_sources(sampler, sample);
}

/* Can every id of the chips (source/metal_id.h) be computed? */
static bool has_all_ids(const struct want *want)
{
	return want->shm_ids && fieldset_has(&want->device, DEV_SERIAL);
}

/* Files in containers may need the chips' ids; that is known only after reading them. */
static int fill_again(struct sampler *sampler, struct sample *sample)
{
	sample_done(sample);
	sample->snapshot = snapshot_free(sample->snapshot);
	fieldset_remove(&sampler->want.if_used, DEV_ASIC_ID);
	want_add_list(&sampler->want, FIELDS(PART(SHM_IDS), DEVICE_FIELD(SERIAL)));
	return fill(sampler, sample);
}

static int sampler_ask(struct sampler *sampler, struct sample *sample)
{
	int r;

	*sample = (struct sample){
		.root = sampler->root,
		.shm = &sampler->shm,
		.clocks = &sampler->clocks,
		.want = &sampler->want,
		.workers = sampler->workers,
		.deadline_ns = sampler->deadline_ns,
	};
	process_clocks_begin(&sampler->clocks);
	r = fill(sampler, sample);
	if (r >= 0 && sample->lacks_ids && !has_all_ids(&sampler->want))
		r = fill_again(sampler, sample);
	return r;
}

void sampler_set_deadline(struct sampler *sampler, int64_t deadline_ns)
{
	sampler->deadline_ns = deadline_ns;
}

int sampler_collect(struct sampler *sampler, struct snapshot **ret,
		    struct memory_report **ret_reports, size_t *ret_count)
{
	struct sample sample;
	int r = sampler_ask(sampler, &sample);

	if (r < 0) {
		sample_done(&sample);
		snapshot_free(sample.snapshot);
		return r;
	}
	*ret = sample.snapshot;
	*ret_reports = sample.reports;
	*ret_count = sample.n_reports;
	return 0;
}

int sampler_take(struct sampler *sampler, const struct snapshot *before, struct snapshot **ret)
{
	struct sample sample;
	int r = sampler_ask(sampler, &sample);

	if (r >= 0) {
		merge_memory(sample.snapshot, sample.reports, sample.n_reports);
		snapshot_drop_idle(sample.snapshot);
		rates_fill(sample.snapshot, before, (unsigned)sysconf(_SC_CLK_TCK));
		quiet_fill(sample.snapshot, before);
		dirty_fill(sample.snapshot);
		judge_devices(sample.snapshot);
		*ret = TAKE_PTR(sample.snapshot);
	}
	sample_done(&sample);
	snapshot_free(sample.snapshot);
	return r;
}
