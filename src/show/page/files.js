/* The sources of files: the page itself, and the reader. A file is {name, text}. */

export function filesInPage() {
    return [...document.querySelectorAll("script.file")].map((element) => ({
        name: element.dataset.name,
        text: element.textContent,
    }));
}

async function read(list, opened) {
    const files = await Promise.all([...list].map(async (file) => ({ name: file.name, text: await file.text() })));
    if (files.length) opened(files);
}

/* Calls `opened` with the files that the reader chooses or drops on the page. */
export function filesFromReader(opened) {
    const chosen = document.getElementById("chosen");
    const drop = document.getElementById("drop");
    document.getElementById("open").addEventListener("click", () => chosen.click());
    chosen.addEventListener("change", async () => {
        await read(chosen.files, opened);
        chosen.value = "";
    });
    const over = (event) => {
        if (![...event.dataTransfer.types].includes("Files")) return;
        event.preventDefault();
        drop.hidden = false;
    };
    addEventListener("dragenter", over);
    addEventListener("dragover", over);
    addEventListener("dragleave", (event) => (drop.hidden = !event.relatedTarget));
    addEventListener("drop", (event) => {
        drop.hidden = true;
        if (!event.dataTransfer.files.length) return;
        event.preventDefault();
        read(event.dataTransfer.files, opened);
    });
}
