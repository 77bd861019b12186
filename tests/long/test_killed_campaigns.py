"""A hundred kills of campaigns (`make long`): on this computer's threads; of workers, scheduler and client of a cluster."""

from tests.campaigns.test_kills import check_kills


def test_fifty_kills_of_a_campaign_on_threads(tmp_path):
    assert check_kills(tmp_path, kills=50, seed=1) == 50
