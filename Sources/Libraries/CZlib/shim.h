// zlib's stream behind a pointer, because its structure is full of macros and pointers of its own.
#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

typedef struct cz_stream cz_stream;
struct cz_stream {
  z_stream z;
};

// Opens a gzip reader; returns NULL if memory is exhausted.
static inline cz_stream *cz_open(void) {
  cz_stream *stream = calloc(1, sizeof *stream);
  if (stream != NULL && inflateInit2(&stream->z, 15 + 16) != Z_OK) {
    free(stream);
    return NULL;
  }
  return stream;
}

// Opens a reader of the data in ZIP files, which have no head of their own; returns NULL if memory is exhausted.
static inline cz_stream *cz_open_raw(void) {
  cz_stream *stream = calloc(1, sizeof *stream);
  if (stream != NULL && inflateInit2(&stream->z, -15) != Z_OK) {
    free(stream);
    return NULL;
  }
  return stream;
}

// Decompresses from `in` to `out`. `taken` and `given` receive the number of bytes read and
// written.
//
// Returns 0 if more data may follow, 1 at the end of a member, which another member may follow, and
// -1 if the data is damaged.
static inline int32_t cz_inflate(cz_stream *stream, const uint8_t *in, size_t in_count,
                                 size_t *taken, uint8_t *out, size_t out_count, size_t *given) {
  stream->z.next_in = (Bytef *)in;
  stream->z.avail_in = (uInt)in_count;
  stream->z.next_out = out;
  stream->z.avail_out = (uInt)out_count;
  const int status = inflate(&stream->z, Z_NO_FLUSH);
  *taken = in_count - stream->z.avail_in;
  *given = out_count - stream->z.avail_out;
  if (status == Z_STREAM_END) return inflateReset(&stream->z) == Z_OK ? 1 : -1;
  return status == Z_OK || status == Z_BUF_ERROR ? 0 : -1;
}

static inline void cz_close(cz_stream *stream) {
  inflateEnd(&stream->z);
  free(stream);
}

#endif
