/*
 * A test double of TT-Metal's library, equal to it as seen from outside: namespaces and signatures
 * with the same mangled names, objects with the same offsets, the same calls between functions.
 * Nothing is computed, and no device is used.
 *
 * A variant is a set of macros:
 *   RELEASE       of TT-Metal, as in v0.RELEASE: names, layouts, numbers of a status
 *   NIGHTLY       with RELEASE 68: the nine nightly builds that have MetalEnv, but not in Device
 *   LAYOUT        of the counters that it publishes since v0.70: 3, or the proposed 4
 *   INLINED       track_* are exported but not called, as after a link with LTO
 *   OTHER_SHAPE   a Buffer with a layout of no known release
 *   STEPPED       a frequently called function begins with an instruction that the kernel
 *                 single-steps at a probe
 */
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#ifndef LAYOUT
#define LAYOUT 3
#endif

/* The members before the chip number in a Device. */
#if RELEASE >= 68 && !defined(NIGHTLY)
#define DEVICE_HAS_ENV 1
#else
#define DEVICE_HAS_ENV 0
#endif

/* Inline namespaces of old releases: they only change the mangled names. */
#if RELEASE <= 56
#define V0_BEGIN            \
	inline namespace v0 \
	{
#define V0_END }
#else
#define V0_BEGIN
#define V0_END
#endif

/* The allocator itself. Since v0.66 its old name belongs to a wrapper class. */
#if RELEASE >= 66
#define ALLOCATOR AllocatorImpl
#else
#define ALLOCATOR Allocator
#endif

#if RELEASE >= 60
#define STRONG_TYPES ttsl
#else
#define STRONG_TYPES tt::stl
#endif

namespace STRONG_TYPES
{
template <typename T, typename Tag> struct StrongType {
	T value;
};
} // namespace STRONG_TYPES

#if RELEASE < 65
class CoreRangeSet
{
};
#endif

namespace tt::tt_fabric
{
class FabricNodeId
{
	uint32_t mesh_ = 0, chip_ = 0;
};
} // namespace tt::tt_fabric

namespace tt::tt_metal
{
V0_BEGIN
class Buffer;
class IDevice;
V0_END
class Allocator;
class ALLOCATOR;
struct Offsets;
#if RELEASE >= 65
class CoreRangeSet
{
};
#endif

enum class BufferType : uint32_t { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };
constexpr int TYPES = 5;
enum class TensorMemoryLayout : uint32_t { INTERLEAVED, HEIGHT = 2, WIDTH, BLOCK, ND };
enum class CoreType { WORKER };

using SubDeviceId = STRONG_TYPES::StrongType<uint8_t, struct SubDeviceIdTag>;
using AllocatorID = STRONG_TYPES::StrongType<uint32_t, struct AllocatorIDTag>;

struct BufferRegion {
	uint64_t offset, size;
};
struct ShardSpecBuffer {
};
struct BufferDistributionSpec {
};

/* The type by which create() is told that a buffer is sharded. */
#if RELEASE >= 60
struct BufferShardingArgs {
};
#define SHARDING  const BufferShardingArgs &
#define UNSHARDED BufferShardingArgs()
#elif RELEASE >= 59
#define SHARDING            \
	TensorMemoryLayout, \
		const std::optional<std::variant<ShardSpecBuffer, BufferDistributionSpec>> &
#define UNSHARDED TensorMemoryLayout::INTERLEAVED, std::nullopt
#else
#define SHARDING  TensorMemoryLayout, const std::optional<ShardSpecBuffer> &
#define UNSHARDED TensorMemoryLayout::INTERLEAVED, std::nullopt
#endif

V0_BEGIN
class IDevice
{
public:
	virtual ~IDevice() = default;
	virtual int arch() const = 0;
	virtual int id() const = 0;
	virtual ALLOCATOR *allocator_impl() const = 0;
	virtual bool is_initialized() const = 0;
	virtual bool close() = 0;
};

class Buffer final
#if RELEASE >= 60
	: public std::enable_shared_from_this<Buffer>
#endif
{
	struct Private {
	};

public:
#if RELEASE >= 58
	enum class Status : uint8_t { REQUESTED, ALLOCATED, FREED };
#else
	enum class Status : uint8_t { REQUESTED, FAILED, ALLOCATED, FREED };
#endif

	static std::shared_ptr<Buffer> create(IDevice *device, uint64_t size, uint64_t page_size,
					      BufferType type, SHARDING,
					      std::optional<bool> bottom_up = {},
					      std::optional<SubDeviceId> sub_device = {});
	static std::shared_ptr<Buffer> create(IDevice *device, uint64_t address, uint64_t size,
					      uint64_t page_size, BufferType type, SHARDING,
					      std::optional<bool> bottom_up = {},
					      std::optional<SubDeviceId> sub_device = {});
	Buffer(IDevice *device, uint64_t size, uint64_t page_size, BufferType type, bool owns_data,
	       Private);
	~Buffer();
#if RELEASE >= 60
	std::shared_ptr<Buffer> view(const BufferRegion &region);
#endif
	void deallocate();
	void mark_as_deallocated();

	/* Exported, since they are defined in a source file. */
	uint32_t address() const;
	uint64_t page_size() const;
	uint32_t num_pages() const;
	uint32_t num_dev_pages() const;
	uint64_t aligned_size() const;
	uint64_t aligned_page_size() const;
	uint64_t aligned_size_per_bank() const;
	uint32_t alignment() const;
	std::optional<uint32_t> num_cores() const;
	bool is_allocated() const;
	bool is_l1() const;
	bool is_dram() const;
	bool is_trace() const;
	CoreType core_type() const;
#if RELEASE >= 66
	ALLOCATOR *allocator() const;
#endif

	/* Not exported: -fvisibility-inlines-hidden. */
	uint64_t size() const
	{
		return size_;
	}
	BufferType buffer_type() const
	{
		return type_;
	}
	IDevice *device() const
	{
		return device_;
	}
	bool dry_run() const
	{
		return dry_run_;
	}

private:
	friend struct tt::tt_metal::Offsets;
	void allocate_impl();
	void deallocate_impl();

#ifdef OTHER_SHAPE
	/* At the offsets where other layouts have device and size. */
	uint64_t elsewhere_[3] = { 3, 5, 7 };
#endif
	IDevice *device_;
	uint64_t size_;
	BufferType type_;
	TensorMemoryLayout layout_ = TensorMemoryLayout::INTERLEAVED;
	bool bottom_up_ = false;
	std::optional<SubDeviceId> sub_device_;
	bool owns_data_;
	std::optional<uint64_t> sub_device_manager_;
	ALLOCATOR *allocator_;
	std::atomic<Status> status_ = Status::REQUESTED;
#if RELEASE >= 59
	bool dry_run_ = false;
#else
	/* Padding, never set. */
	unsigned char garbage_[7] = { 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5 };
#endif
	uint64_t address_ = 0;
#if RELEASE <= 57
	char before_page_size_[96] = {};
#endif
	uint64_t page_size_;
#if RELEASE < 59
	bool dry_run_ = false;
#endif
	char rest_[240] = {};
};
V0_END

/* The memory of one type: the same range in every bank. */
class BankManager
{
public:
	static constexpr uint32_t BANKS = 8, ALIGNMENT = 64;
	static constexpr uint64_t RESERVED = 1 << 20; /* no address is 0 */
	explicit BankManager(uint64_t capacity)
		: bank_size_(capacity / BANKS), free_{ { RESERVED, bank_size_ } }
	{
	}
	uint64_t allocate_buffer(uint64_t size, uint64_t page_size, bool bottom_up,
				 const CoreRangeSet &grid, std::optional<uint32_t> shards,
				 AllocatorID id
#if RELEASE >= 69
				 ,
				 const std::vector<std::pair<uint64_t, uint64_t>> &taken
#endif
	);
	void deallocate_buffer(uint64_t address, AllocatorID id);
	void deallocate_all();
	uint64_t bank_size() const
	{
		return bank_size_;
	}
	uint64_t used() const
	{
		return used_;
	}

private:
	uint64_t bank_size_, used_ = 0;
	std::vector<std::pair<uint64_t, uint64_t>> free_; /* start, length; by start */
	std::unordered_map<uint64_t, uint64_t> taken_;	  /* start -> length */
};

struct Statistics {
	uint64_t total, allocated, free;
};

class ALLOCATOR
{
public:
	ALLOCATOR();
#if RELEASE >= 73
	virtual
#endif
		~ALLOCATOR();
	uint64_t allocate_buffer(Buffer *buffer);
	void deallocate_buffer(Buffer *buffer);
	void deallocate_buffers();
	void clear();
	Statistics get_statistics(const BufferType &type) const;
	uint32_t get_num_banks(const BufferType &type) const;
	uint64_t get_bank_size(const BufferType &type) const;
#if RELEASE >= 66
	Allocator *view() const
	{
		return view_.get();
	}
#endif

private:
	friend struct tt::tt_metal::Offsets;
	BankManager &manager(BufferType type) const
	{
		static const int places[TYPES] = { 0, 1, -1, 2, 3 };
		int place = places[static_cast<int>(type)];

		return place < 0 ? *system_ : *managers_[place];
	}

#if RELEASE >= 62
	mutable std::mutex mutex_;
#endif
	bool unsafe_ = false;
	std::unique_ptr<BankManager> managers_[4]; /* DRAM, L1, L1_SMALL, TRACE */
	std::unordered_map<uint32_t, uint32_t> channel_of_bank_, bank_of_channel_, core_of_bank_,
		bank_of_core_;
	std::unordered_set<Buffer *> live_;
	std::unique_ptr<BankManager> system_;
#if RELEASE < 62
	mutable std::mutex mutex_;
#endif
#if RELEASE >= 66
	std::unique_ptr<Allocator> view_;
#endif
};

#if RELEASE >= 66
/* The wrapper class: its functions have the names that those of the allocator had before. */
class Allocator
{
public:
	explicit Allocator(AllocatorImpl *impl) : impl_(impl)
	{
	}
	void deallocate_buffers();
	Statistics get_statistics(const BufferType &type) const;
	uint32_t get_num_banks(const BufferType &type) const;
	uint64_t get_bank_size(const BufferType &type) const;

private:
	AllocatorImpl *impl_;
};
#endif

#if RELEASE >= 68
class MetalEnv
{
public:
	MetalEnv();
	~MetalEnv();
};
#endif

#if RELEASE >= 70
/* Counters that TT-Metal publishes, a file per chip. */
enum class ShmBufferType : uint8_t { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE, CB };

/* Attached while a device is open. */
class SharedMemoryStatsProvider
{
public:
	explicit SharedMemoryStatsProvider(int chip);
	~SharedMemoryStatsProvider();
	void record_allocation(int pid, uint64_t size, ShmBufferType type, uint32_t chip);
	void record_deallocation(int pid, uint64_t size, ShmBufferType type, uint32_t chip);

private:
	struct Slot *slot(int pid, bool claim);
	void release(struct Slot &slot);
	void reap();
	struct Counters *counters_ = nullptr; /* NULL: nothing is published */
};
#endif

class Device final : public IDevice
{
public:
	explicit Device(int chip);
	~Device() override;
	int arch() const override
	{
		return 1;
	}
	int id() const override
	{
		return chip_;
	}
	ALLOCATOR *allocator_impl() const override
	{
		return allocator_.get();
	}
	bool is_initialized() const override
	{
		return open_;
	}
	bool close() override;
#if RELEASE >= 70
	SharedMemoryStatsProvider *stats() const
	{
		return stats_.get();
	}
#endif

private:
	friend struct tt::tt_metal::Offsets;
#if DEVICE_HAS_ENV
	void *context_ = nullptr;
	std::unique_ptr<MetalEnv> env_;
#endif
	int chip_;
	bool open_ = true;
	std::unique_ptr<ALLOCATOR> allocator_;
#if RELEASE >= 70
	std::unique_ptr<SharedMemoryStatsProvider> stats_; /* NULL: closed */
#endif
};

class GraphTracker
{
public:
#if RELEASE >= 65
	static GraphTracker &instance();
#else
	static GraphTracker &instance()
	{
		static GraphTracker tracker;

		return tracker;
	}
#endif
	void track_allocate(const Buffer *buffer);
	void track_deallocate(Buffer *buffer);
	bool hook_allocate(const Buffer *buffer);
	bool hook_deallocate(Buffer *buffer);
	void track_allocate_cb(const CoreRangeSet &cores, uint64_t address, uint64_t size,
			       bool global, const IDevice *device);
	void track_deallocate_cb(const IDevice *device);
#if RELEASE >= 77
	void track_allocate_dataflow_buffer(const CoreRangeSet &cores, uint64_t address,
					    uint64_t size, bool global, const IDevice *device);
	void track_allocate_scratchpad(const CoreRangeSet &cores, uint64_t address, uint64_t size,
				       const IDevice *device);
#endif
	static void set_dry_run(bool on); /* for this thread */
	static void publish_here();	  /* for this thread, if it is the first to ask */

private:
	std::mutex mutex_;
	uint64_t allocations_ = 0, deallocations_ = 0, asked_ = 0;
};

namespace distributed
{
struct ReplicatedBufferConfig {
	uint64_t size;
};
struct ShardedBufferConfig {
	uint64_t size;
	uint64_t shape[5];
};
using MeshBufferConfig = std::variant<ReplicatedBufferConfig, ShardedBufferConfig>;
struct DeviceLocalBufferConfig {
	uint64_t page_size;
	BufferType type;
};

#if RELEASE >= 66
struct MeshShape {
	uint32_t rows, columns;
};

struct RemoteDevice {
};

template <typename T> class MaybeRemote
{
public:
	explicit MaybeRemote(RemoteDevice remote) : value_(remote)
	{
	}
	explicit MaybeRemote(T value) : value_(value)
	{
	}
	const T *local() const
	{
		return std::get_if<T>(&value_);
	}

private:
	std::variant<RemoteDevice, T> value_;
};

/* The devices of a mesh, some of which may belong to another host. */
class MeshDeviceView
{
public:
	MeshDeviceView(const MeshShape &shape, const std::vector<IDevice *> &devices,
		       const std::vector<tt_fabric::FabricNodeId> &nodes);
	MeshDeviceView(const MeshShape &shape, const std::vector<MaybeRemote<IDevice *>> &devices,
		       const std::vector<tt_fabric::FabricNodeId> &nodes);
	std::vector<IDevice *> get_devices() const;

private:
	MeshShape shape_;
	std::vector<MaybeRemote<IDevice *>> devices_;
};
#endif

class MeshDevice final : public IDevice, public std::enable_shared_from_this<MeshDevice>
{
public:
	explicit MeshDevice(std::vector<IDevice *> members);
	~MeshDevice() override;
	int arch() const override
	{
		return 1;
	}
	int id() const override;
	ALLOCATOR *allocator_impl() const override;
	bool is_initialized() const override;
	bool close() override;
	size_t num_devices() const;
	std::vector<IDevice *> get_devices() const;
	std::vector<int> get_device_ids() const;

private:
	friend struct tt::tt_metal::Offsets;
	struct Impl;
	std::unique_ptr<Impl> impl_;
};

class MeshBuffer
{
public:
	static std::shared_ptr<MeshBuffer> create(const MeshBufferConfig &config,
						  const DeviceLocalBufferConfig &local,
						  MeshDevice *mesh,
						  std::optional<uint64_t> address = {});
	MeshBuffer(const MeshBufferConfig &config, const DeviceLocalBufferConfig &local,
		   MeshDevice *mesh);
	~MeshBuffer();
	void deallocate();

private:
	friend struct tt::tt_metal::Offsets;
	void initialize_device_buffers();

	MeshBufferConfig config_;
	DeviceLocalBufferConfig local_;
	std::weak_ptr<MeshDevice> mesh_;
	uint64_t address_ = 0;
	std::shared_ptr<Buffer> backing_;
	std::vector<std::shared_ptr<Buffer>> parts_; /* one per device; own nothing */
};
} // namespace distributed

/* The offsets in TT-Metal's objects that src/metal relies on. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
struct Offsets {
#if RELEASE >= 60
	static constexpr size_t FIRST = 16;
#else
	static constexpr size_t FIRST = 0;
#endif
#ifndef OTHER_SHAPE
	static_assert(offsetof(Buffer, device_) == FIRST);
	static_assert(offsetof(Buffer, size_) == FIRST + 8);
	static_assert(offsetof(Buffer, type_) == FIRST + 16);
	static_assert(offsetof(Buffer, layout_) == FIRST + 20);
	static_assert(offsetof(Buffer, bottom_up_) == FIRST + 24);
	static_assert(offsetof(Buffer, owns_data_) == FIRST + 27);
	static_assert(offsetof(Buffer, allocator_) == FIRST + 48);
	static_assert(offsetof(Buffer, status_) == FIRST + 56);
	static_assert(RELEASE < 59 || offsetof(Buffer, dry_run_) == FIRST + 57);
	static_assert(offsetof(Buffer, address_) == FIRST + 64);
	static_assert(offsetof(Buffer, page_size_) == (RELEASE <= 57 ? 168 : FIRST + 72));
#endif
	static_assert(offsetof(Device, chip_) == (DEVICE_HAS_ENV ? 24 : 8));
	static_assert(offsetof(distributed::MeshDevice, impl_) == 24);
#if RELEASE >= 66
	static_assert(sizeof(distributed::MaybeRemote<IDevice *>) == 16); /* the kind is at 8 */
#endif
	static_assert(offsetof(ALLOCATOR, live_) == (RELEASE >= 73   ? 312
						     : RELEASE >= 62 ? 304
								     : 264));
	static_assert(offsetof(distributed::MeshBuffer, config_) == 0);
	static_assert(offsetof(distributed::MeshBuffer, local_) == 56);
	static_assert(offsetof(distributed::DeviceLocalBufferConfig, type) == 8);
	static_assert(sizeof(distributed::MeshBufferConfig) == 56); /* the kind is at 48 */
};
#pragma GCC diagnostic pop
} // namespace tt::tt_metal
