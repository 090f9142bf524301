/*
 * An interpreter: each argument is a command, or without arguments each line of stdin. It counts
 * the memory that it holds, from its own requests only. Commands about programs on a chip are in
 * schedule.cpp.
 *
 *   hold PATH                     open a device node and keep it open
 *   user UID                      continue as this user
 *   open CHIP...                  open devices; alloc also opens its device
 *   mesh NAME CHIP...             open a mesh of them
 *   alloc NAME WHERE TYPE SIZE    WHERE: a chip or a mesh; TYPE: dram l1 system l1_small
 *                                 trace; SIZE: bytes, or with K, M, G. "NAME: refused" if
 *                                 there is no room
 *   at NAME WHERE TYPE SIZE ADDR  a buffer that owns nothing
 *   view NAME OF SIZE             the same, of a buffer of one device
 *   dry on|off                    dry run: allocations that take nothing
 *   free NAME...                  by the destructor
 *   deallocate NAME...            by the function, then the destructor
 *   bulk WHERE                    frees all buffers there at once
 *   close WHERE                   the same, and closes the device or mesh
 *   uncaught WHERE TYPE SIZE      allocates; the exception on failure is not caught
 *   complain                      the library throws an exception outside of an allocation
 *   regret NAME WHERE TYPE SIZE   alloc, then complain from a deeper stack frame, so that the
 *                                 stack frame of alloc is not overwritten
 *   thread COMMAND                in a new thread, and waits for its end
 *   background COMMAND            in a new thread; "join" waits for all of them
 *   random SEED COUNT [THREADS [real]]   COUNT random steps in each thread, on everything that
 *                                 is open; real: without dry runs
 *   pairs COUNT WHERE TYPE SIZE   allocates and frees; prints the ns that a pair took
 *   allocators                    prints "allocator WHERE ADDRESS" for each place
 *   total                         prints "total PID", for each chip that was opened "chip N
 *                                 dram B l1 B system B l1_small B trace B buffers N",
 *                                 and "done"
 *   fork ... end                  a child executes the commands in between, and exits; prints
 *                                 "child PID"
 *   reap                          waits for all children, prints "child ended STATUS"
 *   exec                          executes this program again, which continues with the rest
 *   say TEXT, sleep MS, wait      wait: prints "ready", waits for a line on stdin
 *   kill SIGNAL, exit CODE        ends without freeing anything
 */
#include "double.h"
#include "script.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace
{
const char *const TYPES[] = { "dram", "l1", "system", "l1_small", "trace" };

struct Entry {
	void *buffer;
	std::string where; /* "": freed in bulk, or of the parent process */
	int type;
	uint64_t size;
};

std::map<std::string, Place> places;
std::map<std::string, Entry> entries;
std::vector<Entry> strays; /* of random runs */
std::set<int> opened;
std::mutex mutex;
Words arguments;
size_t next_argument;
} // namespace

uint64_t number(const std::string &text)
{
	size_t end;
	uint64_t value = std::stoull(text, &end, 0);
	size_t unit = std::string("KMG").find(end < text.size() ? text[end] : ' ');

	return unit == std::string::npos ? value : value << (10 * (unit + 1));
}

Place &place_at(const std::string &name)
{
	if (places.find(name) == places.end()) {
		int chip = std::stoi(name);

		opened.insert(chip);
		places[name] = { double_open(chip), { chip }, false };
	}
	return places[name];
}

namespace
{
bool next_command(std::string &line)
{
	char c;

	line.clear();
	if (!arguments.empty()) {
		if (next_argument == arguments.size())
			return false;
		line = arguments[next_argument++];
		return true;
	}
	/* Byte by byte: the rest is for a child, or for the next program after exec. */
	while (read(STDIN_FILENO, &c, 1) == 1) {
		if (c == '\n')
			return true;
		line += c;
	}
	return !line.empty();
}

Words split(const std::string &line)
{
	std::istringstream stream(line);
	Words words;

	for (std::string word; stream >> word;)
		words.push_back(word);
	return words;
}

int type_of(const std::string &name)
{
	for (int i = 0; i < 5; i++)
		if (name == TYPES[i])
			return i;
	throw std::invalid_argument("no type " + name);
}

void *device_at(const std::string &where)
{
	return place_at(where).device;
}

/* Forgets buffers that were freed in bulk, or that belong to the parent. "": everywhere. */
void disown(const std::string &where)
{
	for (auto &[name, entry] : entries)
		if (where.empty() || entry.where == where)
			entry.where.clear();
	for (auto &entry : strays)
		if (where.empty() || entry.where == where)
			entry.where.clear();
}

void print_totals()
{
	struct {
		uint64_t bytes[5], buffers;
	} sums[64] = {};
	auto add = [&](const Entry &entry) {
		if (entry.where.empty() || entry.size == 0)
			return;
		for (int chip : places[entry.where].chips) {
			sums[chip].bytes[entry.type] += entry.size;
			sums[chip].buffers++;
		}
	};

	for (auto &[name, entry] : entries)
		add(entry);
	for (auto &entry : strays)
		add(entry);
	printf("total %d\n", getpid());
	for (int chip : opened) {
		printf("chip %d", chip);
		for (int i = 0; i < 5; i++)
			printf(" %s %lu", TYPES[i], sums[chip].bytes[i]);
		printf(" buffers %lu\n", sums[chip].buffers);
	}
	printf("done\n");
}

/* ---- random runs ---- */

struct Worker {
	std::mt19937_64 random;
	std::vector<Entry> own;
	unsigned dry_percent, allocated = 0, refused = 0, freed = 0;

	Worker(uint64_t seed, unsigned dry) : random(seed), dry_percent(dry)
	{
	}

	bool chance(unsigned percent)
	{
		return random() % 100 < percent;
	}

	void allocate()
	{
		auto place = std::next(places.begin(), random() % places.size());
		bool dry = chance(dry_percent);
		Entry entry{ nullptr, place->first, static_cast<int>(random() % 5),
			     random() % (1 << 22) };

		if (chance(3))
			entry.size = 0;
		else if (chance(5))
			entry.size += uint64_t{ 1 } << (31 + random() % 4);
		double_dry_run(dry);
		try {
			entry.buffer =
				double_allocate(place->second.device, entry.type, entry.size);
			if (dry)
				entry.where.clear();
			own.push_back(entry);
			allocated++;
		} catch (const std::exception &) {
			refused++;
		}
		double_dry_run(false);
	}

	Entry take(std::vector<Entry> &from)
	{
		std::swap(from[random() % from.size()], from.back());
		Entry entry = from.back();

		from.pop_back();
		return entry;
	}

	/* Leaves some for other threads to free. */
	void release()
	{
		if (own.empty())
			return;
		Entry entry = take(own);

		if (chance(20)) {
			std::lock_guard lock(mutex);
			strays.push_back(entry);
			entry = take(strays);
		}
		double_free(entry.buffer, chance(50));
		freed++;
	}

	/* Creates and deletes a view, which changes nothing. */
	void look()
	{
		if (own.empty() || own.back().where.empty() || !own.back().size ||
		    places.at(own.back().where).is_mesh)
			return;
		double_free(double_view(own.back().buffer, own.back().size), chance(50));
	}

	void complain()
	{
		try {
			double_complain();
		} catch (const std::exception &) {
			refused++;
		}
	}

	void run(unsigned steps)
	{
		for (unsigned i = 0; i < steps; i++) {
			if (chance(55))
				allocate();
			else if (chance(80))
				release();
			else if (chance(50))
				look();
			else
				complain();
		}
		std::lock_guard lock(mutex);
		strays.insert(strays.end(), own.begin(), own.end());
	}
};

void run_randomly(uint64_t seed, unsigned steps, unsigned count, unsigned dry_percent)
{
	std::vector<Worker> workers;
	std::vector<std::thread> threads;

	for (unsigned i = 0; i < count; i++)
		workers.emplace_back(seed + i, dry_percent);
	if (count == 1) {
		workers[0].run(steps);
		printf("random: %u allocated, %u refused, %u freed\n", workers[0].allocated,
		       workers[0].refused, workers[0].freed);
		return;
	}
	for (auto &worker : workers)
		threads.emplace_back([&] { worker.run(steps); });
	for (auto &thread : threads)
		thread.join();
}

/* ---- commands: words[0] is the command's name ---- */

bool dry;

std::vector<int> chips_from(const Words &words, size_t first)
{
	std::vector<int> chips;

	for (size_t i = first; i < words.size(); i++)
		chips.push_back(std::stoi(words[i]));
	return chips;
}

std::string join(const Words &words)
{
	std::string text;

	for (size_t i = 1; i < words.size(); i++)
		text += (i > 1 ? " " : "") + words[i];
	return text;
}

void do_hold(const Words &words)
{
	if (open(words[1].c_str(), O_RDWR | O_CLOEXEC) < 0)
		throw std::runtime_error(words[1] + ": " + strerror(errno));
}

void do_user(const Words &words)
{
	uid_t uid = static_cast<uid_t>(number(words[1]));

	if (setresuid(uid, uid, uid) < 0)
		throw std::runtime_error("setresuid: " + std::string(strerror(errno)));
}

void do_open(const Words &words)
{
	for (int chip : chips_from(words, 1))
		device_at(std::to_string(chip));
}

void do_mesh(const Words &words)
{
	std::vector<int> chips = chips_from(words, 2);

	for (int chip : chips)
		opened.insert(chip);
	places[words[1]] = { double_open_mesh(chips.data(), static_cast<int>(chips.size())), chips,
			     true };
}

void do_alloc(const Words &words)
{
	Entry entry{ nullptr, words[2], type_of(words[3]), number(words[4]) };
	void *device = device_at(words[2]);

	double_dry_run(dry);
	try {
		entry.buffer = double_allocate(device, entry.type, entry.size);
	} catch (const std::exception &error) {
		printf("%s: refused: %s\n", words[1].c_str(), error.what());
		return;
	}
	if (dry)
		entry.where.clear();
	entries[words[1]] = entry;
}

void do_uncaught(const Words &words) noexcept
{
	double_allocate(device_at(words[1]), type_of(words[2]), number(words[3]));
}

void do_at(const Words &words)
{
	void *buffer = double_allocate_at(device_at(words[2]), type_of(words[3]), number(words[4]),
					  number(words[5]));

	entries[words[1]] = { buffer, "", 0, 0 };
}

void do_view(const Words &words)
{
	void *buffer = double_view(entries.at(words[2]).buffer, number(words[3]));

	entries[words[1]] = { buffer, "", 0, 0 };
}

void do_dry(const Words &words)
{
	dry = words[1] == "on";
}

void do_free(const Words &words)
{
	for (size_t i = 1; i < words.size(); i++) {
		double_free(entries.at(words[i]).buffer, words[0] == "deallocate");
		entries.erase(words[i]);
	}
}

void do_bulk(const Words &words)
{
	double_deallocate_buffers(device_at(words[1]));
	disown(words[1]);
}

void do_close(const Words &words)
{
	close_queues(words[1]);
	double_close(device_at(words[1]));
	disown(words[1]);
	places.erase(words[1]);
}

void do_complain(const Words &)
{
	try {
		double_complain();
	} catch (const std::exception &error) {
		printf("%s\n", error.what());
	}
}

__attribute__((noinline)) void complain_from_below()
{
	char untouched[8192];

	asm volatile("" : : "r"(untouched) : "memory");
	try {
		double_complain();
	} catch (const std::exception &) {
	}
}

void do_regret(const Words &words)
{
	Entry entry{ nullptr, words[2], type_of(words[3]), number(words[4]) };
	void *device = device_at(words[2]);

	entry.buffer = double_allocate(device, entry.type, entry.size);
	complain_from_below();
	entries[words[1]] = entry;
}

void do_command(const std::string &line);

void do_thread(const Words &words)
{
	std::thread([&] { do_command(join(words)); }).join();
}

auto *background = new std::vector<std::thread>; /* not joined at exit */

void do_background(const Words &words)
{
	background->emplace_back([line = join(words)] {
		try {
			do_command(line);
		} catch (const std::exception &error) {
			fprintf(stderr, "%s: %s\n", line.c_str(), error.what());
			_exit(2);
		}
	});
}

void do_join(const Words &)
{
	for (std::thread &thread : *background)
		thread.join();
	background->clear();
}

void do_random(const Words &words)
{
	run_randomly(number(words[1]), number(words[2]), words.size() > 3 ? number(words[3]) : 1,
		     words.size() > 4 ? 0 : 5);
}

void do_pairs(const Words &words)
{
	uint64_t count = number(words[1]), size = number(words[4]);
	void *device = device_at(words[2]);
	int type = type_of(words[3]);
	auto began = std::chrono::steady_clock::now();

	for (uint64_t i = 0; i < count; i++)
		double_free(double_allocate(device, type, size), false);
	std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
	printf("%.1f ns per pair\n",
	       static_cast<double>(took.count()) / static_cast<double>(count));
}

void do_allocators(const Words &)
{
	for (auto &[where, place] : places)
		printf("allocator %s %p\n", where.c_str(), double_allocator(place.device));
}

void do_total(const Words &)
{
	print_totals();
}

void do_fork(const Words &)
{
	Words block;
	std::string line;

	while (next_command(line) && line != "end")
		block.push_back(line);
	pid_t pid = fork();

	if (pid > 0) {
		printf("child %d\n", pid);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves no processes behind */
	disown("");
	forget_queues();
	background = new std::vector<std::thread>; /* a child does not have its parent's threads */
	block.push_back("exit 0");
	arguments = block;
	next_argument = 0;
}

void do_reap(const Words &)
{
	int status;

	while (wait(&status) > 0)
		printf("child ended %d\n",
		       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

void do_exec(const Words &)
{
	std::vector<char *> argv = { const_cast<char *>("metal_run") };

	for (; next_argument < arguments.size(); next_argument++)
		argv.push_back(arguments[next_argument].data());
	argv.push_back(nullptr);
	execv("/proc/self/exe", argv.data());
	throw std::runtime_error(strerror(errno));
}

void do_say(const Words &words)
{
	printf("%s\n", join(words).c_str());
}

void do_sleep(const Words &words)
{
	usleep(1000 * number(words[1]));
}

void do_wait(const Words &)
{
	printf("ready\n");
	for (char c; read(STDIN_FILENO, &c, 1) == 1 && c != '\n';)
		;
}

void do_kill(const Words &words)
{
	raise(std::stoi(words[1]));
}

void do_exit(const Words &words)
{
	_exit(std::stoi(words[1]));
}

const Commands commands = {
	{ "hold", { 2, do_hold } },	  { "user", { 2, do_user } },
	{ "open", { 2, do_open } },	  { "mesh", { 3, do_mesh } },
	{ "alloc", { 5, do_alloc } },	  { "uncaught", { 4, do_uncaught } },
	{ "at", { 6, do_at } },		  { "view", { 4, do_view } },
	{ "dry", { 2, do_dry } },	  { "free", { 2, do_free } },
	{ "deallocate", { 2, do_free } }, { "bulk", { 2, do_bulk } },
	{ "close", { 2, do_close } },	  { "complain", { 1, do_complain } },
	{ "thread", { 2, do_thread } },	  { "background", { 2, do_background } },
	{ "join", { 1, do_join } },	  { "random", { 3, do_random } },
	{ "pairs", { 5, do_pairs } },	  { "allocators", { 1, do_allocators } },
	{ "total", { 1, do_total } },	  { "fork", { 1, do_fork } },
	{ "reap", { 1, do_reap } },	  { "exec", { 1, do_exec } },
	{ "say", { 2, do_say } },	  { "sleep", { 2, do_sleep } },
	{ "wait", { 1, do_wait } },	  { "kill", { 2, do_kill } },
	{ "exit", { 2, do_exit } },	  { "regret", { 5, do_regret } },
};

void do_command(const std::string &line)
{
	Words words = split(line);

	if (words.empty())
		return;
	auto command = commands.find(words[0]);
	bool found = command != commands.end();

	if (!found) {
		command = schedule_commands.find(words[0]);
		found = command != schedule_commands.end();
	}
	if (!found || words.size() < command->second.words)
		throw std::invalid_argument("not a command");
	command->second.run(words);
}
} // namespace

extern "C" int double_run(int argc, char **argv)
{
	static char buffer[BUFSIZ]; /* Python may have freed the buffer of stdout */
	std::string line;

	setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
	arguments.assign(argv, argv + argc);
	while (next_command(line)) {
		try {
			do_command(line);
		} catch (const std::exception &error) {
			fprintf(stderr, "%s: %s\n", line.c_str(), error.what());
			return 2;
		}
	}
	return 0;
}
