/*
 * Many programs that report through libttalloc, for the tests of the server. Reads commands from
 * standard input, one per line, and answers each with one line:
 *
 *	start N		starts N more children, each of which makes random reports
 *	pause		pauses all; answers with the sum of the bytes that they hold
 *	resume		lets them continue
 *	kill		kills all with SIGKILL; answers with their number
 *	churn N		starts N children, some at a time, and kills each at a random
 *			instruction; answers with their number
 *	pids		answers with the pids of all
 */
#include "ttalloc.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN_MAX = 4096, HELD_MAX = 32, SLOTS = 4 };

/* Shared with the children. */
static struct shared {
	atomic_bool paused;
	struct {
		atomic_bool parked;
		_Atomic uint64_t held;
	} child[CHILDREN_MAX];
} * shared;

static pid_t pids[CHILDREN_MAX];
static unsigned count;

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void nap(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

/* One allocation or free in its own range; the sum is what the server must report. */
static void step(unsigned index, uint64_t *seed, uint64_t sizes[HELD_MAX])
{
	uint64_t at = random_next(seed) % HELD_MAX;

	if (sizes[at]) {
		ttalloc_report_free(at % 2, at % 4 < 2 ? TTALLOC_DRAM : TTALLOC_L1, at);
		shared->child[index].held -= sizes[at];
		sizes[at] = 0;
	} else {
		sizes[at] = random_next(seed) % (1 << 20) + 1;
		ttalloc_report_alloc(at % 2, at % 4 < 2 ? TTALLOC_DRAM : TTALLOC_L1, at, sizes[at]);
		shared->child[index].held += sizes[at];
	}
}

static _Noreturn void child_run(unsigned index)
{
	uint64_t seed = 88172645463325252u + index * 7919u, sizes[HELD_MAX] = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		if (shared->paused) {
			shared->child[index].parked = true;
			ttalloc_poll();
			nap(20000000);
			continue;
		}
		shared->child[index].parked = false;
		if (shared->paused)
			continue; /* paused again at once, perhaps before the parent has noticed */
		for (int i = 0; i < 20; i++)
			step(index, &seed, sizes);
		nap(20000000 + (long)(random_next(&seed) % 20000000));
	}
}

/* Marks itself as paused after a report. */
static _Noreturn void victim_run(unsigned index)
{
	uint64_t seed = (uint64_t)getpid() * 7919u, sizes[HELD_MAX] = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		for (int i = 0; i < 1000; i++) {
			step(index, &seed, sizes);
			shared->child[index].parked = true;
		}
		nap(50000); /* leaves CPU time for the others */
	}
}

static void start(unsigned n)
{
	while (n-- > 0 && count < CHILDREN_MAX) {
		pid_t pid = fork();

		if (pid == 0)
			child_run(count);
		pids[count++] = pid;
	}
}

static uint64_t pause_all(void)
{
	uint64_t sum = 0;

	shared->paused = true;
	for (unsigned i = 0; i < count; i++) {
		while (!shared->child[i].parked)
			nap(1000000);
		sum += shared->child[i].held;
	}
	return sum;
}

static unsigned kill_all(void)
{
	unsigned killed = count;

	for (unsigned i = 0; i < count; i++)
		kill(pids[i], SIGKILL);
	for (unsigned i = 0; i < count; i++)
		waitpid(pids[i], NULL, 0);
	memset(shared, 0, sizeof(*shared));
	count = 0;
	return killed;
}

/* Every other one may be killed before it has reported anything. */
static unsigned churn(unsigned n)
{
	pid_t slots[SLOTS] = { 0 };
	uint64_t seed = 4711;

	for (unsigned i = 0; i < n; i++) {
		pid_t *slot = &slots[i % SLOTS];

		if (*slot) {
			kill(*slot, SIGKILL);
			waitpid(*slot, NULL, 0);
		}
		shared->child[i % SLOTS].parked = false;
		*slot = fork();
		if (*slot == 0)
			victim_run(i % SLOTS);
		nap((long)(random_next(&seed) % 200000));
		while (i % 2 && !shared->child[i % SLOTS].parked)
			nap(100000);
	}
	for (unsigned i = 0; i < SLOTS; i++) {
		if (slots[i]) {
			kill(slots[i], SIGKILL);
			waitpid(slots[i], NULL, 0);
		}
	}
	return n;
}

int main(void)
{
	char word[16];
	unsigned n;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (scanf("%15s", word) == 1) {
		if (strcmp(word, "start") == 0 && scanf("%u", &n) == 1) {
			start(n);
			printf("%u\n", count);
		} else if (strcmp(word, "pause") == 0) {
			printf("%llu\n", (unsigned long long)pause_all());
		} else if (strcmp(word, "resume") == 0) {
			shared->paused = false;
			printf("0\n");
		} else if (strcmp(word, "kill") == 0) {
			printf("%u\n", kill_all());
		} else if (strcmp(word, "churn") == 0 && scanf("%u", &n) == 1) {
			printf("%u\n", churn(n));
		} else if (strcmp(word, "pids") == 0) {
			for (unsigned i = 0; i < count; i++)
				printf("%d ", pids[i]);
			printf("\n");
		} else {
			return 2;
		}
	}
	kill_all();
	return 0;
}
