// Stands in for libwebp.so.7 and libzbar.so.0 in isolation.py: does what the first letters of an image's data say, as a library with a
// hole would. Built once as each library, with -DWEBP or -DZBAR.
#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { OK = 0, OUT_OF_MEMORY = 1, BITSTREAM_ERROR = 3 };

// Allocates until nothing is left.
static int allocate(void) {
  size_t count = 0;
  for (;; count++) {
    char *const block = malloc(1 << 20);
    if (block == NULL) return OUT_OF_MEMORY;
    memset(block, 1, 1 << 20);
  }
}

// Tries what no decoder needs, and returns how much of it is permitted.
static int try_everything(void) {
  int permitted = 0;
  permitted += open("/etc/passwd", O_RDONLY) >= 0;
  permitted += open("/tmp/vq-isolation-test", O_WRONLY | O_CREAT, 0600) >= 0;
  permitted += socket(AF_INET, SOCK_STREAM, 0) >= 0;
  permitted += socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
  permitted += fork() >= 0;
  permitted += kill(getppid(), 0) == 0;
  permitted += execl("/bin/true", "true", NULL) == 0;
  permitted += mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
  permitted += prctl(PR_SET_DUMPABLE, 1) == 0;
  return permitted;
}

// Says something to the program that no worker says.
static void lie(void) {
  char message[400];
  memset(message, 0xFF, sizeof message);
  (void)!write(3, message, sizeof message);
}

static int act(const char *what) {
  if (strncmp(what, "CRSH", 4) == 0) *(volatile int *)8 = 1;
  if (strncmp(what, "ABRT", 4) == 0) abort();
  if (strncmp(what, "EXIT", 4) == 0) _exit(0);
  if (strncmp(what, "LOOP", 4) == 0) for (;;) __asm__ volatile("");
  if (strncmp(what, "BOMB", 4) == 0) return allocate();
  if (strncmp(what, "LIES", 4) == 0) lie();
  if (strncmp(what, "MANY", 4) == 0) for (int i = 0; i < 100000; i++) lie();
  // What zbar needs for the texts of QR codes.
  if (strncmp(what, "SETS", 4) == 0) {
    return iconv_open("UTF-8", "SJIS") != (iconv_t)-1 && iconv_open("UTF-8", "ISO8859-15") != (iconv_t)-1 ? OK : BITSTREAM_ERROR;
  }
  if (strncmp(what, "FREE", 4) == 0) return try_everything() == 0 ? OK : BITSTREAM_ERROR;
  return OK;
}

#ifdef WEBP

typedef struct {
  int width, height, rest[8];
} features;
typedef struct {
  features input;
  int colorspace, width, height, is_external_memory;
  uint8_t *pixels;
  int stride;
  size_t size;
} config;

// The letters are behind the header of the chunk VP8 or VP8L.
static const char *letters(const uint8_t *data, size_t count) {
  for (size_t i = 0; i + 8 <= count; i++) {
    if (memcmp(data + i, "vq:", 3) == 0) return (const char *)data + i + 3;
  }
  return "";
}

int WebPInitDecoderConfigInternal(config *target, int version) {
  (void)version;
  memset(target, 0, sizeof *target);
  return 1;
}
int WebPGetFeaturesInternal(const uint8_t *data, size_t count, features *found, int version) {
  (void)version;
  found->width = found->height = 64;
  (void)data, (void)count;
  return OK;
}
void *WebPIDecode(const uint8_t *data, size_t count, config *target) {
  (void)data, (void)count;
  return target;
}
int WebPIUpdate(void *decoder, const uint8_t *data, size_t count) {
  const int status = act(letters(data, count));
  const config *const target = decoder;
  memset(target->pixels, 127, target->size);
  return status;
}
void WebPIDelete(void *decoder) { (void)decoder; }

#else

static const uint8_t *gray;
static unsigned long gray_count;

void *zbar_image_scanner_create(void) { return malloc(1); }
void zbar_image_scanner_destroy(void *scanner) { free(scanner); }
int zbar_image_scanner_set_config(void *scanner, int kind, int name, int value) {
  (void)scanner, (void)kind, (void)name, (void)value;
  return 0;
}
int zbar_scan_image(void *scanner, void *image) {
  (void)scanner, (void)image;
  // The environment of a worker is empty, so the file beside this library says what to do.
  return act(WHAT) == OK ? 0 : -1;
}
void *zbar_image_create(void) { return malloc(1); }
void zbar_image_destroy(void *image) { free(image); }
void zbar_image_set_format(void *image, unsigned long format) { (void)image, (void)format; }
void zbar_image_set_size(void *image, unsigned width, unsigned height) { (void)image, (void)width, (void)height; }
void zbar_image_set_data(void *image, const void *data, unsigned long count, void *cleanup) {
  (void)image, (void)cleanup;
  gray = data;
  gray_count = count;
}
const void *zbar_image_first_symbol(const void *image) { return (void)image, (void)gray, (void)gray_count, NULL; }
const void *zbar_symbol_next(const void *symbol) { return symbol; }
int zbar_symbol_get_type(const void *symbol) { return (void)symbol, 0; }
const char *zbar_symbol_get_data(const void *symbol) { return symbol; }
unsigned zbar_symbol_get_data_length(const void *symbol) { return (void)symbol, 0; }
int zbar_symbol_get_quality(const void *symbol) { return (void)symbol, 0; }
unsigned zbar_symbol_get_loc_size(const void *symbol) { return (void)symbol, 0; }
int zbar_symbol_get_loc_x(const void *symbol, unsigned index) { return (void)symbol, (void)index, 0; }
int zbar_symbol_get_loc_y(const void *symbol, unsigned index) { return (void)symbol, (void)index, 0; }

#endif
