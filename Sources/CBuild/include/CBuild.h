// Facts that a build script knows and the sources do not.
#ifndef CBUILD_H
#define CBUILD_H

// Returns the commit that the program was built from, or NULL if VQ_COMMIT was not set during the build.
const char *cb_commit(void);

#endif
