"""Tests of the neural baselines; they need torch, the extra `training`."""
