/* tt_smi trace: executes the tracer, a separate program, since only it needs libbpf. */
#pragma once

int trace_main(int argc, char **argv);
