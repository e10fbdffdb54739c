// The button that chooses between light, dark and the system's colours; without scripts the system's are used.
(function (t) {
  "use strict";
  const button = document.getElementById("theme");
  const show = () => {
    button.textContent = `Theme: ${t.theme}`;
  };
  button.hidden = false;
  show();
  button.addEventListener("click", () => {
    t.nextTheme();
    show();
  });
})(window.traincompute);
