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

const BYTES = [" B", " kB", " MB", " GB", " TB", " PB", " EB"];

export function bytes(value: number): string {
    return scaled(value, 1024, BYTES);
}

// The edge of a bucket of sizes: whole quarters of powers of two, with all their digits.
export function bytesEdge(value: number): string {
    let unit = 0;
    for (; value >= 1024 && unit < BYTES.length - 1; unit++) value /= 1024;
    return three(value) + BYTES[unit];
}

// What a bucket holds: from its edge to below the next.
export function bucket(from: number, below: number, edge: (value: number) => string): string {
    return `${edge(from)} to below ${edge(below)}`;
}

export function count(value: number): string {
    return scaled(value, 1000, ["", " k", " M", " G", " T"]);
}

export function counted(number: number, name: string): string {
    return `${count(number)} ${name}${number === 1 ? "" : "s"}`;
}

// "LOW to HIGH"; "" where both are the figure itself, as it is written.
export function between(figure: number, low: number, high: number, unit: string): string {
    const [text, from, to] = [figure, low, high].map((amount) => value(amount, unit));
    return from === text && to === text ? "" : `${from} to ${to}`;
}

// The unit is that of the rounded value: nothing is "60 s".
export function duration(seconds: number): string {
    const size = Math.abs(seconds), sign = seconds < 0 ? "-" : "";
    const whole = Math.round(size), minutes = Math.round(size / 60);
    if (size * 1e6 < 999.5) return (seconds * 1e6).toFixed(0) + " us";
    if (size * 1e3 < 999.5) return three(seconds * 1e3) + " ms";
    if (size < 59.95) return three(seconds) + " s";
    if (whole < 3600) return `${sign}${Math.floor(whole / 60)} min ${whole % 60} s`;
    return `${sign}${Math.floor(minutes / 60)} h ${minutes % 60} min`;
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

// "shop.cpp:8"; "" where no file is known.
export function placeOf({ file, line }: { file?: string | null; line?: number }): string {
    return file ? file.slice(file.lastIndexOf("/") + 1) + (line ? `:${line}` : "") : "";
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
