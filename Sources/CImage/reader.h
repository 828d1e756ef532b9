// The base of all kinds of reader.
#ifndef READER_H
#define READER_H

#include "CImage.h"

enum { CI_MESSAGE_BYTES = 200 };

// The number of full-size pixels between two returns to the caller: some milliseconds of work.
enum { CI_PIXELS_A_STEP = 1 << 17 };

// The number of bytes of a file between two calls of should_stop.
enum { CI_BYTES_A_QUESTION = 1 << 18 };

struct ci_reader {
  int32_t (*finish_opening)(ci_reader *);  // NULL if opening takes one call
  int32_t (*prepare)(ci_reader *);
  int32_t (*read_rows)(ci_reader *, uint8_t *rows, uint32_t max_rows, uint32_t *rows_read);
  void (*close)(ci_reader *);
  uint32_t width;
  uint32_t height;
  bool is_damaged;
  uint8_t white;  // the value of the white that alpha is flattened on
  char message[CI_MESSAGE_BYTES];
};

// Sets the message and returns the status.
int32_t ci_fail(ci_reader *reader, int32_t status, const char *message);

// Blends a row of RGBA with the reader's white and sets its alpha to 255.
void ci_flatten(const ci_reader *reader, uint8_t *rgba);

#endif
