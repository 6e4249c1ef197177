"""Learning: what is trained here is asked elsewhere, without torch.

sequential   SASRec from what people did, for who and what lies near where a history points
bases        the chat model that adapters are trained on: the GGUF that serves, or a folder
adapters     LoRA beside a base: fresh, saved in a folder, loaded again
export       an adapter as GGUF, and the proof that llama.cpp does with it what torch does

dequantised, tokenisers and layout are how a GGUF becomes a base and an adapter a GGUF.
"""
