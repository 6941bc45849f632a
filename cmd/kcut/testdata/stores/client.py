"""Does with the clouds' own clients what a test needs of a store: its address and credentials are in the environment, as kcut takes them.

usage: client.py s3|gs|azblob make BUCKET
       client.py s3|gs|azblob put BUCKET KEY FILE
       client.py s3|gs|azblob get BUCKET PREFIX FOLDER    the objects whose keys begin with a prefix, as files below a folder
       client.py s3|gs|azblob list BUCKET PREFIX          prints them, one a line
       client.py s3|gs|azblob empty BUCKET PREFIX         removes them
       client.py azblob sas BUCKET                        prints a token of shared access, which allows to read and list
"""

import datetime
import os
import pathlib
import sys


class Amazon:
    def __init__(self, bucket):
        import boto3
        self.name, self.client = bucket, boto3.client("s3")

    def make(self):
        self.client.create_bucket(Bucket=self.name)

    def put(self, key, data):
        self.client.put_object(Bucket=self.name, Key=key, Body=data)

    def keys(self, prefix):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=prefix)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def get(self, key):
        return self.client.get_object(Bucket=self.name, Key=key)["Body"].read()

    def remove(self, key):
        self.client.delete_object(Bucket=self.name, Key=key)


class Google:
    def __init__(self, bucket):
        from google.auth.credentials import AnonymousCredentials
        from google.cloud import storage
        self.bucket = storage.Client(project="project", credentials=AnonymousCredentials()).bucket(bucket)

    def make(self):
        self.bucket.create()

    def put(self, key, data):
        self.bucket.blob(key).upload_from_string(data)

    def keys(self, prefix):
        return [blob.name for blob in self.bucket.list_blobs(prefix=prefix)]

    def get(self, key):
        return self.bucket.blob(key).download_as_bytes()  # held against its checksum

    def remove(self, key):
        self.bucket.blob(key).delete()


class Microsoft:
    def __init__(self, bucket):
        from azure.storage.blob import ContainerClient
        self.account, self.key = os.environ["AZURE_STORAGE_ACCOUNT"], os.environ["AZURE_STORAGE_KEY"]
        url = f"{os.environ['AZURE_STORAGE_PROTOCOL']}://{os.environ['AZURE_STORAGE_DOMAIN']}/{self.account}"
        self.name, self.container = bucket, ContainerClient(url, bucket, credential=self.key, api_version="2021-12-02")  # Azurite is behind

    def make(self):
        self.container.create_container()

    def put(self, key, data):
        self.container.upload_blob(key, data, overwrite=True)

    def keys(self, prefix):
        return list(self.container.list_blob_names(name_starts_with=prefix))

    def get(self, key):
        return self.container.download_blob(key, validate_content=True).readall()

    def remove(self, key):
        self.container.delete_blob(key)

    def sas(self):
        from azure.storage.blob import ContainerSasPermissions, generate_container_sas
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
        print(generate_container_sas(self.account, self.name, self.key, permission=ContainerSasPermissions(read=True, list=True), expiry=end))


scheme, action, bucket, *rest = sys.argv[1:]
store = {"s3": Amazon, "gs": Google, "azblob": Microsoft}[scheme](bucket)
match action:
    case "put":
        store.put(rest[0], pathlib.Path(rest[1]).read_bytes())
    case "get":
        for key in store.keys(rest[0]):
            file = pathlib.Path(rest[1], key)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(store.get(key))
    case "list":
        print(*store.keys(rest[0]), sep="\n")
    case "empty":
        for key in store.keys(rest[0]):
            store.remove(key)
    case _:
        getattr(store, action)()
