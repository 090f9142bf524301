#include "serve/verifier.h"

#include "basic/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

struct verification_list {
	struct verification *first, **last;
};

struct verifier {
	pthread_t thread;
	int fd; /* an eventfd; readable: there are results */

	pthread_mutex_t lock; /* protects the members below; never held while verifying */
	pthread_cond_t changed;
	struct verification_list waiting, finished;
	unsigned n_waiting;
	bool stop;
};

static void list_init(struct verification_list *list)
{
	list->first = NULL;
	list->last = &list->first;
}

static void list_add(struct verification_list *list, struct verification *verification)
{
	verification->next = NULL;
	*list->last = verification;
	list->last = &verification->next;
}

static struct verification *list_take(struct verification_list *list)
{
	struct verification *verification = list->first;

	if (!verification)
		return NULL;
	list->first = verification->next;
	if (!list->first)
		list->last = &list->first;
	return verification;
}

/* The next one to verify; NULL: the thread is to end. */
static struct verification *wait_for_next(struct verifier *verifier)
{
	struct verification *next = NULL;

	pthread_mutex_lock(&verifier->lock);
	while (!verifier->stop && !verifier->waiting.first)
		pthread_cond_wait(&verifier->changed, &verifier->lock);
	if (!verifier->stop) {
		next = list_take(&verifier->waiting);
		verifier->n_waiting--;
	}
	pthread_mutex_unlock(&verifier->lock);
	return next;
}

static void *verifier_main(void *arg)
{
	struct verifier *verifier = arg;
	struct verification *next;

	while ((next = wait_for_next(verifier))) {
		next->late = clock_now(CLOCK_MONOTONIC) > next->deadline_ns;
		next->right =
			!next->late && auth_users_verify(next->users, next->name, next->password);
		explicit_bzero(next->password, sizeof(next->password));
		pthread_mutex_lock(&verifier->lock);
		list_add(&verifier->finished, next);
		eventfd_write(verifier->fd, 1);
		pthread_mutex_unlock(&verifier->lock);
	}
	return NULL;
}

int verifier_new(struct verifier **ret)
{
	struct verifier *verifier = calloc(1, sizeof(*verifier));
	int r;

	if (!verifier)
		return -ENOMEM;
	list_init(&verifier->waiting);
	list_init(&verifier->finished);
	pthread_mutex_init(&verifier->lock, NULL);
	pthread_cond_init(&verifier->changed, NULL);
	verifier->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = verifier->fd < 0 ? -errno
			     : -pthread_create(&verifier->thread, NULL, verifier_main, verifier);
	if (r < 0) {
		if (verifier->fd >= 0)
			close(verifier->fd);
		free(verifier);
		return r;
	}
	*ret = verifier;
	return 0;
}

void verifier_free(struct verifier *verifier, void (*end)(struct verification *verification))
{
	struct verification *left;

	if (!verifier)
		return;
	pthread_mutex_lock(&verifier->lock);
	verifier->stop = true;
	pthread_cond_signal(&verifier->changed);
	pthread_mutex_unlock(&verifier->lock);
	pthread_join(verifier->thread, NULL);
	while ((left = list_take(&verifier->finished)) || (left = list_take(&verifier->waiting)))
		end(left);
	pthread_mutex_destroy(&verifier->lock);
	pthread_cond_destroy(&verifier->changed);
	close(verifier->fd);
	free(verifier);
}

int verifier_add(struct verifier *verifier, struct verification *verification)
{
	int r = 0;

	pthread_mutex_lock(&verifier->lock);
	if (verifier->n_waiting >= VERIFIER_QUEUE) {
		r = -EAGAIN;
	} else {
		list_add(&verifier->waiting, verification);
		verifier->n_waiting++;
		pthread_cond_signal(&verifier->changed);
	}
	pthread_mutex_unlock(&verifier->lock);
	return r;
}

int verifier_fd(const struct verifier *verifier)
{
	return verifier->fd;
}

struct verification *verifier_take(struct verifier *verifier)
{
	struct verification *result;
	eventfd_t count;

	pthread_mutex_lock(&verifier->lock);
	result = list_take(&verifier->finished);
	if (!result)
		(void)eventfd_read(verifier->fd, &count);
	pthread_mutex_unlock(&verifier->lock);
	return result;
}
