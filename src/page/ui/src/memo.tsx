// A part of the page that is made anew only when what it shows changes: of the state, the members that
// it reads.  A zoom changes one, of which the bars around the picture know nothing.

import { Component, type JSX } from "preact";
import type { State } from "./state";

type View<Props> = (props: Props) => JSX.Element | null;

export function memo<Props extends object>(View: View<Props>, reads: readonly (keyof State)[] = []): new (props: Props) => Component<Props> {
    const differs = (a: unknown, b: unknown, key: string): boolean =>
        key === "state" ? reads.some((name) => (a as State)[name] !== (b as State)[name]) : a !== b;
    return class extends Component<Props> {
        shouldComponentUpdate(next: Props): boolean {
            return (Object.keys(next) as (keyof Props & string)[]).some((key) => differs(this.props[key], next[key], key));
        }
        render(props: Props) {
            return <View {...props} />;
        }
    };
}
