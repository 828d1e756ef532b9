// zlib as a decompressor into memory of a known size.

#include <limits.h>
#include <string.h>

#include <zlib.h>

#include "CImage.h"

int32_t ci_inflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity,
                   size_t *written) {
  *written = 0;
  if (count > UINT_MAX || capacity > UINT_MAX) return CI_TOO_LARGE;
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (inflateInit(&stream) != Z_OK) return CI_NO_MEMORY;
  stream.next_in = (z_const Bytef *)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = out;
  stream.avail_out = (uInt)capacity;
  const int status = inflate(&stream, Z_FINISH);
  *written = capacity - stream.avail_out;
  inflateEnd(&stream);
  if (status == Z_STREAM_END) return CI_OK;
  if (status == Z_MEM_ERROR) return CI_NO_MEMORY;
  if (status != Z_BUF_ERROR && status != Z_OK) return CI_CORRUPT;
  return stream.avail_out == 0 ? CI_MORE : CI_TRUNCATED;
}
