/*
 * Hooks: the functions of TT-Metal through which device memory is allocated and freed. Their
 * arguments are in registers, as in the System V ABI for x86-64.
 */
#pragma once

enum metal_hook {
	/* (tracker, Buffer): an allocation succeeded, or was a dry run */
	METAL_TRACK_ALLOCATE,
	METAL_TRACK_DEALLOCATE, /* (tracker, Buffer) */
	/* (allocator, Buffer): about to allocate; throws if the memory is full */
	METAL_ALLOCATE,
	METAL_DEALLOCATE, /* (allocator, Buffer) */
	METAL_FORGET,	  /* (Buffer): its device was destroyed, nothing is freed */
	METAL_FORGET_ALL, /* (allocator): frees all of its buffers */
	METAL_DESTROY,	  /* (allocator) */
	/* (result, device, address, size, page size, type): the buffer does not own its memory */
	METAL_CREATE_AT,
	METAL_THROW, /* __cxa_throw as the library calls it */
	/* (MeshDeviceView, shape, vector of MaybeRemote<IDevice*>): a mesh gets its devices */
	METAL_VIEW,
	METAL_VIEW_LOCAL, /* (MeshDeviceView, shape, vector of IDevice*): the same */
	METAL_HOOKS,
};
