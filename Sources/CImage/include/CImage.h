// Decoders of JPEG, PNG, WebP, AVIF, HEIC and GIF that return rows of RGBA pixels on request, a JPEG
// encoder, and conversions of pixels by ICC profiles.
//
// The interface uses fixed-width integers, buffers that the caller owns, and status codes. No
// function lets an error of a C library jump past it, and the only one that is called back is ci_limits.should_stop. A reader belongs to one thread at a
// time. What the process has in common is which optional libraries are loaded, and how many decodings of
// HEIF were given up and still run.
#ifndef CIMAGE_H
#define CIMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum : int32_t {
  CI_OK = 0,
  CI_MORE = 1,         // not done yet: call again
  CI_TRUNCATED = 2,    // the bytes end before the image does
  CI_CORRUPT = 3,      // the bytes are damaged
  CI_UNSUPPORTED = 4,  // a kind of image that this build of the library does not support
  CI_TOO_LARGE = 5,    // more memory or more scans than the limits allow
  CI_NO_MEMORY = 6,
  CI_STOPPED = 7,      // ci_limits.should_stop returned true
};

typedef struct ci_reader ci_reader;

// Limits that the libraries enforce, in addition to those that the caller checked on the header.
//
// The readers of JPEG and PNG ask should_stop each time that they have read CI_BYTES_A_QUESTION bytes: a file may have millions of empty
// segments, all of which a library reads in one call. It must not jump or throw.
typedef struct {
  uint64_t memory_limit;       // bytes that a whole image or its coefficients may take
  uint32_t scan_limit;         // number of scans of a progressive JPEG
  uint32_t chunk_limit;        // bytes of one ancillary PNG chunk, decompressed
  uint32_t chunk_count_limit;  // number of ancillary PNG chunks that are kept
  bool keeps_damaged;          // continues after damage that leaves all pixels
  bool keeps_inks;             // rows of a JPEG of four components hold C, M, Y and K, 255 the most ink
  uint8_t white;               // the value of the white that alpha is flattened on, usually 255
  bool (*should_stop)(void *asker);
  void *asker;
} ci_limits;

// Opens an image. The bytes must stay valid until ci_reader_close.
//
//   denominator  1, 2, 4 or 8: the image is decoded at this fraction of its size. A PNG must be
//                interlaced unless this is 1; every 2nd, 4th or 8th pixel of every such row is kept
//                (sizes are rounded up)
//   status       CI_OK or the reason why no row can be read; CI_MORE if ci_reader_finish_opening is to be called
//
// Returns NULL only with CI_NO_MEMORY; otherwise a reader to be closed, whatever the status.
ci_reader *ci_jpeg_open(const uint8_t *bytes, size_t count, uint32_t denominator, ci_limits limits,
                        int32_t *status);
ci_reader *ci_png_open(const uint8_t *bytes, size_t count, uint32_t denominator, ci_limits limits,
                       int32_t *status);

// The libraries that are loaded when first needed. Images of other formats do not require them.
typedef enum : int32_t {
  CI_WEBP = 0,  // libwebp
  CI_HEIC = 1,  // libheif with a decoder of HEVC
  CI_AVIF = 2,  // libheif with a decoder of AV1
  CI_GIF = 3,   // giflib
} ci_library;

// Loads a library unless that was done before, and returns whether it can be used. If the program has worker processes, these load
// it, and images are decoded there.
bool ci_library_load(ci_library library);

// Open an image like the functions above, after ci_library_load returned true.
//
//   bytes          for WebP, a file or a frame of an animation: its chunks ALPH, VP8 or VP8L
//   width, height  the size that the caller found in the header and checked; an image that turns out
//                  to be larger is corrupt
//   coded_width, coded_height
//                  the largest width and height of an image in a HEIF file, for example of a tile
//
// The first frame of a GIF and the primary image of a HEIF file, turned and cropped as the file says,
// are decoded at full size.
ci_reader *ci_webp_open(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height,
                        uint32_t denominator, ci_limits limits, int32_t *status);
ci_reader *ci_heif_open(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height,
                        uint32_t coded_width, uint32_t coded_height, ci_limits limits,
                        int32_t *status);
ci_reader *ci_gif_open(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height,
                       ci_limits limits, int32_t *status);

// Finishes to open an image that a worker process decodes (CWorkers.h). Returns CI_MORE until that is done.
int32_t ci_reader_finish_opening(ci_reader *reader);

// Return the width in pixels and the number of the rows.
uint32_t ci_reader_width(const ci_reader *reader);
uint32_t ci_reader_height(const ci_reader *reader);

// Does a bounded part of the work that precedes the first row: entropy decoding of a progressive
// JPEG, the passes of an interlaced PNG, all of a WebP, HEIF or GIF. Returns CI_MORE until it is done, then CI_OK, or an error.
// After CI_TRUNCATED, the rows of a progressive JPEG can still be read, with the detail of the
// scans so far. A JPEG that lacks only its end marker is not truncated.
int32_t ci_reader_prepare(ci_reader *reader);

// Reads up to `max_rows` rows of 4 * width bytes each, with alpha flattened on the white of the limits
// and set to 255, or of inks (keeps_inks). `rows_read` is exact even if the status is an error: those rows are valid.
int32_t ci_reader_read_rows(ci_reader *reader, uint8_t *rows, size_t capacity, uint32_t max_rows,
                            uint32_t *rows_read);

// Returns the library's message for the last error; never NULL.
const char *ci_reader_message(const ci_reader *reader);

// Returns whether damage was skipped so far, which only happens with keeps_damaged. The message is
// then that of the first damage.
bool ci_reader_is_damaged(const ci_reader *reader);

// Frees everything. NULL is allowed.
void ci_reader_close(ci_reader *reader);

// Lets this process decode images as a worker, once it is one.
void ci_register_work(void);

// A conversion of pixels to sRGB by an ICC profile. It belongs to one thread at a time.
typedef struct ci_conversion ci_conversion;

// The channels of a profile's device space.
typedef enum : int32_t { CI_GRAY = 1, CI_RGB = 3, CI_CMYK = 4 } ci_channels;

// Opens a conversion. The bytes are not needed afterwards.
//
//   channels  those of the pixels: gray in the first of four bytes, RGB in the first three, or
//             inks, 255 the most
//   status    CI_OK or the reason why pixels cannot be converted
//
// Returns NULL only with CI_NO_MEMORY; otherwise a conversion to be closed, whatever the status.
ci_conversion *ci_conversion_open(const uint8_t *profile, size_t count, ci_channels channels,
                                  int32_t *status);

// Converts `count` pixels of four bytes in place, to RGBA with an alpha of 255. Only after CI_OK.
void ci_conversion_apply(const ci_conversion *conversion, uint8_t *pixels, size_t count);

// Returns the library's message for the first error; never NULL.
const char *ci_conversion_message(const ci_conversion *conversion);

// Frees everything. NULL is allowed.
void ci_conversion_close(ci_conversion *conversion);

// Decompresses a zlib stream (RFC 1950) to at most `capacity` bytes.
//
// Returns CI_OK at the end of the stream, CI_MORE if `capacity` bytes are not all of it,
// CI_TRUNCATED, CI_CORRUPT, CI_TOO_LARGE or CI_NO_MEMORY. `written` is exact in each case.
int32_t ci_inflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity,
                   size_t *written);

// Encodes rows of 4 * width bytes as a baseline JPEG. The fourth byte of each pixel is ignored.
//
//   width, height  1...65 500
//   quality        1...100, libjpeg's scale
//   out            room for `capacity` bytes; `count` receives the length of the file
//
// Returns CI_OK, CI_TOO_LARGE if `capacity` is too small, CI_UNSUPPORTED or CI_NO_MEMORY.
int32_t ci_jpeg_encode(const uint8_t *rgba, uint32_t width, uint32_t height, uint32_t quality,
                       uint8_t *out, size_t capacity, size_t *count);

#endif
