/** Whether all that is in `part`, a JSON value, is in `whole` as well. Lists are as long, and in the same order. */
export function contains(whole: unknown, part: unknown): boolean {
  if (part === null || typeof part !== 'object') return whole === part
  if (whole === null || typeof whole !== 'object') return false
  if (Array.isArray(part) || Array.isArray(whole)) {
    if (!Array.isArray(part) || !Array.isArray(whole) || part.length !== whole.length) return false
    return part.every((value, index) => contains(whole[index], value))
  }
  const fields = new Map<string, unknown>(Object.entries(whole))
  return Object.entries(part).every(([name, value]) => value === undefined || contains(fields.get(name), value))
}
