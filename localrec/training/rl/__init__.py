"""Reinforcement learning of the agent: rollouts, rewards, list-wise GRPO and preference
refinement."""
