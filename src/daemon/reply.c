#include "daemon/reply.h"

#include <errno.h>
#include <string.h>

/* Limit for unused answers that are kept for pending requests. */
enum { IDLE_MOST = 64 << 20 };

void replies_init(struct replies *replies)
{
	*replies = (struct replies){ 0 };
	list_init(&replies->list);
}

static void reply_free(struct reply *reply)
{
	list_remove(&reply->member);
	free(reply->data);
	free(reply->holders);
	free(reply);
}

void replies_trim(struct replies *replies)
{
	for (LIST_EACH(at, &replies->list)) {
		struct reply *reply = container_of(at, struct reply, member);

		if (!reply->n_holders) {
			replies->idle -= reply->length;
			reply_free(reply);
		}
	}
}

void replies_done(struct replies *replies)
{
	if (replies->list.next)
		replies_trim(replies);
}

uint32_t reply_units(size_t length)
{
	return (uint32_t)((length + 1023) / 1024);
}

struct reply *reply_new(struct replies *replies, const struct reply_key *key, int64_t made_ns,
			char *data, size_t length)
{
	struct reply *reply = calloc(1, sizeof(*reply));

	if (!reply) {
		free(data);
		return NULL;
	}
	*reply = (struct reply){
		.replies = replies,
		.key = key ? *key : (struct reply_key){ 0 },
		.shared = key,
		.made_ns = made_ns,
		.data = data,
		.length = length,
	};
	list_append(&replies->list, &reply->member);
	replies->idle += length;
	return reply;
}

struct reply *replies_find(struct replies *replies, const struct reply_key *key, int64_t since_ns)
{
	for (LIST_EACH(at, &replies->list)) {
		struct reply *reply = container_of(at, struct reply, member);

		if (reply->shared && reply->made_ns >= since_ns && reply->key.flags == key->flags &&
		    reply->key.pid == key->pid && reply->key.uid == key->uid)
			return reply;
	}
	return NULL;
}

static struct reply_holder *holder_find(const struct reply *reply, const struct user *user)
{
	for (size_t i = 0; i < reply->n_holders; i++) {
		if (reply->holders[i].user == user)
			return &reply->holders[i];
	}
	return NULL;
}

static int holder_add(struct reply *reply, struct user *user)
{
	uint32_t units = reply_units(reply->length);
	struct reply_holder *grown;

	if (user_room(user, LIMIT_PENDING) < units)
		return -EAGAIN;
	grown = reallocarray(reply->holders, reply->n_holders + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	if (!reply->n_holders)
		reply->replies->idle -= reply->length;
	reply->holders = grown;
	reply->holders[reply->n_holders++] = (struct reply_holder){ user_ref(user), 1 };
	user_count(user, LIMIT_PENDING, units);
	return 0;
}

int reply_hold(struct reply *reply, struct user *user)
{
	struct reply_holder *holder = holder_find(reply, user);

	if (!holder)
		return holder_add(reply, user);
	holder->references++;
	return 0;
}

void reply_release(struct reply *reply, struct user *user)
{
	struct reply_holder *holder = holder_find(reply, user);

	if (--holder->references)
		return;
	user_give_back(user, LIMIT_PENDING, reply_units(reply->length));
	user_unref(user);
	*holder = reply->holders[--reply->n_holders];
	if (reply->n_holders)
		return;
	reply->replies->idle += reply->length;
	if (!reply->shared || reply->replies->idle > IDLE_MOST) {
		reply->replies->idle -= reply->length;
		reply_free(reply);
	}
}
