#include "cli/reservation.h"

#include "basic/clock.h"
#include "cli/error_line.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* ---- in the queue ---- */

/* Announces ourselves on all devices that fit. */
static int enter_stage(struct device_search *search, enum claim_stage stage)
{
	for (size_t i = 0; i < search->files.count; i++)
		if (claim_file_put(&search->files.list[i], stage, search->asker.time_us) < 0)
			return error_line(EXIT_INTERNAL, "cannot lock a file of device %u: %s",
					  search->files.list[i].device, strerror(errno));
	return 0;
}

static void leave_queue(struct device_search *search)
{
	for (size_t i = 0; i < search->files.count; i++)
		claim_file_withdraw(&search->files.list[i], search->asker.time_us);
}

/* How many runs are before us? */
static unsigned runs_ahead(const struct device_search *search)
{
	unsigned ahead = 0;

	for (size_t i = 0; i < search->claims.count; i++) {
		const struct claim *claim = &search->claims.list[i];

		ahead += search->count && claim->device == search->candidates[0].index &&
			 claim->stage != CLAIM_TAKEN && claim->time_us < search->asker.time_us;
	}
	return ahead;
}

/* ---- taking ---- */

static void choose(struct reservation *reservation, int64_t time_us)
{
	const struct device_search *search = &reservation->search;
	unsigned chosen = 0;

	for (size_t i = 0; i < search->count && chosen < reservation->count; i++)
		if (search->candidates[i].state == CANDIDATE_FREE)
			reservation->devices[chosen++] =
				(struct reserved_device){ search->candidates[i].index, true,
							  time_us };
}

static void give_up(struct reservation *reservation, struct reserved_device *device)
{
	const struct claim_file *file = claim_files_find(&reservation->search.files, device->index);

	if (file && device->kept)
		claim_file_withdraw(file, device->time_us);
	device->kept = false;
}

static bool is_still_free(const struct device_search *search, uint32_t index)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->candidates[i].index == index)
			return search->candidates[i].state == CANDIDATE_FREE;
	return false;
}

/*
 * Claims the devices that look free, then looks again: of several runs that do so at once, at least
 * all but one see another's claim. True: they are ours.
 */
static bool take(struct reservation *reservation)
{
	struct device_search *search = &reservation->search;
	bool taken = true;

	choose(reservation, MAX(claim_now(), search->asker.time_us + 1));
	for (unsigned i = 0; i < reservation->count; i++) {
		const struct claim_file *file =
			claim_files_find(&search->files, reservation->devices[i].index);

		taken &= file &&
			 claim_file_put(file, CLAIM_TAKEN, reservation->devices[i].time_us) == 0;
	}
	taken = taken && device_search_look(search) == 0;
	for (unsigned i = 0; i < reservation->count; i++)
		taken = taken && is_still_free(search, reservation->devices[i].index);
	for (unsigned i = 0; i < reservation->count && !taken; i++)
		give_up(reservation, &reservation->devices[i]);
	return taken;
}

/* Prints what is waited for. */
static void print_waiting(const struct device_search *search,
			  const struct reservation_options *options)
{
	CLEANUP_BUF struct buf text = { 0 };

	device_search_explain(search, &text);
	if (!options->quiet)
		error_line(0, "waiting for %u device%s (%s)", options->count,
			   options->count == 1 ? "" : "s", buf_text(&text));
}

/* Looks after announcing ourselves, since a device may have appeared or come back. */
static int look_in_queue(struct device_search *search, enum claim_stage stage)
{
	int code = device_search_look(search);

	return code ? code : enter_stage(search, stage);
}

/* Takes devices if they are free. Returns an exit code; EXIT_TOO_FEW: they are not. */
static int try(struct reservation *reservation, enum claim_stage stage)
{
	struct device_search *search = &reservation->search;
	int code = look_in_queue(search, stage);

	while (!code) {
		if (device_search_free(search) >= reservation->count) {
			if (take(reservation))
				return 0;
		} else if (!device_search_is_undecided(search)) {
			return EXIT_TOO_FEW;
		}
		sleep_briefly();
		code = look_in_queue(search, stage);
	}
	return code;
}

static int wait_in_queue(struct reservation *reservation, const struct reservation_options *options)
{
	struct device_search *search = &reservation->search;
	int64_t deadline_ns = timeout_deadline(&options->timeout);
	int code;

	print_waiting(search, options);
	do {
		/* Those at the front look more often. */
		if (!deadline_pause(deadline_ns, 100 * NS_PER_MS * MIN(1 + runs_ahead(search), 10)))
			return error_line(EXIT_TIMEOUT, "timed out waiting for %u free device%s",
					  options->count, options->count == 1 ? "" : "s");
		code = try(reservation, CLAIM_WAITING);
	} while (code);
	return 0;
}

static int make(struct reservation *reservation, const struct reservation_options *options)
{
	struct device_search *search = &reservation->search;
	int code;

	search->asker.time_us = claim_now();
	code = device_search_first(search);
	if (code)
		return code;
	if (search->count < options->count)
		return device_search_too_few(search, options->count);
	code = enter_stage(search, CLAIM_ASKING);
	if (code)
		return code;
	code = try(reservation, CLAIM_ASKING);
	if (code == EXIT_TOO_FEW && options->wait)
		return wait_in_queue(reservation, options);
	if (code == EXIT_TOO_FEW)
		return device_search_too_few(search, options->count);
	return code ? error_line(code, "%s", buf_text(&search->session.problem)) : 0;
}

static void put_value(struct reservation *reservation)
{
	for (unsigned i = 0; i < reservation->count; i++) {
		if (i)
			buf_putc(&reservation->value, ',');
		device_search_put_value(&reservation->search, &reservation->devices[i].index, 1,
					&reservation->value);
	}
}

int reservation_make(struct reservation *reservation, const struct reservation_options *options)
{
	int code;

	*reservation = (struct reservation){ .count = options->count };
	code = device_search_open(&reservation->search, &options->request);
	if (code)
		return code;
	reservation->devices = calloc(options->count, sizeof(*reservation->devices));
	if (!reservation->devices)
		return error_line(EXIT_INTERNAL, "out of memory");
	code = make(reservation, options);
	if (code)
		return code;
	leave_queue(&reservation->search);
	put_value(reservation);
	return 0;
}

void reservation_done(struct reservation *reservation)
{
	device_search_close(&reservation->search);
	free(reservation->devices);
	buf_done(&reservation->value);
}

/* ---- keeping ---- */

int reservation_share(const struct reservation *reservation)
{
	for (unsigned i = 0; i < reservation->count; i++) {
		const struct reserved_device *device = &reservation->devices[i];
		const struct claim_file *file =
			claim_files_find(&reservation->search.files, device->index);
		int r = file ? claim_file_put(file, CLAIM_TAKEN, device->time_us) : -ENODEV;

		if (r < 0)
			return r;
		if (fcntl(file->fd, F_SETFD, 0) < 0)
			return -errno;
	}
	return 0;
}

static const struct candidate *find_candidate(const struct device_search *search, uint32_t index)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->candidates[i].index == index)
			return &search->candidates[i];
	return NULL;
}

/* The new claim is made before the old one is withdrawn. */
static void renew(struct reservation *reservation, struct reserved_device *device, int64_t now_us)
{
	const struct claim_file *file = claim_files_find(&reservation->search.files, device->index);

	if (!file || now_us <= device->time_us || claim_file_put(file, CLAIM_TAKEN, now_us) < 0)
		return;
	claim_file_withdraw(file, device->time_us);
	device->time_us = now_us;
}

void reservation_renew(struct reservation *reservation, bool quiet)
{
	struct device_search *search = &reservation->search;
	int64_t now_us = claim_now();

	if (device_search_look(search))
		return;
	for (unsigned i = 0; i < reservation->count; i++) {
		struct reserved_device *device = &reservation->devices[i];
		const struct candidate *candidate = find_candidate(search, device->index);

		if (!device->kept)
			continue;
		if (candidate && candidate->state == CANDIDATE_OCCUPIED) {
			renew(reservation, device, now_us);
		} else if (now_us - device->time_us > CLAIM_UNUSED_S * INT64_C(1000000)) {
			give_up(reservation, device);
			if (!quiet)
				error_line(0,
					   "device %u was not used for %d seconds: other runs may "
					   "take it now",
					   device->index, CLAIM_UNUSED_S);
		}
	}
}
