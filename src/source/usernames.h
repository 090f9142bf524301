/* Names of users. Each is looked up once; the file comes first, then the system. */
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
	bool deaf; /* the name service did not answer: it is not asked again */
	struct user_name *list;
	size_t count;
};

/* The name, or the number as text. */
void usernames_find(struct usernames *names, struct sample *sample, uint32_t uid, char *name,
		    size_t size);

void usernames_done(struct usernames *names);
