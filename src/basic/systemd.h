/* sd_notify(3) and sd_listen_fds(3) without libsystemd. */
#pragma once

/* Sends a state, e.g. "READY=1", to the service manager, if there is one. */
void systemd_notify(const char *text);

enum { SYSTEMD_FIRST_SOCKET = 3 };

/*
 * Number of sockets passed by systemd, from that descriptor on. To be called once: it clears the
 * environment.
 */
int systemd_sockets(void);
