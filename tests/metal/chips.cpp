#include "chips.hpp"
#include "double.h"

#include <chrono>
#include <cmath>

using namespace std::chrono_literals;

constexpr uint32_t SYNC_MARKER = UINT32_MAX;
constexpr size_t MAX_BACKLOG = 16384;
constexpr auto STEP = 300us; /* minimum time between two wake-ups */

int64_t now_ns()
{
	return std::chrono::steady_clock::now().time_since_epoch().count();
}

uint64_t ChipClock::at(int64_t ns) const
{
	auto piece = pieces_.end() - 1;

	while (piece != pieces_.begin() && piece->ns > ns)
		--piece;
	return piece->ticks + std::llround(static_cast<double>(ns - piece->ns) * piece->per_ns);
}

ChipClock ChipClock::ahead(uint64_t ticks) const
{
	return { pieces_[0].ticks + ticks, pieces_[0].ns, pieces_[0].per_ns };
}

void ChipClock::set_rate(int64_t ns, double per_ns)
{
	pieces_.push_back({ ns, at(ns), per_ns });
}

Chips::Chips(void *queues, size_t count, const ChipClock &first) : queues_(queues)
{
	for (size_t i = 0; i < count; i++)
		chips_.push_back({ first.ahead(i * DOUBLE_TICKS_APART), {}, {} });
	thread_ = std::thread([this] { work(); });
}

Chips::~Chips()
{
	{
		std::lock_guard lock(mutex_);

		stop_ = true;
		changed_.notify_all();
	}
	thread_.join();
}

void Chips::add(int64_t at, Kind kind, const ProgramRun &run, uint32_t event)
{
	std::lock_guard lock(mutex_);
	bool sooner = items_.empty() || at < items_.top().at;

	items_.push({ at, order_++, kind, run, event });
	if (sooner)
		changed_.notify_all();
}

void Chips::run(const ProgramRun &run)
{
	add(run.start, Kind::START, run, 0);
	add(run.end, Kind::END, run, 0);
}

void Chips::complete(int64_t at, int queue, uint32_t event)
{
	add(at, Kind::EVENT, { at, at, 0, queue, false }, event);
}

void Chips::flush(int64_t at)
{
	add(at, Kind::FLUSH, {}, 0);
}

void Chips::mark(int64_t at)
{
	add(at, Kind::MARK, {}, 0);
}

void Chips::set_rate(size_t chip, double per_ns)
{
	std::lock_guard lock(mutex_);

	chips_.at(chip).clock.set_rate(now_ns(), per_ns);
}

ChipCounts Chips::counts(size_t chip)
{
	std::lock_guard lock(mutex_);

	return chips_.at(chip).counts;
}

void Chips::push_garbage(size_t chip, unsigned count, unsigned seed)
{
	std::lock_guard lock(mutex_);
	std::mt19937 random(seed);

	for (unsigned i = 0; i < count; i++) {
		Page page;

		for (uint32_t &word : page)
			word = random();
		chips_.at(chip).backlog.push_back(page);
	}
	changed_.notify_all();
}

void Chips::work()
{
	std::unique_lock lock(mutex_);

	while (!stop_) {
		bool full = push_backlogs();

		if (items_.empty() && !full)
			changed_.wait(lock);
		else if (full)
			changed_.wait_for(lock, STEP);
		else if (int64_t wait = items_.top().at - now_ns(); wait > 0)
			changed_.wait_for(lock, std::max(std::chrono::nanoseconds(wait),
							 std::chrono::nanoseconds(STEP)));
		int64_t now = now_ns();

		while (!items_.empty() && items_.top().at <= now) {
			Item item = items_.top();

			items_.pop();
			do_item(item);
		}
		if (double_take_sync_request(queues_))
			do_item({ now, 0, Kind::MARK, {}, 0 });
	}
}

void Chips::do_item(const Item &item)
{
	if (item.kind == Kind::EVENT) {
		push_backlogs(); /* records come before the host learns that their programs have
				    ended */
		return double_complete(queues_, item.run.queue, item.event);
	}
	for (size_t i = 0; i < chips_.size(); i++) {
		Chip &chip = chips_[i];
		bool covered = double_profiled(queues_, static_cast<int>(i));

		if (item.kind == Kind::END)
			chip.counts.programs++;
		if (!covered ||
		    ((item.kind == Kind::START || item.kind == Kind::END) && item.run.queue != 0)) {
			chip.counts.uncovered += item.kind == Kind::END;
			continue;
		}
		switch (item.kind) {
		case Kind::START: start(chip, item.run); break;
		case Kind::END: end(chip, item.run); break;
		case Kind::MARK: {
			uint64_t ticks = chip.clock.at(item.at);

			chip.backlog.push_back({ static_cast<uint32_t>(ticks >> 32),
						 static_cast<uint32_t>(ticks),
						 static_cast<uint32_t>(item.at), SYNC_MARKER });
			chip.counts.markers++;
			break;
		}
		case Kind::FLUSH: push_pending(chip); break;
		case Kind::EVENT: break;
		}
	}
}

/* A program on another sub-device at the same time replaces the first one in the profiler. */
void Chips::start(Chip &chip, const ProgramRun &run)
{
	push_pending(chip);
	if (chip.running)
		chip.counts.lost++;
	chip.running = run;
}

void Chips::end(Chip &chip, const ProgramRun &run)
{
	if (!chip.running || chip.running->id != run.id || chip.running->start != run.start)
		return;
	uint64_t start = chip.clock.at(run.start), end = chip.clock.at(run.end);
	auto id = static_cast<uint16_t>(run.id);

	chip.running.reset();
	chip.counts.unnumbered += id == 0;
	if (run.lose)
		chip.counts.lost += id != 0;
	else if (id != 0 || double_release() < 76)
		chip.pending = Page{
			static_cast<uint32_t>(start >> 32), static_cast<uint32_t>(start), id, 0,
			static_cast<uint32_t>(end >> 32),   static_cast<uint32_t>(end)
		};
}

void Chips::push_pending(Chip &chip)
{
	if (!chip.pending)
		return;
	if (chip.backlog.size() < MAX_BACKLOG)
		chip.backlog.push_back(*chip.pending);
	else
		chip.counts.lost++;
	chip.pending.reset();
}

/* Writes records to the FIFOs. True: some do not fit yet. */
bool Chips::push_backlogs()
{
	bool full = false;

	for (size_t i = 0; i < chips_.size(); i++) {
		Chip &chip = chips_[i];

		while (!chip.backlog.empty() &&
		       double_push(queues_, static_cast<int>(i), chip.backlog.front().data())) {
			chip.counts.records += chip.backlog.front()[3] != SYNC_MARKER;
			chip.backlog.pop_front();
		}
		full |= !chip.backlog.empty();
	}
	return full;
}
