"""Learning from what people did: what is trained here is asked elsewhere, without torch.

sequential   SASRec, for who and what lies near where a history points
"""
