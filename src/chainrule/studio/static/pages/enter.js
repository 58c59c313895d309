// What the studio answers to the right code brings the key of this origin: keep it, and go on to the page.

import { keepKey } from "../shared/requests.js";

const given = document.querySelector("meta[name=chainrule-key]");
if (given) {
    keepKey(given.content);
    location.replace("/");
}
