// Columns of numbers inside JSON: base64 of their little-endian bytes (src/viewer/columns.h).

function bytesOf(text: string): ArrayBuffer {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return bytes.buffer;
}

export function float64(text: string): Float64Array {
    return new Float64Array(bytesOf(text));
}

export function uint32(text: string): Uint32Array {
    return new Uint32Array(bytesOf(text));
}
