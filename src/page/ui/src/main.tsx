// The page: what is looked at is in the URL (state.ts), what is known comes from the server (api.ts).

import { render } from "preact";
import { App } from "./app";

const page = document.getElementById("page")!;
page.textContent = "";
render(<App />, page);
