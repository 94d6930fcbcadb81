"""The bill as a PDF to send: 结算单 on the first pages, 费用明细 after it."""

from __future__ import annotations

from pathlib import Path

from reports.bill import Bill
from reports.paper.bill_details import details
from reports.paper.bill_front import front
from reports.paper.bill_lines import charges
from reports.paper.bill_shares import shares
from reports.paper.bill_sign import signatures
from reports.paper.kit.document import Furniture, write_document
from reports.paper.say import Say


def write_bill(bill: Bill, path: Path, lang: str) -> int:
    """Write `bill` to `path` in `lang` (`zh` or `en`) and give its number of pages.

    The same bill gives the same bytes, in every process: there is no clock and no random id. `path` is replaced whole.

    Raises:
        HesuanError: an amount of yuan cannot be written in capitals (`bill.rmb_large`, `bill.rmb_fraction`).
    """
    say = Say(bill, lang)
    blocks = [*front(say), *charges(say), *shares(say), *signatures(say), *details(say)]
    return write_document(path, _furniture(say), blocks)


def _furniture(say: Say) -> Furniture:
    bill = say.bill
    version = bill.facts.program_version
    return Furniture(
        title=say("head", title=say("title"), number=bill.number),
        author=say.issuer,
        subject=say("subject", payer=say.payer, period=say.period),
        creator=f"hesuan {version}",
        lang=say.lang,
        letterhead=(say.issuer, say.listed(bill.issuer.address, bill.issuer.phone)),
        head=(say.issuer, say("subject", payer=say.payer, period=say.period)),
        foot=say(
            "foot", number=bill.number, tariffs=say.tariffs, hash=bill.facts.input_hash[:12], version=version
        ),
        page=say("page", page="{page}", pages="{pages}"),
        mark=say("draft") if bill.draft else "",
    )
