/* The two habits of a service under systemd, without its library: sd_notify(3), sd_listen_fds(3).
 */
#pragma once

/* Tells the manager, if there is one, something like "READY=1". */
void systemd_notify(const char *text);

/* Sockets handed over: their number, from descriptor 3 on. Asked once; the environment is cleared.
 */
int systemd_sockets(void);
