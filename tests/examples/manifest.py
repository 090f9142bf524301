"""Checks that the parts of the Kubernetes manifest of tt_smi serve fit each other and the program.

    manifest.py MANIFEST TT_SMI
"""

import re
import subprocess
import sys

import yaml

MANIFEST, TT_SMI = sys.argv[1:]
# Directories of a node that tt_smi reads, besides /proc and /sys, which every container has.
NEEDED = {"/dev/tenstorrent", "/dev/shm", "/run/tt-smi", "/var/log/pods", "/var/log/containers", "/var/lib/kubelet/plugins"}


def one(documents, kind):
    found = [document for document in documents if document["kind"] == kind]
    assert len(found) == 1, f"{len(found)} of kind {kind}"
    return found[0]


def selects(selector, labels):
    return bool(selector) and all(labels.get(name) == value for name, value in selector.items())


def check_names(documents):
    for document in documents:
        metadata = document["metadata"]
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", metadata["name"]), metadata["name"]
        assert metadata["namespace"] == documents[0]["metadata"]["namespace"], "other namespaces are not selected"


def check_volumes(spec, container):
    volumes = {volume["name"]: volume["hostPath"]["path"] for volume in spec["volumes"] if "hostPath" in volume}
    mounts = {mount["name"]: mount for mount in container["volumeMounts"] if mount["name"] != "passwords"}
    assert volumes.keys() == mounts.keys(), volumes.keys() ^ mounts.keys()
    for name, path in volumes.items():
        assert mounts[name]["mountPath"] == path, f"{path} is elsewhere in the container"
        assert mounts[name]["readOnly"] is True, f"{path} can be written"
    assert set(volumes.values()) == NEEDED, set(volumes.values()) ^ NEEDED


def check_comment(text):
    """The comment explains exactly the volumes of the manifest."""
    comment = text.split("apiVersion")[0]
    assert "hostPID" in comment and "SYS_PTRACE" in comment
    explained = set(re.findall(r"^#   (/\S+?),?(?: |$)", comment, re.M)) | set(re.findall(r", (/\S+)$", comment, re.M))
    assert explained == NEEDED, explained ^ NEEDED


def check_passwords(text, spec, container, endpoint):
    """The file of passwords is at the path that the program reads, and Prometheus uses a password of the same secret."""
    (secret,) = [volume["secret"] for volume in spec["volumes"] if volume["name"] == "passwords"]
    (mount,) = [mount for mount in container["volumeMounts"] if mount["name"] == "passwords"]
    path = container["command"][container["command"].index("--auth-file") + 1]
    assert mount["readOnly"] is True and secret["defaultMode"] == 0o400, secret
    assert path in [f"{mount['mountPath']}/{item['path']}" for item in secret["items"]], path
    keys = [item["key"] for item in secret["items"]] + [part["key"] for part in endpoint["basicAuth"].values()]
    assert keys == ["users", "username", "password"], keys
    assert {part["name"] for part in endpoint["basicAuth"].values()} == {secret["secretName"]}
    created = re.search(r"create secret generic (\S+) (.*?)\n# [A-Z]", text, re.S)
    assert created[1] == secret["secretName"] and all(key in created[2] for key in keys), created


def check_container(container):
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    name, serve, *options = container["command"]
    assert (name, serve) == ("tt_smi", "serve")
    done = subprocess.run([TT_SMI, "serve", *options, "--list-metrics"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    listen = options[options.index("--listen") + 1]
    assert ports == {"metrics": int(listen.rpartition(":")[2])}, (ports, listen)
    for probe, path in ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz"):
        assert container[probe]["httpGet"] == {"path": path, "port": "metrics"}, probe
    context = container["securityContext"]
    assert context["capabilities"] == {"drop": ["ALL"], "add": ["SYS_PTRACE"]}
    assert context["readOnlyRootFilesystem"] and context["allowPrivilegeEscalation"] is False and "privileged" not in context
    return ports


def main():
    with open(MANIFEST, encoding="utf-8") as file:
        text = file.read()
    documents = list(yaml.safe_load_all(text))
    daemon, service, monitor = (one(documents, kind) for kind in ("DaemonSet", "Service", "ServiceMonitor"))
    assert len(documents) == 3
    assert [d["apiVersion"] for d in (daemon, service, monitor)] == ["apps/v1", "v1", "monitoring.coreos.com/v1"]
    check_names(documents)
    template = daemon["spec"]["template"]
    labels = template["metadata"]["labels"]
    assert selects(daemon["spec"]["selector"]["matchLabels"], labels), "the DaemonSet does not select its pods"
    assert selects(service["spec"]["selector"], labels), "the Service does not select the pods"
    assert selects(monitor["spec"]["selector"]["matchLabels"], service["metadata"]["labels"]), "the Service is not selected"
    (container,) = template["spec"]["containers"]
    assert template["spec"]["hostPID"] is True
    ports = check_container(container)
    check_volumes(template["spec"], container)
    check_comment(text)
    check_passwords(text, template["spec"], container, monitor["spec"]["endpoints"][0])
    (port,) = service["spec"]["ports"]
    assert port["targetPort"] in ports and port["port"] == ports[port["targetPort"]], port
    (endpoint,) = monitor["spec"]["endpoints"]
    assert endpoint["port"] == port["name"] and endpoint["path"] == "/metrics" and endpoint["honorLabels"] is True


main()
