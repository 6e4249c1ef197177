# Given to llama.cpp's build (CMAKE_PROJECT_llama_cpp_INCLUDE) by scripts/setup.
#
# llama-cpp-python always switches on llama.cpp's "common" library, the part behind its own
# programs: an HTTP client and server, a downloader, chat parsers. Its Python package neither
# loads nor installs it, so leaving it out costs nothing, saves a third of the compile time,
# and leaves no HTTP code in what runs here. A plain variable wins over the cached one.
set(LLAMA_BUILD_COMMON OFF)

# GCC before 12.4 and 13.3 believes that _tile_loadconfig reads 8 bytes of its 64 (its bug 114098) and
# drops the stores of the rest as dead: on a processor with AMX the first batch dies. With those
# stores kept, a prompt is read in six tenths of the time that it takes without AMX.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13.3)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-tree-dse> $<$<COMPILE_LANGUAGE:CXX>:-fno-dse>)
endif()
