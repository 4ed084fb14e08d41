// A picture on a canvas: as tall as it needs to be, of which the canvas covers only what is seen.
// Drawing is asked for and happens once a frame.  The same drawing makes the SVG and the PNG.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { copyText, download, downloadBlob } from "./files";
import { CanvasPainter, type Painter, SvgPainter } from "./painter";
import { columnOf, roomFor } from "./room";
import { paper, type Theme } from "./theme";

// What of the whole picture is drawn: `top` pixels of it lie above.
export interface Window {
    width: number;
    height: number;
    top: number;
}

export interface PictureProps {
    label: string; // its accessible name
    file: string; // a name for it, without its ending
    theme: Theme;
    height: (width: number) => number; // of the whole
    draw: (painter: Painter, window: Window) => void;
    hit?: (x: number, y: number, width: number) => number; // the item there; -1 for none
    tip?: (item: number) => ComponentChildren;
    choose?: (item: number, event: MouseEvent) => void;
    chooseTwice?: (item: number) => void;
    hover?: (item: number) => void;
    onKey?: (event: KeyboardEvent) => void;
    wheel?: (event: WheelEvent, x: number, y: number, width: number) => boolean; // taken?
    drag?: (phase: "down" | "move" | "up", x: number, y: number, width: number) => boolean; // wanted?
    bottomFirst?: boolean; // begin scrolled to the end
    show?: { y: number; height: number } | null; // what should be in sight
    tall?: boolean; // as high as it is, without scrolling of its own
    bare?: boolean; // without a line below it
    children?: ComponentChildren;
}

// Times of the last frames, for whoever measures.
export const frames: { milliseconds: number[]; shapes: number } = { milliseconds: [], shapes: 0 };
(window as unknown as { heaptapFrames: typeof frames }).heaptapFrames = frames;

function paint(canvas: HTMLCanvasElement, size: { width: number; height: number }, top: number, props: PictureProps): void {
    const began = performance.now();
    const ratio = devicePixelRatio || 1;
    const wide = Math.round(size.width * ratio);
    const high = Math.round(size.height * ratio);
    if (canvas.width !== wide || canvas.height !== high) {
        canvas.width = wide;
        canvas.height = high;
    }
    const context = canvas.getContext("2d", { alpha: false });
    if (!context || !wide || !high) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = props.theme.background;
    context.fillRect(0, 0, size.width, size.height);
    context.translate(0, -top);
    props.draw(new CanvasPainter(context), { ...size, top });
    frames.milliseconds.push(performance.now() - began);
    if (frames.milliseconds.length > 200) frames.milliseconds.shift();
}

function svgOf(props: PictureProps, width: number): string {
    const height = Math.min(props.height(width), 20000);
    const painter = new SvgPainter();
    props.draw(painter, { width, height, top: 0 });
    return painter.finish(width, height, props.theme.background, props.label);
}

function pngOf(props: PictureProps, width: number): Promise<Blob | null> {
    const canvas = document.createElement("canvas");
    const height = Math.min(props.height(width), 8000);
    paint(canvas, { width, height }, 0, props);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
}

export function Picture(props: PictureProps) {
    const box = useRef<HTMLDivElement>(null);
    const canvas = useRef<HTMLCanvasElement>(null);
    const [width, setWidth] = useState(0);
    const [room, setRoom] = useState(400);
    const [tip, setTip] = useState<{ item: number; x: number; y: number } | null>(null);
    const latest = useRef(props);
    latest.current = props;
    const whole = width ? Math.ceil(props.height(width)) : 0;
    const seen = props.tall ? whole : Math.min(whole, room);

    const asked = useRef(0);
    const drawNow = () => {
        asked.current = 0;
        const element = box.current;
        if (canvas.current && element?.clientWidth)
            paint(canvas.current, { width: element.clientWidth, height: element.clientHeight }, element.scrollTop, latest.current);
    };
    const redraw = () => {
        if (paper.matches) drawNow(); // no frame comes before the paper
        else if (!asked.current) asked.current = requestAnimationFrame(drawNow);
    };
    useLayoutEffect(redraw);
    useLayoutEffect(() => {
        const element = box.current!;
        const measure = () => {
            setWidth(element.clientWidth);
            setRoom(Math.max(320, roomFor(element)));
        };
        const observer = new ResizeObserver(measure);
        observer.observe(element);
        observer.observe(columnOf(element)); // what is above may grow
        addEventListener("resize", measure);
        measure();
        return () => {
            observer.disconnect();
            removeEventListener("resize", measure);
            cancelAnimationFrame(asked.current);
            asked.current = 0;
        };
    }, []);
    useLayoutEffect(() => {
        if (box.current) box.current.scrollTop = props.bottomFirst ? whole : 0;
    }, [whole, seen, props.bottomFirst]);
    useEffect(() => {
        const element = box.current;
        if (!element || !props.show) return;
        const { y, height } = props.show;
        if (y < element.scrollTop) element.scrollTop = y - height;
        else if (y + height > element.scrollTop + element.clientHeight) element.scrollTop = y + 2 * height - element.clientHeight;
    }, [props.show?.y]);
    useEffect(() => {
        const element = box.current!;
        const wheel = (event: WheelEvent) => {
            const [x, y] = place(event);
            if (latest.current.wheel?.(event, x, y, element.clientWidth)) {
                event.preventDefault();
                redraw();
            }
        };
        element.addEventListener("wheel", wheel, { passive: false });
        return () => element.removeEventListener("wheel", wheel);
    }, []);

    const place = (event: MouseEvent): [number, number] => {
        const rectangle = box.current!.getBoundingClientRect();
        return [event.clientX - rectangle.left, event.clientY - rectangle.top + box.current!.scrollTop];
    };
    const dragging = useRef(false);
    const moved = useRef(false);
    const down = (event: PointerEvent) => {
        moved.current = false;
        const [x, y] = place(event);
        dragging.current = event.button === 0 && !!props.drag?.("down", x, y, width);
        if (dragging.current) box.current!.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent) => {
        const [x, y] = place(event);
        if (dragging.current) {
            moved.current = true;
            props.drag!("move", x, y, width);
            redraw();
        }
        const item = props.hit ? props.hit(x, y, width) : -1;
        props.hover?.(item);
        setTip(item < 0 ? null : { item, x: event.clientX, y: event.clientY });
    };
    const up = (event: PointerEvent) => {
        if (!dragging.current) return;
        dragging.current = false;
        const [x, y] = place(event);
        props.drag!("up", x, y, width);
        redraw();
    };
    const click = (event: MouseEvent) => {
        if (moved.current) return;
        const [x, y] = place(event);
        const item = props.hit ? props.hit(x, y, width) : -1;
        if (item >= 0) props.choose?.(item, event);
    };
    const twice = (event: MouseEvent) => {
        const [x, y] = place(event);
        const item = props.hit ? props.hit(x, y, width) : -1;
        if (item >= 0) props.chooseTwice?.(item);
    };

    const save = async (kind: string) => {
        const wide = width || 1200;
        if (kind === "svg") download(props.file + ".svg", "image/svg+xml", svgOf(props, wide));
        else if (kind === "copy") await copyText(svgOf(props, wide));
        else {
            const blob = await pngOf(props, wide);
            if (blob) downloadBlob(props.file + ".png", blob);
        }
    };
    return (
        <figure class="figure">
            <div
                ref={box}
                class={props.bare ? "strip" : "picture"}
                role="application"
                aria-roledescription="picture"
                aria-label={props.label}
                tabIndex={0}
                style={{ height: seen + 2 + "px" }}
                onScroll={redraw}
                onPointerDown={down}
                onPointerMove={move}
                onPointerUp={up}
                onPointerLeave={() => {
                    props.hover?.(-1);
                    setTip(null);
                }}
                onClick={click}
                onDblClick={twice}
                onKeyDown={props.onKey}
            >
                <canvas ref={canvas} style={{ width: "100%", height: seen + "px" }} aria-hidden="true" />
                <div style={{ height: Math.max(0, whole - seen) + "px" }} />
            </div>
            {tip && props.tip && (
                <div class="tip" style={{ left: Math.min(tip.x + 12, Math.max(0, innerWidth - 340)) + "px", top: (tip.y > innerHeight - 180 ? tip.y - 130 : tip.y + 16) + "px" }}>
                    {props.tip(tip.item)}
                </div>
            )}
            {!props.bare && <figcaption class="caption">
                <span class="caption-text">{props.children}</span>
                <span class="buttons">
                    <button type="button" onClick={() => save("svg")} title="Download this picture as SVG">SVG</button>
                    <button type="button" onClick={() => save("png")} title="Download this picture as PNG">PNG</button>
                    <button type="button" onClick={() => save("copy")} title="Copy this picture as SVG">Copy</button>
                </span>
            </figcaption>}
        </figure>
    );
}
