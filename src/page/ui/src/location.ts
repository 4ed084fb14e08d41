// What is looked at stands in the URL; in a written page, in its fragment.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { isReport } from "./api";

// The state that the URL has, and how to change it: as a new step of the browser's history, or in place of this one.
export function useAddress<State extends object>(parse: (search: string) => State, print: (state: State) => string): [State, (change: Partial<State>, replace?: boolean) => void] {
    const read = () => parse(location.search || location.hash.replace(/^#/, "?"));
    const [state, set] = useState<State>(read);
    const last = useRef(state);
    last.current = state;
    useEffect(() => {
        const changed = () => set(read());
        addEventListener("popstate", changed);
        return () => removeEventListener("popstate", changed);
    }, []);
    const go = useCallback((change: Partial<State>, replace = false) => {
        const next = { ...last.current, ...change };
        const url = isReport ? "#" + print(next).replace(/^[^?]*\??/, "") : print(next);
        if (print(next) !== print(last.current)) history[replace ? "replaceState" : "pushState"](null, "", url);
        last.current = next;
        set(next);
    }, []);
    return [state, go];
}
