// Where a program is that a test needs.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

// The path of `program`; undefined where it is not installed.
export function which(program) {
    return process.env.PATH.split(delimiter).map((folder) => join(folder, program)).find(existsSync);
}
