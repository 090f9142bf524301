/* tt_smi doctor: lists problems and missing values, with fixes. */
#pragma once

int doctor_main(int argc, char **argv);
