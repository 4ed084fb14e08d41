// What is selected, and how it is counted.

import { useEffect, useState } from "preact/hooks";
import type { Navigate, State } from "./state";
import type { Theme } from "./theme";
import type { Shown } from "./types";
import { typeOf } from "./view";

export interface BarProps {
    about: Shown;
    state: State;
    navigate: Navigate;
    theme: Theme;
}

function Choice<K extends "quantity" | "weight" | "grain" | "direction" | "order">({ name, label, options, state, navigate }: {
    name: K;
    label: string;
    options: [State[K], string][];
    state: State;
    navigate: Navigate;
}) {
    return (
        <label class="field">
            <span>{label}</span>
            <select id={name} value={state[name]} onChange={(event) => navigate({ [name]: event.currentTarget.value } as Partial<State>)}>
                {options.map(([value, text]) => (
                    <option key={value} value={value}>{text}</option>
                ))}
            </select>
        </label>
    );
}

export function Search({ state, navigate }: { state: State; navigate: Navigate }) {
    const [text, set] = useState(state.search);
    useEffect(() => set(state.search), [state.search]);
    return (
        <label class="field">
            <span>Search</span>
            <input id="search" type="search" value={text} placeholder="regex" spellcheck={false} autocomplete="off"
                onInput={(event) => {
                    set(event.currentTarget.value);
                    navigate({ search: event.currentTarget.value }, true);
                }} />
        </label>
    );
}

export function FilterBar(props: BarProps) {
    const { about, state, navigate } = props;
    const [text, set] = useState(state.filter);
    useEffect(() => set(state.filter), [state.filter]);
    return (
        <section class="bar" aria-label="Selection">
            <form class="filter" onSubmit={(event) => {
                event.preventDefault();
                navigate({ filter: text.trim(), zoom: "" });
            }}>
                <label class="field wide">
                    <span>Filter</span>
                    <input id="filter" value={text} spellcheck={false} autocomplete="off" placeholder="everything" onInput={(event) => set(event.currentTarget.value)} />
                </label>
                <button>Apply</button>
            </form>
            {about.types ? (
                <label class="field">
                    <span>Count</span>
                    <select id="type" value={typeOf(about, state)} onChange={(event) => navigate({ type: Number(event.currentTarget.value), zoom: "" })}>
                        {about.types.map((type, i) => <option key={i} value={i}>{type.type}</option>)}
                    </select>
                </label>
            ) : (
                <>
                    <Choice name="weight" label="Count" state={state} navigate={navigate} options={[["bytes", "bytes"], ["objects", "objects"], ["samples", "samples"]]} />
                    <Choice name="quantity" label="of what was" state={state} navigate={navigate}
                        options={[["allocated", "allocated"], ["live", "alive at the end"], ["collected", "collected"], ["promoted", "promoted"]]} />
                </>
            )}
            <Choice name="grain" label="By" state={state} navigate={navigate} options={[["function", "function"], ["line", "line"], ["file", "file"], ["name", "name"]]} />
            <Choice name="direction" label="From" state={state} navigate={navigate} options={[["down", "main"], ["up", "allocations"]]} />
            <label class="field check">
                <input id="recursion" type="checkbox" checked={state.recursion} onChange={(event) => navigate({ recursion: event.currentTarget.checked, zoom: "" })} />
                <span>merge recursion</span>
            </label>
            <Search state={state} navigate={navigate} />
        </section>
    );
}
