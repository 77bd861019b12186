"""A campaign in a process that may be killed: `python -m tests.campaigns.killed FOLDER [ADDRESS]`."""

import sys

from tests.campaigns.small_studies import study

SAMPLES, SHARD = 160, 4


def campaign():
    return study(SAMPLES)


if __name__ == "__main__":
    campaign().run(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "threads", shard=SHARD, progress=False)
