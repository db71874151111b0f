"""Reading what a visitor sends, up to a reasonable length and size."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request

LARGEST = 10**18 - 1
"""The largest number that a visitor may send: a database keeps integers below 2⁶³."""
_LONGEST = 200_000


class _Number(IntegerConvertor):
    """A number in an address; there is no page for a larger one."""

    regex = "[0-9]{1,18}"


register_url_convertor("number", _Number())


async def read_body(request: Request, most: int = _LONGEST) -> bytes:
    """The body of a request, refused as soon as it grows beyond what is reasonable."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise HTTPException(413)
    return bytes(body)


class SubmittedForm(dict[str, list[str]]):
    """What a form sends: every field with its values."""

    def one(self, name: str) -> str:
        """The value of a field; empty where there is none.

        >>> SubmittedForm(name=["해치"]).one("name"), SubmittedForm().one("name")
        ('해치', '')
        """
        return self.get(name, [""])[0].strip()


async def read_form(request: Request, most: int = _LONGEST) -> SubmittedForm:
    """The fields of a form."""
    body = await read_body(request, most)
    try:
        return SubmittedForm(parse_qs(body.decode(), keep_blank_values=True, max_num_fields=2_000))
    except ValueError:
        raise HTTPException(400) from None


def asked_of(request: Request) -> SubmittedForm:
    """The fields of a form that is sent in the address."""
    return SubmittedForm({key: request.query_params.getlist(key) for key in request.query_params})
