/* Buffers of one device and of a mesh, which call allocator and tracker. */
#include "metal.hpp"

#ifdef INLINED
#define TRACK(call)
#else
#define TRACK(call) GraphTracker::instance().call
#endif

namespace tt::tt_metal
{
Buffer::Buffer(IDevice *device, uint64_t size, uint64_t page_size, BufferType type, bool owns_data,
	       Private)
	: device_(device), size_(size), type_(type), owns_data_(owns_data),
	  allocator_(device->allocator_impl()), page_size_(page_size)
{
}

std::shared_ptr<Buffer> Buffer::create(IDevice *device, uint64_t size, uint64_t page_size,
				       BufferType type, SHARDING, std::optional<bool>,
				       std::optional<SubDeviceId>)
{
	auto buffer = std::make_shared<Buffer>(device, size, page_size, type, true, Private());

	if (size == 0)
		buffer->status_ = Status::ALLOCATED;
	else
		buffer->allocate_impl();
	return buffer;
}

std::shared_ptr<Buffer> Buffer::create(IDevice *device, uint64_t address, uint64_t size,
				       uint64_t page_size, BufferType type, SHARDING,
				       std::optional<bool>, std::optional<SubDeviceId>)
{
	auto buffer = std::make_shared<Buffer>(device, size, page_size, type, false, Private());

	buffer->address_ = address;
	buffer->status_ = Status::ALLOCATED;
	return buffer;
}

#if RELEASE >= 60
std::shared_ptr<Buffer> Buffer::view(const BufferRegion &region)
{
	return create(device_, address_, region.size, page_size_, type_, UNSHARDED);
}
#endif

void Buffer::allocate_impl()
{
	if (GraphTracker::instance().hook_allocate(this)) {
		address_ = 0;
		dry_run_ = true;
	} else {
		address_ = allocator_->allocate_buffer(this);
	}
	status_ = Status::ALLOCATED;
	TRACK(track_allocate(this));
}

void Buffer::deallocate_impl()
{
	if (status_ != Status::ALLOCATED)
		return;
	if (device_->is_initialized() && size_ != 0) {
		TRACK(track_deallocate(this));
		if (!GraphTracker::instance().hook_deallocate(this) && !dry_run_)
			allocator_->deallocate_buffer(this);
	}
	status_ = Status::FREED;
}

void Buffer::deallocate()
{
	if (owns_data_)
		deallocate_impl();
}

/* Does not call deallocate(), as in code where the compiler has inlined it. */
Buffer::~Buffer()
{
	if (owns_data_)
		deallocate_impl();
}

void Buffer::mark_as_deallocated()
{
	status_.store(Status::FREED, std::memory_order_relaxed);
}

uint32_t Buffer::address() const
{
	if (status_ != Status::ALLOCATED)
		throw std::runtime_error("a buffer without memory has no address");
	return static_cast<uint32_t>(address_);
}

uint64_t Buffer::page_size() const
{
	return page_size_;
}

uint32_t Buffer::num_pages() const
{
	return page_size_ ? static_cast<uint32_t>((size_ + page_size_ - 1) / page_size_) : 0;
}

uint32_t Buffer::num_dev_pages() const
{
	return num_pages();
}

uint64_t Buffer::aligned_size() const
{
	return num_dev_pages() * aligned_page_size();
}

uint64_t Buffer::aligned_page_size() const
{
	return (page_size_ + alignment() - 1) / alignment() * alignment();
}

uint64_t Buffer::aligned_size_per_bank() const
{
	return aligned_size() / BankManager::BANKS;
}

uint32_t Buffer::alignment() const
{
	return is_dram() ? BankManager::ALIGNMENT : 16;
}

std::optional<uint32_t> Buffer::num_cores() const
{
	return std::nullopt;
}

bool Buffer::is_allocated() const
{
	return status_ == Status::ALLOCATED;
}

bool Buffer::is_l1() const
{
	return type_ == BufferType::L1 || type_ == BufferType::L1_SMALL;
}

bool Buffer::is_dram() const
{
	return type_ == BufferType::DRAM || type_ == BufferType::TRACE;
}

bool Buffer::is_trace() const
{
	return type_ == BufferType::TRACE;
}

CoreType Buffer::core_type() const
{
	return CoreType::WORKER;
}

#if RELEASE >= 66
ALLOCATOR *Buffer::allocator() const
{
	return allocator_;
}
#endif

namespace distributed
{
MeshBuffer::MeshBuffer(const MeshBufferConfig &config, const DeviceLocalBufferConfig &local,
		       MeshDevice *mesh)
	: config_(config), local_(local), mesh_(mesh->weak_from_this())
{
}

/* The same share on each device, at one address; the mesh owns the underlying buffer. */
std::shared_ptr<MeshBuffer> MeshBuffer::create(const MeshBufferConfig &config,
					       const DeviceLocalBufferConfig &local,
					       MeshDevice *mesh, std::optional<uint64_t> address)
{
	auto buffer = std::make_shared<MeshBuffer>(config, local, mesh);
	uint64_t size = std::visit([](const auto &kind) { return kind.size; }, config);

	if (address) {
		buffer->address_ = *address;
	} else {
		buffer->backing_ =
			Buffer::create(mesh, size, local.page_size, local.type, UNSHARDED);
		buffer->address_ = buffer->backing_->address();
	}
	buffer->initialize_device_buffers();
	return buffer;
}

void MeshBuffer::initialize_device_buffers()
{
	uint64_t size = std::visit([](const auto &kind) { return kind.size; }, config_);

	for (IDevice *device : mesh_.lock()->get_devices())
		parts_.push_back(Buffer::create(device, address_, size, local_.page_size,
						local_.type, UNSHARDED));
}

/* The mesh may have been closed, with its allocator. */
void MeshBuffer::deallocate()
{
	if (backing_ && mesh_.expired())
		backing_->mark_as_deallocated();
	parts_.clear();
	backing_.reset();
}

MeshBuffer::~MeshBuffer()
{
	deallocate();
}
} // namespace distributed
} // namespace tt::tt_metal
