/** What an error goes back to: the cause of its cause … of what was thrown. */
export function rootOf(thrown: unknown): unknown {
  const passed = new Set<unknown>()
  let root = thrown
  while (root instanceof Error && root.cause !== undefined && !passed.has(root)) {
    passed.add(root)
    root = root.cause
  }
  return root
}
