"""The audited operator on kopf: an index of all Secrets, and a ConfigMap that is written if it differs."""

import base64
import hashlib

import kopf
import kubernetes


@kopf.on.startup()
def connect(**_):
    kubernetes.config.load_kube_config()


@kopf.index("v1", "secrets")
def keys(namespace, name, body, **_):
    return {(namespace, name): body.get("data", {}).get("key", "")}


@kopf.on.create("arcade.example.com", "v1", "mirrors")
@kopf.on.resume("arcade.example.com", "v1", "mirrors")
@kopf.on.update("arcade.example.com", "v1", "mirrors")
def reconcile(namespace, name, spec, keys, **_):
    for key in keys.get((namespace, spec["secret"]), []):
        digest = hashlib.sha256(base64.b64decode(key)).hexdigest()
        write(namespace, f"{name}-mirror", {"digest": digest})
        print("mirrored", name, spec["note"], flush=True)


def write(namespace, name, data):
    core = kubernetes.client.CoreV1Api()
    body = {"metadata": {"name": name}, "data": data}
    try:
        if core.read_namespaced_config_map(name, namespace).data != data:
            core.replace_namespaced_config_map(name, namespace, body)
    except kubernetes.client.ApiException as error:
        if error.status != 404:
            raise
        core.create_namespaced_config_map(namespace, body)
