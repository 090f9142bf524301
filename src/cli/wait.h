/* tt_smi wait: until devices are free. */
#pragma once

int wait_main(int argc, char **argv);
