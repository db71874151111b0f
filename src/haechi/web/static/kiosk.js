// At a kiosk the page of thanks makes way for the next person by itself.

const form = document.querySelector("form[data-kiosk]");
if (form) setTimeout(() => form.submit(), Number(form.dataset.kiosk) * 1000);
