/*
 * Measures the cost of a report in the program that makes it, compared with the original client
 * library (a blocking send of 112 bytes per event) and with the minimum that several threads can do
 * together (an atomic add).
 *
 * Compare ratios within one run only. Everything is measured with one thread and with four; the
 * figures are wall time per event of all threads together, and CPU time per event, which is also
 * comparable on a machine with fewer cores than threads. For the send, a child process reads the
 * other end in large pieces, as a server would. The rows with a million live allocations show the
 * cost of cache misses.
 */
#include "ttalloc.h"

#include "basic/clock.h"
#include "basic/macros.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define THREADS_MAX 4
#define ROUNDS	    5
#define PILE	    1000000u /* live allocations */

struct work {
	void (*event)(unsigned thread, unsigned i);
	unsigned events;
	unsigned thread;
	pthread_barrier_t *start;
};

/* Nanoseconds per event. */
struct cost {
	double wall; /* of all threads together */
	double cpu;  /* of each */
};

static uint64_t counter;
static unsigned n_threads;
static int sockets[2];

static void event_add(unsigned thread, unsigned i)
{
	(void)thread, (void)i;
	__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
}

/* Events 2n and 2n + 1 allocate and free the same buffer, as a busy program does. */
static void event_report(unsigned thread, unsigned i)
{
	uint64_t id = (uint64_t)thread << 40 | (uint64_t)(i / 2 % 4096) << 12;

	if (i % 2)
		ttalloc_report_free(0, TTALLOC_L1, id);
	else
		ttalloc_report_alloc(0, TTALLOC_L1, id, 2048);
}

/* The same, but each thread has a device of its own. */
static void event_report_own(unsigned thread, unsigned i)
{
	uint64_t id = (uint64_t)(i / 2 % 4096) << 12;

	if (i % 2)
		ttalloc_report_free(2 + thread, TTALLOC_L1, id);
	else
		ttalloc_report_alloc(2 + thread, TTALLOC_L1, id, 2048);
}

/* Only allocations: the index grows, and nothing is in a cache. */
static void event_grow(unsigned thread, unsigned i)
{
	ttalloc_report_alloc(1, TTALLOC_DRAM, (uint64_t)thread << 40 | (uint64_t)i << 12, 4096);
}

static void event_shrink(unsigned thread, unsigned i)
{
	ttalloc_report_free(1, TTALLOC_DRAM, (uint64_t)thread << 40 | (uint64_t)i << 12);
}

/* Frees one of a million allocations, chosen at random, and allocates it again. */
static void event_churn(unsigned thread, unsigned i)
{
	uint64_t n = (uint64_t)(i / 2) * 2654435761u % (PILE / n_threads);
	uint64_t id = (uint64_t)thread << 40 | n << 12;

	if (i % 2)
		ttalloc_report_alloc(1, TTALLOC_DRAM, id, 4096);
	else
		ttalloc_report_free(1, TTALLOC_DRAM, id);
}

static void event_send(unsigned thread, unsigned i)
{
	char record[112] = { 1 };

	(void)thread, (void)i;
	if (send(sockets[0], record, sizeof(record), MSG_NOSIGNAL) != sizeof(record))
		abort();
}

static void *work_run(void *arg)
{
	struct work *work = arg;

	pthread_barrier_wait(work->start);
	for (unsigned i = 0; i < work->events; i++)
		work->event(work->thread, i);
	return NULL;
}

static struct cost measure_once(void (*event)(unsigned, unsigned), unsigned threads,
				unsigned events)
{
	struct work work[THREADS_MAX];
	pthread_t thread[THREADS_MAX];
	pthread_barrier_t start;
	int64_t wall, cpu;

	n_threads = threads;
	pthread_barrier_init(&start, NULL, threads + 1);
	for (unsigned i = 0; i < threads; i++) {
		work[i] = (struct work){ event, events / threads, i, &start };
		if (pthread_create(&thread[i], NULL, work_run, &work[i]) != 0)
			abort();
	}
	wall = clock_now(CLOCK_MONOTONIC);
	cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	wall = clock_now(CLOCK_MONOTONIC) - wall;
	cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	pthread_barrier_destroy(&start);
	return (struct cost){ (double)wall / events, (double)cpu / events };
}

/* The minimum of several runs: it was disturbed least. */
static struct cost measure(void (*event)(unsigned, unsigned), unsigned threads, unsigned events)
{
	struct cost best = measure_once(event, threads, events);

	for (int i = 1; i < ROUNDS; i++) {
		struct cost once = measure_once(event, threads, events);

		best.wall = MIN(best.wall, once.wall);
		best.cpu = MIN(best.cpu, once.cpu);
	}
	return best;
}

static pid_t reader_start(void)
{
	static char sink[1 << 16];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		close(sockets[0]);
		while (read(sockets[1], sink, sizeof(sink)) > 0)
			;
		_exit(0);
	}
	close(sockets[1]);
	return pid;
}

static void figure(const char *name, unsigned threads, struct cost cost, double send)
{
	printf("%-34s %u thread%s %8.1f ns, CPU %8.1f ns", name, threads, threads == 1 ? " " : "s",
	       cost.wall, cost.cpu);
	if (send > 0)
		printf("   send costs %5.1f times as much", send / cost.wall);
	printf("\n");
}

/* Resident bytes of the table. */
static double table_bytes(void)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	double bytes = 0;

	while (directory && (entry = readdir(directory))) {
		char target[64] = { 0 };
		struct stat st;

		if (readlinkat(dirfd(directory), entry->d_name, target, sizeof(target) - 1) > 0 &&
		    strcmp(target, "/memfd:ttalloc (deleted)") == 0 &&
		    fstatat(dirfd(directory), entry->d_name, &st, 0) == 0)
			bytes = (double)st.st_blocks * 512;
	}
	if (directory)
		closedir(directory);
	return bytes;
}

static void compare(unsigned threads)
{
	struct cost sent = measure(event_send, threads, 1 << 16);
	double send = sent.wall;

	figure("atomic add", threads, measure(event_add, threads, 1 << 22), 0);
	figure("blocking send of 112 bytes", threads, sent, 0);
	figure("report, allocate and free", threads, measure(event_report, threads, 1 << 20), send);
	if (threads > 1)
		figure("report, a device per thread", threads,
		       measure(event_report_own, threads, 1 << 20), send);
	figure("report, 1,000,000 pile up", threads, measure_once(event_grow, threads, PILE), send);
	if (threads == 1)
		printf("%-34s %.1f bytes each in the table\n", "1,000,000 allocations",
		       table_bytes() / PILE);
	figure("report, among 1,000,000", threads, measure(event_churn, threads, PILE), send);
	figure("report, all are freed", threads, measure_once(event_shrink, threads, PILE), send);
}

int main(void)
{
	pid_t reader = reader_start();

	if (reader < 0)
		return 1;
	setenv("TT_ALLOCD_SOCKET", "/nonexistent", 1); /* no server */
	compare(1);
	compare(2);
	compare(THREADS_MAX);
	close(sockets[0]);
	waitpid(reader, NULL, 0);
	setenv("TT_ALLOC_TRACKING_ENABLED", "0", 1);
	fflush(stdout);
	if (fork() == 0) { /* a child reads the environment again */
		figure("report, turned off", 1, measure(event_report, 1, 1 << 20), 0);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
