#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), r = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		r = -errno;
	close(fd);
	return r;
}

/* A user namespace in which we are who we were, but may mount. */
static int become_mounter(void)
{
	uid_t uid = getuid();
	gid_t gid = getgid();
	char text[64];
	int r;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return -errno;
	r = write_file("/proc/self/setgroups", "deny");
	if (r < 0)
		return r;
	snprintf(text, sizeof(text), "%u %u 1", uid, uid);
	r = write_file("/proc/self/uid_map", text);
	if (r < 0)
		return r;
	snprintf(text, sizeof(text), "%u %u 1", gid, gid);
	return write_file("/proc/self/gid_map", text);
}

static int mount_private(const struct place *place)
{
	int r = 0;

	if (unshare(CLONE_NEWNS) < 0)
		r = errno == EPERM ? become_mounter() : -errno;
	if (r < 0)
		return r;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("bench", place->path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") < 0)
		return -errno;
	return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static int make_directory(struct place *place)
{
	static const char *const parents[] = { "/dev/shm", "/tmp" };
	const char *chosen = getenv("TMPDIR");

	for (size_t i = 0; i < ARRAY_SIZE(parents) && !chosen; i++)
		if (access(parents[i], W_OK | X_OK) == 0)
			chosen = parents[i];
	snprintf(place->path, sizeof(place->path), "%.200s/tt_bench.XXXXXX",
		 chosen ? chosen : "/tmp");
	return mkdtemp(place->path) ? 0 : -errno;
}

static int run_child(struct place *place, int (*run)(struct place *place, void *arg), void *arg)
{
	int r;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	r = mount_private(place);
	place->is_private = r == 0;
	if (r < 0)
		snprintf(place->note, sizeof(place->note), "no private tmpfs: %s", strerror(-r));
	return run(place, arg);
}

int place_run(int (*run)(struct place *place, void *arg), void *arg)
{
	struct place place = { .is_private = false };
	int status, r;
	pid_t pid;

	r = make_directory(&place);
	if (r < 0) {
		fprintf(stderr, "bench: %s: %s\n", place.path, strerror(-r));
		return EXIT_FAILURE;
	}
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		r = run_child(&place, run, arg);
		fflush(stdout);
		_exit(r);
	}
	/* Ctrl-C reaches the child too: what is left is to tidy up. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	nftw(place.path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	if (pid < 0 || !WIFEXITED(status))
		return EXIT_FAILURE;
	return WEXITSTATUS(status);
}
