#include "serve/verifier.h"

#include "basic/background_thread.h"
#include "basic/clock.h"
#include "basic/wakeup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct verification_list {
	struct verification *first, **last;
};

struct verifier {
	struct background_thread thread; /* its lock is never held while verifying */
	struct verification_list waiting, finished;
	unsigned n_waiting;
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

static void list_add_first(struct verification_list *list, struct verification *verification)
{
	verification->next = list->first;
	list->first = verification;
	if (!verification->next)
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

	pthread_mutex_lock(&verifier->thread.lock);
	while (!verifier->thread.stop && !verifier->waiting.first)
		pthread_cond_wait(&verifier->thread.changed, &verifier->thread.lock);
	if (!verifier->thread.stop) {
		next = list_take(&verifier->waiting);
		verifier->n_waiting--;
	}
	pthread_mutex_unlock(&verifier->thread.lock);
	return next;
}

static void verifier_main(void *arg)
{
	struct verifier *verifier = arg;
	struct verification *next;

	while ((next = wait_for_next(verifier))) {
		next->late = clock_now(CLOCK_MONOTONIC) > next->deadline_ns;
		next->right =
			!next->late && auth_users_verify(next->users, next->name, next->password);
		explicit_bzero(next->password, sizeof(next->password));
		pthread_mutex_lock(&verifier->thread.lock);
		list_add(&verifier->finished, next);
		wakeup_send(verifier->thread.fd);
		pthread_mutex_unlock(&verifier->thread.lock);
	}
}

int verifier_new(struct verifier **ret)
{
	struct verifier *verifier = calloc(1, sizeof(*verifier));
	int r;

	if (!verifier)
		return -ENOMEM;
	list_init(&verifier->waiting);
	list_init(&verifier->finished);
	r = background_thread_start(&verifier->thread, verifier_main, verifier);
	if (r < 0) {
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
	background_thread_join(&verifier->thread);
	while ((left = list_take(&verifier->finished)) || (left = list_take(&verifier->waiting)))
		end(left);
	background_thread_done(&verifier->thread);
	free(verifier);
}

int verifier_add(struct verifier *verifier, struct verification *verification)
{
	int r = 0;

	pthread_mutex_lock(&verifier->thread.lock);
	if (verifier->n_waiting >= VERIFIER_QUEUE && !verification->urgent) {
		r = -EAGAIN;
	} else {
		if (verification->urgent)
			list_add_first(&verifier->waiting, verification);
		else
			list_add(&verifier->waiting, verification);
		verifier->n_waiting++;
		pthread_cond_signal(&verifier->thread.changed);
	}
	pthread_mutex_unlock(&verifier->thread.lock);
	return r;
}

int verifier_fd(const struct verifier *verifier)
{
	return verifier->thread.fd;
}

struct verification *verifier_take(struct verifier *verifier)
{
	struct verification *result;

	pthread_mutex_lock(&verifier->thread.lock);
	result = list_take(&verifier->finished);
	if (!result)
		wakeup_clear(verifier->thread.fd);
	pthread_mutex_unlock(&verifier->thread.lock);
	return result;
}
