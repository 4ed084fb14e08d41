// The four views that most questions need, and the others under one control.

import { isReport } from "./api";
import { type Navigate, type ViewName, views } from "./state";

// A written page answers what its views ask, not the reports of the command line.
export const viewNames = (Object.keys(views) as ViewName[]).filter((name) => !(isReport && name === "reports"));
export const mainViews = viewNames.slice(0, 4);
const others = viewNames.slice(4);

export function Tabs({ view, navigate }: { view: ViewName; navigate: Navigate }) {
    const isMain = mainViews.includes(view);
    const move = (event: KeyboardEvent) => {
        const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (!by) return;
        const next = mainViews[(Math.max(0, mainViews.indexOf(view)) + by + mainViews.length) % mainViews.length];
        navigate({ view: next });
        document.getElementById("tab-" + next)?.focus();
        event.preventDefault();
        event.stopPropagation();
    };
    return (
        <nav class="tabs" aria-label="Views">
            <div role="tablist" aria-label="Views" onKeyDown={move}>
                {mainViews.map((name, i) => (
                    <button type="button" role="tab" id={"tab-" + name} key={name} aria-selected={name === view} aria-controls="view"
                        tabIndex={name === view || (!isMain && i === 0) ? 0 : -1} onClick={() => navigate({ view: name })}>
                        {views[name]}
                    </button>
                ))}
            </div>
            <select id="more" aria-label="More views" class={isMain ? "" : "chosen-view"} value={isMain ? "" : view} onChange={(event) => event.currentTarget.value && navigate({ view: event.currentTarget.value as ViewName })}>
                <option value="">More…</option>
                {others.map((name) => <option key={name} value={name}>{views[name]}</option>)}
            </select>
        </nav>
    );
}
