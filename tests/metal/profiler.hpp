/*
 * The real-time profiler's classes, with the layouts of v0.RELEASE. The chip writes a page of
 * 64 bytes for each program into a FIFO in the memory of the process; a receiver thread polls
 * the FIFOs of all chips of a mesh, acknowledges the pages and publishes them.
 */
#pragma once

#include "dispatch.hpp"

namespace tt::tt_metal::experimental
{
#if RELEASE >= 73
struct ProgramRealtimeRecord {
	uint32_t runtime_id, chip_id;
	uint64_t start_timestamp, end_timestamp;
	double frequency;
	const std::string *kernel_sources[2];
};
#else
struct ProgramRealtimeRecord {
	uint32_t program_id;
	uint64_t start_timestamp, end_timestamp;
	double frequency;
	uint32_t chip_id;
	std::vector<std::string> kernel_sources;
};
#endif
} // namespace tt::tt_metal::experimental

namespace tt
{
#if RELEASE <= 75
void InvokeProgramRealtimeProfilerCallbacks(
	const tt_metal::experimental::ProgramRealtimeRecord &record);
#endif
void NotifyProgramRealtimeProfilerActivated(uint32_t chip);
void NotifyProgramRealtimeProfilerDeactivated(uint32_t chip);
} // namespace tt

namespace tt::tt_metal::distributed
{
/* Members for a huge page instead of pinned memory: the flag, the data, the counter. */
#if RELEASE >= 78
constexpr size_t HUGE_FLAG = 301;
#elif RELEASE >= 76
constexpr size_t HUGE_FLAG = 293;
#elif RELEASE >= 74
constexpr size_t HUGE_FLAG = 285;
#else
constexpr size_t HUGE_FLAG = 265;
#endif
constexpr size_t FIFO_SIZE = RELEASE >= 76 ? 2 << 20 : 4096;

/* The chip's end of a socket. */
struct SocketSender {
	std::atomic<uint32_t> acked = 0; /* by the host */
	uint32_t sent = 0;
	char *data = nullptr; /* the FIFO; for a huge page: what the CPU does not see yet */
	std::atomic<uint32_t> *counter = nullptr;
};

class D2HSocket
{
public:
	D2HSocket(uint32_t fifo_size, uint32_t page_size, bool huge_page);
	~D2HSocket();
	uint32_t pages_available();
	void read(void *data, uint32_t pages, bool notify_sender);
	bool push(const uint32_t *page); /* by the chip */
	bool address(std::string_view what, uint64_t *address, int *size);

private:
	friend struct ProfilerOffsets;
	void map_shared_memory(size_t size);
	void map_huge_page(size_t size);
	void flush(uint32_t at, uint32_t size);
	uint32_t load_counter() const;

	char before_[80] = {};
	uint32_t fifo_size_, page_size_, bytes_acked_ = 0, bytes_sent_ = 0, read_ptr_ = 0,
					 fifo_curr_size_;
	char before_host_buffer_[40] = {};
	std::shared_ptr<uint32_t[]> host_buffer_;
	uint32_t *bytes_sent_ptr_ = nullptr;
	char before_huge_page_[HUGE_FLAG - 168] = {};
	bool using_huge_page_;
	uint32_t *huge_page_data_ = nullptr, *huge_page_counter_ = nullptr;

	SocketSender sender_;
	std::atomic<uint32_t> unseen_counter_ =
		0; /* for a huge page: the value that the chip wrote */
	std::vector<char> unseen_;
	std::string shared_memory_; /* its path, or "" */
	void *map_ = nullptr;
	size_t map_size_ = 0;
};

class RealtimeProfilerManager
{
public:
	struct DeviceState {
		IDevice *device = nullptr;
		uint32_t chip_id = 0;
		char core_[68] = {};
		std::unique_ptr<D2HSocket> socket;
		char sync_[24] = {};
		uint64_t first_timestamp = 0;
		int64_t sync_host_start = 0;
		double sync_frequency = 0;
		char rest_[RELEASE >= 76 ? 56 : 48] = {};
	};

	explicit RealtimeProfilerManager(unsigned poll_us);
	~RealtimeProfilerManager();
	void add(IDevice *device, int index, const double_dispatch &options);
	void start();
	void trigger_sync_check();
	bool take_sync_request();
	void run_receiver(bool on);
	DeviceState *find(const IDevice *device);
	bool address(DeviceState &state, std::string_view what, uint64_t *address, int *size);

private:
	friend struct ProfilerOffsets;
	using Records = std::vector<experimental::ProgramRealtimeRecord>;
#if RELEASE >= 76
	void publish_pages(const DeviceState &state, const uint32_t *pages, uint32_t count,
			   Records &records);
#endif
	uint32_t drain(DeviceState &state, std::vector<uint32_t> &pages, Records &records);
	void receive();

#if RELEASE >= 76
	char before_[24] = {};
#elif RELEASE >= 75
	char before_[8] = {};
#endif
	std::vector<DeviceState> devices_;
	unsigned poll_us_;
	int64_t last_sync_ns_;
	std::atomic<bool> sync_requested_ = false, stop_ = false;
	bool running_ = true;
	std::mutex draining_;
	std::thread receiver_;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
struct ProfilerOffsets {
	using State = RealtimeProfilerManager::DeviceState;
	using Record = experimental::ProgramRealtimeRecord;
	static constexpr size_t HUGE_DATA = (HUGE_FLAG + 8) / 8 * 8;

	static_assert(offsetof(D2HSocket, fifo_size_) == 80);
	static_assert(offsetof(D2HSocket, page_size_) == 84);
	static_assert(offsetof(D2HSocket, bytes_acked_) == 88);
	static_assert(offsetof(D2HSocket, bytes_sent_) == 92);
	static_assert(offsetof(D2HSocket, read_ptr_) == 96);
	static_assert(offsetof(D2HSocket, fifo_curr_size_) == 100);
	static_assert(offsetof(D2HSocket, host_buffer_) == 144);
	static_assert(offsetof(D2HSocket, bytes_sent_ptr_) == 160);
	static_assert(offsetof(D2HSocket, using_huge_page_) == HUGE_FLAG);
	static_assert(offsetof(D2HSocket, huge_page_data_) == HUGE_DATA);
	static_assert(offsetof(D2HSocket, huge_page_counter_) == HUGE_DATA + 8);
	static_assert(HUGE_DATA == (RELEASE >= 78   ? 304
				    : RELEASE >= 76 ? 296
				    : RELEASE >= 74 ? 288
						    : 272));

	static_assert(offsetof(State, device) == 0);
	static_assert(offsetof(State, chip_id) == 8);
	static_assert(offsetof(State, socket) == 80);
	static_assert(offsetof(State, first_timestamp) == 112);
	static_assert(offsetof(State, sync_host_start) == 120);
	static_assert(offsetof(State, sync_frequency) == 128);
	static_assert(sizeof(State) == (RELEASE >= 76 ? 192 : 184));
	static_assert(offsetof(RealtimeProfilerManager, devices_) == (RELEASE >= 76   ? 24
								      : RELEASE >= 75 ? 8
										      : 0));
#if RELEASE >= 73
	static_assert(offsetof(Record, runtime_id) == 0 && offsetof(Record, chip_id) == 4);
#else
	static_assert(offsetof(Record, program_id) == 0 && offsetof(Record, chip_id) == 32);
#endif
	static_assert(offsetof(Record, start_timestamp) == 8);
	static_assert(offsetof(Record, end_timestamp) == 16);
	static_assert(offsetof(Record, frequency) == 24);
};
#pragma GCC diagnostic pop
} // namespace tt::tt_metal::distributed
