/* SPDX-License-Identifier: MIT */
/* wheel.h: Python wheels and other zip archives. */
#ifndef ISOMAT_INSPECT_WHEEL_H
#define ISOMAT_INSPECT_WHEEL_H

#include "report.h"

/* Reads reader->whole, a zip archive; without libzip, notes that it cannot be read. */
void insp_zip_read(struct insp_reader *reader);

#endif /* ISOMAT_INSPECT_WHEEL_H */
