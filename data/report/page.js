"use strict";
(function () {
	var table = document.querySelector(".overview");
	var details = Array.prototype.slice.call(document.querySelectorAll("details.w"));
	function openTarget() {
		var d = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
		if (!d || d.tagName !== "DETAILS") return;
		d.open = true;
		d.querySelector("summary").focus(); // the next Tab goes on from there
	}
	addEventListener("hashchange", openTarget);
	openTarget();
	// Paper cannot be opened: show everything, and put it back afterwards.
	var opened = [];
	addEventListener("beforeprint", function () {
		opened = details.filter(function (d) { return !d.open; });
		opened.forEach(function (d) { d.open = true; });
	});
	addEventListener("afterprint", function () { opened.forEach(function (d) { d.open = false; }); });
	if (!table) return;

	var body = table.tBodies[0];
	var rows = Array.prototype.slice.call(body.rows);
	var count = document.getElementById("count");
	var text = document.getElementById("f-text");
	var verdict = document.getElementById("f-verdict");
	var mechanism = document.getElementById("f-mechanism");

	function filter() {
		var word = text.value.toLowerCase(), shown = 0;
		rows.forEach(function (row) {
			var ok = row.dataset.name.toLowerCase().indexOf(word) >= 0;
			if (ok && verdict.value) {
				ok = Array.prototype.some.call(row.cells, function (cell) {
					return cell.dataset.w === verdict.value &&
						(!mechanism.value || cell.dataset.m === mechanism.value);
				});
			}
			row.hidden = !ok;
			shown += ok ? 1 : 0;
			var d = document.getElementById(row.dataset.id);
			if (d) d.hidden = !ok;
		});
		count.textContent = shown + " of " + rows.length + " shown";
	}
	[text, verdict, mechanism].forEach(function (e) { e.addEventListener("input", filter); });
	document.querySelector(".controls").hidden = false;

	function sort(column, th) {
		var down = th.getAttribute("aria-sort") === (th.dataset.first === "descending" ? "descending" : "ascending")
			? th.dataset.first !== "descending" : th.dataset.first === "descending";
		Array.prototype.forEach.call(table.tHead.rows[0].cells, function (c) { c.removeAttribute("aria-sort"); });
		th.setAttribute("aria-sort", down ? "descending" : "ascending");
		var key = rows.map(function (row, i) {
			var s = row.cells[column].dataset.v, n = parseFloat(s);
			return { row: row, at: i, missing: s === "", v: column === 0 ? row.dataset.name : n };
		});
		key.sort(function (a, b) {
			if (a.missing !== b.missing) return a.missing ? 1 : -1; // missing last either way
			if (a.v === b.v || a.missing) return a.at - b.at;
			return (a.v < b.v ? -1 : 1) * (down ? -1 : 1);
		});
		key.forEach(function (k) { body.appendChild(k.row); });
	}
	Array.prototype.forEach.call(table.tHead.rows[0].cells, function (th, column) {
		var button = document.createElement("button");
		button.type = "button";
		while (th.firstChild) button.appendChild(th.firstChild);
		th.appendChild(button);
		button.addEventListener("click", function () { sort(column, th); });
	});
})();
