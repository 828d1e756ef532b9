// zbar, loaded when first needed. The few declarations that are used here are those of its zbar.h.

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "CReading.h"

#ifdef __APPLE__
#define ZBAR_LIBRARY "libzbar.0.dylib"
#else
#define ZBAR_LIBRARY "libzbar.so.0"
#endif

enum { ALL_KINDS = 0, ENABLE = 0, COLUMN_STEP = 0x100, GRAY = 'Y' | '8' << 8 | '0' << 16 | '0' << 24 };

#define ZBAR_FUNCTIONS(each)                                               \
  each(void *, zbar_image_scanner_create, (void))                          \
  each(void, zbar_image_scanner_destroy, (void *))                         \
  each(int, zbar_image_scanner_set_config, (void *, int, int, int))        \
  each(int, zbar_scan_image, (void *, void *))                             \
  each(void *, zbar_image_create, (void))                                  \
  each(void, zbar_image_destroy, (void *))                                 \
  each(void, zbar_image_set_format, (void *, unsigned long))               \
  each(void, zbar_image_set_size, (void *, unsigned, unsigned))            \
  each(void, zbar_image_set_data, (void *, const void *, unsigned long, void *)) \
  each(const void *, zbar_image_first_symbol, (const void *))              \
  each(const void *, zbar_symbol_next, (const void *))                     \
  each(int, zbar_symbol_get_type, (const void *))                          \
  each(const char *, zbar_symbol_get_data, (const void *))                 \
  each(unsigned, zbar_symbol_get_data_length, (const void *))              \
  each(int, zbar_symbol_get_quality, (const void *))                       \
  each(unsigned, zbar_symbol_get_loc_size, (const void *))                 \
  each(int, zbar_symbol_get_loc_x, (const void *, unsigned))               \
  each(int, zbar_symbol_get_loc_y, (const void *, unsigned))

#define ZBAR_DECLARE(type, name, parameters) type(*name) parameters;
static struct { ZBAR_FUNCTIONS(ZBAR_DECLARE) } zbar;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *const handle = dlopen(ZBAR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return;
#define ZBAR_FIND(type, name, parameters)                       \
  zbar.name = (type(*) parameters)dlsym(handle, #name);         \
  if (zbar.name == NULL) return;
  ZBAR_FUNCTIONS(ZBAR_FIND)
  is_loaded = true;
}

bool cr_codes_load(void) {
  pthread_once(&once, load);
  return is_loaded;
}

struct cr_codes {
  void *scanner, *image;
  const void *symbol;
  bool is_started;
};

void cr_codes_free(cr_codes *codes) {
  if (codes == NULL) return;
  if (codes->image != NULL) zbar.zbar_image_destroy(codes->image);
  if (codes->scanner != NULL) zbar.zbar_image_scanner_destroy(codes->scanner);
  free(codes);
}

static bool scan(cr_codes *codes, const uint8_t *gray, uint32_t width, uint32_t height,
                 cr_code_shape shape) {
  static const int bars[] = {CR_EAN8, CR_UPCE, CR_UPCA, CR_EAN13, CR_CODE128};
  codes->scanner = zbar.zbar_image_scanner_create();
  codes->image = zbar.zbar_image_create();
  if (codes->scanner == NULL || codes->image == NULL) return false;
  zbar.zbar_image_scanner_set_config(codes->scanner, ALL_KINDS, ENABLE, 0);
  if (shape == CR_SQUARES) {
    zbar.zbar_image_scanner_set_config(codes->scanner, CR_QR, ENABLE, 1);
  } else {
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
      zbar.zbar_image_scanner_set_config(codes->scanner, bars[i], ENABLE, 1);
    }
    // Columns run along the bars, so none is scanned (ZBAR_CFG_X_DENSITY).
    zbar.zbar_image_scanner_set_config(codes->scanner, ALL_KINDS, COLUMN_STEP, 0);
  }
  zbar.zbar_image_set_format(codes->image, GRAY);
  zbar.zbar_image_set_size(codes->image, width, height);
  zbar.zbar_image_set_data(codes->image, gray, (unsigned long)width * height, NULL);
  return zbar.zbar_scan_image(codes->scanner, codes->image) >= 0;
}

int32_t cr_codes_find(const uint8_t *gray, uint32_t width, uint32_t height, cr_code_shape shape,
                      cr_codes **codes) {
  *codes = NULL;
  cr_codes *const found = calloc(1, sizeof *found);
  if (found == NULL) return CR_NO_MEMORY;
  if (!scan(found, gray, width, height, shape)) {
    cr_codes_free(found);
    return CR_REFUSED;
  }
  *codes = found;
  return CR_OK;
}

bool cr_codes_next(cr_codes *codes) {
  codes->symbol = codes->is_started ? zbar.zbar_symbol_next(codes->symbol)
                                    : zbar.zbar_image_first_symbol(codes->image);
  codes->is_started = true;
  return codes->symbol != NULL;
}

cr_code_kind cr_codes_kind(const cr_codes *codes) {
  return (cr_code_kind)zbar.zbar_symbol_get_type(codes->symbol);
}

const uint8_t *cr_codes_bytes(const cr_codes *codes, size_t *count) {
  *count = zbar.zbar_symbol_get_data_length(codes->symbol);
  return (const uint8_t *)zbar.zbar_symbol_get_data(codes->symbol);
}

int32_t cr_codes_quality(const cr_codes *codes) {
  return zbar.zbar_symbol_get_quality(codes->symbol);
}

uint32_t cr_codes_place_count(const cr_codes *codes) {
  return zbar.zbar_symbol_get_loc_size(codes->symbol);
}

void cr_codes_place(const cr_codes *codes, uint32_t index, int32_t *x, int32_t *y) {
  *x = zbar.zbar_symbol_get_loc_x(codes->symbol, index);
  *y = zbar.zbar_symbol_get_loc_y(codes->symbol, index);
}
