// Pictures are drawn once, through this interface: on a canvas to be seen, into an SVG to be kept.

export interface Painter {
    rect(x: number, y: number, width: number, height: number, fill: string, stroke?: string): void;
    circle(x: number, y: number, radius: number, fill: string, stroke?: string): void;
    // Lines from point to point; or, as a curve, a point and then three for each cubic piece.
    path(points: readonly number[], options: { stroke?: string; fill?: string; width?: number; dash?: number[]; curve?: boolean }): void;
    // Text begins (or is centred, or ends) at x; y is its middle.
    text(x: number, y: number, text: string, options: TextOptions): void;
}

export interface TextOptions {
    fill: string;
    size?: number;
    align?: "left" | "center" | "right";
    bold?: boolean;
}

export const FONT = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace";
export const TEXT_SIZE = 11;

// A monospaced letter's width, so that no text has to be measured to be cut.
export function letterWidth(size = TEXT_SIZE): number {
    return size * 0.602;
}

// A text as far as there is room.  Of a name, what it is in goes first: std::vector::push_back becomes
// …push_back.
export function fit(text: string, width: number, size = TEXT_SIZE): string {
    const letters = Math.floor(width / letterWidth(size));
    if (text.length <= letters) return text;
    if (letters < 3) return "";
    let last = 0;
    for (let at = nextPart(text, 0); at > 0; at = nextPart(text, at)) {
        if (text.length - at + 1 <= letters) return "…" + text.slice(at);
        last = at;
    }
    return text.slice(last, last + letters - 1) + "…";
}

// Where a qualified name's next part begins, behind :: or . or /; -1 behind the last.
function nextPart(text: string, from: number): number {
    const found = /(?:::|[./])(?=[A-Za-z_~{(])/g;
    found.lastIndex = from;
    const match = found.exec(text);
    return match ? match.index + match[0].length : -1;
}

export class CanvasPainter implements Painter {
    private fill = "";
    private font = "";
    constructor(readonly context: CanvasRenderingContext2D) {
        context.textBaseline = "middle";
    }

    private setFill(fill: string): void {
        if (fill !== this.fill) this.context.fillStyle = this.fill = fill;
    }

    rect(x: number, y: number, width: number, height: number, fill: string, stroke?: string): void {
        this.setFill(fill);
        this.context.fillRect(x, y, width, height);
        if (stroke) {
            this.context.strokeStyle = stroke;
            this.context.lineWidth = 1;
            this.context.strokeRect(x + 0.5, y + 0.5, Math.max(0, width - 1), Math.max(0, height - 1));
        }
    }

    circle(x: number, y: number, radius: number, fill: string, stroke?: string): void {
        this.setFill(fill);
        this.context.beginPath();
        this.context.arc(x, y, radius, 0, 2 * Math.PI);
        this.context.fill();
        if (stroke) {
            this.context.strokeStyle = stroke;
            this.context.lineWidth = 1;
            this.context.stroke();
        }
    }

    path(points: readonly number[], options: { stroke?: string; fill?: string; width?: number; dash?: number[]; curve?: boolean }): void {
        const { context } = this;
        context.beginPath();
        context.moveTo(points[0], points[1]);
        if (options.curve) {
            for (let at = 2; at + 5 < points.length; at += 6) context.bezierCurveTo(points[at], points[at + 1], points[at + 2], points[at + 3], points[at + 4], points[at + 5]);
        } else for (let at = 2; at < points.length; at += 2) context.lineTo(points[at], points[at + 1]);
        if (options.fill) {
            this.setFill(options.fill);
            context.fill();
        }
        if (options.stroke) {
            context.strokeStyle = options.stroke;
            context.lineWidth = options.width ?? 1;
            context.setLineDash(options.dash ?? []);
            context.stroke();
            context.setLineDash([]);
        }
    }

    text(x: number, y: number, text: string, options: TextOptions): void {
        const font = `${options.bold ? "bold " : ""}${options.size ?? TEXT_SIZE}px ${FONT}`;
        if (font !== this.font) this.context.font = this.font = font;
        this.context.textAlign = options.align ?? "left";
        this.setFill(options.fill);
        this.context.fillText(text, x, y);
    }
}

function escape(text: string): string {
    return text.replace(/[&<>"\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (bad) =>
        bad === "&" ? "&amp;" : bad === "<" ? "&lt;" : bad === ">" ? "&gt;" : bad === '"' ? "&quot;" : "\ufffd");
}

const round = (number: number) => Math.round(number * 100) / 100;

export class SvgPainter implements Painter {
    private readonly parts: string[] = [];

    rect(x: number, y: number, width: number, height: number, fill: string, stroke?: string): void {
        const edge = stroke ? ` stroke="${stroke}"` : "";
        this.parts.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill}"${edge}/>`);
    }

    circle(x: number, y: number, radius: number, fill: string, stroke?: string): void {
        const edge = stroke ? ` stroke="${stroke}"` : "";
        this.parts.push(`<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="${fill}"${edge}/>`);
    }

    path(points: readonly number[], options: { stroke?: string; fill?: string; width?: number; dash?: number[]; curve?: boolean }): void {
        let data = `M${round(points[0])} ${round(points[1])}`;
        if (options.curve) {
            for (let at = 2; at + 5 < points.length; at += 6) data += `C${points.slice(at, at + 6).map(round).join(" ")}`;
        } else for (let at = 2; at < points.length; at += 2) data += `L${round(points[at])} ${round(points[at + 1])}`;
        const dash = options.dash ? ` stroke-dasharray="${options.dash.join(" ")}"` : "";
        const stroke = options.stroke ? ` stroke="${options.stroke}" stroke-width="${round(options.width ?? 1)}"${dash}` : "";
        this.parts.push(`<path d="${data}" fill="${options.fill ?? "none"}"${stroke}/>`);
    }

    text(x: number, y: number, text: string, options: TextOptions): void {
        const anchor = { left: "start", center: "middle", right: "end" }[options.align ?? "left"];
        this.parts.push(
            `<text x="${round(x)}" y="${round(y)}" dominant-baseline="central" text-anchor="${anchor}" font-size="${options.size ?? TEXT_SIZE}"` +
                `${options.bold ? ' font-weight="bold"' : ""} fill="${options.fill}">${escape(text)}</text>`,
        );
    }

    finish(width: number, height: number, background: string, title: string): string {
        return (
            `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escape(FONT)}">` +
            `<title>${escape(title)}</title><rect width="100%" height="100%" fill="${background}"/>${this.parts.join("")}</svg>\n`
        );
    }
}
