// The button that chooses between light, dark and the system's colours; without scripts the system's are used.
import { find } from "./dom.js";
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
