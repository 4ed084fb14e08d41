// What was just done, told for three seconds.

import { useEffect, useState } from "preact/hooks";
import { onMessage } from "./files";

export function Message() {
    const [message, set] = useState("");
    useEffect(() => {
        let timer = 0;
        onMessage((text) => {
            set(text);
            clearTimeout(timer);
            timer = window.setTimeout(() => set(""), 3000);
        });
    }, []);
    return <div class="message" role="status" aria-live="polite">{message}</div>;
}
