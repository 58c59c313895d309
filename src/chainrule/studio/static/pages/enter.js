// Runs after sign-in, in the page that carries the key: stores the key and opens the studio.

import { keepKey } from "../shared/requests.js";

const given = document.querySelector("meta[name=chainrule-key]");
if (given) {
    keepKey(given.content);
    location.replace("/");
}
