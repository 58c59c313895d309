// The page: tabs, theme, messages, and the state in the URL that all tabs share.

import { Learn } from "../learning/learn.js";
import { byId } from "../shared/elements.js";
import { key } from "../shared/requests.js";
import { themeName } from "../training/rasters.js";
import { Trainer } from "../training/trainer.js";
import { Address } from "./address.js";
import { Explorer } from "./explorer.js";
import { Presence } from "./presence.js";

const TABS = ["stepper", "trainer", "learn"];
const address = new Address();
const dark = matchMedia("(prefers-color-scheme: dark)");

const messages = { stepper: { text: "" }, trainer: { text: "" }, learn: { text: "" } };
let shownTab = "stepper";

function showMessage() {
    const { text, error = false } = messages[shownTab];
    const line = byId("message");
    if (line.textContent !== text) line.textContent = text;
    line.classList.toggle("error", error);
}

/** The functions with which a tab shows one line to the user; an empty line clears it. */
function voice(tab) {
    const say = (text, { error = false } = {}) => {
        messages[tab] = { text, error };
        showMessage();
    };
    return { say, trouble: (error) => say(error.message, { error: true }) };
}

const explorer = new Explorer({ address, ...voice("stepper") });
const trainer = new Trainer({
    address,
    ...voice("trainer"),
    openSample: async (sample) => {
        if (await explorer.openSample(sample)) openTab("stepper");
    },
});

const learn = new Learn({ address, ...voice("learn") });

new Presence(byId("gone"), {
    back: () => {
        for (const tab of TABS) messages[tab] = { text: "" };
        showMessage();
        trainer.connection.hurry();
        explorer.again();
    },
});

// --- tabs ------------------------------------------------------------------------------------

function showTab(name) {
    for (const tab of TABS) {
        const chosen = tab === name;
        const button = byId(`tab-${tab}`);
        button.setAttribute("aria-selected", chosen);
        button.tabIndex = chosen ? 0 : -1;
        byId(tab).hidden = !chosen;
    }
    shownTab = name;
    showMessage();
    document.title = `${byId(`tab-${name}`).textContent} – chainrule studio`;
    if (name === "trainer") trainer.show();
    else trainer.hide();
    if (name === "learn") learn.show();
    else learn.hide();
}

function openTab(name) {
    address.write({ tab: name, place: name === "learn" ? learn.place : null }, { push: true });
    showTab(name);
}

for (const [i, name] of TABS.entries()) {
    const button = byId(`tab-${name}`);
    button.addEventListener("click", () => openTab(name));
    button.addEventListener("keydown", (event) => {
        const next = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: -1 }[event.key];
        if (next === undefined) return;
        const place = TABS.at(next % TABS.length);
        event.preventDefault();
        openTab(place);
        byId(`tab-${place}`).focus();
    });
}

// --- theme -----------------------------------------------------------------------------------

function showTheme(choice) {
    const root = document.documentElement;
    if (choice === "light" || choice === "dark") root.dataset.theme = choice;
    else delete root.dataset.theme;
    byId("theme-name").textContent = themeName() === "dark" ? "Light theme" : "Dark theme"; // the theme that a click selects
    trainer.repaint();
    learn.repaint();
}

byId("theme").addEventListener("click", () => {
    const theme = themeName() === "dark" ? "light" : "dark";
    address.write({ theme });
    showTheme(theme);
});
dark.addEventListener("change", () => showTheme(address.read().get("theme")));

// --- state -----------------------------------------------------------------------------------

function restore() {
    const state = address.read();
    trainer.restore(state);
    explorer.restore(state);
    learn.restore(state);
    showTheme(state.get("theme"));
    showTab(TABS.includes(state.get("tab")) ? state.get("tab") : "stepper");
}

address.addEventListener("restore", restore);
if (key()) restore();
else location.replace("/enter"); // without a key every request would be rejected
