// Tables by column, and bytes inside JSON (src/answer/columns.h).

import type { Column } from "./types";

export function bytesOf(text: string): ArrayBuffer {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return bytes.buffer;
}

export async function inflated(text: string): Promise<ArrayBuffer> {
    const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
}

const types = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };

// The numbers of a column; a table without rows has none.  Those of a report have been worked out, and are there already.
export function numbersOf(column: Column | undefined): ArrayLike<number> {
    if (!column || "length" in column) return column ?? [];
    const [[type, text]] = Object.entries(column) as [keyof typeof types, string][];
    return new types[type](bytesOf(text));
}
