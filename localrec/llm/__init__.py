"""Local chat models behind one interface; llama.cpp runs in a supervised child process."""
