/** Freezes a value from JSON, and all in it: a handler that changes it by mistake gets a TypeError instead of no effect. */
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
