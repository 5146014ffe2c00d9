/** The worker's side of decoder.js: large chunks are decoded here, the page stays free. */
import { decodeTask } from "./codec.js";

self.onmessage = async ({ data }) => {
    try {
        const result = await decodeTask(data);
        self.postMessage({ id: data.id, result }, [result.buffer]);
    } catch (error) {
        self.postMessage({ id: data.id, error: String(error.message ?? error) });
    }
};
