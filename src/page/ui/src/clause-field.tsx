// A field for a clause of the filter, with what could stand at the caret below it.

import { useMemo, useRef, useState } from "preact/hooks";
import type { Suggestion } from "./clauses";

export function ClauseField({ id, label, hint, value, change, apply, leave, back, suggest, wrong }: {
    id: string;
    label: string;
    hint: string;
    value: string;
    change: (text: string) => void;
    apply: (text: string) => void;
    leave: () => void; // without applying: Escape
    back: () => void; // Backspace in the empty field
    suggest: (text: string, caret: number) => Suggestion[];
    wrong: boolean;
}) {
    const input = useRef<HTMLInputElement>(null);
    const [caret, setCaret] = useState(-1); // -1: nothing is suggested
    const [at, setAt] = useState(-1);
    const list = useMemo<Suggestion[]>(() => (caret < 0 ? [] : suggest(value, caret)), [value, caret, suggest]);
    const take = (one: Suggestion) => {
        const text = value.slice(0, one.from) + one.text + value.slice(caret);
        const next = one.from + one.text.length;
        change(text);
        setAt(-1);
        setCaret(next);
        requestAnimationFrame(() => input.current?.setSelectionRange(next, next));
    };
    const key = (event: KeyboardEvent) => {
        if (event.key === "ArrowDown" && list.length > 0) setAt((at + 1) % list.length);
        else if (event.key === "ArrowUp" && list.length > 0) setAt((at + list.length - 1) % list.length);
        else if ((event.key === "Enter" || event.key === "Tab") && at >= 0 && list[at]) take(list[at]);
        else if (event.key === "Enter") {
            setCaret(-1);
            apply(value);
        } else if (event.key === "Backspace" && value === "") back();
        else if (event.key === "Escape" && list.length > 0) setCaret(-1);
        else if (event.key === "Escape" && value !== "") leave();
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const where = () => setCaret(input.current?.selectionStart ?? -1);
    return (
        <div class="filter-field">
            <input id={id} ref={input} value={value} spellcheck={false} autocomplete="off" placeholder={hint} role="combobox" aria-expanded={list.length > 0}
                aria-controls="suggestions" aria-autocomplete="list" aria-label={label} aria-activedescendant={at >= 0 ? `suggestion-${at}` : undefined} aria-invalid={wrong}
                onInput={(event) => {
                    change(event.currentTarget.value);
                    setAt(-1);
                    where();
                }}
                onClick={where} onFocus={where} onBlur={() => setCaret(-1)} onKeyDown={key} />
            {list.length > 0 && (
                <ul id="suggestions" role="listbox" aria-label="Suggestions">
                    {list.map((one, i) => (
                        <li key={one.text} id={`suggestion-${i}`} role="option" aria-selected={i === at} onPointerDown={(event) => (event.preventDefault(), take(one))}>
                            <code>{one.text}</code> <span class="quiet">{one.note}</span>
                        </li>
                    ))}
                </ul>
            )}
        </div>
    );
}
