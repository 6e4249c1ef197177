"""Tests of what is trained; those that train need torch, the extra `training`."""
