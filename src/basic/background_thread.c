#include "basic/background_thread.h"

#include "basic/clock.h"
#include "basic/condition.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void *background_main(void *arg)
{
	struct background_thread *thread = arg;

	thread->run(thread->owner);
	pthread_mutex_lock(&thread->lock);
	thread->ended = true;
	pthread_cond_broadcast(&thread->changed);
	pthread_mutex_unlock(&thread->lock);
	return NULL;
}

void background_thread_done(struct background_thread *thread)
{
	pthread_mutex_destroy(&thread->lock);
	pthread_cond_destroy(&thread->changed);
	close(thread->fd);
}

int background_thread_start(struct background_thread *thread, void (*run)(void *owner), void *owner)
{
	int r;

	*thread = (struct background_thread){ .run = run, .owner = owner };
	thread->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (thread->fd < 0)
		return -errno;
	pthread_mutex_init(&thread->lock, NULL);
	condition_init(&thread->changed);
	r = -pthread_create(&thread->thread, NULL, background_main, thread);
	if (r < 0)
		background_thread_done(thread);
	return r;
}

bool background_thread_wait(struct background_thread *thread, int64_t until_ns)
{
	const struct timespec until = clock_timespec(until_ns);

	return pthread_cond_timedwait(&thread->changed, &thread->lock, &until) != ETIMEDOUT;
}

void background_thread_stop(struct background_thread *thread)
{
	pthread_mutex_lock(&thread->lock);
	thread->stop = true;
	pthread_cond_broadcast(&thread->changed);
	pthread_mutex_unlock(&thread->lock);
}

void background_thread_join(struct background_thread *thread)
{
	background_thread_stop(thread);
	pthread_join(thread->thread, NULL);
}

bool background_thread_end(struct background_thread *thread, int64_t patience_ns)
{
	int64_t until_ns = clock_now(CLOCK_MONOTONIC) + patience_ns;
	bool ended;

	background_thread_stop(thread);
	pthread_mutex_lock(&thread->lock);
	while (!thread->ended && background_thread_wait(thread, until_ns))
		;
	ended = thread->ended;
	pthread_mutex_unlock(&thread->lock);
	if (ended)
		background_thread_join(thread);
	else
		pthread_detach(thread->thread);
	return ended;
}
