// fork_locker.c once more, so that the plugin has a mutex of its own.
#include "fork_locker.c"
