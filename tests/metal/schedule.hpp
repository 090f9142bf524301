/* Places with command queues, for the commands of schedule.cpp. */
#pragma once

#include "chips.hpp"
#include "script.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

/* Words of the form KEY=VALUE, or KEY. */
class Options
{
public:
	Options(const Words &words, size_t first)
	{
		for (size_t i = first; i < words.size(); i++) {
			size_t equals = words[i].find('=');

			values_[words[i].substr(0, equals)] =
				equals == std::string::npos ? "" : words[i].substr(equals + 1);
		}
	}
	bool has(const std::string &key)
	{
		bool found = values_.find(key) != values_.end();

		used_ += found && !asked_[key];
		asked_[key] = true;
		return found;
	}
	std::string text(const std::string &key, const std::string &otherwise)
	{
		return has(key) ? values_[key] : otherwise;
	}
	double real(const std::string &key, double otherwise)
	{
		return has(key) ? std::stod(values_[key]) : otherwise;
	}
	uint64_t whole(const std::string &key, uint64_t otherwise)
	{
		return has(key) ? number(values_[key]) : otherwise;
	}
	void done() const /* throws if an option was not used */
	{
		if (used_ != values_.size())
			throw std::invalid_argument("unknown option");
	}

private:
	std::map<std::string, std::string> values_;
	std::map<std::string, bool> asked_;
	size_t used_ = 0;
};

struct Dispatch {
	void *queues;
	std::vector<int> numbers; /* of the chips */
	bool slow;
	std::mutex host;				 /* held while the library is called */
	std::map<std::pair<int, int>, int64_t> lane_end; /* of a queue's sub-device */
	std::map<int, int64_t> queue_end;
	std::unique_ptr<Chips> chips;

	int index_of(const std::string &chip) const
	{
		for (size_t i = 0; i < numbers.size(); i++)
			if (numbers[i] == std::stoi(chip))
				return static_cast<int>(i);
		throw std::invalid_argument("no such chip there");
	}
};

Dispatch &dispatch_at(const std::string &name);
__attribute__((format(printf, 1, 2))) void write_truth(const char *format, ...);
void do_play(const Words &words);
