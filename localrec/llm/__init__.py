"""Local chat models behind one protocol; llama.cpp runs in a supervised child process."""
