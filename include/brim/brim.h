#pragma once

/// Everything of brim: arrays, plans, execution.

#include "brim/array.h"
#include "brim/bytes.h"
#include "brim/chunk_grid.h"
#include "brim/dataset.h"
#include "brim/dtype.h"
#include "brim/error.h"
#include "brim/executor.h"
#include "brim/lower_bound.h"
#include "brim/machine.h"
#include "brim/plan.h"
#include "brim/read.h"
#include "brim/report_page.h"
#include "brim/shape.h"
#include "brim/simulate.h"
