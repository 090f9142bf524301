/* tt_smi wait: waits until devices are free. */
#pragma once

int wait_main(int argc, char **argv);
