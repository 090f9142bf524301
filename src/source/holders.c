/*
 * Who has each device open.
 *
 * The driver's pids file lists, per open file, the process that opened it. That
 * is quick and needs no rights, but it is not the last word: after a fork the
 * opener may be dead while its child holds on, and its number may by now belong
 * to a stranger. So each listed process is checked against its descriptors and
 * mappings where we may look. If one fails the check, or the file cannot be read,
 * or the driver has none (before 2.5) or numbers pids by the opener's namespace
 * (before 2.7), all of /proc is walked.
 *
 * If the tracer has pinned its list of open descriptors, the kernel itself tells,
 * of all users' processes and of those that inherited a descriptor too. Then there
 * is no walk, and the driver's list only adds who is listed and keeps the device
 * mapped.
 */
#include "source/source.h"

#include "basic/clock.h"
#include "source/openers.h"
#include "source/pinned.h"
#include "source/procfs.h"
#include "source/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* One listed process under examination. */
struct suspect {
	struct job job;
	const struct walk *walk;
	int32_t pid;
	bool is_listed;
	struct walk_seen listed;   /* devices whose lists it is on */
	struct walk_seen expected; /* the same, the job's */
	int error;		   /* of looking at its descriptors */
	struct walk_known known;   /* devices it really has open */
};

struct holders {
	struct openers **lists;
	size_t n_lists;
	struct suspect **suspects; /* by pid; with those of earlier samples that hang */
	size_t n_suspects;
	struct walk *walk;
	struct job walk_job;
	struct pinned pinned;
	struct traced_holder *traced; /* open descriptors, by the kernel; NULL if nobody traces */
	size_t n_traced;
	bool complete; /* the last walk, or the kernel, saw every process */
};

static struct openers *find_list(struct holders *holders, const struct root *root, uint32_t index)
{
	struct openers **grown, *list;

	for (size_t i = 0; i < holders->n_lists; i++)
		if (holders->lists[i]->index == index)
			return holders->lists[i];
	grown = reallocarray(holders->lists, holders->n_lists + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	holders->lists = grown;
	list = calloc(1, sizeof(*list));
	if (!list)
		return NULL;
	openers_init(list, root, index);
	return holders->lists[holders->n_lists++] = list;
}

/* The list of a device that is gone says nothing of the one that comes next. */
static void forget_list(struct holders *holders, struct crew *crew, uint32_t index)
{
	for (size_t i = 0; i < holders->n_lists; i++) {
		struct openers *list = holders->lists[i];

		if (list->index == index && !crew_job_is_busy(crew, &list->job))
			openers_forget(list);
	}
}

/* Forgets whoever the kernel told of last time. */
static void drop_traced(struct holders *holders)
{
	free(holders->traced);
	holders->traced = NULL;
	holders->n_traced = 0;
	holders->complete = false;
}

/* Leaves out ourselves, and second descriptors of the same device. */
static void tidy_traced(struct holders *holders, const struct root *root)
{
	struct traced_holder *list = holders->traced;
	size_t kept = 0;

	for (size_t i = 0; i < holders->n_traced; i++) {
		/* Whoever started us may have left us a descriptor. */
		if (root->live && list[i].pid == getpid())
			continue;
		if (kept && list[kept - 1].pid == list[i].pid &&
		    list[kept - 1].device == list[i].device)
			continue;
		list[kept++] = list[i];
	}
	holders->n_traced = kept;
}

static int take_pinned_text(struct holders *holders, struct sample *sample)
{
	const char *text = pinned_text(&holders->pinned, sample);
	int r;

	if (!text)
		return 0;
	r = traced_parse_holders(text, &holders->traced, &holders->n_traced);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		pinned_complain(&holders->pinned, sample, r);
		return 0;
	}
	tidy_traced(holders, sample->root);
	holders->complete = true;
	return 0;
}

static int read_lists(struct holders *holders, struct sample *sample)
{
	struct snapshot *snapshot = sample->snapshot;
	CLEANUP_FREE struct job **jobs = calloc(snapshot->n_devices + 1, sizeof(struct job *));
	struct job *pinned = pinned_job(&holders->pinned, sample->crew);
	size_t count = 0;

	drop_traced(holders);

	if (!jobs)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];
		struct openers *list;

		if (dev->condition == DEVICE_LOST)
			forget_list(holders, sample->crew, dev->index);
		if (dev->remote || dev->condition == DEVICE_LOST)
			continue;
		list = find_list(holders, sample->root, dev->index);
		if (!list)
			return -ENOMEM;
		if (crew_job_is_busy(sample->crew, &list->job))
			continue;
		list->job = (struct job){ .run = openers_read, .arg = list };
		jobs[count++] = &list->job;
	}
	if (pinned)
		jobs[count++] = pinned;
	crew_run(sample->crew, jobs, count, sample->deadline_ns);
	return take_pinned_text(holders, sample);
}

/* Looks at the process's descriptors, and at its mappings if those do not tell. */
static void suspect_examine(void *arg)
{
	struct suspect *suspect = arg;

	suspect->error = walk_look(suspect->walk, &suspect->expected, &suspect->known);
}

static int by_pid(const void *a, const void *b)
{
	int32_t x = (*(struct suspect *const *)a)->pid, y = (*(struct suspect *const *)b)->pid;

	return (x > y) - (x < y);
}

static struct suspect *find_suspect(const struct holders *holders, int32_t pid)
{
	struct suspect wanted = { .pid = pid }, *key = &wanted, **found = NULL;

	if (holders->n_suspects)
		found = bsearch(&key, holders->suspects, holders->n_suspects, sizeof(key), by_pid);
	return found ? *found : NULL;
}

/* A process and the device whose list it is on. */
struct listing {
	int32_t pid;
	uint32_t index;
};

static int by_listed_pid(const void *a, const void *b)
{
	int32_t x = ((const struct listing *)a)->pid, y = ((const struct listing *)b)->pid;

	return (x > y) - (x < y);
}

static bool is_read(const struct sample *sample, const struct openers *list)
{
	return crew_job_is_done(sample->crew, &list->job) && list->error >= 0;
}

/* All that the lists say, by pid. */
static int collect_listings(struct holders *holders, struct sample *sample, struct listing **ret,
			    size_t *ret_count)
{
	size_t count = 0, room = holders->n_traced;
	struct listing *all;

	for (size_t i = 0; i < holders->n_lists; i++)
		if (is_read(sample, holders->lists[i]))
			room += holders->lists[i]->n_pids;
	all = calloc(room + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < holders->n_lists; i++) {
		const struct openers *list = holders->lists[i];

		for (size_t k = 0; is_read(sample, list) && k < list->n_pids; k++)
			all[count++] = (struct listing){ list->pids[k], list->index };
	}
	for (size_t i = 0; i < holders->n_traced; i++)
		all[count++] =
			(struct listing){ holders->traced[i].pid, holders->traced[i].device };
	qsort(all, count, sizeof(*all), by_listed_pid);
	*ret = all;
	*ret_count = count;
	return 0;
}

/*
 * May what was seen of a process last time spare a look? Not while a device is lost:
 * who had it open still has as many descriptors.
 */
static bool may_remember(const struct sample *sample)
{
	for (size_t i = 0; i < sample->snapshot->n_devices; i++)
		if (sample->snapshot->devices[i].condition == DEVICE_LOST)
			return false;
	return sample->want->paced;
}

/* Takes those of the last sample along. */
static int add_suspects(struct holders *holders, const struct listing *listings, size_t count)
{
	struct suspect **grown =
		reallocarray(holders->suspects, holders->n_suspects + count + 1, sizeof(*grown));
	struct suspect *suspect = NULL;
	size_t added = 0;

	if (!grown)
		return -ENOMEM;
	holders->suspects = grown;
	for (size_t i = 0; i < holders->n_suspects; i++) {
		grown[i]->listed = (struct walk_seen){ 0 };
		grown[i]->is_listed = false;
	}
	for (size_t i = 0; i < count; i++) {
		if (!suspect || suspect->pid != listings[i].pid)
			suspect = find_suspect(holders, listings[i].pid);
		if (!suspect) {
			suspect = calloc(1, sizeof(*suspect));
			if (!suspect)
				break;
			suspect->pid = suspect->known.pid = listings[i].pid;
			suspect->walk = holders->walk;
			grown[holders->n_suspects + added++] = suspect;
		}
		walk_seen_add(&suspect->listed, listings[i].index);
		suspect->is_listed = true;
	}
	holders->n_suspects += added;
	qsort(grown, holders->n_suspects, sizeof(struct suspect *), by_pid);
	return count && !suspect ? -ENOMEM : 0;
}

/*
 * Forgets who is on no list, or all of them, but for those whose job hangs: a second
 * job would hang as well.
 */
static void drop_suspects(struct holders *holders, struct crew *crew, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < holders->n_suspects; i++) {
		struct suspect *suspect = holders->suspects[i];

		if ((suspect->is_listed && !all) || crew_job_is_busy(crew, &suspect->job))
			holders->suspects[kept++] = suspect;
		else
			free(suspect);
	}
	holders->n_suspects = kept;
}

static int examine_listed(struct holders *holders, struct sample *sample)
{
	CLEANUP_FREE struct listing *listings = NULL;
	CLEANUP_FREE struct job **jobs = NULL;
	bool remember = may_remember(sample);
	size_t count = 0;
	int r;

	r = collect_listings(holders, sample, &listings, &count);
	if (r >= 0)
		r = add_suspects(holders, listings, count);
	drop_suspects(holders, sample->crew, false);
	jobs = calloc(holders->n_suspects + 1, sizeof(struct job *));
	if (r < 0 || !jobs)
		return r < 0 ? r : -ENOMEM;
	count = 0;
	for (size_t i = 0; i < holders->n_suspects; i++) {
		struct suspect *suspect = holders->suspects[i];

		if (crew_job_is_busy(sample->crew, &suspect->job))
			continue;
		if (!remember)
			suspect->known = (struct walk_known){ .pid = suspect->pid };
		suspect->expected = suspect->listed;
		suspect->job = (struct job){ .run = suspect_examine, .arg = suspect };
		jobs[count++] = &suspect->job;
	}
	crew_run(sample->crew, jobs, count, sample->deadline_ns);
	return 0;
}

static void set_holding(struct process *process, enum holding how)
{
	process->how = how;
	snprintf(process->holding, sizeof(process->holding), "%s", holding_name(how));
	process->why[PROC_HOLDING] = KNOWN;
}

static int add_holder(struct snapshot *snapshot, int32_t pid, size_t device, enum holding how)
{
	struct process *process = snapshot_add_process(snapshot, pid);

	if (!process || !process_use(process, device))
		return -ENOMEM;
	/* Surer knowledge of one device does not fade by lesser of another. */
	if (!process_knows(process, PROC_HOLDING) || how < process->how)
		set_holding(process, how);
	return 0;
}

/* Does it exist, though /proc hides it from us (hidepid)? */
static bool is_hidden(const struct root *root, int32_t pid)
{
	return root->live && kill(pid, 0) < 0 && errno == EPERM;
}

enum verdict { HOLDS, MAY_HOLD, DOES_NOT };

static enum verdict judge(const struct sample *sample, const struct suspect *suspect,
			  uint32_t index)
{
	if (!suspect || !crew_job_is_done(sample->crew, &suspect->job))
		return MAY_HOLD; /* it hangs: the driver's word stands */
	if (suspect->error == 0)
		return walk_seen_has(&suspect->known.seen, index) ? HOLDS : DOES_NOT;
	if (suspect->error == -ENOENT && !is_hidden(sample->root, suspect->pid))
		return DOES_NOT;
	return MAY_HOLD;
}

/* The device of a list, if it is there. */
static const struct device *find_device(const struct snapshot *snapshot, uint32_t index,
					size_t *ret_at)
{
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (snapshot->devices[i].index == index && !snapshot->devices[i].remote &&
		    snapshot->devices[i].condition != DEVICE_LOST) {
			*ret_at = i;
			return &snapshot->devices[i];
		}
	return NULL;
}

/* Everything a process was seen to hold, also what others opened for it. */
static int add_seen(struct snapshot *snapshot, int32_t pid, const struct walk_seen *seen)
{
	struct process *process;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];
		int r;

		if (dev->remote || !walk_seen_has(seen, dev->index))
			continue;
		r = add_holder(snapshot, pid, i, HOLDING_SEEN);
		if (r < 0)
			return r;
	}
	process = snapshot_find_process(snapshot, pid);
	if (!process && seen->n_tables) {
		process = snapshot_add_process(snapshot, pid);
		if (!process)
			return -ENOMEM;
		set_holding(process, HOLDING_COUNTERS);
	}
	if (process) {
		memcpy(process->tables, seen->tables, sizeof(process->tables));
		process->n_tables = seen->n_tables;
	}
	return 0;
}

/* Before 2.7 the numbers were those of the opener's namespace. */
static bool pids_are_ours(const struct snapshot *snapshot)
{
	unsigned major = 0, minor = 0;

	if (snapshot->host.why[HOST_DRIVER] != KNOWN ||
	    sscanf(snapshot->host.driver, "%3u.%3u", &major, &minor) != 2)
		return true;
	return major > 2 || (major == 2 && minor >= 7);
}

/* Takes over one of those listed, unless it proved wrong. */
static int take_suspect(struct sample *sample, const struct suspect *suspect)
{
	struct snapshot *snapshot = sample->snapshot;
	bool ours = pids_are_ours(snapshot);
	int r = 0;

	for (size_t i = 0; i < snapshot->n_devices && r >= 0; i++) {
		const struct device *dev = &snapshot->devices[i];
		enum verdict verdict;

		if (dev->remote || dev->condition == DEVICE_LOST ||
		    !walk_seen_has(&suspect->listed, dev->index))
			continue;
		verdict = judge(sample, suspect, dev->index);
		if (verdict == HOLDS)
			return add_seen(snapshot, suspect->pid, &suspect->known.seen);
		if (verdict == MAY_HOLD && ours)
			r = add_holder(snapshot, suspect->pid, i, HOLDING_LISTED);
	}
	return r;
}

/* Takes over what else one list says; *ret_doubt if somebody on it proved wrong. */
static void take_list(struct holders *holders, struct sample *sample, struct openers *list,
		      bool *ret_doubt)
{
	struct snapshot *snapshot = sample->snapshot;
	bool ours = pids_are_ours(snapshot);
	size_t at;

	if (!find_device(snapshot, list->index, &at))
		return;
	if (!crew_job_is_done(sample->crew, &list->job)) {
		snapshot->devices[at].holders_why = TIMED_OUT;
		*ret_doubt = true;
		return;
	}
	if (list->error < 0) {
		snapshot->devices[at].holders_why = reason_of_error(list->error);
		*ret_doubt = true;
		return;
	}
	snapshot->devices[at].holders_known = true;
	snapshot->devices[at].unseen_holders = list->unseen;
	for (size_t i = 0; i < list->n_pids; i++) {
		const struct suspect *suspect = find_suspect(holders, list->pids[i]);
		enum verdict verdict = judge(sample, suspect, list->index);

		*ret_doubt |= verdict == DOES_NOT;
		if (verdict == MAY_HOLD && !ours && !holders->complete)
			snapshot->devices[at].unseen_holders++; /* whoever has that number here */
	}
}

/* The name that the kernel told with it, should procfs hide the process. */
static void name_process(struct snapshot *snapshot, const struct traced_holder *holder)
{
	struct process *process = snapshot_find_process(snapshot, holder->pid);

	if (!process || !holder->comm[0] || process_knows(process, PROC_NAME))
		return;
	snprintf(process->name, sizeof(process->name), "%s", holder->comm);
	process->why[PROC_NAME] = KNOWN;
}

/*
 * A descriptor that the kernel told of. Where we may look for ourselves, that
 * counts: the process has gone on since, and a removed node has its number still.
 */
static int take_traced(struct holders *holders, struct sample *sample,
		       const struct traced_holder *holder)
{
	const struct suspect *suspect = find_suspect(holders, holder->pid);
	enum verdict verdict = judge(sample, suspect, holder->device);
	size_t at;
	int r = 0;

	if (!find_device(sample->snapshot, holder->device, &at) || verdict == DOES_NOT)
		return 0;
	if (verdict == MAY_HOLD)
		r = add_holder(sample->snapshot, holder->pid, at, HOLDING_SEEN);
	name_process(sample->snapshot, holder);
	return r;
}

struct walked {
	struct snapshot *snapshot;
	int error;
};

static void take_walked(int32_t pid, const struct walk_seen *seen, void *arg)
{
	struct walked *walked = arg;

	if (walked->error >= 0)
		walked->error = add_seen(walked->snapshot, pid, seen);
}

static bool device_has_holder(const struct snapshot *snapshot, size_t device)
{
	for (size_t i = 0; i < snapshot->n_processes; i++)
		if (process_find_usage(&snapshot->processes[i], device))
			return true;
	return false;
}

static void lose_opener(struct device *dev)
{
	dev->unseen_holders++;
	dev->lost_openers++;
}

/*
 * Somebody holds on, but the opener is gone and nobody we may look at has it. The
 * opener's number stands for him, unless it is a stranger's by now.
 */
static int take_orphans(struct holders *holders, struct sample *sample, const struct openers *list)
{
	size_t at;
	bool held;
	int r = 0;

	if (!is_read(sample, list) || !find_device(sample->snapshot, list->index, &at))
		return 0;
	held = device_has_holder(sample->snapshot, at);
	if (held && holders->complete)
		return 0; /* whoever inherited it was seen */
	for (size_t i = 0; i < list->n_pids && r >= 0; i++) {
		const struct suspect *suspect = find_suspect(holders, list->pids[i]);

		if (judge(sample, suspect, list->index) != DOES_NOT)
			continue;
		/* It lives: then its number is a stranger's by now. */
		if (held || suspect->error == 0 || !pids_are_ours(sample->snapshot))
			lose_opener(&sample->snapshot->devices[at]);
		else
			r = add_holder(sample->snapshot, list->pids[i], at, HOLDING_OPENER_GONE);
	}
	return r;
}

/* Runs the walk, unless an earlier one still hangs. False: it is late. */
static bool run_walk(struct holders *holders, struct sample *sample)
{
	/* Ten thousand processes take half a second. */
	static const int64_t deadline_ns = 5 * NS_PER_S;
	struct job *job = &holders->walk_job;

	if (crew_job_is_busy(sample->crew, job))
		return false;
	*job = (struct job){ .run = walk_run, .arg = holders->walk };
	return crew_run(sample->crew, &job, 1, deadline_ns);
}

static void know_holders(struct snapshot *snapshot, enum reason why)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];

		if (dev->holders_known || dev->remote || dev->condition == DEVICE_LOST)
			continue;
		dev->holders_known = why == KNOWN;
		dev->holders_why = why;
	}
}

/* A walk shows all processes only to whoever may look at all of them. */
static int walk_all(struct holders *holders, struct sample *sample)
{
	struct walked walked = { .snapshot = sample->snapshot };
	bool complete = false;
	int r;

	if (!run_walk(holders, sample)) {
		know_holders(sample->snapshot, holders->complete ? KNOWN : TIMED_OUT);
		return 0;
	}
	r = walk_each(holders->walk, sample->want->reporters, take_walked, &walked, &complete);
	if (r < 0 || walked.error < 0)
		return r < 0 ? r : walked.error;
	holders->complete |= complete;
	know_holders(sample->snapshot, holders->complete ? KNOWN : DENIED);
	return 0;
}

static int holders_sample(void *state, struct sample *sample)
{
	struct holders *holders = state;
	bool doubt = !pids_are_ours(sample->snapshot);
	int r;

	if (!sample->want->processes || sample->snapshot->n_devices == 0)
		return 0;
	for (size_t i = 0; i < sample->snapshot->n_devices; i++) {
		struct device *dev = &sample->snapshot->devices[i];

		dev->holders_why = dev->condition == DEVICE_LOST ? GONE
				   : dev->remote		 ? NO_PCIE
								 : NOT_OFFERED;
	}
	r = read_lists(holders, sample);
	if (r >= 0)
		r = walk_begin(holders->walk);
	if (r >= 0)
		r = examine_listed(holders, sample);
	/* By pid, so that nobody has to move for another. */
	for (size_t i = 0; i < holders->n_suspects && r >= 0; i++)
		r = take_suspect(sample, holders->suspects[i]);
	for (size_t i = 0; i < holders->n_lists && r >= 0; i++)
		take_list(holders, sample, holders->lists[i], &doubt);
	for (size_t i = 0; i < holders->n_traced && r >= 0; i++)
		r = take_traced(holders, sample, &holders->traced[i]);
	if (holders->complete)
		know_holders(sample->snapshot, KNOWN);
	if (r >= 0 && ((doubt && !holders->complete) || sample->want->reporters))
		r = walk_all(holders, sample);
	for (size_t i = 0; i < holders->n_lists && r >= 0; i++)
		r = take_orphans(holders, sample, holders->lists[i]);
	return r;
}

static int holders_open(const struct root *root, void **ret_state)
{
	CLEANUP_FREE struct holders *holders = calloc(1, sizeof(*holders));
	int r;

	if (!holders)
		return -ENOMEM;
	r = walk_new(root, &holders->walk);
	if (r < 0)
		return r;
	pinned_init(&holders->pinned, root, TRACED_HOLDERS);
	*ret_state = TAKE_PTR(holders);
	return 0;
}

static void holders_close(void *state, struct crew *crew)
{
	struct holders *holders = state;

	drop_suspects(holders, crew, true);
	for (size_t i = 0; i < holders->n_lists; i++) {
		struct openers *list = holders->lists[i];

		if (crew_job_is_busy(crew, &list->job))
			continue;
		openers_done(list);
		free(list);
	}
	if (!holders->n_suspects && !crew_job_is_busy(crew, &holders->walk_job))
		walk_free(holders->walk);
	free(holders->lists);
	free(holders->suspects);
	free(holders->traced);
	if (crew_job_is_busy(crew, &holders->pinned.job))
		return; /* it is the job's */
	pinned_done(&holders->pinned, crew);
	free(holders);
}

const struct source source_holders = {
	.name = "holders",
	.help = "who has a device open, by the driver's list, descriptors and mappings",
	.open = holders_open,
	.sample = holders_sample,
	.close = holders_close,
};
