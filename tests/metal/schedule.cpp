/*
 * Commands that run programs on simulated chips at known times. script.cpp has the other commands;
 * PLACE is a chip or a mesh that was opened by "open" or "mesh".
 *
 *   truth FILE         from now on, append to FILE what the chips do (see below)
 *   queues PLACE [OPTION...]   command queues, and since v0.71 the profiler
 *       queues=N           number of command queues, 1 without it; the profiler knows only 0
 *       slow               slow dispatch: no events, no profiler
 *       ethernet=CHIP,...  these of the place's chips have no profiler
 *       huge               the FIFO is in a huge page: data beyond bytes_acked is stale
 *       page=BYTES         a wrong page size instead of 64
 *       clock=GHZ          ticks per ns, 1 without it
 *       anchor=none|tsc    first_timestamp is 0; or sync_host_start is not in ns of the
 *                          steady clock but of the TSC, as in builds with Tracy
 *       poll=US            the longest pause of the receiver, instead of the release's
 *   play PLACE [OPTION...]     programs that take "busy" of each period
 *       rate=N             programs per second; 1000 without it
 *       duty=PERCENT       of the time in which a program runs: busy = duty / rate. With 0
 *                          there is no program at all
 *       busy=MS            the duration of each program, instead of duty
 *       for=SECONDS or count=N   how long; 1 s without either
 *       queue=N            the command queue
 *       sub=N              the sub-device: programs of several run at the same time, and the
 *                          profiler loses the one that began first
 *       name=TEXT          of the operation, for the Inspector
 *       ids=N or ids=none  the first runtime id, which otherwise follows the last one of this
 *                          process; or programs without ids
 *       lose=N             the record of each N-th program is lost
 *       mark=N             a sync marker after each N-th program
 *       trace=N            N programs are captured and then replayed, always with their ids
 *       sync               the host waits for each program, and enqueues the next when it is
 *                          due. Otherwise it enqueues ahead of time
 *       lead=US            how far ahead; 2000 without it
 *       event=N            the host records an event after each N-th program; 1 without it,
 *                          0: only at the end
 *       nofinish           the host does not wait at the end: programs may still run, and
 *                          the record of the last one is sent with the next program
 *   clock PLACE CHIP GHZ       changes the chip's clock; TT-Metal's data about it stays the same
 *   marker PLACE               a sync marker of each chip
 *   garbage PLACE CHIP COUNT [SEED]    writes COUNT records of random words
 *   receiver PLACE on|off      whether the host reads the FIFO
 *   corrupt PLACE CHIP MEMBER VALUE    overwrites a member (profiler.cpp has their names),
 *                              and turns the receiver off, since it would use the value
 *   flood PLACE COUNT          calls functions of queues and profiler with false objects
 *   swarm PLACE COUNT          COUNT children, each of which does that once and stays
 *   hide PLACE CHIP            from now on reads of the FIFO never return; turns the receiver off
 *   where PLACE CHIP MEMBER...   prints "MEMBER ADDRESS SIZE" of each; system_memory is the
 *                              chip's SystemMemoryManager, also where there is no profiler
 *   counts PLACE               prints "chip N programs N records N lost N unnumbered N
 *                              uncovered N markers N" of each chip
 *
 * CHIP is a chip's number, as in "open". Programs on a mesh run on all its chips. A program starts
 * when it is due, or when the host has enqueued it if that is later; then all later programs are
 * delayed by the same time.
 *
 * The truth: lines of words, appended at once; times are of the steady clock, in ns.
 *   ring PID CHIP MANAGER STATE SOCKET FIFO FIFO_SIZE COUNTER    addresses, in hexadecimal
 *   run PID CHIP QUEUE START PERIOD BUSY COUNT ID COVERED NAME   COUNT programs: number i (from
 *       0) runs from START + i * PERIOD for BUSY; PERIOD and BUSY have decimals. ID is the first
 *       one's (0: none), COVERED 1 if the profiler should know them. A line comes before
 *       the host sleeps, or 50 ms after its programs were enqueued.
 *   counts PID CHIP PROGRAMS RECORDS LOST UNNUMBERED UNCOVERED MARKERS   after each play
 *   clock PID CHIP AT GHZ
 */
#include "schedule.hpp"
#include "double.h"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <stdexcept>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

namespace
{
int truth_fd = -1; /* -1: not requested */
auto *dispatches = new std::map<std::string, std::unique_ptr<Dispatch>>;
} // namespace

__attribute__((format(printf, 1, 2))) void write_truth(const char *format, ...)
{
	char line[512];
	va_list arguments;

	if (truth_fd < 0)
		return;
	va_start(arguments, format);
	int length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (length >= static_cast<int>(sizeof(line)) || write(truth_fd, line, length) != length)
		throw std::runtime_error("cannot write the truth");
}

Dispatch &dispatch_at(const std::string &name)
{
	auto found = dispatches->find(name);

	if (found == dispatches->end())
		throw std::invalid_argument("no queues there");
	return *found->second;
}

namespace
{
void do_truth(const Words &words)
{
	truth_fd = open(words[1].c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (truth_fd < 0)
		throw std::runtime_error(words[1] + ": " + strerror(errno));
}

/* ---- places with queues ---- */

uint64_t address_of(const Dispatch &dispatch, int index, const char *what, int *ret_size)
{
	uint64_t address;

	if (!double_address(dispatch.queues, index, what, &address, ret_size))
		throw std::invalid_argument(std::string("no ") + what);
	return address;
}

void write_ring(const Dispatch &dispatch, int index)
{
	static const char *const PARTS[] = { "manager", "state", "socket_object", "fifo",
					     "counter" };
	uint64_t at[5];
	int size, fifo_size = 0;

	for (int i = 0; i < 5; i++) {
		at[i] = address_of(dispatch, index, PARTS[i], &size);
		fifo_size = i == 3 ? size : fifo_size;
	}
	write_truth("ring %d %d %lx %lx %lx %lx %x %lx\n", getpid(), dispatch.numbers[index], at[0],
		    at[1], at[2], at[3], fifo_size, at[4]);
}

uint64_t chips_in(const Dispatch &dispatch, const std::string &list)
{
	std::istringstream stream(list);
	uint64_t mask = 0;

	for (std::string chip; std::getline(stream, chip, ',');)
		mask |= UINT64_C(1) << dispatch.index_of(chip);
	return mask;
}

void do_queues(const Words &words)
{
	Options options(words, 2);
	Place &place = place_at(words[1]);
	auto dispatch = std::make_unique<Dispatch>();
	/* The low 32 bits overflow soon. */
	constexpr uint64_t FIRST_TICK = 0x4'c000'0000;
	double_dispatch how{};
	std::string anchor = options.text("anchor", "");

	if (!double_open_queues)
		throw std::runtime_error("this release of the double has no queues");
	dispatch->numbers = place.chips;
	how.queues = static_cast<int>(options.whole("queues", 1));
	how.slow = dispatch->slow = options.has("slow");
	how.huge_page = options.has("huge");
	how.page_size = options.whole("page", 64);
	how.unprofiled = chips_in(*dispatch, options.text("ethernet", ""));
	how.poll_us = options.whole("poll", 0);
	how.ticks_per_ns = options.real("clock", 1);
	how.anchor_ticks = anchor == "none" ? 0 : FIRST_TICK;
	how.anchor_ns = now_ns();
	options.done();
	ChipClock clock(FIRST_TICK, how.anchor_ns, how.ticks_per_ns);

	if (anchor == "tsc")
		how.anchor_ns = static_cast<int64_t>(__rdtsc());
	dispatch->queues = double_open_queues(place.device, &how);
	dispatch->chips = std::make_unique<Chips>(dispatch->queues, place.chips.size(), clock);
	for (size_t i = 0; i < place.chips.size(); i++)
		if (double_profiled(dispatch->queues, static_cast<int>(i)))
			write_ring(*dispatch, static_cast<int>(i));
	(*dispatches)[words[1]] = std::move(dispatch);
}

/* ---- the other commands ---- */

void do_clock(const Words &words)
{
	Dispatch &dispatch = dispatch_at(words[1]);
	double rate = std::stod(words[3]);

	dispatch.chips->set_rate(dispatch.index_of(words[2]), rate);
	write_truth("clock %d %s %ld %.9f\n", getpid(), words[2].c_str(), now_ns(), rate);
}

void do_marker(const Words &words)
{
	dispatch_at(words[1]).chips->mark(now_ns());
}

Dispatch &profiled_at(const Words &words)
{
	Dispatch &dispatch = dispatch_at(words[1]);

	if (!double_profiled(dispatch.queues, dispatch.index_of(words[2])))
		throw std::runtime_error("the chip has no profiler");
	return dispatch;
}

void do_garbage(const Words &words)
{
	Dispatch &dispatch = profiled_at(words);

	dispatch.chips->push_garbage(dispatch.index_of(words[2]), number(words[3]),
				     words.size() > 4 ? number(words[4]) : 1);
}

void do_receiver(const Words &words)
{
	double_run_receiver(dispatch_at(words[1]).queues, words[2] == "on");
}

void do_corrupt(const Words &words)
{
	Dispatch &dispatch = profiled_at(words);
	int size;
	uint64_t at = address_of(dispatch, dispatch.index_of(words[2]), words[3].c_str(), &size);
	uint64_t value = number(words[4]);

	double_run_receiver(dispatch.queues, false);
	memcpy(reinterpret_cast<void *>(at), &value, std::min<size_t>(size, sizeof(value)));
}

void do_flood(const Words &words)
{
	double_flood(dispatch_at(words[1]).queues, number(words[2]));
}

/* Each child writes a byte when it has called the function. */
void do_swarm(const Words &words)
{
	void *queues = dispatch_at(words[1]).queues;
	int ends[2];

	double_flood(queues, 1); /* the children share the objects */
	if (pipe2(ends, O_CLOEXEC) < 0)
		throw std::runtime_error(std::string("pipe2: ") + strerror(errno));
	for (uint64_t i = 0; i < number(words[2]); i++) {
		pid_t pid = fork();
		char byte = 0;

		if (pid < 0)
			throw std::runtime_error(std::string("fork: ") + strerror(errno));
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			double_flood(queues, 1);
			if (write(ends[1], &byte, 1) == 1)
				for (;;)
					pause();
			_exit(1);
		}
		if (read(ends[0], &byte, 1) != 1)
			throw std::runtime_error("a child of the swarm ended");
	}
	close(ends[0]);
	close(ends[1]);
}

/* Drops the pages of the FIFO, and fills none when it is read. */
void do_hide(const Words &words)
{
	Dispatch &dispatch = profiled_at(words);
	int size, fd = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC));
	uint64_t at = address_of(dispatch, dispatch.index_of(words[2]), "fifo", &size);
	uffdio_api api{};
	uffdio_register range{};

	double_run_receiver(dispatch.queues, false);
	api.api = UFFD_API;
	range.range = { at, static_cast<uint64_t>(size) };
	range.mode = UFFDIO_REGISTER_MODE_MISSING;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &range) < 0 ||
	    madvise(reinterpret_cast<void *>(at), size, MADV_DONTNEED) < 0)
		throw std::runtime_error(std::string("userfaultfd: ") + strerror(errno));
}

void do_where(const Words &words)
{
	Dispatch &dispatch = dispatch_at(words[1]);

	for (size_t i = 3; i < words.size(); i++) {
		int size;
		uint64_t at =
			address_of(dispatch, dispatch.index_of(words[2]), words[i].c_str(), &size);

		printf("%s %#lx %d\n", words[i].c_str(), at, size);
	}
}

void do_counts(const Words &words)
{
	Dispatch &dispatch = dispatch_at(words[1]);

	for (size_t i = 0; i < dispatch.numbers.size(); i++) {
		ChipCounts counts = dispatch.chips->counts(i);

		printf("chip %d programs %lu records %lu lost %lu unnumbered %lu uncovered %lu "
		       "markers %lu\n",
		       dispatch.numbers[i], counts.programs, counts.records, counts.lost,
		       counts.unnumbered, counts.uncovered, counts.markers);
	}
}
} // namespace

void close_queues(const std::string &name)
{
	auto found = dispatches->find(name);

	if (found == dispatches->end())
		return;
	found->second->chips.reset();
	double_close_queues(found->second->queues);
	dispatches->erase(found);
}

/* A forked child does not have their threads. */
void forget_queues()
{
	dispatches = new std::map<std::string, std::unique_ptr<Dispatch>>;
}

const Commands schedule_commands = {
	{ "truth", { 2, do_truth } },	    { "queues", { 2, do_queues } },
	{ "play", { 2, do_play } },	    { "clock", { 4, do_clock } },
	{ "marker", { 2, do_marker } },	    { "garbage", { 4, do_garbage } },
	{ "receiver", { 3, do_receiver } }, { "corrupt", { 5, do_corrupt } },
	{ "flood", { 3, do_flood } },	    { "swarm", { 3, do_swarm } },
	{ "hide", { 3, do_hide } },	    { "where", { 4, do_where } },
	{ "counts", { 2, do_counts } },
};
