// What leaves the page: files and the clipboard.

export function downloadBlob(name: string, blob: Blob): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function download(name: string, type: string, text: string): void {
    downloadBlob(name, new Blob([text], { type: type + ";charset=utf-8" }));
}

export async function copyText(text: string): Promise<void> {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        // A page of a file has no clipboard interface: the old way.
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
    }
    say("Copied.");
}

let told: ((text: string) => void) | null = null;

// Who shows short messages; the last one that asks.
export function onMessage(show: (text: string) => void): void {
    told = show;
}

export function say(text: string): void {
    told?.(text);
}

// A text that no spreadsheet takes for a formula, wherever it takes a cell to begin: as `heaptap --csv` has it (base/plain.h).
function withoutFormulas(text: string): string {
    const bytes = (sign: string) => Array.from(new TextEncoder().encode(sign), (byte) => "\\x" + byte.toString(16).padStart(2, "0")).join("");
    return text.replace(/(^|[;\n"])([=+\-@\uff1d\uff0b\uff0d\uff20\t\r])/g, (_, before: string, sign: string) => before + bytes(sign));
}

// A table as RFC 4180 has it.
export function csv(rows: (string | number | null | undefined)[][]): string {
    const cell = (value: string | number | null | undefined) => {
        const text = typeof value === "string" ? withoutFormulas(value) : String(value ?? "");
        return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
    };
    return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
