// Packages of npm that tests use, as package.json beside this file names them; installed into a folder of the build when they are
// first needed, by one test while the others wait.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

function install(folder) {
    process.env.npm_config_cache = join(folder, ".npm");
    mkdirSync(folder, { recursive: true });
    for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(here, name), join(folder, name));
    const command = 'cmp -s package-lock.json fetched || { npm ci --ignore-scripts --no-audit --no-fund && cp package-lock.json fetched; }';
    return spawnSync("flock", ["lock", "sh", "-c", command], { cwd: folder, timeout: 300000, stdio: "ignore" }).status === 0;
}

// A require that finds them.  Where `name` can't be installed, the test is skipped.
export function modules(folder, name) {
    if (!install(folder)) {
        console.log(`1..0 # SKIP the npm package ${name} can't be installed`);
        process.exit(0);
    }
    return createRequire(join(folder, "package.json"));
}
