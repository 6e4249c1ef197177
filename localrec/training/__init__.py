"""Training: models are trained here with torch, and used elsewhere without it.

base_model/   the chat model that adapters are trained on: the GGUF that serves, or a folder
adapters/     LoRA adapters: fresh, saved, loaded, compared, exported as GGUF and verified
examples/     the training examples of each role
sft/          supervised fine-tuning of a role's adapter
rl/           GRPO and preference refinement of the agent
sequential/   SASRec, for the agent's tools and for lists
jobs/         run folders, checkpoints, device presets, estimates, several processes
reader/       the classifiers that help to read questions
"""
