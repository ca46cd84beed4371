// Draws the plots, one after the other so that the first is on the screen soon.
// Colours are CSS variables (see theme.py): a change of colour scheme needs no drawing again.
(async function () {
  const specs = JSON.parse(document.getElementById("plots").textContent);
  const options = {
    mode: "vega-lite",
    renderer: "svg",
    actions: false, // its menu opens windows and saves files, which a sandboxed frame forbids
    ast: true, // interpret expressions instead of evaluating text: the page's policy forbids that
    tooltip: { theme: "batchscope" },
  };
  for (const place of document.querySelectorAll("[data-plot]")) {
    try {
      await vegaEmbed(place, specs[place.dataset.plot], options);
    } catch (error) {
      place.textContent = "This plot could not be drawn: " + error.message;
      console.error(error);
    }
  }
  document.documentElement.dataset.drawn = "yes";
})();
