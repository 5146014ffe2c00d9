/** The state of the page: plain values, and who wants to know when some of them change. */
export class Store {
    constructor(values) {
        this.values = { ...values };
        this.listeners = [];
    }

    get(key) {
        return this.values[key];
    }

    /** @param {object} patch */
    set(patch) {
        const changed = Object.keys(patch).filter(
            (key) => !Object.is(this.values[key], patch[key]),
        );
        if (!changed.length) return;
        Object.assign(this.values, patch);
        for (const { keys, callback } of this.listeners) {
            if (changed.some((key) => keys.includes(key))) callback(this.values);
        }
    }

    toggle(key) {
        this.set({ [key]: !this.values[key] });
    }

    /** Call back now and whenever one of the keys changes. */
    on(keys, callback) {
        this.listeners.push({ keys, callback });
        callback(this.values);
    }
}
