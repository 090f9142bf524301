/* The two sockets that the server listens on: its own, and the legacy one. */
#pragma once

#include "basic/macros.h"

struct manager;

/* None yet. */
void sockets_init(struct manager *manager);

/* Those that systemd gives, else new ones. Says what went wrong. */
MUST_CHECK int sockets_open(struct manager *manager);

/* From now on connections are accepted. */
MUST_CHECK int sockets_start(struct manager *manager);

void sockets_close(struct manager *manager);
