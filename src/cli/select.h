/* tt_smi select: prints free devices, for TT_VISIBLE_DEVICES. */
#pragma once

int select_main(int argc, char **argv);
