// Small pprof profiles, written by hand: samples are a stack of [function, file, line], callers first, and values.

import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

function varint(value) {
    const bytes = [];
    for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
    return Buffer.from([...bytes, value]);
}

const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const message = (field, ...parts) => {
    const content = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
    return Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
};

// `period`: bytes from one sample to the next, where that is known.
export function profileOf(types, samples, period = 0) {
    const numbers = (tell) => {
        const known = new Map();
        return { of: (text) => (known.has(text) ? known.get(text) : (known.set(text, known.size + tell), known.size + tell - 1)), known };
    };
    const texts = numbers(0);
    texts.of("");
    const functions = numbers(1);
    const locations = numbers(1);
    const out = types.map(([type, unit]) => message(1, number(1, texts.of(type)), number(2, texts.of(unit))));
    for (const { stack, values } of samples) {
        const ids = stack.map(([name, file, line]) => varint(locations.of(JSON.stringify([functions.of(JSON.stringify([name, file])), line])))).reverse();
        out.push(message(2, message(1, ...ids), message(2, ...values.map(varint))));
    }
    for (const [place, id] of locations.known) {
        const [routine, line] = JSON.parse(place);
        out.push(message(4, number(1, id), number(3, 4096 + id), message(4, number(1, routine), number(2, line))));
    }
    for (const [routine, id] of functions.known) {
        const [name, file] = JSON.parse(routine);
        out.push(message(5, number(1, id), number(2, texts.of(name)), number(4, texts.of(file))));
    }
    if (period) out.push(message(11, number(1, texts.of("space")), number(2, texts.of("bytes"))), number(12, period));
    for (const text of texts.known.keys()) out.push(message(6, text));
    return gzipSync(Buffer.concat(out));
}

export function writeProfile(path, types, samples) {
    writeFileSync(path, profileOf(types, samples));
}
