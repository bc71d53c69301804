// `recount view`: the viewer, with the answers of the server that sent this page.

import { Client } from "./data/client.js";
import { Viewer } from "./viewer.js";
import { Theme } from "../frame/theme.js";
import { find } from "../text/elements.js";

async function startViewer() {
  const theme = new Theme();
  theme.control(find("#theme"));
  try {
    await new Viewer(theme, new Client(location.pathname.replace(/[^/]*$/, ""))).start();
  } catch (error) {
    const notice = find("#notice");
    notice.textContent = `Nothing can be shown: ${/** @type {Error} */ (error).message}.`;
    notice.hidden = false;
    document.documentElement.setAttribute("data-ready", "failed");
    console.error(error);
  }
}

startViewer();
