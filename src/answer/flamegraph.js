/* Zoom, search and details for the flame graph around it.  The drawing is complete without: this
 * moves the frames that are there, and adds a bar above them. */
(function () {
  "use strict";
  var ROW = 17, CHARACTER = 6.63, BAR = 94, MIN_LABEL = 34;
  var svg = document.currentScript ? document.currentScript.parentNode : document.documentElement;
  var drawing = svg.querySelector(".frames"), top = +drawing.getAttribute("y");
  var note = svg.querySelector(".note"), height = +svg.getAttribute("height");
  var html = "http://www.w3.org/1999/xhtml";

  var frames = Array.from(drawing.children).map(function (element) {
    var lines = element.querySelector("title").textContent.split("\n");
    return {
      element: element, label: element.querySelector("text"), lines: lines,
      name: element.querySelector("text").textContent,
      x: parseFloat(element.getAttribute("x")), width: parseFloat(element.getAttribute("width")),
      row: Math.round(element.getAttribute("y") / ROW)
    };
  });
  var all = frames[0], focus = all, byElement = new Map();
  frames.forEach(function (frame) { byElement.set(frame.element, frame); });

  function make(name, parent, className) {
    var element = document.createElementNS(html, name);
    if (className) element.className = className;
    parent.appendChild(element);
    return element;
  }

  var holder = document.createElementNS("http://www.w3.org/2000/svg", "foreignObject");
  holder.setAttribute("x", 8);
  holder.setAttribute("y", top - 4);
  holder.setAttribute("height", BAR);
  svg.insertBefore(holder, drawing);
  var panel = make("div", holder), bar = make("div", panel, "bar");
  var input = make("input", bar), reset = make("button", bar), found = make("span", bar, "found");
  var crumbs = make("div", panel, "crumbs"), about = make("div", panel, "about");
  input.type = "search";
  input.placeholder = "Search (/): a regular expression";
  input.setAttribute("aria-label", "Search frames by a regular expression");
  reset.textContent = "Reset zoom";
  drawing.setAttribute("y", top + BAR);
  if (note) note.setAttribute("y", +note.getAttribute("y") + BAR);
  svg.setAttribute("height", height + BAR);
  svg.setAttribute("width", "100%");
  svg.classList.add("live");

  function shown(frame) {
    return frame.x + frame.width > focus.x + 1e-9 && frame.x < focus.x + focus.width - 1e-9;
  }

  /* Names keep their ends, where qualified ones differ. */
  function fit(frame, pixels) {
    var room = Math.floor((pixels - 6) / CHARACTER);
    if (pixels < MIN_LABEL) return "";
    return frame.name.length <= room ? frame.name : "\u2026" + frame.name.slice(1 - room);
  }

  function draw() {
    var pixels = svg.getBoundingClientRect().width || 1200;
    holder.setAttribute("width", Math.max(pixels - 16, 50));
    frames.forEach(function (frame) {
      var visible = shown(frame), above = visible && frame.row < focus.row;
      frame.element.style.display = visible ? "" : "none";
      if (!visible) return;
      var x = above ? 0 : (frame.x - focus.x) / focus.width * 100;
      var width = above ? 100 : Math.min(frame.width / focus.width * 100, 100);
      frame.element.setAttribute("x", x + "%");
      frame.element.setAttribute("width", width + "%");
      frame.element.classList.toggle("above", above);
      frame.label.textContent = fit(frame, pixels * width / 100);
    });
  }

  function tell(frame) {
    about.textContent = "";
    make("b", about).textContent = frame.lines[0];
    about.appendChild(document.createTextNode(" \u00b7 " + frame.lines.slice(1).join(" \u00b7 ")));
  }

  function callersOf(frame) {
    return frames.filter(function (other) {
      return other.row < frame.row && other.x <= frame.x + 1e-9 &&
             other.x + other.width >= frame.x + frame.width - 1e-9;
    });
  }

  function zoom(frame) {
    focus = frame;
    reset.disabled = frame === all;
    crumbs.textContent = "";
    if (frame === all) crumbs.textContent = "Click a frame to zoom; hover it for its figures.";
    else callersOf(frame).slice(-4).concat(frame).forEach(function (step, index) {
      if (index > 0) crumbs.appendChild(document.createTextNode(" \u203a "));
      var link = make(step === frame ? "span" : "a", crumbs);
      link.textContent = step.name.length > 40 ? "\u2026" + step.name.slice(-39) : step.name;
      if (step !== frame) link.onclick = function () { zoom(step); };
    });
    tell(frame);
    draw();
  }

  function search(text) {
    var pattern = null, matched = 0, share = 0, end = -1;
    input.classList.remove("bad");
    try {
      if (text) pattern = new RegExp(text, /[A-Z]/.test(text) ? "" : "i");
    } catch (problem) {
      input.classList.add("bad");
    }
    frames.forEach(function (frame) {
      var hit = pattern !== null && frame !== all &&
                (pattern.test(frame.name) || pattern.test(frame.lines[0]));
      frame.element.classList.toggle("hit", hit);
      if (!hit) return;
      matched++;
      if (frame.x >= end - 1e-9) {
        share += frame.width;
        end = frame.x + frame.width;
      }
    });
    svg.classList.toggle("searching", pattern !== null);
    found.textContent = pattern === null ? (text ? "not a regular expression" : "")
        : share.toFixed(1) + " % in " + matched + (matched === 1 ? " frame" : " frames");
  }

  function frameAt(event) {
    var element = event.target.closest ? event.target.closest(".f") : null;
    return element && byElement.get(element);
  }

  drawing.addEventListener("click", function (event) {
    var frame = frameAt(event);
    if (frame) zoom(frame);
  });
  drawing.addEventListener("mouseover", function (event) {
    var frame = frameAt(event);
    if (frame) tell(frame);
  });
  drawing.addEventListener("mouseleave", function () { tell(focus); });
  drawing.addEventListener("focusin", function (event) {
    var frame = frameAt(event);
    if (frame) tell(frame);
  });
  reset.addEventListener("click", function () { zoom(all); });
  input.addEventListener("input", function () { search(input.value); });
  window.addEventListener("resize", draw);
  window.addEventListener("keydown", function (event) {
    var typing = document.activeElement === input, frame = frameAt(event);
    if (event.key === "/" && !typing) {
      event.preventDefault();
      input.focus();
      input.select();
    } else if (event.key === "Escape" && input.value) {
      input.value = "";
      search("");
      input.blur();
    } else if (event.key === "Escape") {
      input.blur();
      zoom(all);
    } else if (event.key === "Enter" && frame) {
      zoom(frame);
    }
  });
  frames.forEach(function (frame) { frame.element.setAttribute("tabindex", "0"); });
  zoom(all);
})();
