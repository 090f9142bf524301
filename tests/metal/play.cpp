/* The command "play" of schedule.cpp: the host's part in running programs at known times. */
#include "double.h"
#include "schedule.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <unistd.h>

namespace
{
constexpr double NS = 1e9;

std::atomic<uint64_t> next_id = 1;

struct Play {
	Dispatch &dispatch;
	double period, busy; /* ns */
	int64_t lead;
	uint64_t count, lose, mark, trace, event_step, first_id;
	int queue, sub;
	bool numbered, sync, finish;
	std::string name;

	Play(Dispatch &on, Options &options) : dispatch(on)
	{
		period = NS / options.real("rate", 1000);
		busy = period * options.real("duty", 100) / 100;
		if (options.has("busy"))
			busy = options.real("busy", 0) * 1e6;
		/* Programs of a queue run one after another. */
		period = std::max(period, busy);
		count = options.whole("count", std::llround(options.real("for", 1) * NS / period));
		queue = static_cast<int>(options.whole("queue", 0));
		sub = static_cast<int>(options.whole("sub", 0));
		name = options.text("name", "ttnn::matmul");
		lose = options.whole("lose", 0);
		mark = options.whole("mark", 0);
		trace = options.whole("trace", 0);
		event_step = options.whole("event", 1);
		sync = options.has("sync");
		finish = !options.has("nofinish");
		lead = sync || dispatch.slow ? 0 : options.whole("lead", 2000) * 1000;
		numbered = options.text("ids", "") != "none";
		first_id = numbered ? take_ids(options) : 0;
		options.done();
	}

	uint64_t take_ids(Options &options) const
	{
		uint64_t ids = trace ? trace : count;

		if (options.has("ids"))
			next_id = options.whole("ids", 1);
		return next_id.fetch_add(ids);
	}

	uint64_t id_of(uint64_t i) const
	{
		return !numbered ? 0 : first_id + (trace ? i % trace : i);
	}

	void run()
	{
		if (busy == 0 || count == 0)
			return idle();
		if (trace)
			capture();
		base_ = now_ns() + lead;
		for (uint64_t i = 0; i < count; i++)
			run_one(i);
		if (!dispatch.slow && finish)
			wait_for_all();
		flush_segment(count);
		write_counts();
	}

private:
	static constexpr int64_t BATCH = 500'000; /* ns that a program may be enqueued early */
	int64_t base_ = 0, flushed_at_ = 0;
	uint64_t segment_ = 0; /* the first program that is not in the truth file yet */
	int64_t segment_start_ = 0;

	int64_t due(uint64_t i, double after = 0) const
	{
		return base_ + std::llround(static_cast<double>(i) * period + after);
	}

	void idle()
	{
		usleep(static_cast<useconds_t>(static_cast<double>(count) * period / 1000));
	}

	void capture()
	{
		std::lock_guard lock(dispatch.host);

		double_capture(dispatch.queues, queue, true);
		for (uint64_t i = 0; i < trace; i++)
			double_enqueue(dispatch.queues, queue, id_of(i), name.c_str());
		double_capture(dispatch.queues, queue, false);
	}

	void sleep_until(int64_t ns, uint64_t done)
	{
		int64_t wait = ns - now_ns();

		if (wait > 10'000'000 || now_ns() - flushed_at_ > 50'000'000)
			flush_segment(done);
		if (wait > 0)
			std::this_thread::sleep_for(std::chrono::nanoseconds(wait));
	}

	void enqueue(uint64_t i)
	{
		if (trace && i % trace == 0)
			double_enqueue_trace(dispatch.queues, queue, 1);
		else if (!trace)
			double_enqueue(dispatch.queues, queue, id_of(i), name.c_str());
	}

	void run_one(uint64_t i)
	{
		/* The programs of a trace are enqueued together with the first one. */
		bool alone = !trace || i % trace == 0;

		if (alone && now_ns() + (lead ? BATCH : 0) < due(i) - lead)
			sleep_until(due(i) - lead, i);
		std::unique_lock lock(dispatch.host);

		enqueue(i);
		int64_t late = alone ? std::max(now_ns(), lane_end()) - due(i) : 0;

		if (late > 0) {
			flush_segment(i);
			base_ += late;
		}
		if (segment_ == i)
			segment_start_ = due(i);
		ProgramRun program{ due(i), due(i, busy), id_of(i), queue,
				    lose && i % lose == lose - 1 };

		dispatch.chips->run(program);
		lane_end() = program.end;
		dispatch.queue_end[queue] = std::max(dispatch.queue_end[queue], program.end);
		if (mark && i % mark == mark - 1)
			dispatch.chips->mark(program.end);
		if (dispatch.slow) {
			lock.unlock();
			return sleep_until(program.end, i + 1);
		}
		if (sync || (event_step && i % event_step == event_step - 1)) {
			uint32_t event = record_event(sync);

			lock.unlock();
			if (sync) {
				flush_segment(i + 1);
				double_finish(dispatch.queues, queue, event);
			}
		}
	}

	int64_t &lane_end() /* with the lock held */
	{
		return dispatch.lane_end[{ queue, sub }];
	}

	/*
	 * If the host waits for the event, releases since v0.75 make the chip send the last record.
	 */
	uint32_t record_event(bool waits)
	{
		uint32_t event = double_record_event(dispatch.queues, queue);

		if (waits && double_release() >= 75)
			dispatch.chips->flush(dispatch.queue_end[queue]);
		dispatch.chips->complete(dispatch.queue_end[queue], queue, event);
		return event;
	}

	void wait_for_all()
	{
		flush_segment(count);
		std::unique_lock lock(dispatch.host);
		uint32_t event = record_event(true);

		lock.unlock();
		double_finish(dispatch.queues, queue, event);
	}

	/* Writes the programs from the first unwritten one up to `end`, which is not among them. */
	void flush_segment(uint64_t end)
	{
		flushed_at_ = now_ns();
		if (end == segment_)
			return;
		for (size_t i = 0; i < dispatch.numbers.size(); i++)
			write_truth("run %d %d %d %ld %.6f %.6f %lu %lu %d %s\n", getpid(),
				    dispatch.numbers[i], queue, segment_start_, period, busy,
				    end - segment_, id_of(segment_),
				    queue == 0 && numbered &&
					    double_profiled(dispatch.queues, static_cast<int>(i)),
				    name.c_str());
		segment_ = end;
		segment_start_ = due(end);
	}

	void write_counts()
	{
		for (size_t i = 0; i < dispatch.numbers.size(); i++) {
			ChipCounts counts = dispatch.chips->counts(i);

			write_truth("counts %d %d %lu %lu %lu %lu %lu %lu\n", getpid(),
				    dispatch.numbers[i], counts.programs, counts.records,
				    counts.lost, counts.unnumbered, counts.uncovered,
				    counts.markers);
		}
	}
};
} // namespace

void do_play(const Words &words)
{
	Options options(words, 2);

	Play(dispatch_at(words[1]), options).run();
}
