#include "source/card_files.h"

#include "basic/digits.h"
#include "basic/file.h"
#include "basic/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Values in kept[] that are not descriptors. */
#define CLOSED (-1)
#define ABSENT (-2) /* the driver does not have it */

/* Position of an attribute in kept[]. */
static size_t kept_at(const struct attribute *attribute)
{
	if (attribute >= counter_attributes && attribute < counter_attributes + DEVICE_COUNTERS)
		return N_ATTRIBUTES + (size_t)(attribute - counter_attributes);
	return (size_t)(attribute - attributes);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = CLOSED;
}

void card_files_init(struct card_files *files, const struct root *root, uint32_t index)
{
	*files = (struct card_files){ .root = root, .index = index };
	files->class_fd = files->hwmon_fd = CLOSED;
	memset(files->kept, 0xFF, sizeof(files->kept)); /* CLOSED */
}

void card_files_close(struct card_files *files)
{
	close_fd(&files->class_fd);
	close_fd(&files->hwmon_fd);
	for (size_t i = 0; i < N_ATTRIBUTE_FILES; i++)
		close_fd(&files->kept[i]);
}

/*
 * The number of a card's directory less the index of the card, as last found: the same for all
 * cards that were registered one after the other. Only a guess, so all trees may share it.
 */
static atomic_int hwmon_offset;

static int open_directory(const struct card_files *files, const char *path)
{
	return root_open_at(files->root, files->class_fd, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int open_hwmon(const struct card_files *files, const char *entry)
{
	char path[64];

	if (snprintf(path, sizeof(path), "device/hwmon/%s", entry) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return open_directory(files, path);
}

/*
 * Opens the directory without listing its parent, if the number is as guessed and there is no
 * second one: a directory has a link from each directory in it.
 */
static int open_guessed_hwmon(const struct card_files *files)
{
	static const char names[] = "device/hwmon/hwmon";
	int64_t number = (int64_t)files->index + hwmon_offset;
	char path[sizeof(names) + DIGITS_SIZE];
	CLEANUP_CLOSE int fd = -1;
	struct stat st;

	if (files->root->confined || number < 0)
		return -1;
	digits_put(stpcpy(path, names), (uint64_t)number);
	fd = open_directory(files, path);
	if (fd < 0 || fstatat(fd, "..", &st, 0) < 0 || st.st_nlink != 3)
		return -1;
	return TAKE_FD(fd);
}

struct hwmon_search {
	const struct card_files *files;
	int found; /* descriptor of the directory */
};

/*
 * Normally there is one. Drivers of 2024 could leave a second one after resets: the one that still
 * has a name is used.
 */
static int visit_hwmon(const char *entry, void *arg)
{
	struct hwmon_search *search = arg;
	char name[32];
	uint32_t number;

	if (strncmp(entry, "hwmon", 5) != 0)
		return 0;
	if (search->found >= 0 && file_read(search->found, "name", name, sizeof(name)) > 0)
		return 1;
	close_fd(&search->found);
	search->found = open_hwmon(search->files, entry);
	if (parse_u32(entry + 5, &number) == 0)
		hwmon_offset = (int)(number - search->files->index);
	return 0;
}

static void find_hwmon(struct card_files *files)
{
	struct hwmon_search search = { .files = files, .found = -1 };
	CLEANUP_CLOSE int fd = -1;

	files->hwmon_fd = open_guessed_hwmon(files);
	if (files->hwmon_fd >= 0)
		return;
	fd = root_open_at(files->root, files->class_fd, "device/hwmon",
			  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && directory_read(fd, visit_hwmon, &search) >= 0)
		files->hwmon_fd = search.found;
}

#define CLASS_PATH "sys/class/tenstorrent/tenstorrent!"
enum { CLASS_PATH_SIZE = sizeof(CLASS_PATH) + DIGITS_SIZE };

static void class_path(const struct card_files *files, char path[CLASS_PATH_SIZE])
{
	digits_put(stpcpy(path, CLASS_PATH), files->index);
}

bool card_files_are_stale(const struct card_files *files)
{
	struct stat held, there;
	char path[CLASS_PATH_SIZE];

	class_path(files, path);
	if (fstat(files->class_fd, &held) < 0 || root_stat(files->root, path, &there) < 0)
		return true;
	return held.st_ino != there.st_ino || held.st_dev != there.st_dev;
}

int card_files_open(struct card_files *files)
{
	char path[CLASS_PATH_SIZE];

	if (files->class_fd >= 0)
		return 0;
	class_path(files, path);
	files->class_fd = root_open(files->root, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return files->class_fd < 0 ? files->class_fd : 1;
}

bool card_files_address(const struct card_files *files, char *bdf, size_t size)
{
	char link[256];

	return file_readlink(files->class_fd, "device", link, sizeof(link)) > 0 &&
	       attribute_parse_bdf(link, bdf, size);
}

enum reason card_files_upstream(const struct card_files *files, const char *bdf, char *ret,
				size_t size)
{
	char path[CLASS_PATH_SIZE], link[256];
	ssize_t n;

	class_path(files, path);
	n = root_readlink(files->root, path, link, sizeof(link));
	if (n <= 0)
		return n < 0 ? reason_of_error((int)n) : MALFORMED;
	return attribute_parse_upstream(link, bdf, ret, size);
}

/* Opens the directory of an attribute. -ENOENT: it does not exist. */
static int attribute_open(struct card_files *files, const struct attribute *attribute)
{
	const char *path = attribute->file;
	int dir = files->class_fd;
	char below[64];

	if (attribute->place == IN_HWMON) {
		if (files->hwmon_fd < 0)
			find_hwmon(files);
		if (files->hwmon_fd < 0)
			return -ENOENT;
		dir = files->hwmon_fd;
	} else if (attribute->place != IN_CLASS) {
		snprintf(below, sizeof(below), "%s%s",
			 attribute->place == IN_PORT ? "device/../" : "device/", attribute->file);
		path = below;
	}
	return root_open_at(files->root, dir, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

/*
 * Reads and parses, and keeps the descriptor open if the value changes. An incomplete line is read
 * again, since a simulated machine may be rewriting the file.
 */
enum reason card_files_read(struct card_files *files, const struct attribute *attribute,
			    struct device *dev)
{
	int *kept = &files->kept[kept_at(attribute)];
	enum reason why = MALFORMED;
	char text[ATTRIBUTE_TEXT_MAX];
	ssize_t n;

	if (*kept == ABSENT)
		return NOT_OFFERED;
	if (*kept == CLOSED) {
		*kept = attribute_open(files, attribute);
		if (*kept < 0) {
			int error = *kept;

			*kept = error == -ENOENT ? ABSENT : CLOSED;
			return reason_of_error(error);
		}
	}
	files->touched = true;
	for (int tries = 0; tries < 3 && why == MALFORMED; tries++) {
		n = file_pread(*kept, text, sizeof(text));
		if (n < 0)
			why = reason_of_error((int)n);
		else
			why = attribute_parse(attribute, text, dev);
		if (n == -EFBIG)
			break;
	}
	if ((!attribute_is_kept(attribute) && !files->keeps_all) || why == GONE)
		close_fd(kept);
	return why;
}

void card_files_retry(struct card_files *files)
{
	for (size_t i = 0; i < N_ATTRIBUTE_FILES; i++)
		if (files->kept[i] == ABSENT)
			files->kept[i] = CLOSED;
}
