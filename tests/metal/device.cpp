/* Devices and meshes, and the interface for programs (double.h). */
#include "double.h"
#include "metal.hpp"

#include <map>

namespace tt::tt_metal
{
#if RELEASE >= 68
MetalEnv::MetalEnv() = default;
MetalEnv::~MetalEnv() = default;
#endif

Device::Device(int chip) : chip_(chip), allocator_(std::make_unique<ALLOCATOR>())
{
#if DEVICE_HAS_ENV
	env_ = std::make_unique<MetalEnv>();
	context_ = env_.get();
#endif
#if RELEASE >= 70
	stats_ = std::make_unique<SharedMemoryStatsProvider>(chip);
	GraphTracker::publish_here();
#endif
}

Device::~Device() = default;

bool Device::close()
{
	allocator_->deallocate_buffers();
	open_ = false;
	allocator_.reset();
#if RELEASE >= 70
	stats_.reset();
#endif
	return true;
}

namespace distributed
{
#if RELEASE >= 66
static std::vector<MaybeRemote<IDevice *>> wrap(const std::vector<IDevice *> &devices)
{
	std::vector<MaybeRemote<IDevice *>> wrapped;

	for (IDevice *device : devices)
		wrapped.emplace_back(device);
	return wrapped;
}

#if RELEASE >= 70
MeshDeviceView::MeshDeviceView(const MeshShape &shape, const std::vector<IDevice *> &devices,
			       const std::vector<tt_fabric::FabricNodeId> &)
	: shape_(shape), devices_(wrap(devices))
{
}
#else
MeshDeviceView::MeshDeviceView(const MeshShape &shape, const std::vector<IDevice *> &devices,
			       const std::vector<tt_fabric::FabricNodeId> &nodes)
	: MeshDeviceView(shape, wrap(devices), nodes)
{
}
#endif

MeshDeviceView::MeshDeviceView(const MeshShape &shape,
			       const std::vector<MaybeRemote<IDevice *>> &devices,
			       const std::vector<tt_fabric::FabricNodeId> &)
	: shape_(shape), devices_(devices)
{
}

std::vector<IDevice *> MeshDeviceView::get_devices() const
{
	std::vector<IDevice *> local;

	for (const auto &device : devices_)
		if (device.local())
			local.push_back(*device.local());
	return local;
}

/* Adds a device of another host, which is part of the mesh but not of this process. */
static std::unique_ptr<MeshDeviceView> view_of(const std::vector<IDevice *> &members)
{
	MeshShape shape{ 1, static_cast<uint32_t>(members.size()) };

	if (members.size() == 1)
		return std::make_unique<MeshDeviceView>(shape, members,
							std::vector<tt_fabric::FabricNodeId>());
	auto all = wrap(members);
	all.emplace_back(RemoteDevice());
	return std::make_unique<MeshDeviceView>(shape, all, std::vector<tt_fabric::FabricNodeId>());
}

struct MeshDevice::Impl {
	int id; /* number of the mesh; differs from the ids of chips */
	std::unique_ptr<ALLOCATOR> allocator;
	std::unique_ptr<MeshDeviceView> view;

	Impl(int number, const std::vector<IDevice *> &members)
		: id(number), allocator(std::make_unique<ALLOCATOR>()), view(view_of(members))
	{
	}
	std::vector<IDevice *> devices() const
	{
		return view->get_devices();
	}
};
#else
struct MeshDevice::Impl {
	int id;
	std::unique_ptr<ALLOCATOR> allocator;
	std::vector<IDevice *> members;

	Impl(int number, const std::vector<IDevice *> &devices)
		: id(number), allocator(std::make_unique<ALLOCATOR>()), members(devices)
	{
	}
	std::vector<IDevice *> devices() const
	{
		return members;
	}
};
#endif

MeshDevice::MeshDevice(std::vector<IDevice *> members)
{
	static int meshes = 100;

	impl_ = std::make_unique<Impl>(++meshes, members);
}

MeshDevice::~MeshDevice()
{
	close();
}

bool MeshDevice::close()
{
	if (impl_->allocator)
		impl_->allocator->deallocate_buffers();
	impl_->allocator.reset();
	return true;
}

int MeshDevice::id() const
{
	return impl_->id;
}

ALLOCATOR *MeshDevice::allocator_impl() const
{
	return impl_->allocator.get();
}

bool MeshDevice::is_initialized() const
{
	return impl_->allocator != nullptr;
}

size_t MeshDevice::num_devices() const
{
	return impl_->devices().size();
}

std::vector<IDevice *> MeshDevice::get_devices() const
{
	return impl_->devices();
}

std::vector<int> MeshDevice::get_device_ids() const
{
	std::vector<int> ids;

	for (const IDevice *device : impl_->devices())
		ids.push_back(device->id());
	return ids;
}
} // namespace distributed
} // namespace tt::tt_metal

using namespace tt::tt_metal;
using distributed::MeshBuffer;
using distributed::MeshDevice;

constexpr uint64_t PAGE = 4096;

struct Handle {
	std::shared_ptr<Buffer> buffer;
	std::shared_ptr<MeshBuffer> of_mesh;
};

/*
 * A closed Device is not deleted: buffers that are freed later check whether it is open. Devices
 * that are open when the program ends are not closed.
 */
static auto &devices = *new std::map<int, IDevice *>;
static auto &meshes = *new std::map<IDevice *, std::shared_ptr<MeshDevice>>;

void *double_open(int chip)
{
	IDevice *&device = devices[chip];

	if (!device || !device->is_initialized())
		device = new Device(chip);
	return device;
}

void *double_open_mesh(const int *chips, int count)
{
	std::vector<IDevice *> members;

	for (int i = 0; i < count; i++)
		members.push_back(static_cast<IDevice *>(double_open(chips[i])));
	auto mesh = std::make_shared<MeshDevice>(std::move(members));
	IDevice *device = mesh.get();

	meshes[device] = std::move(mesh);
	return device;
}

void double_close(void *device)
{
	static_cast<IDevice *>(device)->close();
	meshes.erase(static_cast<IDevice *>(device));
}

void double_deallocate_buffers(void *device)
{
#if RELEASE >= 66
	static_cast<IDevice *>(device)->allocator_impl()->view()->deallocate_buffers();
#else
	static_cast<IDevice *>(device)->allocator_impl()->deallocate_buffers();
#endif
}

void *double_allocator(void *device)
{
	return static_cast<IDevice *>(device)->allocator_impl();
}

void *double_allocate(void *on, int type, uint64_t size)
{
	auto *device = static_cast<IDevice *>(on);
	auto kind = static_cast<BufferType>(type);
	auto mesh = meshes.find(device);

	if (mesh == meshes.end())
		return new Handle{ Buffer::create(device, size, PAGE, kind, UNSHARDED), nullptr };
	return new Handle{ nullptr, MeshBuffer::create(distributed::ReplicatedBufferConfig{ size },
						       { PAGE, kind }, mesh->second.get()) };
}

void *double_allocate_at(void *device, int type, uint64_t size, uint64_t address)
{
	return new Handle{ Buffer::create(static_cast<IDevice *>(device), address, size, PAGE,
					  static_cast<BufferType>(type), UNSHARDED),
			   nullptr };
}

void *double_view(void *of, uint64_t size)
{
	Buffer &buffer = *static_cast<Handle *>(of)->buffer;

#if RELEASE >= 60
	return new Handle{ buffer.view({ 0, size }), nullptr };
#else
	return double_allocate_at(buffer.device(), static_cast<int>(buffer.buffer_type()), size,
				  buffer.address());
#endif
}

void double_free(void *buffer, bool explicitly)
{
	std::unique_ptr<Handle> handle(static_cast<Handle *>(buffer));

	if (explicitly && handle->buffer)
		handle->buffer->deallocate();
	if (explicitly && handle->of_mesh)
		handle->of_mesh->deallocate();
}

void double_dry_run(bool on)
{
	GraphTracker::set_dry_run(on);
}

void double_complain(void)
{
	static auto &device = *new Device(0); /* is never closed */
	auto buffer = Buffer::create(&device, 0, PAGE, BufferType::DRAM, UNSHARDED);

	buffer->mark_as_deallocated();
	buffer->address();
}
