/*
 * ttalloc.h for C++: an allocation whose destructor reports the free.
 *
 *	ttalloc::allocation buffer(0, TTALLOC_DRAM, address, size);
 *
 * reports the allocation in its constructor and the free in its destructor; like a
 * unique_ptr it can be moved, but not copied. Nothing here throws. Header only, C++11.
 */
#ifndef TTALLOC_HPP
#define TTALLOC_HPP

#include "ttalloc.h"

#include <cerrno>
#include <cstdint>

namespace ttalloc
{

class allocation
{
public:
	allocation() noexcept = default;

	allocation(unsigned device, ttalloc_pool pool, std::uint64_t id,
		   std::uint64_t size) noexcept
		: device_(device), pool_(pool), id_(id)
	{
		int r = ttalloc_report_alloc(device, pool, id, size);

		/* EEXIST: it replaced another one and is recorded. */
		held_ = r == 0 || r == -EEXIST;
	}

	allocation(const allocation &) = delete;
	allocation &operator=(const allocation &) = delete;

	allocation(allocation &&other) noexcept
		: device_(other.device_), pool_(other.pool_), id_(other.id_), held_(other.held_)
	{
		other.held_ = false;
	}

	allocation &operator=(allocation &&other) noexcept
	{
		if (this != &other) {
			reset();
			device_ = other.device_;
			pool_ = other.pool_;
			id_ = other.id_;
			held_ = other.held_;
			other.held_ = false;
		}
		return *this;
	}

	~allocation()
	{
		reset();
	}

	/* Reports the free now. */
	void reset() noexcept
	{
		if (held_)
			ttalloc_report_free(device_, pool_, id_);
		held_ = false;
	}

	/* Releases ownership: the caller reports the free. Returns the id. */
	std::uint64_t release() noexcept
	{
		held_ = false;
		return id_;
	}

	explicit operator bool() const noexcept
	{
		return held_;
	}

	std::uint64_t id() const noexcept
	{
		return id_;
	}

private:
	unsigned device_ = 0;
	ttalloc_pool pool_ = TTALLOC_DRAM;
	std::uint64_t id_ = 0;
	bool held_ = false;
};

/* Usage of one pool of one device; all zero if there is no such pool. */
inline ttalloc_usage usage(unsigned device, ttalloc_pool pool) noexcept
{
	ttalloc_usage result = {};

	ttalloc_get_usage(device, pool, &result, sizeof(result));
	return result;
}

} // namespace ttalloc

#endif
