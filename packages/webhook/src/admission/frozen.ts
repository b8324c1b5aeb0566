/** Freezes a value from JSON, and all values in it. A handler that changes such a value by mistake gets a TypeError. */
export function frozen<T>(value: T): T {
  const left: unknown[] = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (one === null || typeof one !== 'object') continue
    Object.freeze(one)
    for (const part of Object.values(one)) left.push(part)
  }
  return value
}
