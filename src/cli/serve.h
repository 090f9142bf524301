/* tt_smi serve: executes the HTTP server, which is a separate program, tt_smi-serve. */
#pragma once

int serve_main(int argc, char **argv);
