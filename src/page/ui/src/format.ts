// Quantities as people read them, the same as the commands print them (src/base/units.c).

function scaled(value: number, step: number, names: string[]): string {
    let size = Math.abs(value);
    let unit = 0;
    while (size >= step - 0.5 && unit + 1 < names.length) {
        value /= step;
        size /= step;
        unit++;
    }
    return value.toFixed(unit > 0 && size < 9.95 ? 1 : 0) + names[unit];
}

// What %.3g prints of numbers from 1e-4 on.
export function three(value: number): string {
    const text = value.toPrecision(3);
    const plain = text.includes("e") ? Number(text).toString() : text;
    return plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain;
}

export function bytes(value: number): string {
    return scaled(value, 1024, [" B", " kB", " MB", " GB", " TB", " PB", " EB"]);
}

export function count(value: number): string {
    return scaled(value, 1000, ["", " k", " M", " G", " T"]);
}

export function duration(seconds: number): string {
    const size = Math.abs(seconds);
    if (size < 1e-3) return (seconds * 1e6).toFixed(0) + " us";
    if (size < 1) return three(seconds * 1e3) + " ms";
    if (size < 60) return three(seconds) + " s";
    if (size < 3600) return `${Math.trunc(seconds / 60)} min ${(seconds % 60).toFixed(0)} s`;
    return `${Math.trunc(seconds / 3600)} h ${Math.trunc((seconds % 3600) / 60)} min`;
}

// The time of day where the browser is, as exact as steps of so many seconds deserve.
export function timeOfDay(milliseconds: number, step: number): string {
    const date = new Date(milliseconds);
    const two = (number: number) => String(number).padStart(2, "0");
    const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`;
    const digits = Math.max(0, Math.min(3, Math.ceil(-Math.log10(step) - 1e-9)));
    if (step >= 60) return minutes;
    return `${minutes}:${two(date.getSeconds())}${digits > 0 ? "." + String(date.getMilliseconds()).padStart(3, "0").slice(0, digits) : ""}`;
}

export function percent(part: number, whole: number): string {
    if (!whole) return "";
    const share = (100 * part) / whole;
    return share.toFixed(Math.abs(share) < 9.95 ? 1 : 0) + " %";
}

// A value of the unit that is looked at: "bytes", "count" and what else pprof knows.
const units: Record<string, (value: number) => string> = {
    bytes,
    kilobytes: (value) => bytes(value * 2 ** 10),
    megabytes: (value) => bytes(value * 2 ** 20),
    gigabytes: (value) => bytes(value * 2 ** 30),
    count,
    nanoseconds: (value) => duration(value * 1e-9),
    microseconds: (value) => duration(value * 1e-6),
    milliseconds: (value) => duration(value * 1e-3),
    seconds: duration,
};

export function value(amount: number, unit: string): string {
    return units[unit] ? units[unit](amount) : `${count(amount)} ${unit}`;
}
