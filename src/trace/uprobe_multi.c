#include "trace/uprobe_multi.h"

#include "trace/bpf_options.h"

#include "basic/macros.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/syscall.h>

/* union bpf_attr of include/uapi/linux/bpf.h, link_create; libbpf 1.1 lacks a function for it. */
struct link_create_multi {
	uint32_t program, target, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t count, multi_flags, pid;
	uint32_t padding;
};

int uprobe_multi_link(int program, const char *path, const uint64_t *offsets,
		      const uint64_t *cookies, uint32_t count)
{
	struct link_create_multi attr = {
		.program = (uint32_t)program,
		.attach_type = UPROBE_MULTI_ATTACH_TYPE,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)offsets,
		.cookies = (uintptr_t)cookies,
		.count = count,
	};
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

/* Only a kernel with such links gets as far as detecting that "/" is not a regular file. */
bool uprobe_multi_is_supported(void)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct bpf_prog_load_opts options;
	CLEANUP_CLOSE int program = -1;
	uint64_t offset = 0;

	bpf_options_init(&options);
	options.expected_attach_type = UPROBE_MULTI_ATTACH_TYPE;
	program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", nothing, ARRAY_SIZE(nothing),
				&options);
	return program >= 0 && uprobe_multi_link(program, "/", &offset, NULL, 1) == -EBADF;
}
