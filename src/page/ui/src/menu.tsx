// A button with controls below it, which another click, Escape or a click elsewhere closes.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Menu({ id, label, children }: { id: string; label: ComponentChildren; children: ComponentChildren }) {
    const details = useRef<HTMLDetailsElement>(null);
    const close = () => {
        if (details.current) details.current.open = false;
    };
    useEffect(() => {
        const pressed = (event: PointerEvent) => {
            if (!details.current?.contains(event.target as Node)) close();
        };
        addEventListener("pointerdown", pressed);
        return () => removeEventListener("pointerdown", pressed);
    }, []);
    const key = (event: KeyboardEvent) => {
        if (event.key !== "Escape" || !details.current?.open) return;
        close();
        details.current.querySelector("summary")?.focus();
        event.stopPropagation();
    };
    return (
        <details class="menu" id={id} ref={details} onKeyDown={key}>
            <summary>{label}</summary>
            <div class="menu-body">{children}</div>
        </details>
    );
}
