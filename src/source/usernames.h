/* User names. Each is looked up once, first in the file, then through the name service. */
#pragma once

#include "basic/buf.h"
#include "source/source.h"

struct user_name {
	uint32_t uid;
	char text[33];
};

struct usernames {
	struct buf passwd;
	bool passwd_read;
	bool timed_out; /* the name service timed out: it is not used again */
	struct user_name *list;
	size_t count;
};

/* The name, or the number as text. */
void usernames_find(struct usernames *names, struct sample *sample, uint32_t uid, char *name,
		    size_t size);

void usernames_done(struct usernames *names);
