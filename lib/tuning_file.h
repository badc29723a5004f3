/* SPDX-License-Identifier: MIT */
/* tuning_file.h: tuning tables as text. */
#ifndef ISOMAT_TUNING_FILE_H
#define ISOMAT_TUNING_FILE_H

#include "tuning.h"

#define IM_DEVICE_LINE_BYTES 320

/* The line that says on which device a table was made. */
void im_tuning_device_line(char line[IM_DEVICE_LINE_BYTES], const struct im_context *context);

/* The text of a file that holds the table, to be freed; NULL without host memory. */
char *im_tuning_text(struct im_tuning *tuning, const struct im_context *context);

/* The number of a kernel by its name. */
bool im_tuning_kernel(enum im_kernel_id *id, const char *name);

#endif /* ISOMAT_TUNING_FILE_H */
