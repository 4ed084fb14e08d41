// A clause put together by choosing.

import { useState } from "preact/hooks";
import { forms } from "./clauses";

export function ClauseForm({ isTrace, add }: { isTrace: boolean; add: (clause: string) => void }) {
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
