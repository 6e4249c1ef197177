"""Fit LensKit's models and list with them: a line of JSON in, a line of JSON out.

It runs in LensKit's own environment, started by `peer_lists.py`. The first line names a file of
NumPy with the columns `user` and `item`. Every other line is `{"fit": MODEL}` or `{"list": [USER,
...], "k": K}`, from the model fitted last; the answer holds the lists and the processor seconds,
all threads counted.
"""

import json
import logging
import sys
import time

import numpy as np
import pandas as pd
from lenskit import recommend, topn_pipeline
from lenskit.data import from_interactions_df
from lenskit.knn import ItemKNNScorer
from lenskit.knn.ease import EASEScorer

NEIGHBOURS, REGULARIZATION = 100, 250.0


def model_of(name: str) -> object:
    """A model that is still to be fitted."""
    if name == "ease":
        return EASEScorer(regularization=REGULARIZATION)
    return ItemKNNScorer(max_nbrs=NEIGHBOURS, save_nbrs=NEIGHBOURS, feedback="implicit")


def main() -> None:
    """Answer until the input ends."""
    logging.disable(logging.WARNING)
    columns = np.load(sys.stdin.readline().strip())
    rows = pd.DataFrame({"user_id": columns["user"], "item_id": columns["item"]})
    data = from_interactions_df(rows)
    fitted, pipeline = None, None
    for line in sys.stdin:
        asked = json.loads(line)
        lists = []
        if "fit" in asked:
            fitted, pipeline = model_of(asked["fit"]), None
            begun = time.process_time()
            fitted.train(data)
        else:
            if pipeline is None:
                pipeline = topn_pipeline(fitted)
                pipeline.train(data)
            begun = time.process_time()
            for user in asked["list"]:
                lists.append(recommend(pipeline, user, asked["k"]).ids().tolist())
        print(json.dumps([lists, time.process_time() - begun]), flush=True)


if __name__ == "__main__":
    main()
