# Installs ggpm into an empty prefix, then builds and runs a program that finds it there.
#   cmake -DBUILD=<build folder of ggpm> -DSOURCE=<this folder> -DWORK=<scratch> -P run.cmake
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
    "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)

# The programs of the documentation.
function(run_here)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run_here(${WORK}/build/fit)
run_here(${WORK}/build/own_likelihood)
if(EXISTS ${WORK}/prefix/bin/ggpm)
  run_here(${WORK}/prefix/bin/ggpm fit ${SOURCE}/../../examples/counts.csv --target n --likelihood poisson
           --restarts 0 --quiet -o table.ggpm)
  run_here(${WORK}/build/predict_table table.ggpm ${SOURCE}/../../examples/counts.csv)
endif()

# The same without CMake.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB pc ${WORK}/prefix/lib*/pkgconfig ${WORK}/prefix/lib/*/pkgconfig)
  run_here(sh -c "c++ -std=c++20 ${FLAGS} ${SOURCE}/consumer/main.cpp -o consumer_pc \
    $(PKG_CONFIG_PATH=${pc} ${PKG_CONFIG} --cflags --libs ggpm) && ./consumer_pc")
endif()
