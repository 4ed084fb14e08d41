-- Recordings as tables of SQLite, version 1 (PRAGMA user_version).  `heaptap export --format sqlite` writes one profile;
-- every table names the profile that its rows belong to, so that a file can hold many.
--
-- Times are microseconds since the start of the recording.  Figures named estimated_... are what samples stand for; where
-- sample_rate is 1 they are exact.  docs/sqlite.md explains the tables and has queries.

CREATE TABLE profile (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,         -- of the file
    program TEXT NOT NULL,      -- its path; '' where the file has none
    build_id TEXT NOT NULL,     -- of the program, hexadecimal; '' for none
    host TEXT NOT NULL,
    pid INTEGER,
    start_us INTEGER NOT NULL,  -- since the Unix epoch; 0 where it is not known
    end_us INTEGER NOT NULL,    -- of the last event, since the start
    sample_rate REAL NOT NULL,  -- part of all words that is sampled
    word_bytes REAL NOT NULL,   -- of what lengths are counted in
    header_words REAL NOT NULL, -- of each block, sampled as well but not part of its length
    peak_us INTEGER,            -- when most bytes were alive; NULL where there are no blocks
    filter TEXT NOT NULL,       -- what the rows passed; '' for none
    is_whole INTEGER NOT NULL   -- 1: all that the program did is in the file
);

-- Programs and libraries.
CREATE TABLE module (
    profile INTEGER NOT NULL,
    id INTEGER NOT NULL,
    path TEXT NOT NULL,
    build_id TEXT NOT NULL,
    start INTEGER NOT NULL,
    size INTEGER NOT NULL,
    PRIMARY KEY (profile, id)
) WITHOUT ROWID;

-- Places of the program.  Addresses are unsigned: those from 2^63 on stand here as negative numbers.
CREATE TABLE frame (
    profile INTEGER NOT NULL,
    id INTEGER NOT NULL,
    address INTEGER NOT NULL,
    module INTEGER,
    PRIMARY KEY (profile, id)
) WITHOUT ROWID;

-- What a frame is in the source: depth 0 is the function, those above are inlined in the one before.
CREATE TABLE line (
    profile INTEGER NOT NULL,
    frame INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    function TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    PRIMARY KEY (profile, frame, depth)
) WITHOUT ROWID;

-- Stacks as a tree: a node is a frame called from the node `parent`; 0 is outside the program.  The hash is of the lines
-- from there to here, so that equal stacks of different recordings have equal hashes.
CREATE TABLE node (
    profile INTEGER NOT NULL,
    id INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    frame INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (profile, id)
) WITHOUT ROWID;

-- Threads, or OCaml's domains.
CREATE TABLE domain (
    profile INTEGER NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    thread INTEGER NOT NULL,
    PRIMARY KEY (profile, id)
) WITHOUT ROWID;

-- Sampled blocks, in the order of their birth.
CREATE TABLE block (
    id INTEGER PRIMARY KEY,
    profile INTEGER NOT NULL,
    node INTEGER NOT NULL,      -- where its stack ends
    source TEXT NOT NULL,       -- minor, major or external
    domain INTEGER NOT NULL,
    words INTEGER NOT NULL,     -- its length, without the header
    bytes INTEGER NOT NULL,     -- the same in bytes
    samples INTEGER NOT NULL,   -- how many of its words were sampled
    type TEXT,                  -- of guest languages
    born_us INTEGER NOT NULL,
    promoted_us INTEGER,
    died_us INTEGER,            -- NULL: alive at the end
    estimated_bytes REAL NOT NULL,
    estimated_objects REAL NOT NULL
);

-- Sums by stack and set of labels, in the units of sample_type.  `squares` is the sum of the squares of what each sample
-- stands for: the variance of value is about squares * (1 - sample_rate).
CREATE TABLE sample_type (
    profile INTEGER NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    unit TEXT NOT NULL,
    PRIMARY KEY (profile, id)
) WITHOUT ROWID;
CREATE TABLE sample (
    profile INTEGER NOT NULL,
    type INTEGER NOT NULL,
    node INTEGER NOT NULL,
    labels INTEGER NOT NULL,    -- number of a set; 0 is empty
    value REAL NOT NULL,
    samples INTEGER,            -- NULL where the file does not have them
    squares REAL
);
CREATE TABLE label (
    profile INTEGER NOT NULL,
    labels INTEGER NOT NULL,
    key TEXT NOT NULL,
    text TEXT,
    number INTEGER,
    unit TEXT
);

-- What happened, one row an event; ORDER BY time_us.
CREATE VIEW event AS
    SELECT profile, born_us AS time_us, 'alloc' AS kind, id AS block FROM block
    UNION ALL SELECT profile, promoted_us, 'promote', id FROM block WHERE promoted_us IS NOT NULL
    UNION ALL SELECT profile, died_us, 'collect', id FROM block WHERE died_us IS NOT NULL;

-- The innermost line of each node: the place that allocates.
CREATE VIEW site AS
    SELECT node.profile AS profile, node.id AS node, node.frame AS frame,
           coalesce(line.function, '') AS function, coalesce(line.file, '') AS file, coalesce(line.line, 0) AS line,
           coalesce(module.path, '') AS module
    FROM node
    JOIN frame ON frame.profile = node.profile AND frame.id = node.frame
    LEFT JOIN line ON line.profile = node.profile AND line.frame = node.frame
        AND line.depth = (SELECT max(depth) FROM line AS other
                          WHERE other.profile = node.profile AND other.frame = node.frame)
    LEFT JOIN module ON module.profile = node.profile AND module.id = frame.module;
