/* tt_smi doctor: what is wrong or not known, and what would help. */
#pragma once

int doctor_main(int argc, char **argv);
