#pragma once
#include "once.h"
extern int hits;
