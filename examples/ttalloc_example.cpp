// The C++ wrapper: the destructor of an allocation reports the free; it can be moved.
#include <ttalloc.hpp>

#include <iostream>
#include <utility>
#include <vector>

int main()
{
	std::vector<ttalloc::allocation> held;

	for (std::uint64_t i = 0; i < 4; i++)
		held.emplace_back(0u, TTALLOC_DRAM, 0x1000 * i, 25u << 20);
	ttalloc::allocation moved = std::move(held.front());
	held.erase(held.begin());
	std::cout << "held: " << ttalloc::usage(0, TTALLOC_DRAM).now_bytes << '\n';

	held.clear();
	std::cout << "after clear: " << ttalloc::usage(0, TTALLOC_DRAM).now_bytes << '\n';

	moved.reset();
	std::cout << "after reset: " << ttalloc::usage(0, TTALLOC_DRAM).now_bytes << '\n';
	return ttalloc_get_misuse(TTALLOC_UNKNOWN_FREE) == 0 ? 0 : 1;
}
