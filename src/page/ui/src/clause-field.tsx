// A field for a clause of the filter, with what could stand at the caret below it.

import { useMemo, useRef, useState } from "preact/hooks";
import { type Suggestion, suggest } from "./clauses";

export function ClauseField({ value, change, apply, leave, functions, isTrace, wrong, isFirst }: {
    value: string;
    change: (text: string) => void;
    apply: (text: string) => void;
    leave: (back: boolean) => void; // without applying: Escape, or, going back, Backspace in the empty field
    functions: string[];
    isTrace: boolean;
    wrong: boolean;
    isFirst: boolean; // nothing is chosen yet
}) {
    const input = useRef<HTMLInputElement>(null);
    const [caret, setCaret] = useState(-1); // -1: nothing is suggested
    const [at, setAt] = useState(-1);
    const list = useMemo<Suggestion[]>(() => (caret < 0 ? [] : suggest(value, caret, functions, isTrace)), [value, caret, functions, isTrace]);
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
        } else if (event.key === "Backspace" && value === "") leave(true);
        else if (event.key === "Escape" && list.length > 0) setCaret(-1);
        else if (event.key === "Escape" && value !== "") leave(false);
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const where = () => setCaret(input.current?.selectionStart ?? -1);
    return (
        <div class="filter-field">
            <input id="filter" ref={input} value={value} spellcheck={false} autocomplete="off" placeholder={isFirst ? "everything; add a clause" : "add a clause"} role="combobox" aria-expanded={list.length > 0}
                aria-controls="suggestions" aria-autocomplete="list" aria-label="Filter: add a clause" aria-activedescendant={at >= 0 ? `suggestion-${at}` : undefined} aria-invalid={wrong}
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
