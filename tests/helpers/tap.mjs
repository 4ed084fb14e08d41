// Results in TAP.

let number = 0;
let failures = 0;

export function check(name, good, detail = "") {
    number++;
    if (!good) failures++;
    console.log(`${good ? "ok" : "not ok"} ${number} - ${name}`);
    if (!good && detail !== "") console.log(String(typeof detail === "string" ? detail : JSON.stringify(detail)).replace(/^/gm, "# ").slice(0, 10000));
    return good;
}

export function equal(name, got, wanted) {
    const a = JSON.stringify(got);
    const b = JSON.stringify(wanted);
    return check(name, a === b, `got    ${a}\nwanted ${b}`);
}

export function skip(why) {
    console.log(`ok ${++number} - # SKIP ${why}`);
}

// Ends the script, with status 1 if a check failed.
export function end() {
    console.log(`1..${number}`);
    process.exit(failures ? 1 : 0);
}
