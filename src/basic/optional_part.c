#include "basic/optional_part.h"

const struct optional_part_build optional_parts[OPTIONAL_PARTS] = {
	[PART_TRACER] = { "tracing", "libbpf-dev, bpftool and clang", "-DTT_TRACE=ON" },
	[PART_SCREEN] = { "the full screen", "libncurses-dev", "-DTT_TUI=ON" },
	[PART_SERVE] = { "tt_smi serve",
			 "libmicrohttpd-dev, libgnutls28-dev, libcrypt-dev and zlib1g-dev",
			 "-DTT_SERVE=ON" },
	[PART_FLEET] = { "tt_smi fleet", "libcurl4-openssl-dev", "-DTT_FLEET=ON" },
	[PART_FUSE] = { "libfuse3", "libfuse3-dev", "-DTT_FUSE=ON" },
};

void optional_part_put_missing(struct buf *out, enum optional_part part)
{
	const struct optional_part_build *build = &optional_parts[part];

	buf_printf(out, "built without %s: install %s, then build again with %s", build->name,
		   build->packages, build->option);
}
