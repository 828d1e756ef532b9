// Peers of the benchmarks that are C libraries.
#ifndef CPEERS_H
#define CPEERS_H
#include <stddef.h>
#include <stdint.h>

// Decodes a JPEG at 1/8 of its size to RGB with libjpeg alone, as its own tools do, and drops the
// pixels. Returns their number, or 0 for an image that libjpeg rejects.
size_t peer_jpeg_eighth(const uint8_t *bytes, size_t count);

// Decodes a PNG to RGB with libpng alone, and drops the pixels. Returns their number, or 0 for an image that libpng rejects.
size_t peer_png(const uint8_t *bytes, size_t count);

#endif
