/** The animation, once from start to end, as a video file. */
import { download, fileName } from "./dom.js";

export function canRecord() {
    return typeof MediaRecorder !== "undefined" && "captureStream" in HTMLCanvasElement.prototype;
}

/** A second call ends the recording early and keeps what there is. */
export function recordVideo({ store, stage, player, run, tell }) {
    if (store.get("recording")) return store.get("recording").stop();
    const type = ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find((t) =>
        MediaRecorder.isTypeSupported(t),
    );
    if (!type) return tell("This browser cannot record video.");
    const recorder = new MediaRecorder(stage.canvas.captureStream(30), {
        mimeType: type,
        videoBitsPerSecond: 8e6,
    });
    const parts = [];
    const { loop } = store.values;
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => {
        store.set({ recording: null, playing: false, loop });
        const ending = type.startsWith("video/mp4") ? "mp4" : "webm";
        download(new Blob(parts, { type }), `${fileName(run.name)}.${ending}`);
    };
    player.seekFrame(0);
    stage.resolution.hold(true);
    store.set({ recording: recorder, loop: false, playing: true });
    recorder.start();
    waitForEnd(store, player, () => {
        stage.resolution.hold(false);
        if (recorder.state !== "inactive") recorder.stop();
    });
}

/** A mode has no end: one period is recorded. */
function waitForEnd(store, player, done) {
    let last = 0;
    const look = () => {
        const { frame, playing, recording } = store.values;
        const wrapped = player.cyclic && frame < last;
        last = frame;
        if (!recording || !playing || wrapped) done();
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}
