// What is selected: clauses, each a chip that can be changed and taken away, and a field for one more.

import { useEffect, useState } from "preact/hooks";
import { ClauseField } from "./clause-field";
import type { Suggestion } from "./clauses";

export interface ChipsProps {
    id: string; // of the field
    label: string; // of what: "Filter"
    clause: string; // what a chip is: "clause"
    everything: string; // what is selected where there is none
    list: string[];
    apply: (list: string[]) => void;
    helpOf: (clause: string) => string;
    suggest: (text: string, caret: number) => Suggestion[];
    wrong: boolean;
}

export function Chips({ id, label, clause: what, everything, list, apply, helpOf, suggest, wrong }: ChipsProps) {
    const [text, set] = useState("");
    const [edited, setEdited] = useState(-1); // the clause that is in the field; -1: a new one
    const leave = () => (set(""), setEdited(-1));
    const replace = (number: number, ...instead: string[]) => apply([...list.slice(0, number), ...instead, ...list.slice(number + 1)]);
    const put = (clause: string) => {
        const added = clause.trim() ? [clause.trim()] : [];
        if (edited >= 0) replace(edited, ...added);
        else if (added.length > 0) apply([...list, ...added]);
        leave();
    };
    const edit = (number: number) => {
        set(list[number] ?? "");
        setEdited(number);
        document.getElementById(id)?.focus();
    };
    const back = () => {
        if (edited >= 0) put("");
        else if (list.length > 0) edit(list.length - 1);
    };
    useEffect(() => void leave(), [list.join(" ")]);
    return (
        <>
            <ul class="chips" aria-label={`${what[0].toUpperCase()}${what.slice(1)}s of the ${label.toLowerCase()}`}>
                {list.map((clause, i) => (
                    <li class="chip" key={`${i} ${clause}`}>
                        <button type="button" class="chip-text mono" title={`${helpOf(clause)}. Click to change it`} aria-label={`Change ${clause}`} onClick={() => edit(i)}
                            onKeyDown={(event) => (event.key === "Delete" || event.key === "Backspace") && replace(i)}>{clause}</button>
                        <button type="button" class="chip-remove" aria-label={`Remove ${clause}`} onClick={() => replace(i)}>×</button>
                    </li>
                ))}
            </ul>
            <ClauseField id={id} label={`${label}: add a ${what}`} hint={list.length > 0 ? `add a ${what}` : `${everything}; add a ${what}`} value={text} change={set} apply={put} leave={leave} back={back} suggest={suggest} wrong={wrong} />
            {text !== "" && <button type="button" id="apply" onClick={() => put(text)}>{edited < 0 ? "Add" : "Change"}</button>}
        </>
    );
}
