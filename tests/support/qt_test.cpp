#include "tests/support/qt_test.h"
