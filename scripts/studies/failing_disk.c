/* Makes one write, sync, truncation or move of this process fail, or kills the process there.
 *
 * Loaded with LD_PRELOAD. Only calls on plain files count; `disk_arm` begins to count anew.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long fail_at = -1;
static long counted = 0;
static int fail_with = 0; /* an errno, or 0 for SIGKILL */

void disk_arm(long at, int with) { counted = 0; fail_with = with; fail_at = at; }
long disk_count(void) { return counted; }

static int fails(void)
{
    if (__sync_fetch_and_add(&counted, 1) != fail_at) return 0;
    if (fail_with == 0) kill(getpid(), SIGKILL);
    errno = fail_with;
    return 1;
}

static int plain(int fd)
{
    struct stat status;
    int before = errno;
    int found = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    errno = before;
    return found;
}

#define REAL(name) \
    static __typeof__(name) *real = NULL; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t size)
{
    REAL(write);
    return plain(fd) && fails() ? -1 : real(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    REAL(pwrite);
    return plain(fd) && fails() ? -1 : real(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at)
{
    REAL(pwrite64);
    return plain(fd) && fails() ? -1 : real(fd, data, size, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count)
{
    REAL(writev);
    return plain(fd) && fails() ? -1 : real(fd, parts, count);
}
int fsync(int fd)
{
    REAL(fsync);
    return fails() ? -1 : real(fd);
}
int fdatasync(int fd)
{
    REAL(fdatasync);
    return fails() ? -1 : real(fd);
}
int ftruncate(int fd, off_t size)
{
    REAL(ftruncate);
    return fails() ? -1 : real(fd, size);
}
int ftruncate64(int fd, off_t size)
{
    REAL(ftruncate64);
    return fails() ? -1 : real(fd, size);
}
int rename(const char *from, const char *to)
{
    REAL(rename);
    return fails() ? -1 : real(from, to);
}
int renameat(int a, const char *from, int b, const char *to)
{
    REAL(renameat);
    return fails() ? -1 : real(a, from, b, to);
}
