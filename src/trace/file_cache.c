#include "trace/file_cache.h"

#include "trace/libraries.h"

#include <errno.h>
#include <search.h>

/* More than the files that all programs on the cards execute. A full cache is emptied. */
#define FILES_MAX 16384

static int compare(const void *a, const void *b)
{
	const struct file_state *left = a, *right = b;

	if (left->st_dev != right->st_dev)
		return left->st_dev < right->st_dev ? -1 : 1;
	if (left->st_ino != right->st_ino)
		return left->st_ino < right->st_ino ? -1 : 1;
	return (left->changed > right->changed) - (left->changed < right->changed);
}

void file_cache_init(struct file_cache *cache)
{
	*cache = (struct file_cache){ 0 };
	pthread_mutex_init(&cache->lock, NULL);
}

void file_cache_done(struct file_cache *cache)
{
	tdestroy(cache->tree, free);
	pthread_mutex_destroy(&cache->lock);
}

struct file_state file_state_init(const struct stat *st)
{
	return (struct file_state){
		.st_dev = st->st_dev,
		.st_ino = st->st_ino,
		.changed = libraries_changed(st),
	};
}

bool file_cache_find(struct file_cache *cache, struct file_state *state)
{
	struct file_state **found;
	bool is_known;

	pthread_mutex_lock(&cache->lock);
	found = tfind(state, &cache->tree, compare);
	is_known = found && !(*found)->is_stale;
	if (is_known)
		*state = **found;
	pthread_mutex_unlock(&cache->lock);
	return is_known;
}

static void empty(struct file_cache *cache)
{
	tdestroy(cache->tree, free);
	cache->tree = NULL;
	cache->count = 0;
}

static int insert(struct file_cache *cache, const struct file_state *state)
{
	CLEANUP_FREE struct file_state *copy = malloc(sizeof(*copy));
	struct file_state **place;

	if (!copy)
		return -ENOMEM;
	if (cache->count == FILES_MAX)
		empty(cache);
	*copy = *state;
	place = tsearch(copy, &cache->tree, compare);
	if (!place)
		return -ENOMEM;
	**place = *state;
	if (*place == copy) {
		copy = NULL;
		cache->count++;
	}
	return 0;
}

int file_cache_put(struct file_cache *cache, const struct file_state *state)
{
	int r;

	pthread_mutex_lock(&cache->lock);
	r = insert(cache, state);
	pthread_mutex_unlock(&cache->lock);
	return r;
}

struct refresh {
	bool (*is_stale)(const struct file_state *state, const void *arg);
	const void *arg;
};

static void refresh_one(const void *node, VISIT visit, void *arg)
{
	struct file_state *state = *(struct file_state *const *)node;
	const struct refresh *refresh = arg;

	if ((visit == postorder || visit == leaf) && state->is_metal)
		state->is_stale = refresh->is_stale(state, refresh->arg);
}

void file_cache_refresh(struct file_cache *cache,
			bool (*is_stale)(const struct file_state *state, const void *arg),
			const void *arg)
{
	struct refresh refresh = { is_stale, arg };

	pthread_mutex_lock(&cache->lock);
	twalk_r(cache->tree, refresh_one, &refresh);
	pthread_mutex_unlock(&cache->lock);
}
