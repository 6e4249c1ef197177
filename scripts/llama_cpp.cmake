# Given to llama.cpp's build (CMAKE_PROJECT_llama_cpp_INCLUDE) by scripts/setup.
#
# llama-cpp-python always switches on llama.cpp's "common" library, the part behind its own
# programs: an HTTP client and server, a downloader, chat parsers. Its Python package neither
# loads nor installs it, so leaving it out costs nothing, saves a third of the compile time,
# and leaves no HTTP code in what runs here. A plain variable wins over the cached one.
set(LLAMA_BUILD_COMMON OFF)
