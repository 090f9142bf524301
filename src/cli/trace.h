/* tt_smi trace: the tracer is a program of its own, since only it needs libbpf. */
#pragma once

int trace_main(int argc, char **argv);
