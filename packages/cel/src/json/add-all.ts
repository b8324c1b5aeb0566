/** Adds items to the end of a list. It takes any number of items: `list.push(...items)` overflows the stack for more than some 120,000. */
export function addAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item)
}
