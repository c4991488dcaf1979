"""Xbox as the package `xbox-webapi` knows it.

Arguments: `requests` prints what the package sends in order to sign in and to list titles, `answers` prints
answers with its names of members, and `sign <address>` sends signed requests to a service.
"""

import asyncio
import json
import random
import sys
import uuid

import httpx
from pydantic import ValidationError
from xbox.webapi.api.client import XboxLiveClient
from xbox.webapi.api.provider.catalog import models as catalog
from xbox.webapi.api.provider.titlehub import models as titlehub
from xbox.webapi.authentication.manager import AuthenticationManager
from xbox.webapi.common.signed_session import SignedSession

ADDRESS = sys.argv[2:]


class Recorder(SignedSession):
    """Answers every request itself."""

    def __init__(self):
        super().__init__()
        self.sent = []

    async def send(self, request, **_):
        self.sent.append(
            {
                "method": request.method,
                "url": str(request.url),
                "headers": dict(request.headers),
                "body": request.content.decode(),
            }
        )
        claims = {"xui": [{"uhs": "hash", "xid": "2533", "gtg": "Some Gamer"}]}
        times = {"IssueInstant": "2026-01-01T00:00:00Z", "NotAfter": "2099-01-01T00:00:00Z"}
        service = {**times, "Token": "token", "DisplayClaims": claims}
        keys = ["access_token", "refresh_token", "token_type", "scope", "user_id"]
        microsoft = {**dict.fromkeys(keys, "x"), "expires_in": 3600}
        answer = microsoft if "login.live.com" in str(request.url) else service
        return httpx.Response(200, json=answer, request=request)


async def requests():
    session = Recorder()
    manager = AuthenticationManager(session, "client", "", "http://localhost")
    await manager.request_tokens("code")
    client = XboxLiveClient(manager)
    for call in (
        client.titlehub.get_title_history("2533"),
        client.profile.get_profile_by_xuid("2533"),
        client.catalog.get_products(["9NKX70BBCDRN"]),
    ):
        try:
            await call
        except ValidationError:
            # Only what was sent matters.
            pass
    return session.sent


def dumped(model):
    return model.model_dump(mode="json", by_alias=True, warnings=False)


async def answers():
    """Products with packages for random platforms, and a title."""
    source = random.Random(1)
    names = ["Desktop", "Universal", "Xbox", "Mobile", "Windows8x", "WindowsPhone8x", "Holographic"]
    found = []
    for _ in range(60):
        packages = [
            catalog.Package.model_construct(
                content_id=str(uuid.UUID(int=source.getrandbits(128))),
                platform_dependencies=[
                    catalog.PlatformDependency(platform_name=f"Windows.{name}")
                    for name in source.sample(names, source.randint(1, 3))
                ],
            )
            for _ in range(source.randint(0, 5))
        ]
        properties = catalog.SkuProperties.model_construct(packages=packages)
        sku = catalog.Sku.model_construct(properties=properties)
        shown = [catalog.DisplaySkuAvailability.model_construct(sku=sku, availabilities=[])]
        text = catalog.LocalizedProperty.model_construct(product_title="A game", images=[])
        product = catalog.Product.model_construct(
            localized_properties=[text], display_sku_availabilities=shown
        )
        platforms = {
            package.content_id: [one.platform_name for one in package.platform_dependencies]
            for package in packages
        }
        answer = dumped(catalog.CatalogResponse.model_construct(products=[product]))
        found.append({"answer": answer, "platforms": platforms})
    played = titlehub.TitleHistory(
        last_time_played="2026-10-01T10:00:00Z", visible=True, can_hide=True
    )
    title = titlehub.Title.model_construct(name="A game", pfn="family", title_history=played)
    titles = dumped(titlehub.TitleHubResponse.model_construct(xuid="2533", titles=[title]))
    return {"products": found, "titles": titles}


async def sign():
    session = SignedSession()
    key = session.request_signer.proof_field
    properties = {"Id": f"{{{uuid.uuid4()}}}", "ProofKey": key}
    body = {"Properties": properties, "RelyingParty": "http://auth.xboxlive.com"}
    (address,) = ADDRESS
    sent = [await session.send_signed("POST", f"{address}/device/authenticate", json=body)]
    headers = {"authorization": "XBL3.0 x=hash;secret-packages-token"}
    for index in range(50):
        url = f"{address}/GetBasePackage/{uuid.uuid4()}?part={index}"
        sent.append(await session.send_signed("GET", url, headers=headers))
    return [response.status_code for response in sent]


commands = {"requests": requests, "answers": answers, "sign": sign}
print(json.dumps(asyncio.run(commands[sys.argv[1]]())))
