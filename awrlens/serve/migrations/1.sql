-- status: waiting, running, done, failed, deleted; a deleted id is never used again
-- edition: what analyzed it; request: a signature of what was sent with an Idempotency-Key
CREATE TABLE upload (
    id TEXT PRIMARY KEY, project TEXT NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL,
    size BIGINT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
    redacted INTEGER NOT NULL DEFAULT 0, shared INTEGER NOT NULL DEFAULT 0,
    delete_hash TEXT NOT NULL, password TEXT NOT NULL DEFAULT '',
    uploader TEXT NOT NULL DEFAULT '', retry_key TEXT,
    created DOUBLE PRECISION NOT NULL, finished DOUBLE PRECISION,
    expires DOUBLE PRECISION, accepted DOUBLE PRECISION,
    attempts INTEGER NOT NULL DEFAULT 0, node TEXT NOT NULL DEFAULT '',
    lease DOUBLE PRECISION NOT NULL DEFAULT 0, edition TEXT NOT NULL DEFAULT '',
    request TEXT NOT NULL DEFAULT '',
    UNIQUE (project, retry_key)
);
CREATE INDEX upload_status ON upload (status, created);
CREATE INDEX upload_project ON upload (project, created);
CREATE INDEX upload_hash ON upload (hash);
CREATE INDEX upload_expires ON upload (expires);
CREATE TABLE part (
    upload TEXT NOT NULL REFERENCES upload (id), number INTEGER NOT NULL,
    source TEXT NOT NULL, kind TEXT NOT NULL, database TEXT NOT NULL,
    instance TEXT NOT NULL, begin_time TEXT NOT NULL, end_time TEXT NOT NULL,
    severity TEXT NOT NULL, headline TEXT NOT NULL, label TEXT NOT NULL,
    reason TEXT NOT NULL, search TEXT NOT NULL,
    PRIMARY KEY (upload, number)
);
-- rows of intervals, which are those of the tables of a store
CREATE TABLE reported (
    upload TEXT NOT NULL REFERENCES upload (id), report TEXT NOT NULL, who TEXT NOT NULL,
    ended TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (upload, report)
);
CREATE TABLE token (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, scopes TEXT NOT NULL,
    project TEXT NOT NULL, created DOUBLE PRECISION NOT NULL,
    expires DOUBLE PRECISION, revoked DOUBLE PRECISION
);
-- who: a token, whose rights are those of the moment, or a user of an identity provider
CREATE TABLE session (
    hash TEXT PRIMARY KEY, who TEXT NOT NULL, rights TEXT, expires DOUBLE PRECISION NOT NULL
);
CREATE TABLE project (
    name TEXT PRIMARY KEY, budgets TEXT NOT NULL, changed DOUBLE PRECISION NOT NULL
);
CREATE TABLE audit (
    time DOUBLE PRECISION NOT NULL, actor TEXT NOT NULL, address TEXT NOT NULL,
    project TEXT NOT NULL, action TEXT NOT NULL, object TEXT NOT NULL
);
CREATE INDEX audit_time ON audit (time);
CREATE TABLE secret (name TEXT PRIMARY KEY, value TEXT NOT NULL);
