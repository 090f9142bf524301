#include "daemon/fd_closer.h"

#include "basic/array.h"
#include "basic/clock.h"
#include "daemon/users.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Interrupts a blocking close(). */
enum { INTERRUPT = SIGUSR2 };
#define INTERRUPT_PERIOD NS_PER_MS

enum { DISCARD_STACK = 128 << 10 };

/* Limit for queued descriptors; a hostile one takes a millisecond to close. */
enum { PENDING_MAX = 128 };

struct discard {
	struct fd_closer *closer;
	struct list member; /* in fd_closer.discarded */
	struct user *user;
	struct message_fds fds;
};

struct fd_closer {
	struct loop *loop;
	struct watch watch; /* eventfd: discards have finished */
	unsigned discards;  /* threads that are running */
	pthread_t thread;

	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t queued;
	int *fds; /* queue of descriptors to close */
	size_t count, room;
	size_t pending; /* in the queue or being closed */
	bool ending;
	struct list discarded; /* struct discard */
};

static void interrupted(int number)
{
	(void)number;
}

static int interrupts_init(timer_t *ret)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = INTERRUPT };

	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	return timer_create(CLOCK_MONOTONIC, &event, ret) < 0 ? -errno : 0;
}

static void interrupts_set(timer_t timer, long period_ns)
{
	const struct itimerspec each = {
		.it_interval.tv_nsec = period_ns,
		.it_value.tv_nsec = period_ns,
	};

	timer_settime(timer, 0, &each, NULL);
}

/* Waits for the queue and takes all of it. NULL: the thread is to end. */
static int *queue_take(struct fd_closer *closer, size_t *ret_count)
{
	int *fds;

	pthread_mutex_lock(&closer->lock);
	while (closer->count == 0 && !closer->ending)
		pthread_cond_wait(&closer->queued, &closer->lock);
	*ret_count = closer->count;
	fds = closer->count ? TAKE_PTR(closer->fds) : NULL;
	closer->count = closer->room = 0;
	pthread_mutex_unlock(&closer->lock);
	return fds;
}

static void close_one(struct fd_closer *closer, int fd)
{
	close(fd); /* the descriptor is closed even if this is interrupted, see close(2) */
	pthread_mutex_lock(&closer->lock);
	closer->pending--;
	pthread_mutex_unlock(&closer->lock);
}

static void *closer_work(void *arg)
{
	struct fd_closer *closer = arg;
	timer_t timer;
	bool interrupts = interrupts_init(&timer) >= 0;
	size_t count;
	int *fds;

	while ((fds = queue_take(closer, &count))) {
		if (interrupts)
			interrupts_set(timer, INTERRUPT_PERIOD);
		for (size_t i = 0; i < count; i++)
			close_one(closer, fds[i]);
		if (interrupts)
			interrupts_set(timer, 0);
		free(fds);
	}
	if (interrupts)
		timer_delete(timer);
	return NULL;
}

/* Returns false if memory is short. */
static bool queue_add(struct fd_closer *closer, int fd)
{
	int *fds;

	pthread_mutex_lock(&closer->lock);
	fds = array_grow(closer->fds, closer->count, &closer->room, sizeof(*fds));
	if (fds) {
		closer->fds = fds;
		fds[closer->count++] = fd;
		closer->pending++;
	}
	pthread_cond_signal(&closer->queued);
	pthread_mutex_unlock(&closer->lock);
	return fds;
}

void fd_closer_close(struct fd_closer *closer, int fd)
{
	shutdown(fd, SHUT_RDWR); /* fails with ENOTSOCK for a table */
	if (!queue_add(closer, fd))
		close(fd);
}

static void *discard_work(void *arg)
{
	struct discard *discard = arg;
	struct fd_closer *closer = discard->closer;
	const uint64_t one = 1;

	for (unsigned i = 0; i < discard->fds.count; i++)
		close(discard->fds.fd[i]);
	pthread_mutex_lock(&closer->lock);
	list_append(&closer->discarded, &discard->member);
	(void)!write(
		closer->watch.fd, &one,
		sizeof(one)); /* fails if the counter is full: then the loop is awake already */
	pthread_mutex_unlock(&closer->lock);
	return NULL;
}

static int thread_start(void *(*work)(void *), void *arg)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int r;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, MAX(DISCARD_STACK, (size_t)PTHREAD_STACK_MIN));
	r = pthread_create(&thread, &attributes, work, arg);
	pthread_attr_destroy(&attributes);
	return -r;
}

static bool is_socket(int fd)
{
	socklen_t length = sizeof(int);
	int type;

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
}

/*
 * Queues the sockets for the closing thread, which interrupts them by signals. Returns the others.
 */
static struct message_fds close_sockets(struct fd_closer *closer, const struct message_fds *fds)
{
	struct message_fds others = { .count = 0 };

	for (unsigned i = 0; i < fds->count; i++) {
		if (!is_socket(fds->fd[i]) || !queue_add(closer, fds->fd[i]))
			others.fd[others.count++] = fds->fd[i];
	}
	return others;
}

/*
 * If memory or threads are short, the descriptors stay open: closing them here could block for
 * ever.
 */
void fd_closer_discard(struct fd_closer *closer, struct user *user, const struct message_fds *fds)
{
	const struct message_fds others = close_sockets(closer, fds);
	struct discard *discard;

	if (!others.count)
		return;
	discard = malloc(sizeof(*discard));
	if (!discard)
		return;
	*discard = (struct discard){ .closer = closer, .user = user_ref(user), .fds = others };
	if (thread_start(discard_work, discard) < 0) {
		user_unref(user);
		free(discard);
		return;
	}
	user->discards++;
	closer->discards++;
}

static void discard_done(struct fd_closer *closer, struct discard *discard)
{
	closer->discards--;
	discard->user->discards--;
	user_unref(discard->user);
	free(discard);
}

static struct discard *discarded_take(struct fd_closer *closer)
{
	struct discard *discard = NULL;

	pthread_mutex_lock(&closer->lock);
	if (closer->discarded.next != &closer->discarded) {
		discard = container_of(closer->discarded.next, struct discard, member);
		list_remove(&discard->member);
	}
	pthread_mutex_unlock(&closer->lock);
	return discard;
}

static void closer_ready(struct watch *watch, uint32_t events)
{
	struct fd_closer *closer = container_of(watch, struct fd_closer, watch);
	struct discard *discard;
	uint64_t count;

	(void)events;
	(void)!read(watch->fd, &count, sizeof(count));
	while ((discard = discarded_take(closer)))
		discard_done(closer, discard);
}

bool fd_closer_is_behind(struct fd_closer *closer)
{
	bool behind;

	pthread_mutex_lock(&closer->lock);
	behind = closer->pending >= PENDING_MAX;
	pthread_mutex_unlock(&closer->lock);
	return behind;
}

bool fd_closer_accepts(const struct user *user)
{
	return user->discards < DISCARDS_PER_USER;
}

bool fd_closer_hangs(const struct fd_closer *closer)
{
	return closer->discards > 0;
}

static int closer_start(struct fd_closer *closer)
{
	const struct sigaction action = { .sa_handler = interrupted };
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), r;

	if (fd < 0)
		return -errno;
	r = watch_start(closer->loop, &closer->watch, fd, EPOLLIN);
	if (r >= 0 && sigaction(INTERRUPT, &action, NULL) < 0)
		r = -errno;
	if (r >= 0)
		r = -pthread_create(&closer->thread, NULL, closer_work, closer);
	if (r < 0) {
		watch_stop(closer->loop, &closer->watch);
		close(fd);
	}
	return r;
}

int fd_closer_new(struct loop *loop, struct fd_closer **ret)
{
	struct fd_closer *closer = calloc(1, sizeof(*closer));
	int r;

	if (!closer)
		return -ENOMEM;
	*closer = (struct fd_closer){
		.loop = loop,
		.watch = { .fd = -1, .ready = closer_ready },
	};
	pthread_mutex_init(&closer->lock, NULL);
	pthread_cond_init(&closer->queued, NULL);
	list_init(&closer->discarded);
	r = closer_start(closer);
	if (r < 0) {
		free(closer);
		return r;
	}
	*ret = closer;
	return 0;
}

struct fd_closer *fd_closer_free(struct fd_closer *closer)
{
	int fd;

	if (!closer)
		return NULL;
	pthread_mutex_lock(&closer->lock);
	closer->ending = true;
	pthread_cond_signal(&closer->queued);
	pthread_mutex_unlock(&closer->lock);
	pthread_join(closer->thread, NULL);
	fd = closer->watch.fd;
	closer_ready(&closer->watch, 0);
	watch_stop(closer->loop, &closer->watch);
	if (closer->discards)
		return NULL; /* a hanging discard still uses its memory */
	close(fd);
	pthread_cond_destroy(&closer->queued);
	pthread_mutex_destroy(&closer->lock);
	free(closer);
	return NULL;
}
