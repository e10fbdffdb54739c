// What every page has: the button that chooses between light, dark and the system's colours, which are used without
// scripts, and the link that skips the head.
import { find, findAll } from "./dom.js";
import { nextTheme, themeName } from "./theme.js";

const button = find("theme");
const show = () => {
  button.textContent = `Theme: ${themeName()}`;
};
button.hidden = false;
show();
button.addEventListener("click", () => {
  nextTheme();
  show();
});
for (const link of findAll("[data-skip]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault(); // the address holds what is shown
    find(link.dataset.skip ?? "").focus();
  });
}
