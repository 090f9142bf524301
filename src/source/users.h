/* Names of users. Each is looked up once; the file comes first, then the system. */
#pragma once

#include "basic/buf.h"
#include "source/source.h"

struct user_name {
	uint32_t uid;
	char text[33];
};

struct users {
	struct buf passwd;
	bool passwd_read;
	bool deaf; /* the system did not answer: it is not asked again */
	struct user_name *names;
	size_t n_names;
};

/* The name, or the number as text. */
void users_find(struct users *users, struct sample *sample, uint32_t uid, char *name, size_t size);

void users_done(struct users *users);
