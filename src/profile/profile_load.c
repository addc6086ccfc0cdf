#include "profile/profile_load.h"
