"""Training: models are trained here with torch, and used elsewhere without it.

sequential   SASRec from what people did, for who and what lies near where a history points
bases        the chat model that adapters are trained on: the GGUF that serves, or a folder
adapters     LoRA beside a base: fresh, saved in a folder, loaded again
export       an adapter as GGUF, and the proof that llama.cpp does with it what torch does
grpo         the agent, by what groups of its trajectories earned
refinement   the agent, by the pairs it confuses itself
runs         a training's folder: figures, checkpoints, going on exactly
presets      what a machine takes at once
estimates    what a training will take

policies is what the agent's trainings are asked for, policy_runs and policy_estimates how one is
prepared; episodes are its requests, requests their form, rewards what answers earn; writers have
the loop write them in llama.cpp, served is their tokens, rollouts the groups of a step.

dequantised, tokenisers and layout are how a GGUF becomes a base and an adapter a GGUF.
"""
