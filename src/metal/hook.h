/*
 * Hooks: the functions of TT-Metal through which device memory is allocated and freed. Their
 * arguments are in registers, as in the System V ABI for x86-64.
 */
#pragma once

enum metal_hook {
	METAL_TRACK_ALLOCATE,	/* (tracker, Buffer): an allocation succeeded, or a dry run */
	METAL_TRACK_DEALLOCATE, /* (tracker, Buffer) */
	METAL_ALLOCATE,		/* (allocator, Buffer): about to allocate; throws when full */
	METAL_DEALLOCATE,	/* (allocator, Buffer) */
	METAL_FORGET,		/* (Buffer): its device is gone, nothing is to be freed */
	METAL_FORGET_ALL,	/* (allocator): frees all of its buffers */
	METAL_DESTROY,		/* (allocator) */
	METAL_CREATE_AT,	/* (result, device, address, size, page size, type): owns nothing */
	METAL_THROW,		/* __cxa_throw as the library calls it */
	METAL_HOOKS,
};
