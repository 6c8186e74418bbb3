/** A published design: JSON text, or the object that it describes. */
export type Design = string | object;

/** What a person allows. Everything that is set must hold. An ε is a number, or a text for an exact one ("1/3"). */
export interface Limits {
  /** ε of one report between any two records. */
  anyTwoRecords?: number | string;
  /** ε of one report per unit of distance, where the range of every column counts as one. */
  unitOfDistance?: number | string;
  /** ε between any two records, of all reports that the ledger knows together. */
  total?: number | string;
  /** The digest of the only design to answer. */
  digest?: string;
  /** Refuse designs whose noise is drawn in floating point. */
  exactNoise?: boolean;
}

/** A guarantee in words. */
export interface Guarantee {
  /** What someone who tosses a coin beforehand can know afterwards. */
  plain: string;
  /** The loss, and between which records. */
  formal: string;
  /** What must be true of the world for it. */
  conditions: string[];
  /** The loss in symbols, such as "ε = 1". */
  loss: string;
  strength: "usual" | "weak" | "very-weak";
}

export interface About {
  /** The name under which reports are counted: the identifier, or the digest. */
  collection: string;
  identifier: string | null;
  digest: string;
  mechanism: string;
  epsilon: string;
  columns: { name: string; lower: number; upper: number }[];
  /** Of one report, in each unit in which there is one. */
  guarantees: Guarantee[];
  /** Of all reports for this collection, once one more is sent. */
  after_next_report: Guarantee[];
  /** Reports for this collection so far. */
  reports: number;
  /** ε between any two records, of all reports in the ledger. */
  spent: string;
  total: string | null;
  /** Of all reports in the ledger together. */
  of_all_reports: Guarantee | null;
}

export interface ReportOptions {
  /**
   * What to do when the collection was answered before: refuse ("once", the default), send the same report again ("same"), or
   * make a fresh one until there are `most` ("fresh").
   */
  repeat?: "once" | "same" | "fresh";
  most?: number;
  /** Days since 1 January 1970; today by default. */
  day?: number;
}

/** A device under one design. */
export interface Device {
  readonly about: About;
  /** The guarantees of one report in plain words. */
  readonly promise: string;
  /** What was sent so far: store this text, and pass it to `open` next time. */
  readonly ledger: string;
  /**
   * The bytes of a report, to be sent as `application/vnd.shoal.reports`. Store `ledger` first. Values are in the order of
   * the design's columns; those outside the bounds are moved to the nearest bound.
   */
  report(values: ArrayLike<number>, options?: ReportOptions): Uint8Array;
  /** What could be sent: `count` noisy records, one after the other. Never send them; the ledger does not count them. */
  simulate(values: ArrayLike<number>, count: number): Float64Array;
  /** Gives the memory back. The device cannot be used afterwards. */
  free(): void;
}

export interface Shoal {
  /** Opens a device, if the design can be read and stays within the limits. */
  open(design: Design, options?: { limits?: Limits; ledger?: string }): Device;
}

/** Why the device refused. `code` stays the same between versions. */
export class ShoalError extends Error {
  readonly code: string;
}

/**
 * Loads the module: from its bytes, from a response, from an address, or, by default, from the file next to this one.
 * Randomness comes from `crypto.getRandomValues`.
 */
export function load(source?: WebAssembly.Module | BufferSource | Response | URL | string): Promise<Shoal>;
