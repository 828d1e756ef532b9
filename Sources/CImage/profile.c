// Little CMS as a converter of pixels to sRGB. Each conversion has its own context, so that threads
// share nothing and errors go to the conversion's message.

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <lcms2.h>

#include "CImage.h"

enum { MESSAGE_BYTES = 200 };

struct ci_conversion {
  cmsContext context;
  cmsHTRANSFORM transform;
  char message[MESSAGE_BYTES];
};

// The first error names the cause.
static void on_error(cmsContext context, cmsUInt32Number code, const char *text) {
  (void)code;
  ci_conversion *conversion = cmsGetContextUserData(context);
  if (conversion == NULL || conversion->message[0] != 0) return;
  snprintf(conversion->message, MESSAGE_BYTES, "%s", text);
}

static int32_t fail(ci_conversion *conversion, int32_t status, const char *message) {
  if (conversion->message[0] == 0) snprintf(conversion->message, MESSAGE_BYTES, "%s", message);
  return status;
}

static int32_t open_transform(ci_conversion *conversion, const uint8_t *profile, size_t count,
                              ci_channels channels) {
  conversion->context = cmsCreateContext(NULL, conversion);
  if (conversion->context == NULL) return CI_NO_MEMORY;
  cmsSetLogErrorHandlerTHR(conversion->context, on_error);
  if (count > UINT32_MAX) return CI_TOO_LARGE;
  const cmsHPROFILE source =
      cmsOpenProfileFromMemTHR(conversion->context, profile, (cmsUInt32Number)count);
  if (source == NULL) return fail(conversion, CI_CORRUPT, "the profile cannot be read");
  const cmsHPROFILE target = cmsCreate_sRGBProfileTHR(conversion->context);
  if (target == NULL) {
    cmsCloseProfile(source);
    return CI_NO_MEMORY;
  }
  // A gray image has its value in the first of four bytes, like every gray RGBA pixel.
  const cmsUInt32Number format =
      channels == CI_GRAY  ? COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1)
      : channels == CI_RGB ? TYPE_RGBA_8
                           : TYPE_CMYK_8;
  // Printers' black is not black; without compensation, it would be a gray on the screen.
  const cmsUInt32Number flags =
      cmsFLAGS_NOCACHE | (channels == CI_CMYK ? cmsFLAGS_BLACKPOINTCOMPENSATION : 0);
  conversion->transform =
      cmsCreateTransformTHR(conversion->context, source, format, target, TYPE_RGBA_8,
                            INTENT_RELATIVE_COLORIMETRIC, flags);
  cmsCloseProfile(source);
  cmsCloseProfile(target);
  if (conversion->transform == NULL) {
    return fail(conversion, CI_CORRUPT, "the profile cannot be used for a conversion");
  }
  return CI_OK;
}

ci_conversion *ci_conversion_open(const uint8_t *profile, size_t count, ci_channels channels,
                                  int32_t *status) {
  ci_conversion *conversion = calloc(1, sizeof *conversion);
  *status = conversion == NULL ? CI_NO_MEMORY
                               : open_transform(conversion, profile, count, channels);
  return conversion;
}

void ci_conversion_apply(const ci_conversion *conversion, uint8_t *pixels, size_t count) {
  const size_t most = 1 << 20;
  for (size_t done = 0; done < count;) {
    const size_t step = count - done < most ? count - done : most;
    cmsDoTransform(conversion->transform, pixels + 4 * done, pixels + 4 * done,
                   (cmsUInt32Number)step);
    done += step;
  }
  // The library leaves the fourth byte of its output alone.
  for (size_t i = 0; i < count; i++) pixels[4 * i + 3] = 255;
}

const char *ci_conversion_message(const ci_conversion *conversion) { return conversion->message; }

void ci_conversion_close(ci_conversion *conversion) {
  if (conversion == NULL) return;
  if (conversion->transform != NULL) cmsDeleteTransform(conversion->transform);
  if (conversion->context != NULL) cmsDeleteContext(conversion->context);
  free(conversion);
}
