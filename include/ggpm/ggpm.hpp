// Everything that ggpm offers to a C++ program.
#pragma once

#include "ggpm/choose.hpp"
#include "ggpm/data.hpp"
#include "ggpm/domain.hpp"
#include "ggpm/engine.hpp"
#include "ggpm/inference.hpp"
#include "ggpm/kernel.hpp"
#include "ggpm/learning.hpp"
#include "ggpm/likelihood.hpp"
#include "ggpm/model.hpp"
#include "ggpm/observations.hpp"
#include "ggpm/prior.hpp"
#include "ggpm/roles.hpp"
#include "ggpm/row_reader.hpp"
#include "ggpm/sites.hpp"
#include "ggpm/types.hpp"
#include "ggpm/version.hpp"
