#include "cleaner.h"

#include "basic/exit_code.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define ATTEMPTS 100 /* of 20 ms: workloads are ending at the same time */

static const char *const mounts[] = { "sys", "proc/driver" };

/* Everything that tt_smi sim creates in its directory; other files are left alone. */
static const char *const ours[] = {
	"sys", ".sys", "proc", ".driver", "dev", "etc", "run", "simulated", "captured_at",
};

static bool is_mounted(int root, const char *path)
{
	struct stat above, here;

	if (fstat(root, &above) < 0)
		return false;
	if (fstatat(root, path, &here, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOTCONN || errno == ECONNABORTED || errno == EACCES;
	return here.st_dev != above.st_dev;
}

/* A mount of an ordinary user is unmounted by the program that mounted it. */
static void run_fusermount(const char *path)
{
	pid_t pid = fork();

	if (pid == 0) {
		execlp("fusermount3", "fusermount3", "-u", "-z", "-q", path, NULL);
		_exit(EXIT_NO_COMMAND);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void unmount(int root, const char *directory, const char *name)
{
	char path[1200];

	if (!is_mounted(root, name))
		return;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) < 0 && errno == EPERM)
		run_fusermount(path);
}

static bool remove_ours(int root)
{
	bool clean = true;

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (tree_remove(root, ours[i]) < 0)
			clean = false;
	return clean;
}

bool cleaner_remove(const char *directory, bool made)
{
	CLEANUP_CLOSE int root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool clean = false;

	if (root < 0)
		return errno == ENOENT;
	for (int i = 0; i < ATTEMPTS && !clean; i++) {
		if (i)
			usleep(20000);
		for (size_t j = 0; j < ARRAY_SIZE(mounts); j++)
			unmount(root, directory, mounts[j]);
		clean = remove_ours(root);
	}
	/* A directory with other files in it is not removed. */
	if (made && rmdir(directory) < 0 && errno != ENOENT)
		return false;
	return clean;
}

static void wait_and_clean(int pipe, const char *directory, bool made)
{
	static const int deaf[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	sigset_t none;
	char byte;

	setsid();
	prctl(PR_SET_NAME, "sim-cleaner");
	for (size_t i = 0; i < ARRAY_SIZE(deaf); i++)
		signal(deaf[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	(void)!chdir("/");
	/* A reader of our output must not wait for this process to end. */
	dup2(pipe, STDIN_FILENO);
	close(STDOUT_FILENO);
	close_range(3, ~0u, 0);
	while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(cleaner_remove(directory, made) ? 0 : 1);
}

int cleaner_start(struct cleaner *ret, const char *directory, bool made)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return -errno;
	}
	if (pid == 0) {
		close(ends[1]);
		wait_and_clean(ends[0], directory, made);
	}
	close(ends[0]);
	*ret = (struct cleaner){ .pid = pid, .pipe = ends[1] };
	return 0;
}

bool cleaner_finish(struct cleaner *c)
{
	int status;

	close(c->pipe);
	if (waitpid(c->pid, &status, 0) != c->pid)
		return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
