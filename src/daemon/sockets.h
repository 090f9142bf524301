/* The two sockets that the server listens on: its own, and the legacy one. */
#pragma once

#include "basic/macros.h"

struct manager;

void sockets_init(struct manager *manager);

/* Uses sockets passed by systemd, else creates new ones. Logs errors. */
MUST_CHECK int sockets_open(struct manager *manager);

/* Starts to accept connections. */
MUST_CHECK int sockets_start(struct manager *manager);

void sockets_close(struct manager *manager);
