/*
 * The chips of a mesh, simulated by one thread that writes the profiler's records and completes
 * the host's events at the time of each event. All times are of the steady clock, in ns; a chip's
 * own clock counts ticks. If the thread is late, it writes the same content later.
 */
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <queue>
#include <random>
#include <thread>
#include <utility>
#include <vector>

int64_t now_ns();

/* A counter whose rate can change. */
class ChipClock
{
public:
	ChipClock(uint64_t ticks, int64_t ns, double per_ns) : pieces_{ { ns, ticks, per_ns } }
	{
	}
	uint64_t at(int64_t ns) const;
	ChipClock ahead(uint64_t ticks) const;	  /* a copy that is ahead, with the first rate */
	void set_rate(int64_t ns, double per_ns); /* from now on */

private:
	struct Piece {
		int64_t ns;
		uint64_t ticks;
		double per_ns;
	};
	std::vector<Piece> pieces_;
};

struct ProgramRun {
	int64_t start, end;
	uint64_t id; /* 0: none */
	int queue;
	bool lose; /* its record does not reach the host */
};

struct ChipCounts {
	uint64_t programs = 0; /* ended */
	uint64_t records = 0;  /* in the FIFO */
	uint64_t lost = 0;     /* programs that should have a record and have none */
	uint64_t unnumbered = 0, uncovered = 0, markers = 0;
};

class Chips
{
public:
	Chips(void *queues, size_t count, const ChipClock &first);
	~Chips();
	void run(const ProgramRun &run);
	void complete(int64_t at, int queue, uint32_t event);
	void flush(int64_t at); /* the last program's record does not wait for the next program */
	void mark(int64_t at);	/* a sync marker */
	void push_garbage(size_t chip, unsigned count, unsigned seed);
	void set_rate(size_t chip, double per_ns);
	ChipCounts counts(size_t chip);

private:
	enum class Kind { START, END, EVENT, FLUSH, MARK };
	struct Item {
		int64_t at;
		uint64_t order; /* among items with the same time */
		Kind kind;
		ProgramRun run;
		uint32_t event;
		bool operator<(const Item &other) const
		{
			return std::pair(other.at, other.order) < std::pair(at, order);
		}
	};
	using Page = std::array<uint32_t, 16>;
	struct Chip {
		ChipClock clock;
		std::optional<ProgramRun> running; /* the profiler knows one at a time */
		std::optional<Page> pending;	   /* until the next program comes */
		std::deque<Page> backlog = {};	   /* does not fit into the FIFO yet */
		ChipCounts counts = {};
	};
	void add(int64_t at, Kind kind, const ProgramRun &run, uint32_t event);
	void work();
	void do_item(const Item &item);
	void start(Chip &chip, const ProgramRun &run);
	void end(Chip &chip, const ProgramRun &run);
	void push_pending(Chip &chip);
	bool push_backlogs();

	void *queues_;
	std::vector<Chip> chips_;
	std::mutex mutex_;
	std::condition_variable changed_;
	std::priority_queue<Item> items_;
	uint64_t order_ = 0;
	bool stop_ = false;
	std::thread thread_;
};
