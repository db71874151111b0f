"""Small pools of connections: few requests in each, used again, all closed at the end."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

from haechi.judge.providers.pools import Pools


class Client:
    closed = False

    async def close(self) -> None:
        self.closed = True


def test_no_pool_gets_more_than_its_share_and_free_places_are_used_first() -> None:
    pools = Pools(Client)
    with ExitStack() as first, ExitStack() as rest:
        used = [(first if number < 8 else rest).enter_context(pools.client()) for number in range(20)]
        assert [used.count(client) for client in dict.fromkeys(used)] == [8, 8, 4]
        assert used[0] is pools.first
        first.close()
        with pools.client() as again:
            assert again is pools.first
    asyncio.run(pools.close())
    assert all(client.closed for client in used)


def test_a_place_is_free_again_after_an_error() -> None:
    pools = Pools(Client)
    for _ in range(20):
        try:
            with pools.client() as client:
                raise ConnectionError
        except ConnectionError:
            assert client is pools.first
