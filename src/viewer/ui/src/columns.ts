// Columns of numbers inside JSON: base64 of their little-endian bytes (src/viewer/columns.h).

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

// Columns of a report have been worked out, and are there already.
export function float64(text: string | Float64Array): Float64Array {
    return typeof text === "string" ? new Float64Array(bytesOf(text)) : text;
}

export function uint32(text: string | Uint32Array): Uint32Array {
    return typeof text === "string" ? new Uint32Array(bytesOf(text)) : text;
}
