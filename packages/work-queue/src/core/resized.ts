/** Returns `to`, filled with the part of `from` that fits. */
export function resized<T extends Uint8Array | Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from.length > to.length ? from.subarray(0, to.length) : from)
  return to
}
