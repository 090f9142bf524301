/* tt_smi topo: how far apart devices are on the PCI bus. */
#pragma once

#include "basic/macros.h"

/* Returns an exit code. */
MUST_CHECK int topo_main(int argc, char **argv);
