#include "crowd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Does nothing until it is killed, or until its parent exits. */
static _Noreturn void idle(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

static int add_one(struct crowd *crowd)
{
	pid_t parent = getpid(), pid = fork(), *grown;

	if (pid == 0)
		idle(parent);
	if (pid < 0)
		return -errno;
	grown = reallocarray(crowd->pids, crowd->count + 1, sizeof(*grown));
	if (!grown) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return -ENOMEM;
	}
	crowd->pids = grown;
	crowd->pids[crowd->count++] = pid;
	return 0;
}

int crowd_grow(struct crowd *crowd, size_t count, unsigned descriptors)
{
	int fds[16], r = 0;
	unsigned n = 0;

	while (n < MIN(descriptors, ARRAY_SIZE(fds)) && (fds[n] = open("/dev/null", O_RDONLY)) >= 0)
		n++;
	while (crowd->count < count && r >= 0)
		r = add_one(crowd);
	while (n > 0)
		close(fds[--n]);
	return r;
}

int crowd_add_holder(struct crowd *crowd, const char *file)
{
	CLEANUP_CLOSE int fd = open(file, O_RDONLY);

	return fd < 0 ? -errno : add_one(crowd);
}

void crowd_end(struct crowd *crowd)
{
	for (size_t i = 0; i < crowd->count; i++)
		kill(crowd->pids[i], SIGKILL);
	for (size_t i = 0; i < crowd->count; i++)
		waitpid(crowd->pids[i], NULL, 0);
	free(crowd->pids);
	*crowd = (struct crowd){ 0 };
}
