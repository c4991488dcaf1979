"""Loads the generated packages `v1` and `ext` and uses them against a running service.

Arguments: folder of the packages, address of the service, installation key, user name, password.
Prints what it found as JSON.
"""

import json
import pkgutil
import sys
from importlib import import_module

folder, url, key, username, password = sys.argv[1:]
sys.path.insert(0, folder)


def operations(package: str) -> int:
    """Loads every module; one with `sync_detailed` is an operation."""
    root = import_module(package)
    names = [found.name for found in pkgutil.walk_packages(root.__path__, f"{package}.")]
    return sum(hasattr(import_module(name), "sync_detailed") for name in names)


counts = {package: operations(package) for package in ("v1", "ext")}

v1 = import_module("v1")
access = "v1.api.access"
status = import_module(f"{access}.get_auth_status")
login = import_module(f"{access}.login")
accounts = import_module(f"{access}.list_accounts")
create = import_module("v1.api.clients.create_client_group")
operations_overview = import_module("ext.api.system.get_ext_operations")


client = v1.Client(base_url=url)
http = client.get_httpx_client()


def token() -> str:
    """The antiforgery value of the present session."""
    status.sync(client=client)
    return http.cookies["Svc.Antiforgery"]


body = login.LoginBody(api_key=key, username=username, password=password)
login.sync(client=client, body=body, x_antiforgery_token=token())
http.headers["X-Antiforgery-Token"] = token()
group = create.CreateClientGroupBody(nickname="Stage", initial_ips=["10.0.0.9"])
created = create.sync(client=client, body=group)

print(
    json.dumps(
        {
            "operations": counts,
            "session": status.sync(client=client).session_type,
            "accounts": [account.username for account in accounts.sync(client=client)],
            "group": created.to_dict(),
            "again": create.sync(client=client, body=group).error,
            "running": operations_overview.sync(client=client).to_dict(),
        }
    )
)
