// The plain data that the document shows.
const data = JSON.parse(document.getElementById("data").textContent);
