// What we are measured against and what is a C library.
#ifndef CPEERS_H
#define CPEERS_H
#include <stddef.h>
#include <stdint.h>

// Decodes a JPEG at 1/8 of its size to RGB with libjpeg alone, as its own tools do, and drops the
// pixels. Returns their number, or 0 for a picture that libjpeg does not take.
size_t peer_jpeg_eighth(const uint8_t *bytes, size_t count);

#endif
