/*
 * The parts of TT-Metal's library that start programs on a chip and report their times:
 * command queues, and since v0.71 the real-time profiler. As in metal.hpp, names, layouts and calls
 * are those of v0.RELEASE, and nothing is computed. RELEASE 78 is the main branch.
 */
#pragma once

#include "double.h"
#include "metal.hpp"

#include <string_view>
#include <thread>

namespace tt::tt_metal
{
class Program
{
};
class TensorSpec
{
};

/* Event counters of one chip, an element per command queue. */
class SystemMemoryManager
{
public:
	SystemMemoryManager(int device, int queues)
		: device_id_(device), cq_to_event_(queues), last_completed_(queues)
	{
	}
	uint32_t get_next_event(uint8_t queue);
	void set_last_completed_event(uint8_t queue, uint32_t event);
	void set_bypass_mode(bool enable, bool clear);

private:
	friend struct DispatchOffsets;
#if RELEASE >= 68
	[[maybe_unused]] int context_id_ = 0;
#endif
	[[maybe_unused]] int device_id_;
	[[maybe_unused]] char
		before_events_[(RELEASE >= 65 ? 72 : 104) - (RELEASE >= 68 ? 8 : 4)] = {};
	std::vector<uint32_t> cq_to_event_, last_completed_;
	[[maybe_unused]] char before_bypass_[RELEASE >= 65 ? 144 : 120] = {};
	bool bypass_ = false;
};

#if RELEASE <= 64
/* The command queue of one device that is in no mesh. */
class HWCommandQueue
{
public:
	virtual ~HWCommandQueue() = default;
	virtual void enqueue_program(Program &program, bool blocking);
#if RELEASE <= 61
	virtual void enqueue_trace(uint32_t trace, bool blocking);
#endif

private:
	std::mutex mutex_;
	uint64_t enqueued_ = 0, traces_ = 0;
};
#endif

namespace distributed
{
class MeshWorkload
{
};
using MeshTraceId = STRONG_TYPES::StrongType<uint32_t, struct MeshTraceIdTag>;

class MeshCommandQueue
{
public:
	virtual ~MeshCommandQueue() = default;
#if RELEASE >= 58
	virtual void enqueue_mesh_workload(MeshWorkload &workload, bool blocking) = 0;
	virtual void enqueue_trace(const MeshTraceId &trace, bool blocking) = 0;
#else
	virtual void enqueue_mesh_workload(MeshWorkload &workload, bool blocking);
#endif

protected:
	std::mutex mutex_;
	uint64_t enqueued_ = 0, traces_ = 0, launched_ = 0;
};

#if RELEASE >= 58
class FDMeshCommandQueue final : public MeshCommandQueue
{
public:
	void enqueue_mesh_workload(MeshWorkload &workload, bool blocking) override;
	void enqueue_trace(const MeshTraceId &trace, bool blocking) override;
};

/* Slow dispatch: the host starts each program itself, and waits for it. */
class SDMeshCommandQueue final : public MeshCommandQueue
{
public:
	void enqueue_mesh_workload(MeshWorkload &workload, bool blocking) override;
	void enqueue_trace(const MeshTraceId &trace, bool blocking) override;
};
#endif
} // namespace distributed

namespace experimental::inspector
{
#if RELEASE >= 70
void EmitMeshWorkloadDebugEntry(distributed::MeshWorkload &workload, uint64_t runtime_id,
				std::string_view name, std::vector<TensorSpec> tensors,
				std::optional<distributed::MeshTraceId> trace);
#elif RELEASE >= 68
void EmitMeshWorkloadDebugEntry(distributed::MeshWorkload &workload, uint64_t runtime_id,
				std::string_view name, std::vector<TensorSpec> tensors);
#elif RELEASE >= 66
void EmitMeshWorkloadRuntimeId(distributed::MeshWorkload &workload, uint64_t runtime_id);
#endif
} // namespace experimental::inspector

#if RELEASE >= 71
/* The profiler of one mesh, as seen by queue.cpp: its classes differ between releases. */
class Profiler
{
public:
	virtual ~Profiler() = default;
	virtual void finish() = 0;
	virtual bool push(int chip, const uint32_t *page) = 0; /* false: the FIFO is full */
	virtual bool take_sync_request() = 0;
	virtual void run_receiver(bool on) = 0;
	virtual void publish_false() = 0; /* a record that is none, where each has a call */
	virtual bool address(int chip, const char *what, uint64_t *address, int *size) = 0;
	static std::unique_ptr<Profiler> create(const std::vector<IDevice *> &devices,
						const double_dispatch &options);
};
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
struct DispatchOffsets {
	static_assert(offsetof(SystemMemoryManager, device_id_) == (RELEASE >= 68 ? 4 : 0));
	static_assert(offsetof(SystemMemoryManager, cq_to_event_) == (RELEASE >= 65 ? 72 : 104));
	static_assert(offsetof(SystemMemoryManager, last_completed_) == (RELEASE >= 65 ? 96 : 128));
	static_assert(offsetof(SystemMemoryManager, bypass_) == (RELEASE >= 65 ? 264 : 272));
};
#pragma GCC diagnostic pop
} // namespace tt::tt_metal
