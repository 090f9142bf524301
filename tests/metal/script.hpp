/* Shared by script.cpp and schedule.cpp. */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

using Words = std::vector<std::string>;

struct Place {
	void *device;
	std::vector<int> chips;
	bool is_mesh;
};

struct Command {
	size_t words; /* minimum number, including the name of the command */
	void (*run)(const Words &words);
};
using Commands = std::map<std::string, Command>;

uint64_t number(const std::string &text); /* may end in K, M or G */
Place &place_at(const std::string &name); /* opens a chip */

extern const Commands schedule_commands;
void close_queues(const std::string &name); /* if there are any */
void forget_queues();			    /* of the parent, in a forked child */
