-- The profiles of a fleet as tables of SQLite, version 1 (PRAGMA user_version).  Many profiles, with labels and times; frames
-- and stacks are there once, however many profiles have them, and are known by 128-bit hashes of their names.
--
-- Times are microseconds since the Unix epoch.  docs/fleet.md explains the tables.

-- What sends profiles: a set of labels.
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    labels TEXT NOT NULL UNIQUE -- key="value", in the order of keys, with commas between
);
CREATE TABLE series_label (
    series INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (series, key)
) WITHOUT ROWID;

CREATE TABLE profile (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE, -- of what was sent: bytes, labels and times
    series INTEGER NOT NULL,
    from_us INTEGER NOT NULL,
    until_us INTEGER NOT NULL
);
CREATE INDEX profile_by_time ON profile (until_us, series);

-- A level says what is there at a moment, as inuse_space does: over time it is averaged, never added up.
CREATE TABLE type (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    unit TEXT NOT NULL,
    is_level INTEGER NOT NULL,
    UNIQUE (name, unit)
);

CREATE TABLE frame (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE
);
-- Depth 0 is the function; those above are inlined in the one before.
CREATE TABLE line (
    frame INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    function TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    PRIMARY KEY (frame, depth)
) WITHOUT ROWID;

-- Stacks as a tree: a node is a frame called from the node `parent`; 0 is outside the program.
CREATE TABLE node (
    id INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL,
    frame INTEGER NOT NULL,
    hash BLOB NOT NULL UNIQUE
);

-- Sums by stack, those of 0 left out.  `variance` is the estimated variance of the value, `samples` how many samples it
-- rests on; both are NULL where the profile does not say.  Values and variances of different profiles add up.
CREATE TABLE sample (
    profile INTEGER NOT NULL,
    type INTEGER NOT NULL,
    node INTEGER NOT NULL,
    value REAL NOT NULL,
    samples INTEGER,
    variance REAL,
    PRIMARY KEY (profile, type, node)
) WITHOUT ROWID;

-- The sums of all of a profile's samples; there is a row for each type that the profile has, also where it is 0.
CREATE TABLE total (
    profile INTEGER NOT NULL,
    type INTEGER NOT NULL,
    value REAL NOT NULL,
    samples INTEGER,
    variance REAL,
    PRIMARY KEY (profile, type)
) WITHOUT ROWID;
