// A reader of an image that its library decodes as a whole: `prepare` fills the pixels step by step.
#ifndef PICTURE_READER_H
#define PICTURE_READER_H

#include "reader.h"

typedef struct {
  ci_reader base;
  uint8_t *pixels;  // height rows of width pixels of RGBA
  uint32_t row;     // the next row to be read
} picture_reader;

// Sets the size and allocates white pixels. Returns CI_OK, CI_TOO_LARGE or CI_NO_MEMORY.
int32_t ci_picture_allocate(picture_reader *reader, uint32_t width, uint32_t height,
                            uint64_t memory_limit);

// Copies rows and flattens their alpha.
int32_t ci_picture_read_rows(ci_reader *base, uint8_t *rows, uint32_t max_rows,
                             uint32_t *rows_read);

#endif
