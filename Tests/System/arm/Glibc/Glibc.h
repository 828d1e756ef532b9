// The headers of the C library that PixelMatch uses: Embedded Swift has no module of it.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Swift imports no macro with a cast.
#undef MAP_FAILED
static void *const MAP_FAILED = (void *)-1;
