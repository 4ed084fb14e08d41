// How much of the window is left below what is shown.

import { useEffect, useState } from "preact/hooks";

const LEAST = 200; // pixels, for what stands there then
const MAIN = ".stage-main"; // what has the picture and all above it in its column
const USUAL = 800;
const CAPTION = 64;
const LEAST_PICTURE = 320;
const BESIDE = "(min-width: 1000px)"; // there is a column at the side, as page.css has it

// By how much the window goes on below the element that `set` gets; 0 where that is little.  Until its view has answered it stays as it was.
export function useRoomBelow(): [(element: HTMLElement | null) => void, number] {
    const [element, set] = useState<HTMLElement | null>(null);
    const [room, setRoom] = useState(0);
    useEffect(() => {
        if (!element) return;
        const measure = () => {
            if (!element.querySelector("#view [data-answers]")) return;
            const below = Math.floor(innerHeight - element.getBoundingClientRect().bottom - scrollY);
            setRoom(matchMedia(BESIDE).matches && below >= LEAST ? below : 0);
        };
        const observer = new ResizeObserver(measure);
        observer.observe(element);
        addEventListener("resize", measure);
        return () => {
            observer.disconnect();
            removeEventListener("resize", measure);
        };
    }, [element]);
    return [set, room];
}

// How high a picture may be that is to be seen whole, with the line below it.
export function usePictureHeight(): number {
    const [height, set] = useState(LEAST_PICTURE);
    useEffect(() => {
        const measure = () => {
            const box = document.querySelector("#view .picture");
            if (box) set(Math.max(LEAST_PICTURE, roomFor(box)));
        };
        const observer = new ResizeObserver(measure); // what is above may grow
        observer.observe(document.querySelector(MAIN) ?? document.body);
        addEventListener("resize", measure);
        return () => {
            observer.disconnect();
            removeEventListener("resize", measure);
        };
    }, []);
    return height;
}

// What grows when anything above or in the picture does.
export function columnOf(picture: Element): Element {
    return picture.closest(MAIN) ?? document.body;
}

// From where it begins to the window's end, less the line below it.
export function roomFor(element: Element): number {
    return Math.floor(innerHeight - element.getBoundingClientRect().top - scrollY - CAPTION);
}

// By how much the window is higher than a usual one, also when that changes; up to half of that.
export function useSpareHeight(): number {
    const spare = () => Math.max(0, Math.min(innerHeight - USUAL, USUAL / 2));
    const [height, set] = useState(spare);
    useEffect(() => {
        const measure = () => set(spare());
        addEventListener("resize", measure);
        return () => removeEventListener("resize", measure);
    }, []);
    return height;
}
