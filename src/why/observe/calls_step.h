/* calls_step.h: a step of the hot pass: the system calls that a call of the workload makes. */
#pragma once
#include "why/observe/hot_step.h"

kg_hot_step kg_calls_step;
