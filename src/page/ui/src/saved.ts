// Selections under a name, kept by the browser.

import { useState } from "preact/hooks";

export function useSaved(): [Record<string, string>, (saved: Record<string, string>) => void] {
    const [saved, set] = useState<Record<string, string>>(() => {
        try {
            return JSON.parse(localStorage.getItem("heaptap-saved") ?? "{}");
        } catch {
            return {};
        }
    });
    return [saved, (next) => {
        set(next);
        try {
            localStorage.setItem("heaptap-saved", JSON.stringify(next));
        } catch {
            // then only as long as the page is open
        }
    }];
}
