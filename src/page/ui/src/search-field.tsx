// What is searched for in pictures and tables, with the way from match to match.

import { useEffect, useRef, useState } from "preact/hooks";
import { stepToMatch } from "./marks";
import { complaint } from "./search";
import type { Navigate, State } from "./state";

export function SearchField({ state, navigate }: { state: State; navigate: Navigate }) {
    const [text, set] = useState(state.search);
    const input = useRef<HTMLInputElement>(null);
    const wrong = complaint(text);
    useEffect(() => {
        if (document.activeElement !== input.current) set(state.search); // what is being typed is newer
    }, [state.search]);
    const key = (event: KeyboardEvent) => {
        if (event.key !== "Enter") return;
        stepToMatch(event.shiftKey ? -1 : 1);
        event.preventDefault();
        event.stopPropagation();
    };
    return (
        <span class="search" role="search">
            <label class="field">
                <span class="hidden">Search</span>
                <input id="search" ref={input} type="search" value={text} placeholder="Search: regex" spellcheck={false} autocomplete="off"
                    aria-invalid={!!wrong} aria-describedby={wrong ? "search-wrong" : undefined} onKeyDown={key}
                    onInput={(event) => {
                        set(event.currentTarget.value);
                        navigate({ search: event.currentTarget.value }, true);
                    }} />
            </label>
            <button type="button" id="previous-match" aria-label="Previous match" title="Previous match (Shift+Enter)" disabled={!state.search} onClick={() => stepToMatch(-1)}>‹</button>
            <button type="button" id="next-match" aria-label="Next match" title="Next match (Enter)" disabled={!state.search} onClick={() => stepToMatch(1)}>›</button>
            {wrong && <span id="search-wrong" class="complaint" role="alert">not a regular expression: {wrong}</span>}
        </span>
    );
}
