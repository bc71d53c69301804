// The contents of the captures, by name: objects, their counters and instances, for each time line ("side"). Series are
// made from these on demand.

import { partsOf, pathOf } from "../find/pattern.js";

/**
 * @typedef {{name: string, unit: string, help?: string, type?: string}} CounterInfo
 * @typedef {{name: string, id: string | null, several?: boolean, host: string | null}} InstanceInfo
 * @typedef {{name: string, counters: CounterInfo[], instances: InstanceInfo[], instanced: boolean}} ObjectInfo
 * @typedef {object} SideInfo
 * @property {string} label
 * @property {string[]} hosts
 * @property {string[]} names
 * @property {number} begin_ms
 * @property {number} end_ms
 * @property {number} shift_ms
 * @property {number} num_samples
 * @property {[number, number][]} gaps
 * @property {{ms: number, text: string}[]} marks
 * @property {ObjectInfo[]} objects
 *
 * @typedef {object} SeriesInfo a series, and what it is called
 * @property {number} side
 * @property {string} path
 * @property {string} object
 * @property {string} instance "" for objects without instances
 * @property {string} id
 * @property {boolean} [isSeveral] the name passed from one process to another
 * @property {string} counter
 * @property {string} host "" if the side has one only
 * @property {string} unit
 */

/** @param {number} side @param {string} path */
export const keyOfSeries = (side, path) => `${side}:${path}`;

/** @param {string} path */
const behindHost = (path) => (path.startsWith("\\\\") && path.indexOf("\\", 2) > 0 ? path.slice(path.indexOf("\\", 2)) : path);

export class Catalogue {
  /** @param {SideInfo[]} sides */
  constructor(sides) {
    this.sides = sides;
    /** @type {Map<string, SeriesInfo>} */
    this.known = new Map();
    /** @type {SeriesInfo[] | null} */
    this.all = null;
  }

  /** @param {number} side */
  hasSeveralHosts(side) { return this.sides[side] !== undefined && this.sides[side].hosts.length > 1; }

  /** @param {number} side @param {string} name */
  object(side, name) {
    const given = this.sides[side];
    return given && given.objects.find((object) => object.name.toLowerCase() === name.toLowerCase());
  }

  /**
   * Instances of an object; of one without instances, one per host.
   * @param {number} side @param {ObjectInfo} object
   * @returns {(InstanceInfo | null)[]}
   */
  instances(side, object) {
    if (object.instances.length) return object.instances;
    if (object.instanced) return [];
    return this.hasSeveralHosts(side) ? this.sides[side].hosts.map((host) => ({ name: "", id: null, host })) : [null];
  }

  /**
   * @param {number} side @param {ObjectInfo} object @param {InstanceInfo | null} instance @param {CounterInfo} counter
   * @returns {SeriesInfo}
   */
  series(side, object, instance, counter) {
    const host = instance && instance.host && this.hasSeveralHosts(side) ? instance.host : "";
    const name = instance && object.instanced ? instance.name : null;
    return {
      side, path: pathOf(host, object.name, name, counter.name), object: object.name, instance: name || "", id: (instance && instance.id) || "",
      ...(instance && instance.several && { isSeveral: true }), counter: counter.name, host, unit: counter.unit || "",
    };
  }

  /** Every series of every side, in the order of the captures; made once. */
  everySeries() {
    if (this.all) return this.all;
    this.all = this.sides.flatMap(({ objects }, side) => objects.flatMap((object) => this.instances(side, object).flatMap(
      (instance) => object.counters.map((counter) => this.series(side, object, instance, counter)))));
    return this.all;
  }

  /**
   * The same series on every side that has it, that of its own side first.
   * @param {SeriesInfo} series
   * @returns {SeriesInfo[]}
   */
  twins(series) {
    const others = this.sides.map((_, side) => side).filter((side) => side !== series.side).flatMap((side) => {
      const object = this.object(side, series.object);
      const counter = object && object.counters.find((one) => one.name.toLowerCase() === series.counter.toLowerCase());
      if (!object || !counter) return [];
      const same = this.instances(side, object).filter((instance) => (instance ? instance.name : "") === series.instance);
      // Of several machines the one of the same name, if there is one.
      const instance = same.find((one) => one && one.host === series.host) || same[0];
      return instance === undefined ? [] : [this.series(side, object, instance, counter)];
    });
    return [series, ...others];
  }

  /**
   * Series, and the same ones of the other sides.
   * @param {{side: number, path: string}[]} series
   */
  onAllSides(series) {
    const found = new Map();
    for (const { side, path } of series.map((one) => ({ side: one.side, path: this.spelled(one.side, one.path) }))) for (const twin of this.twins(this.about(side, path))) found.set(keyOfSeries(twin.side, twin.path), { side: twin.side, path: twin.path });
    return [...found.values()];
  }

  /** Objects of all sides by name, each with the first side that has it. */
  distinctObjects() {
    /** @type {Map<string, {side: number, object: ObjectInfo}>} */
    const found = new Map();
    this.sides.forEach(({ objects }, side) => objects.forEach((object) => { if (!found.has(object.name)) found.set(object.name, { side, object }); }));
    return [...found.values()];
  }

  /** Every series once, though several sides may have it. */
  distinctSeries() {
    const all = this.everySeries();
    if (this.sides.length < 2) return all;
    const seen = new Set();
    return all.filter(({ object, instance, counter, host, side }) => {
      const key = JSON.stringify([object, instance, counter, this.hasSeveralHosts(side) ? host : ""]);
      return !seen.has(key) && seen.add(key);
    });
  }

  /**
   * Describes a path by its own parts, so that a link to a series that this capture lacks still shows what was meant.
   * @param {number} side @param {string} path
   * @returns {SeriesInfo}
   */
  about(side, path) {
    const key = keyOfSeries(side, path);
    const known = this.known.get(key);
    if (known) return known;
    const info = this.found(side, path) || this.guessed(side, path);
    this.known.set(key, info);
    return info;
  }

  // Names may hold every sign of a path, so it is held against the names that there are.
  /** @param {number} side @param {string} path @returns {SeriesInfo | null} */
  found(side, path) {
    const rest = behindHost(path);
    const host = rest === path ? "" : path.slice(2, path.length - rest.length);
    for (const object of this.sides[side] ? this.sides[side].objects : []) {
      if (!rest.startsWith(`\\${object.name}`)) continue;
      const behind = rest.slice(object.name.length + 1);
      for (const counter of object.counters) {
        const end = `\\${counter.name}`;
        if (!behind.endsWith(end)) continue;
        const name = behind.slice(0, -end.length);
        const isHost = (/** @type {InstanceInfo | null} */ one) => host === "" || !one || !one.host || one.host === host;
        const instance = this.instances(side, object).find((one) => isHost(one) && (object.instanced ? `(${one ? one.name : ""})` : "") === name);
        if (instance !== undefined) return { ...this.series(side, object, instance, counter), path };
      }
    }
    return null;
  }

  /** @param {number} side @param {string} path @returns {SeriesInfo} */
  guessed(side, path) {
    const parts = partsOf(path) || { host: "", object: "", instance: null, counter: path };
    const object = this.object(side, parts.object);
    const counter = object && object.counters.find((one) => one.name.toLowerCase() === parts.counter.toLowerCase());
    const instance = object && parts.instance !== null ? object.instances.find((one) => one.name === parts.instance && (parts.host === "" || one.host === parts.host)) : null;
    return {
      side, path, object: parts.object, instance: parts.instance || "", id: (instance && instance.id) || "", counter: parts.counter,
      host: parts.host, unit: (counter && counter.unit) || "",
    };
  }

  /**
   * A path as this page writes it: with the machine only where there are several, so that one series has one path.
   * @param {number} side @param {string} path
   */
  spelled(side, path) { return this.hasSeveralHosts(side) ? path : behindHost(path); }
}
