// Debian's furo has its dark colors behind a switch only: follow the system where nobody has switched.
addEventListener("DOMContentLoaded", () => {
  if (document.body.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches)
    document.body.dataset.theme = "dark";
});
