// Moments as people read them, where the browser is, and the marks of an axis.

const two = (number: number) => String(number).padStart(2, "0");

function dayOf(date: Date): string {
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

// "2026-11-20 08:30", with seconds where there are any.
export function moment(seconds: number): string {
    const date = new Date(Math.round(seconds) * 1000);
    return `${dayOf(date)} ${two(date.getHours())}:${two(date.getMinutes())}${date.getSeconds() ? ":" + two(date.getSeconds()) : ""}`;
}

const steps = [1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000];

// Marks at round times of day, as many as there is room for.
export function axisOf(from: number, to: number, width: number): { at: number; text: string }[] {
    const wanted = Math.max(2, width / 110);
    const step = steps.find((size) => (to - from) / size <= wanted) ?? steps[steps.length - 1] * Math.ceil((to - from) / wanted / steps[steps.length - 1]);
    const shift = new Date(from * 1000).getTimezoneOffset() * 60;
    const marks = [];
    for (let at = Math.ceil((from - shift) / step) * step + shift; at <= to; at += step) {
        const date = new Date(at * 1000);
        const isMidnight = date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0;
        const time = `${two(date.getHours())}:${two(date.getMinutes())}${step < 60 ? ":" + two(date.getSeconds()) : ""}`;
        marks.push({ at, text: isMidnight || step >= 86400 ? dayOf(date).slice(5) : time });
    }
    return marks;
}
