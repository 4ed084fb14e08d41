// What is selected, and how it is counted.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { AnswerError, isReport } from "./api";
import { forms, presets, type Suggestion, suggest } from "./clauses";
import { withClause } from "./details";
import { defaults, type Navigate, type State } from "./state";
import { useTop } from "./functions";
import { typeOf } from "./report-answer";
import { complaint } from "./search";
import { ordered, type ViewProps } from "./view";

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

function Search({ state, navigate }: { state: State; navigate: Navigate }) {
    const [text, set] = useState(state.search);
    const input = useRef<HTMLInputElement>(null);
    const wrong = complaint(text);
    useEffect(() => {
        if (document.activeElement !== input.current) set(state.search); // what is being typed is newer
    }, [state.search]);
    return (
        <label class="field">
            <span>Search</span>
            <input id="search" ref={input} type="search" value={text} placeholder="regex" spellcheck={false} autocomplete="off"
                aria-invalid={!!wrong} aria-describedby={wrong ? "search-wrong" : undefined}
                onInput={(event) => {
                    set(event.currentTarget.value);
                    navigate({ search: event.currentTarget.value }, true);
                }} />
            {wrong && <span id="search-wrong" class="complaint" role="alert">not a regular expression: {wrong}</span>}
        </label>
    );
}

// The field, with what could stand at the caret below it.
function FilterField({ value, change, apply, functions, isTrace, wrong }: {
    value: string;
    change: (text: string) => void;
    apply: (text: string) => void;
    functions: string[];
    isTrace: boolean;
    wrong: AnswerError | null;
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
        } else if (event.key === "Escape" && caret >= 0) setCaret(-1);
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const where = () => setCaret(input.current?.selectionStart ?? -1);
    return (
        <div class="filter-field">
            <input id="filter" ref={input} value={value} spellcheck={false} autocomplete="off" placeholder="everything" role="combobox" aria-expanded={list.length > 0}
                aria-controls="suggestions" aria-autocomplete="list" aria-label="Filter" aria-activedescendant={at >= 0 ? `suggestion-${at}` : undefined} aria-invalid={!!wrong}
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

// A clause put together by choosing.
function Forms({ isTrace, add }: { isTrace: boolean; add: (clause: string) => void }) {
    const known = forms.filter((form) => isTrace || !form.times);
    const [form, setForm] = useState(0);
    const [option, setOption] = useState(0);
    const chosen = known[form].options[option] ?? known[form].options[0];
    return (
        <form class="clause" aria-label="Add a clause" onSubmit={(event) => {
            event.preventDefault();
            const values = new FormData(event.currentTarget).getAll("value").map((value) => String(value).trim());
            if (values.every((value) => value)) add(chosen.clause(...values));
        }}>
            <select id="clause-word" aria-label="What" value={form} onChange={(event) => (setForm(Number(event.currentTarget.value)), setOption(0))}>
                {known.map(({ label }, i) => <option key={label} value={i}>{label}</option>)}
            </select>
            <select id="clause-how" aria-label="How" value={option} onChange={(event) => setOption(Number(event.currentTarget.value))}>
                {known[form].options.map(({ label }, i) => <option key={label} value={i}>{label}</option>)}
            </select>
            {chosen.fields.map((hint, i) => <input key={`${form} ${option} ${i}`} name="value" aria-label={`Value ${i + 1}`} placeholder={hint} size={hint.length > 5 ? 22 : 7} required />)}
            <button id="clause-add">Add</button>
        </form>
    );
}

// Selections under a name, kept by the browser.
function useSaved(): [Record<string, string>, (saved: Record<string, string>) => void] {
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

function Wrong({ filter, error }: { filter: string; error: AnswerError }) {
    const { offset, length } = error;
    return (
        <p class="remark wrong" role="alert" id="wrong">
            {offset !== undefined && length ? (
                <>
                    <code>{filter.slice(0, offset)}<mark>{filter.slice(offset, offset + length)}</mark>{filter.slice(offset + length)}</code>:{" "}
                </>
            ) : null}
            {error.message}
        </p>
    );
}

export function FilterBar({ about, state, navigate }: ViewProps) {
    const [text, set] = useState(state.filter);
    const [open, setOpen] = useState(false);
    const [saved, save] = useSaved();
    useEffect(() => set(state.filter), [state.filter]);
    const asked = useTop(about, state, 400, defaults.grain);
    const functions = useMemo(() => asked.answer?.nodes.map((node) => node.function).filter((name) => name) ?? [], [asked.answer]);
    const isTrace = about.kind === "trace";
    const apply = (filter: string) => navigate({ filter: filter.trim(), zoom: "" });
    const known = isTrace ? presets(about.duration_us, about.promotes) : [{ name: "everything", filter: "", note: "no filter" }];
    const wrong = asked.failure?.isOfFilter ? asked.failure : null;
    return (
        <section class="bar" aria-label="Selection">
            {isReport ? (
                <label class="field">
                    <span>Selection</span>
                    <select id="preset" value={"=" + state.filter} onChange={(event) => apply(event.currentTarget.value.slice(1))}>
                        {known.map(({ name, filter, note }) => <option key={name} value={"=" + filter}>{name} – {note}</option>)}
                    </select>
                </label>
            ) : (
            <>
            <div class="filter">
                <label class="field" for="filter"><span>Filter</span></label>
                <FilterField value={text} change={set} apply={apply} functions={functions} isTrace={isTrace} wrong={wrong} />
                <button type="button" id="apply" onClick={() => apply(text)}>Apply</button>
                <select id="preset" aria-label="Preset" value="" onChange={(event) => {
                    const choice = event.currentTarget.value;
                    event.currentTarget.value = "";
                    if (choice === "save") {
                        const name = prompt("Keep this selection under which name?", state.filter);
                        if (name) save({ ...saved, [name]: state.filter });
                    } else if (choice === "forget") save({});
                    else if (choice) apply(choice.slice(1));
                }}>
                    <option value="">Presets…</option>
                    {known.map(({ name, filter, note }) => <option key={name} value={"=" + filter}>{name} – {note}</option>)}
                    {Object.entries(saved).map(([name, filter]) => <option key={"saved " + name} value={"=" + filter}>★ {name}</option>)}
                    <option value="save">Save this selection…</option>
                    {Object.keys(saved).length > 0 && <option value="forget">Forget all saved</option>}
                </select>
            </div>
            <details class="clauses">
                <summary>Add a clause</summary>
                <Forms isTrace={isTrace} add={(clause) => apply(withClause(state.filter, clause))} />
            </details>
            </>
            )}
            <button type="button" id="how" class="narrow-only" aria-expanded={open} aria-controls="counting" onClick={() => setOpen(!open)}>Counting…</button>
            <div id="counting" class={open ? "counting open" : "counting"}>
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
                    {!isReport && <Choice name="quantity" label="of what was" state={state} navigate={navigate}
                        options={[["allocated", "allocated"], ["live", "alive at the end"], ["collected", "collected"], ["promoted", "promoted"]]} />}
                </>
            )}
            {!(isReport && state.view === "graph") && <Choice name="grain" label="By" state={state} navigate={navigate} options={[["function", "function"], ["line", "line"], ["file", "file"], ["name", "name"]]} />}
            <Choice name="direction" label="From" state={state} navigate={navigate} options={[["down", "main"], ["up", "allocations"]]} />
            {ordered.has(state.view) && <Choice name="order" label="Order" state={state} navigate={navigate} options={[["name", "by name"], ["weight", "by weight"]]} />}
            <label class="field check">
                <input id="recursion" type="checkbox" checked={state.recursion} onChange={(event) => navigate({ recursion: event.currentTarget.checked, zoom: "" })} />
                <span>merge recursion</span>
            </label>
            </div>
            <Search state={state} navigate={navigate} />
            {wrong && <Wrong filter={state.filter} error={wrong} />}
        </section>
    );
}
